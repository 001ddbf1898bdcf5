//! A test oracle of the round: computes the expected result from the shown dice and the state
//! before, and compares it with the state after (SR-2.2 to SR-2.12, SR-3.2 to SR-3.4, SR-4.2).
//! Rounds with effects or consumables are left to other tests.

use base::Value;
use protocol::story_event::RollEvent;
use protocol::{Choice, Prompt, StoryEvent};

/// The inputs to the judgement of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundState {
    vigour: i64,
    mp: i64,
    max_vigour: i64,
    stats: [i64; 4],
    power: i64,
    armor: i64,
    foe_vigour: i64,
    wait_rounds: i64,
    is_stilled: bool,
    marks: i64,
    ward_rounds: i64,
    is_fighting: bool,
    is_plain: bool,
    /// The foe's maximum vigour.
    foe_max_vigour: i64,
    /// SR-2.16: what the remaining foes add to a blow of the last of them.
    backup_damage: i64,
    intent: FoeIntent,
    /// The foe's known next intent; empty if it is drawn.
    next_intent: FoeIntent,
}

/// The foe's intent (SR-2.13). It is drawn after each round, so no two are compared.
#[derive(Clone, Debug, Default)]
struct FoeIntent(String);

impl PartialEq for FoeIntent {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

fn int_at_path(value: &Value, path: &str) -> i64 {
    let int_value = path.split('.').try_fold(value, |parent, step| parent.get(step));
    int_value.and_then(Value::as_int).unwrap_or(0)
}

impl RoundState {
    /// Reads the state.
    pub fn from_state(state: &Value) -> Self {
        let hero = state.get("hero").unwrap();
        let mut stats =
            ["ATK", "DEF", "CAR", "INT"].map(|name| int_at_path(hero, &format!("stats.{name}")));
        let mut is_plain = hero.get("steadied") != Some(&Value::Bool(true));
        let relics = hero.get("relics").unwrap().as_list().unwrap();
        let mut add_bonuses = |gear: &Value| {
            is_plain &= gear.get("effect").is_none();
            for (stat, name) in stats.iter_mut().zip(["ATK", "DEF", "CAR", "INT"]) {
                *stat += int_at_path(gear, &format!("stats.{name}"));
            }
        };
        for slot in ["weapon", "armor", "accessory"] {
            let worn_piece = hero.get("worn").unwrap().get(slot).unwrap();
            add_bonuses(worn_piece);
            for index in worn_piece.get("set").unwrap().as_list().unwrap() {
                add_bonuses(&relics[index.as_int().unwrap() as usize - 1]);
            }
        }
        let run = state.get("run").unwrap();
        let current_room =
            run.get("rooms").unwrap().get(run.get("here").unwrap().as_text().unwrap());
        let level = int_at_path(hero, "standing") + int_at_path(hero, "gained");
        let fight = state.get("fight");
        let fight_values = fight.cloned().unwrap_or_else(Value::map);
        let rooms = run.get("rooms").unwrap();
        let remaining_foes = run.get("order").unwrap().as_list().unwrap().iter().filter(|id| {
            let room = rooms.get(id.as_text().unwrap()).unwrap();
            let foe_field = |name: &str| room.get("foe").and_then(|foe| foe.get(name));
            room.get("kind").and_then(Value::as_text) != Some("boss")
                && foe_field("met") == Some(&Value::Bool(true))
                && foe_field("beaten") != Some(&Value::Bool(true))
        });
        let is_boss_room =
            current_room.and_then(|room| room.get("kind")).and_then(Value::as_text) == Some("boss");
        Self {
            foe_max_vigour: current_room.map_or(0, |room| int_at_path(room, "foe.max")),
            backup_damage: if is_boss_room { 2 * remaining_foes.count() as i64 } else { 0 },
            vigour: int_at_path(hero, "vigour"),
            mp: int_at_path(hero, "mp"),
            max_vigour: (28 + stats[1] + 2 * (level - 1) - int_at_path(hero, "given")).max(1),
            stats: stats.map(|stat| stat.max(0)),
            power: int_at_path(hero, "worn.weapon.power"),
            armor: int_at_path(hero, "worn.armor.power"),
            foe_vigour: current_room.map_or(0, |room| int_at_path(room, "foe.vigour")),
            wait_rounds: int_at_path(&fight_values, "waits"),
            is_stilled: fight_values.get("stilled") == Some(&Value::Bool(true)),
            marks: int_at_path(&fight_values, "marks"),
            ward_rounds: int_at_path(&fight_values, "ward"),
            is_fighting: fight.is_some(),
            intent: FoeIntent(
                fight_values.get("intent").and_then(Value::as_text).unwrap_or("press").to_owned(),
            ),
            next_intent: FoeIntent(
                fight_values
                    .get("intent")
                    .or(fight_values.get("follows"))
                    .and_then(Value::as_text)
                    .unwrap_or_default()
                    .to_owned(),
            ),
            is_plain: is_plain && fight_values.get("lasting").is_none(),
        }
    }
}

impl RoundState {
    /// The hero's vigour.
    pub fn vigour(&self) -> i64 {
        self.vigour
    }

