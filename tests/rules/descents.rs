//! Whole descents, played through the VM by a player who takes any open door: nothing breaks, nothing
//! leaves its bounds, everything ends.

use engine::kit::Value;
use engine::play::{Ask, Input, Prompt};

use super::table::{Table, options, vm};

/// A small, plain source of chance of the player's own.
pub struct Whim(u64);

impl Whim {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % count.max(1)
    }
}

/// Any answer that the prompt accepts.
fn any_answer(prompt: &Prompt, whim: &mut Whim) -> Input {
    let open: Vec<String> = prompt
        .choices
        .iter()
        .filter(|choice| choice.closed.is_none() && !["abandon", "leave"].contains(&&*choice.id))
        .map(|choice| choice.id.clone())
        .collect();
    match &prompt.ask {
        Ask::One if open.is_empty() => {
            let any = prompt.choices.iter().find(|choice| choice.closed.is_none()).unwrap();
            Input::Choice(any.id.clone())
        }
        Ask::One => Input::Choice(open[whim.below(open.len())].clone()),
        Ask::Many { max, .. } => Input::Many(open.into_iter().take(*max).collect()),
        Ask::Number { min, .. } => Input::Number(*min),
        Ask::Text { .. } => Input::Text("a line".to_owned()),
    }
}

fn holds(table: &Table<'_>, prompt: &Prompt) {
    assert!(prompt.choices.iter().any(|choice| choice.closed.is_none()), "{}", prompt.text);
    for odds in prompt.choices.iter().filter_map(|choice| choice.odds.as_ref()) {
        assert_eq!(odds.bands.iter().map(|band| band.cases).sum::<u64>(), 20);
    }
    let state = table.state();
    let Some(hero) = state.get("hero") else { return };
    let vigour = hero.get("vigour").and_then(Value::as_int).unwrap();
    assert!(vigour > 0, "an asked hero stands");
    assert!(hero.get("satchel").unwrap().as_list().unwrap().len() <= 6);
    let gained = hero.get("gained").and_then(Value::as_int).unwrap();
    assert!(gained <= 10);
}

/// Plays on until the run has ended; gives its outcome.
fn play_out(table: &mut Table<'_>, whim: &mut Whim) -> String {
    for _ in 0..3_000 {
        if let Some(finished) = table.world.finished() {
            return finished.get("outcome").and_then(Value::as_text).unwrap().to_owned();
        }
        let prompt = table.prompt();
        holds(table, &prompt);
        table.view();
        let input = any_answer(&prompt, whim);
        table.answer(&input);
    }
    panic!("a descent of 3000 steps has not ended: {}", table.prompt().text);
}

fn profile(experience: i64) -> Value {
    let relic = Value::of([
        ("name", Value::text("old thimble")),
        ("piece", Value::text("sub_rosa:silver_thimble")),
        ("stats", Value::of([("DEF", Value::Int(1))])),
    ]);
    Value::of([("experience", Value::Int(experience)), ("relics", Value::List(vec![relic]))])
}

/// SR-5.3 and all that leads there: whoever plays, however long they have stood, a descent ends.
#[test]
fn every_descent_ends() {
    let vm = vm();
    let builds = ["blade", "breath", "tongue", "eye", "even"];
    let mut endings = std::collections::BTreeMap::<String, usize>::new();
    let runs = std::env::var("RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(40);
    for seed in 0..runs {
        let mut whim = Whim::new(seed + 1);
        let build = builds[whim.below(builds.len())];
        let profile = profile([0, 400, 1200, 5000][whim.below(4)]);
        let options = options("dye_works:dye_works", build, seed % 5 == 0);
        let mut table = Table::begin(&vm, seed, options, profile);
        *endings.entry(play_out(&mut table, &mut whim)).or_default() += 1;
    }
    println!("{endings:?}");
    assert!(endings.keys().all(|e| ["victory", "failure", "peace"].contains(&e.as_str())));
}
