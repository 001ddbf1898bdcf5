//! A test oracle of the round: computes the expected result from the shown dice and the state
//! before, and compares it with the state after (SR-2.2 to SR-2.12, SR-3.2 to SR-3.4, SR-4.2).
//! Rounds with effects or consumables are left to other tests.

use engine::base::Value;
use engine::protocol::story_event::RollEvent;
use engine::protocol::{Choice, Prompt, StoryEvent};

/// The inputs to the judgement of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundState {
    vigour: i64,
    mp: i64,
    most: i64,
    stats: [i64; 4],
    power: i64,
    armor: i64,
    foe: i64,
    waits: i64,
    stilled: bool,
    marks: i64,
    ward: i64,
    fighting: bool,
    plain: bool,
    /// The foe's maximum vigour.
    foe_most: i64,
    /// SR-2.16: what the remaining foes add to a blow of the last of them.
    behind: i64,
    intent: Intent,
    /// The foe's known next intent; empty if it is drawn.
    follows: Intent,
}

/// The foe's intent (SR-2.13). It is drawn after each round, so no two are compared.
#[derive(Clone, Debug, Default)]
struct Intent(String);

impl PartialEq for Intent {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

fn number(value: &Value, path: &str) -> i64 {
    let found = path.split('.').try_fold(value, |here, step| here.get(step));
    found.and_then(Value::as_int).unwrap_or(0)
}

impl RoundState {
    /// Reads the state.
    pub fn of(state: &Value) -> Self {
        let hero = state.get("hero").unwrap();
        let mut stats =
            ["ATK", "DEF", "CAR", "INT"].map(|name| number(hero, &format!("stats.{name}")));
        let mut plain = hero.get("steadied") != Some(&Value::Bool(true));
        let relics = hero.get("relics").unwrap().as_list().unwrap();
        let mut add = |thing: &Value| {
            plain &= thing.get("effect").is_none();
            for (stat, name) in stats.iter_mut().zip(["ATK", "DEF", "CAR", "INT"]) {
                *stat += number(thing, &format!("stats.{name}"));
            }
        };
        for slot in ["weapon", "armor", "accessory"] {
            let worn = hero.get("worn").unwrap().get(slot).unwrap();
            add(worn);
            for index in worn.get("set").unwrap().as_list().unwrap() {
                add(&relics[index.as_int().unwrap() as usize - 1]);
            }
        }
        let run = state.get("run").unwrap();
        let here = run.get("rooms").unwrap().get(run.get("here").unwrap().as_text().unwrap());
        let level = number(hero, "standing") + number(hero, "gained");
        let fight = state.get("fight");
        let fought = fight.cloned().unwrap_or_else(Value::map);
        let rooms = run.get("rooms").unwrap();
        let left = run.get("order").unwrap().as_list().unwrap().iter().filter(|id| {
            let room = rooms.get(id.as_text().unwrap()).unwrap();
            let of_foe = |name: &str| room.get("foe").and_then(|foe| foe.get(name));
            room.get("kind").and_then(Value::as_text) != Some("boss")
                && of_foe("met") == Some(&Value::Bool(true))
                && of_foe("beaten") != Some(&Value::Bool(true))
        });
        let boss = here.and_then(|room| room.get("kind")).and_then(Value::as_text) == Some("boss");
        Self {
            foe_most: here.map_or(0, |room| number(room, "foe.max")),
            behind: if boss { 2 * left.count() as i64 } else { 0 },
            vigour: number(hero, "vigour"),
            mp: number(hero, "mp"),
            most: (28 + stats[1] + 2 * (level - 1) - number(hero, "given")).max(1),
            stats: stats.map(|stat| stat.max(0)),
            power: number(hero, "worn.weapon.power"),
            armor: number(hero, "worn.armor.power"),
            foe: here.map_or(0, |room| number(room, "foe.vigour")),
            waits: number(&fought, "waits"),
            stilled: fought.get("stilled") == Some(&Value::Bool(true)),
            marks: number(&fought, "marks"),
            ward: number(&fought, "ward"),
            fighting: fight.is_some(),
            intent: Intent(
                fought.get("intent").and_then(Value::as_text).unwrap_or("press").to_owned(),
            ),
            follows: Intent(
                fought
                    .get("intent")
                    .or(fought.get("follows"))
                    .and_then(Value::as_text)
                    .unwrap_or_default()
                    .to_owned(),
            ),
            plain: plain && fought.get("lasting").is_none(),
        }
    }
}

impl RoundState {
    /// The hero's vigour.
    pub fn vigour(&self) -> i64 {
        self.vigour
    }