    /// The maximum vigour (SR-9.3).
    pub fn max_vigour(&self) -> i64 {
        self.max_vigour
    }
}

fn roll_events(events: &[StoryEvent]) -> Vec<&RollEvent> {
    events
        .iter()
        .filter_map(|event| if let StoryEvent::Roll(roll) = event { Some(&**roll) } else { None })
        .collect()
}

fn roll_outcome(roll: &RollEvent) -> &'static str {
    let natural = roll.dice[0].face;
    let against = roll.target.unwrap();
    match natural {
        1 => "guttering",
        20 => "full",
        _ if roll.total - against >= 5 => "full",
        _ if roll.total >= against => "partial",
        _ => "failure",
    }
}

/// SR-2.11: the roll matches the odds shown beside the choice.
fn assert_roll_matches_odds(choice: &Choice, roll: &RollEvent) {
    let odds = choice.odds.as_ref().expect("a choice that rolls shows its odds");
    let parts: Vec<String> =
        roll.modifiers.iter().map(|part| format!(" + {} {}", part.label, part.value)).collect();
    let label = format!("d20{} against {}", parts.concat(), roll.target.unwrap());
    assert_eq!(odds.label, label);
    let modifier_sum: i64 = roll.modifiers.iter().map(|part| part.value).sum();
    let mut counts = [0; 4];
    for face in 1..=20_i64 {
        let margin = face + modifier_sum - roll.target.unwrap();
        let band = match (face, margin) {
            (1, _) => 3,
            (20, _) | (_, 5..) => 0,
            (_, 0..) => 1,
            _ => 2,
        };
        counts[band] += 1;
    }
    let displayed_bands: Vec<(&str, u64)> =
        odds.bands.iter().map(|band| (&*band.label, band.case_count)).collect();
    let expected: Vec<(&str, u64)> =
        ["full", "partial", "failure", "guttering"].into_iter().zip(counts).collect();
    assert_eq!(displayed_bands, expected, "{label}");
    assert_eq!(roll.outcome.as_deref(), Some(roll_outcome(roll)));
}

impl RoundState {
    /// SR-2.13: half damage against a guard, one and a half against the intent that is
    /// `vulnerable_intent` to it.
    fn damage_by_intent(&self, vulnerable_intent: &str, damage: i64) -> i64 {
        match &*self.intent.0 {
            _ if self.wait_rounds > 0 => damage,
            "guard" => (damage + 1) / 2,
            intent if intent == vulnerable_intent => damage + damage / 2,
            _ => damage,
        }
    }
}

/// Words that this oracle computes; the other words are tested in `words`.
const SUPPORTED_WORDS: [&str; 13] = [
    "cinder",
    "thorn",
    "gnaw",
    "knell",
    "lattice",
    "quicklime",
    "mend",
    "ward",
    "ring_of_wax",
    "balm",
    "hush",
    "borrowed_breath",
    "cloister",
];

