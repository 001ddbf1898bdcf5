//! The same fight rounds in pure Rust: the lower bound without scripts, display or storage. It is
//! for comparison only; no mod could change it.

use engine::dice::{Streams, parse_roll, roll};
use engine::protocol::Input;
use engine::session::Session;

/// A round of a descent: its path and its foe.
#[derive(Clone, Copy)]
pub struct Round {
    path: Path,
    tier: i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    Strike,
    Brace,
    Speak,
    Study,
}

/// The round that an input begins in the current session, if any.
pub fn round_of(session: &Session, input: &Input) -> Option<Round> {
    let Input::Choice(id) = input else { return None };
    if session.prompt().scene != "sub_rosa:round" {
        return None;
    }
    let path = match id.as_str() {
        "brace" => Path::Brace,
        "speak" => Path::Speak,
        "study" => Path::Study,
        _ => Path::Strike,
    };
    let rooms = session.world().snapshot().state;
    let at = |value: &engine::base::Value, path: &[&str]| {
        path.iter().try_fold(value.clone(), |here, name| here.get(name).cloned())
    };
    let here = at(&rooms, &["game", "run", "here"])?;
    let tier = at(&rooms, &["game", "run", "rooms", here.as_text()?, "tier"])?.as_int()?;
    Some(Round { path, tier })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Full,
    Partial,
    Failure,
    Guttering,
}

/// Plays rounds by section 2 of the rules, with pillars of 6, a blade of power 1 and plain armor;
/// whoever falls stands up again. Returns the remaining vigour of both, so that the compiler
/// removes no work.
pub fn play(rounds: &[Round], seed: u64) -> i64 {
    let mut streams = Streams::new(seed);
    let blows = ["1d4+1", "1d4+2", "1d6+3", "1d8+4", "1d6+4"].map(|blow| parse_roll(blow).unwrap());
    let (mut hero, mut foe, mut waits, mut marks) = (30, 0, 0, 0);
    for Round { path, tier } in rounds {
        let step = (*tier).clamp(1, 5) as usize - 1;
        if foe <= 0 {
            foe = [10, 14, 20, 28, 46][step];
        }
        let natural = i64::from(streams.draw("sub_rosa:combat", 20));
        let outcome = judged(natural, natural + 6, 10 + step as i64 + 1);
        match path {
            Path::Strike => {
                let whole = 6 / 2 + 2 + 1;
                let base = match outcome {
                    Outcome::Full => whole,
                    Outcome::Partial => (whole + 1) / 2,
                    _ => 0,
                };
                let harder = marks > 0 && base > 0;
                marks -= i64::from(harder);
                foe -= if harder { base * 3 / 2 } else { base };
            }
            Path::Speak => {
                waits = i64::from(outcome == Outcome::Full) + i64::from(reached(outcome))
            }
            Path::Study => {
                marks = if reached(outcome) { 2 } else { 0 };
                waits = i64::from(outcome == Outcome::Full);
            }
            Path::Brace => {}
        }
        if foe <= 0 {
            continue;
        }
        if waits > 0 {
            waits -= 1;
            continue;
        }
        let rolled = roll(&blows[step], &mut |sides| streams.draw("sub_rosa:combat", sides)).total;
        let quartered = if outcome == Outcome::Guttering { 6 } else { 4 };
        // A pillar of 6 blocks one point: four quarters.
        let mut quarters = rolled * quartered - 4;
        if *path == Path::Brace {
            quarters /= 2;
        }
        let taken = (quarters / 4).max(1);
        hero -= taken;
        if *path == Path::Brace && outcome == Outcome::Full {
            hero += taken.min(6 / 4 + 1);
        }
        if hero <= 0 {
            hero = 30;
        }
    }
    hero * 1_000 + foe
}

fn reached(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Full | Outcome::Partial)
}

fn judged(natural: i64, total: i64, difficulty: i64) -> Outcome {
    match natural {
        1 => Outcome::Guttering,
        20 => Outcome::Full,
        _ if total >= difficulty + 5 => Outcome::Full,
        _ if total >= difficulty => Outcome::Partial,
        _ => Outcome::Failure,
    }
}