    /// The maximum vigour (SR-9.3).
    pub fn most(&self) -> i64 {
        self.most
    }
}

fn roll_events(told: &[StoryEvent]) -> Vec<&RollEvent> {
    told.iter()
        .filter_map(|event| if let StoryEvent::Roll(roll) = event { Some(&**roll) } else { None })
        .collect()
}

fn outcome(roll: &RollEvent) -> &'static str {
    let natural = roll.dice[0].face;
    let against = roll.against.unwrap();
    match natural {
        1 => "guttering",
        20 => "full",
        _ if roll.total - against >= 5 => "full",
        _ if roll.total >= against => "partial",
        _ => "failure",
    }
}

/// SR-2.11: the roll matches the odds shown beside the choice.
fn assert_roll_matches_choice(choice: &Choice, roll: &RollEvent) {
    let odds = choice.odds.as_ref().expect("a choice that rolls shows its odds");
    let parts: Vec<String> =
        roll.modifiers.iter().map(|part| format!(" + {} {}", part.label, part.value)).collect();
    let label = format!("d20{} against {}", parts.concat(), roll.against.unwrap());
    assert_eq!(odds.label, label);
    let added: i64 = roll.modifiers.iter().map(|part| part.value).sum();
    let mut counts = [0; 4];
    for face in 1..=20_i64 {
        let margin = face + added - roll.against.unwrap();
        let band = match (face, margin) {
            (1, _) => 3,
            (20, _) | (_, 5..) => 0,
            (_, 0..) => 1,
            _ => 2,
        };
        counts[band] += 1;
    }
    let shown: Vec<(&str, u64)> =
        odds.bands.iter().map(|band| (&*band.label, band.cases)).collect();
    let expected: Vec<(&str, u64)> =
        ["full", "partial", "failure", "guttering"].into_iter().zip(counts).collect();
    assert_eq!(shown, expected, "{label}");
    assert_eq!(roll.outcome.as_deref(), Some(outcome(roll)));
}

impl RoundState {
    /// SR-2.13: half damage against a guard, one and a half against the intent that is `open` to
    /// it.
    fn damage_by_intent(&self, open: &str, damage: i64) -> i64 {
        match &*self.intent.0 {
            _ if self.waits > 0 => damage,
            "guard" => (damage + 1) / 2,
            intent if intent == open => damage + damage / 2,
            _ => damage,
        }
    }
}

/// Words that this oracle computes; the other words are tested in `words`.
const WORDS: [&str; 13] = [
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
    id.strip_prefix("cast:").is_none_or(|word| WORDS.contains(&word))
}

/// Judges one round of a fight that neither won nor lost it. Returns whether it could be judged.
pub fn judge_round(
    prompt: &Prompt,
    id: &str,
    before: &RoundState,
    after: &RoundState,
    told: &[StoryEvent],
) -> bool {
    let choice = prompt.choice(id).unwrap();
    let thrown = roll_events(told);
    if choice.odds.is_some() {
        assert_roll_matches_choice(choice, thrown[0]);
    }
    let path = id.split(':').next().unwrap();
    let judged = ["strike", "brace", "speak", "study", "cast", "leave"].contains(&path);
    if !judged || !before.plain || !before.fighting || !after.plain || !is_supported_choice(id) {
        return false;
    }
    let mut now = before.clone();
    let result = choice.odds.as_ref().map_or("", |_| outcome(thrown[0]));
    let mut answers = thrown.iter().filter(|roll| roll.against.is_none());
    hero_acts(path, id, result, &mut now, &mut answers);
    if now.foe <= 0 {
        return false; // It fell: what follows is told of elsewhere.
    }
    foe_answers(path, result, &mut now, answers.next().copied());
    if after.vigour <= 0 || now.vigour <= 0 || before.most != after.most {
        return false; // The hero fell, or rose a level.
    }
    if path == "leave" {
        assert!(!after.fighting, "SR-2.12: left");
        assert_eq!(after.vigour, now.vigour, "SR-2.12: one answer");
        return true;
    }
    let came = ["full", "partial"].contains(&result);
    let broken =
        path == "cast" && came && choice.odds.is_some() || path == "speak" && result == "full";
    if now.intent.0 == "gather" && !broken {
        now.foe = (now.foe + now.foe_most / 8).min(now.foe_most);
    }
    assert_eq!(*after, now, "after {id} ({result}), from {before:?}");
    if let Some(follows) = next_intent(path, result, before, broken) {
        assert_eq!(after.follows.0, follows, "next, after {id} ({result}), from {before:?}");
    }
    true
}

