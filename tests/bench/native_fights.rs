//! The same fight rounds in pure Rust: the lower bound without scripts, display or storage. It is
//! for comparison only; no mod could change it.

use dice::{RandomStreams, parse_roll, roll};
use protocol::Input;
use session::Session;

/// A round of a descent: its path and its foe.
#[derive(Clone, Copy)]
pub struct FightRound {
    path: RoundPath,
    tier: i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RoundPath {
    Strike,
    Brace,
    Speak,
    Study,
}

/// The round that an input begins in the current session, if any.
pub fn fight_round_of(session: &Session, input: &Input) -> Option<FightRound> {
    let Input::Choice(id) = input else { return None };
    if session.prompt().scene != "sub_rosa:round" {
        return None;
    }
    let path = match id.as_str() {
        "brace" => RoundPath::Brace,
        "speak" => RoundPath::Speak,
        "study" => RoundPath::Study,
        _ => RoundPath::Strike,
    };
    let state = session.world().snapshot().state;
    let value_at = |value: &base::Value, path: &[&str]| {
        path.iter().try_fold(value.clone(), |parent, name| parent.get(name).cloned())
    };
    let room_id = value_at(&state, &["game", "run", "here"])?;
    let tier = value_at(&state, &["game", "run", "rooms", room_id.as_text()?, "tier"])?.as_int()?;
    Some(FightRound { path, tier })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RollOutcome {
    Full,
    Partial,
    Failure,
    Guttering,
}

/// Plays rounds by section 2 of the rules, with pillars of 6, a blade of power 1 and plain armor;
/// whoever falls stands up again. Returns the remaining vigour of both, so that the compiler
/// removes no work.
pub fn play_rounds(rounds: &[FightRound], seed: u64) -> i64 {
    let mut streams = RandomStreams::new(seed);
    let blow_rolls =
        ["1d4+1", "1d4+2", "1d6+3", "1d8+4", "1d6+4"].map(|blow| parse_roll(blow).unwrap());
    let (mut hero_vigour, mut foe_vigour, mut wait_count, mut mark_count) = (30, 0, 0, 0);
    for FightRound { path, tier } in rounds {
        let tier_index = (*tier).clamp(1, 5) as usize - 1;
        if foe_vigour <= 0 {
            foe_vigour = [10, 14, 20, 28, 46][tier_index];
        }
        let natural = i64::from(streams.draw("sub_rosa:combat", 20));
        let outcome = roll_outcome(natural, natural + 6, 10 + tier_index as i64 + 1);
        match path {
            RoundPath::Strike => {
                let full_damage = 6 / 2 + 2 + 1;
                let base_damage = match outcome {
                    RollOutcome::Full => full_damage,
                    RollOutcome::Partial => (full_damage + 1) / 2,
                    _ => 0,
                };
                let is_increased = mark_count > 0 && base_damage > 0;
                mark_count -= i64::from(is_increased);
                foe_vigour -= if is_increased { base_damage * 3 / 2 } else { base_damage };
            }
            RoundPath::Speak => {
                wait_count =
                    i64::from(outcome == RollOutcome::Full) + i64::from(is_success(outcome))
            }
            RoundPath::Study => {
                mark_count = if is_success(outcome) { 2 } else { 0 };
                wait_count = i64::from(outcome == RollOutcome::Full);
            }
            RoundPath::Brace => {}
        }
        if foe_vigour <= 0 {
            continue;
        }
        if wait_count > 0 {
            wait_count -= 1;
            continue;
        }
        let blow_total =
            roll(&blow_rolls[tier_index], &mut |sides| streams.draw("sub_rosa:combat", sides))
                .total;
        let quarters_per_point = if outcome == RollOutcome::Guttering { 6 } else { 4 };
        // A pillar of 6 blocks one point: four quarters.
        let mut quarters = blow_total * quarters_per_point - 4;
        if *path == RoundPath::Brace {
            quarters /= 2;
        }
        let damage = (quarters / 4).max(1);
        hero_vigour -= damage;
        if *path == RoundPath::Brace && outcome == RollOutcome::Full {
            hero_vigour += damage.min(6 / 4 + 1);
        }
        if hero_vigour <= 0 {
            hero_vigour = 30;
        }
    }
    hero_vigour * 1_000 + foe_vigour
}

fn is_success(outcome: RollOutcome) -> bool {
    matches!(outcome, RollOutcome::Full | RollOutcome::Partial)
}

fn roll_outcome(natural: i64, total: i64, difficulty: i64) -> RollOutcome {
    match natural {
        1 => RollOutcome::Guttering,
        20 => RollOutcome::Full,
        _ if total >= difficulty + 5 => RollOutcome::Full,
        _ if total >= difficulty => RollOutcome::Partial,
        _ => RollOutcome::Failure,
    }
}
