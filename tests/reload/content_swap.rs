//! The swap itself: a new VM replaces the old one, and the run does not change.

use engine::base::{Digest, Value};
use engine::protocol::StoryEvent;
use engine::session::{Bot, Content, DiffSide, RANDOM_BOT_ID, Session, diff_content};
use engine::state::State;

use crate::bundled;
use crate::support::RandomSource;

/// Plays a run to its end: the digest and the story of each step.
fn play(
    content: &Content,
    seed: u64,
    mut before: impl FnMut(&mut Session),
) -> Vec<(Digest, Vec<StoryEvent>)> {
    let (mut session, told) = bundled::begin(content, seed, &[], Value::map());
    let mut bot = Bot::new(RANDOM_BOT_ID, seed);
    let mut steps = vec![(session.digest(), told.events)];
    while session.run_outcome().is_none() {
        before(&mut session);
        let input = bot.choose(&mut session, &steps.last().unwrap().1).unwrap();
        let told = session.answer(&input).unwrap();
        assert!(told.refused.is_none());
        steps.push((session.digest(), told.events));
    }
    steps
}

#[test]
fn five_hundred_reloads_leave_runs_as_they_would_have_been() {
    let content = bundled::content("duel", &[]);
    let (mut swapped, mut scenes) = (0, std::collections::BTreeSet::new());
    let mut chance = RandomSource::of(500);
    for seed in 0.. {
        if swapped >= 500 {
            break;
        }
        let without = play(&content, seed, |_| {});
        let with = play(&content, seed, |session| {
            for _ in 0..chance.below(4) {
                let before: *const _ = session.vm().registry();
                session.reload(content.clone()).unwrap();
                assert!(!std::ptr::eq(before, session.vm().registry()), "another VM is in place");
                scenes.insert(session.prompt().scene.clone());
                swapped += 1;
            }
        });
        assert_eq!(with, without, "seed {seed}");
    }
    assert!(swapped >= 500);
    assert_eq!(scenes.len(), 2, "at any prompt of any scene: {scenes:?}");
}

fn changes_between(before: &str, after: &str) -> Vec<String> {
    let of = |text: &str| {
        crate::support::game(&[("a.luau", text), ("b.luau", crate::support::MINIMAL_GAME)])
    };
    let (old, new) = (of(before), of(after));
    let load = |mods| engine::script::Vm::load(mods, &Value::map()).unwrap();
    let (old_vm, new_vm) = (load(&old), load(&new));
    diff_content(
        DiffSide { mods: &old, registry: old_vm.registry() },
        DiffSide { mods: &new, registry: new_vm.registry() },
    )
}

#[test]
fn changes_are_named_by_definition_and_field() {
    let head = "kind \"word\" { bonus = field.int { default = 0 }, tags = field.list { field.text, \
                default = {} }, on = field.fn { optional = true } }\n";
    let with = |rest: &str| format!("{head}{rest}");
    let before =
        with("word \"ash\" { bonus = 1, tags = { \"dry\" }, on = function()\n  return 1\nend }\n");
    assert_eq!(changes_between(&before, &before), Vec::<String>::new());
    // A function that only moved is unchanged.
    let moved = with(
        "\n\n-- further down\nword \"ash\" { bonus = 1, tags = { \"dry\" }, on = function()\n  return 1\nend }\n",
    );
    assert_eq!(changes_between(&before, &moved), ["1 file changed: game/a.luau"]);
    let other = with(
        "word \"ash\" { bonus = 3, tags = { \"dry\", \"hot\" }, on = function()\n  return 2\nend }\nword \"oak\" {}\n",
    );
    assert_eq!(
        changes_between(&before, &other),
        [
            "1 definition changed: game:ash (bonus 1 → 3, on, tags[2] nothing → \"hot\")",
            "1 definition added: game:oak",
        ]
    );
    assert_eq!(
        changes_between(&other, &with("word \"oak\" {}\n")),
        ["1 definition removed: game:ash"]
    );
}

#[test]
fn the_state_never_leaves_the_host() {
    let content = bundled::content("duel", &[]);
    let (mut session, _) = bundled::begin(&content, 3, &[], Value::map());
    let before: *const State = &session.world().state;
    session.reload(content).unwrap();
    assert!(std::ptr::eq(before, &session.world().state));
}