fn is_supported_choice(id: &str) -> bool {
    id.strip_prefix("cast:").is_none_or(|word| SUPPORTED_WORDS.contains(&word))
}

/// Judges one round of a fight that neither won nor lost it. Returns whether it could be judged.
pub fn judge_round(
    prompt: &Prompt,
    id: &str,
    before: &RoundState,
    after: &RoundState,
    events: &[StoryEvent],
) -> bool {
    let choice = prompt.choice(id).unwrap();
    let rolls = roll_events(events);
    if choice.odds.is_some() {
        assert_roll_matches_odds(choice, rolls[0]);
    }
    let path = id.split(':').next().unwrap();
    let is_supported_path = ["strike", "brace", "speak", "study", "cast", "leave"].contains(&path);
    if !is_supported_path
        || !before.is_plain
        || !before.is_fighting
        || !after.is_plain
        || !is_supported_choice(id)
    {
        return false;
    }
    let mut state = before.clone();
    let result = choice.odds.as_ref().map_or("", |_| roll_outcome(rolls[0]));
    let mut answer_rolls = rolls.iter().filter(|roll| roll.target.is_none());
    apply_hero_action(path, id, result, &mut state, &mut answer_rolls);
    if state.foe_vigour <= 0 {
        return false; // It fell: what follows is told of elsewhere.
    }
    apply_foe_answer(path, result, &mut state, answer_rolls.next().copied());
    if after.vigour <= 0 || state.vigour <= 0 || before.max_vigour != after.max_vigour {
        return false; // The hero fell, or rose a level.
    }
    if path == "leave" {
        assert!(!after.is_fighting, "SR-2.12: left");
        assert_eq!(after.vigour, state.vigour, "SR-2.12: one answer");
        return true;
    }
    let is_success = ["full", "partial"].contains(&result);
    let is_interrupted = path == "cast" && is_success && choice.odds.is_some()
        || path == "speak" && result == "full";
    if state.intent.0 == "gather" && !is_interrupted {
        state.foe_vigour = (state.foe_vigour + state.foe_max_vigour / 8).min(state.foe_max_vigour);
    }
    assert_eq!(*after, state, "after {id} ({result}), from {before:?}");
    if let Some(expected_intent) = expected_next_intent(path, result, before, is_interrupted) {
        assert_eq!(
            after.next_intent.0, expected_intent,
            "next, after {id} ({result}), from {before:?}"
        );
    }
    true
}

/// SR-2.13: the next intent after a response, at once or after a wait; none where it is drawn.
fn expected_next_intent<'a>(
    path: &str,
    result: &str,
    before: &'a RoundState,
    is_interrupted: bool,
) -> Option<&'a str> {
    let known_intent = Some(&*before.next_intent.0).filter(|next| !next.is_empty());
    match (&*before.intent.0, path, result) {
        _ if before.wait_rounds > 0 => known_intent,
        ("heavy", "brace", "full" | "partial")
        | ("guard", "study", "full")
        | ("listen", "speak", "full") => Some("open"),
        ("gather", ..) if !is_interrupted => Some("heavy"),
        _ => None,
    }
}

fn apply_wait(state: &mut RoundState, wait_rounds: i64) {
    if wait_rounds > 0 && !state.is_stilled {
        state.wait_rounds = wait_rounds;
        state.is_stilled = true;
    }
}

fn wound_foe(state: &mut RoundState, full_damage: i64) {
    let mut damage = full_damage;
    if state.marks > 0 && full_damage > 0 {
        damage = full_damage + full_damage / 2;
        state.marks -= 1;
    }
    state.foe_vigour -= state.damage_by_intent("open", damage);
}

