// The duel of tests/bench/duel in ink: the same two fighters, blows, texts and choices, and whoever falls stands up again.

VAR mine_health = 30
VAR mine_wins = 0
VAR theirs_health = 26
VAR theirs_wins = 0
VAR blows = 0

-> round

=== function damage(total, guard)
  ~ return MAX(1, total - guard)

=== function stand_up()
  ~ mine_health = 30
  ~ theirs_health = 26

=== function strike_them(more)
  ~ temp hurt = damage(RANDOM(1, 6) + 2, 3 + more)
  ~ theirs_health = theirs_health - hurt
  ~ blows = blows + 1
  {hurt} to the widow; {theirs_health} left.
  {theirs_health <= 0:
    ~ mine_wins = mine_wins + 1
    ~ stand_up()
  }

=== function strike_me(more)
  ~ temp hurt = damage(RANDOM(1, 6) + 2, 2 + more)
  ~ mine_health = mine_health - hurt
  ~ blows = blows + 1
  {hurt} to the miller; {mine_health} left.
  {mine_health <= 0:
    ~ theirs_wins = theirs_wins + 1
    ~ stand_up()
  }

=== round
What now?
+ [Strike: {theirs_health} left]
  ~ strike_them(0)
  ~ strike_me(0)
  -> round
+ [Guard: {mine_health} left]
  ~ strike_me(2)
  -> round