/// SR-2.13: the next intent after a response, at once or after a wait; none where it is drawn.
fn next_intent<'a>(
    path: &str,
    result: &str,
    before: &'a RoundState,
    broken: bool,
) -> Option<&'a str> {
    let kept = Some(&*before.follows.0).filter(|next| !next.is_empty());
    match (&*before.intent.0, path, result) {
        _ if before.waits > 0 => kept,
        ("heavy", "brace", "full" | "partial")
        | ("guard", "study", "full")
        | ("listen", "speak", "full") => Some("open"),
        ("gather", ..) if !broken => Some("heavy"),
        _ => None,
    }
}

fn apply_wait(now: &mut RoundState, answers: i64) {
    if answers > 0 && !now.stilled {
        now.waits = answers;
        now.stilled = true;
    }
}

fn wounded(now: &mut RoundState, whole: i64) {
    let mut damage = whole;
    if now.marks > 0 && whole > 0 {
        damage = whole + whole / 2;
        now.marks -= 1;
    }
    now.foe -= now.damage_by_intent("open", damage);
}

fn hero_acts<'a>(
    path: &str,
    id: &str,
    result: &str,
    now: &mut RoundState,
    dice: &mut impl Iterator<Item = &'a &'a RollEvent>,
) {
    let [atk, _, car, int] = now.stats;
    let under_way = now.intent.0 == "heavy";
    let seen = if now.marks > 0 { (3 * int / 4).min(7) } else { 0 };
    let edge = seen + if now.stilled { (car - 3).max(0) / 2 } else { 0 };
    match (path, result) {
        ("strike", "full") => wounded(now, 2 * atk / 3 + 1 + now.power + edge),
        ("strike", "partial") => wounded(now, (2 * atk / 3 + 1 + now.power + edge + 1) / 2),
        ("speak", "full") => apply_wait(now, if under_way { 0 } else { 2 }),
        ("speak", "partial") => apply_wait(now, if under_way { 0 } else { 1 }),
        ("study", "full") => {
            now.marks = 2;
            // Without a blow on the way, there is none to miss.
            let none = under_way || ["open", "gather"].contains(&&*now.intent.0);
            apply_wait(now, if none { 0 } else { 1 });
        }
        ("study", "partial") => now.marks = 2,
        ("cast", _) => {
            now.mp -= 1;
            let bonus = [("cinder", 0), ("thorn", 2), ("gnaw", 3), ("knell", 3), ("lattice", 6)];
            match (id.trim_start_matches("cast:"), result) {
                ("mend", _) => now.vigour = (now.vigour + int / 2 + 3).min(now.most),
                ("ward", _) => now.ward = 1,
                ("ring_of_wax", _) => now.ward = 2,
                ("cloister", _) => now.ward = 3,
                ("balm", _) => now.vigour = (now.vigour + int / 2 + 8).min(now.most),
                ("hush", _) => apply_wait(now, 1),
                ("borrowed_breath", _) => {
                    now.vigour = (now.vigour + int / 2 + 5).min(now.most);
                    now.ward = 1;
                }
                (word, "full" | "partial") => {
                    let bonus = bonus.iter().find(|(name, _)| *name == word);
                    let bonus = bonus.map_or(5, |(_, bonus)| *bonus);
                    let fire = if result == "full" { dice.next().unwrap().total } else { 0 };
                    now.foe -= now.damage_by_intent("gather", int / 3 + 2 + bonus + fire);
                    if word == "knell" && result == "full" && now.foe > 0 {
                        apply_wait(now, 1);
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
}

fn foe_answers(path: &str, result: &str, now: &mut RoundState, dice: Option<&RollEvent>) {
    if now.waits > 0 {
        now.waits -= 1;
        assert!(dice.is_none(), "a foe that waits does not answer");
        return;
    }
    if ["open", "gather"].contains(&&*now.intent.0) {
        assert!(dice.is_none(), "a foe that does something else does not answer");
        return;
    }
    now.stilled = false;
    if now.ward > 0 {
        now.ward -= 1;
        return;
    }
    let thrown = dice.expect("a foe that does not wait answers").total + now.behind;
    let mut halves = match &*now.intent.0 {
        "heavy" => 4 * thrown,
        "guard" => thrown / 2 * 2,
        _ => 2 * thrown,
    };
    if result == "guttering" {
        halves += halves / 2;
    }
    let held = now.stats[1];
    halves -= 2 * (held / 8 + (held - 13).max(0) + now.armor);
    let divisor = if path == "brace" { 4 } else { 2 };
    let taken = halves.div_euclid(divisor).max(1);
    now.vigour -= taken.min(now.vigour);
    if path == "brace" && now.vigour > 0 {
        let back = match result {
            "full" => now.stats[1] / 4 + 1,
            "partial" => 1,
            _ => 0,
        };
        now.vigour = (now.vigour + back.min(taken)).min(now.most);
    }
}