fn apply_hero_action<'a>(
    path: &str,
    id: &str,
    result: &str,
    state: &mut RoundState,
    rolls: &mut impl Iterator<Item = &'a &'a RollEvent>,
) {
    let [atk, _, car, int] = state.stats;
    let is_heavy_under_way = state.intent.0 == "heavy";
    let mark_bonus = if state.marks > 0 { (3 * int / 4).min(7) } else { 0 };
    let attack_bonus = mark_bonus + if state.is_stilled { (car - 3).max(0) / 2 } else { 0 };
    match (path, result) {
        ("strike", "full") => wound_foe(state, 2 * atk / 3 + 1 + state.power + attack_bonus),
        ("strike", "partial") => {
            wound_foe(state, (2 * atk / 3 + 1 + state.power + attack_bonus + 1) / 2)
        }
        ("speak", "full") => apply_wait(state, if is_heavy_under_way { 0 } else { 2 }),
        ("speak", "partial") => apply_wait(state, if is_heavy_under_way { 0 } else { 1 }),
        ("study", "full") => {
            state.marks = 2;
            // Without a blow on the way, there is none to miss.
            let has_no_blow = is_heavy_under_way || ["open", "gather"].contains(&&*state.intent.0);
            apply_wait(state, if has_no_blow { 0 } else { 1 });
        }
        ("study", "partial") => state.marks = 2,
        ("cast", _) => {
            state.mp -= 1;
            let word_bonuses =
                [("cinder", 0), ("thorn", 2), ("gnaw", 3), ("knell", 3), ("lattice", 6)];
            match (id.trim_start_matches("cast:"), result) {
                ("mend", _) => state.vigour = (state.vigour + int / 2 + 3).min(state.max_vigour),
                ("ward", _) => state.ward_rounds = 1,
                ("ring_of_wax", _) => state.ward_rounds = 2,
                ("cloister", _) => state.ward_rounds = 3,
                ("balm", _) => state.vigour = (state.vigour + int / 2 + 8).min(state.max_vigour),
                ("hush", _) => apply_wait(state, 1),
                ("borrowed_breath", _) => {
                    state.vigour = (state.vigour + int / 2 + 5).min(state.max_vigour);
                    state.ward_rounds = 1;
                }
                (word, "full" | "partial") => {
                    let bonus = word_bonuses.iter().find(|(name, _)| *name == word);
                    let bonus = bonus.map_or(5, |(_, bonus)| *bonus);
                    let fire_damage =
                        if result == "full" { rolls.next().unwrap().total } else { 0 };
                    state.foe_vigour -=
                        state.damage_by_intent("gather", int / 3 + 2 + bonus + fire_damage);
                    if word == "knell" && result == "full" && state.foe_vigour > 0 {
                        apply_wait(state, 1);
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
}

fn apply_foe_answer(path: &str, result: &str, state: &mut RoundState, roll: Option<&RollEvent>) {
    if state.wait_rounds > 0 {
        state.wait_rounds -= 1;
        assert!(roll.is_none(), "a foe that waits does not answer");
        return;
    }
    if ["open", "gather"].contains(&&*state.intent.0) {
        assert!(roll.is_none(), "a foe that does something else does not answer");
        return;
    }
    state.is_stilled = false;
    if state.ward_rounds > 0 {
        state.ward_rounds -= 1;
        return;
    }
    let blow = roll.expect("a foe that does not wait answers").total + state.backup_damage;
    let mut damage_halves = match &*state.intent.0 {
        "heavy" => 4 * blow,
        "guard" => blow / 2 * 2,
        _ => 2 * blow,
    };
    if result == "guttering" {
        damage_halves += damage_halves / 2;
    }
    let defense = state.stats[1];
    damage_halves -= 2 * (defense / 8 + (defense - 13).max(0) + state.armor);
    let divisor = if path == "brace" { 4 } else { 2 };
    let damage = damage_halves.div_euclid(divisor).max(1);
    state.vigour -= damage.min(state.vigour);
    if path == "brace" && state.vigour > 0 {
        let vigour_gain = match result {
            "full" => state.stats[1] / 4 + 1,
            "partial" => 1,
            _ => 0,
        };
        state.vigour = (state.vigour + vigour_gain.min(damage)).min(state.max_vigour);
    }
}
