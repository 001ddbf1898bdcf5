//! The swap itself: a new VM replaces the old one, and the run does not change.

use base::{Digest, Value};
use protocol::StoryEvent;
use session::{Bot, DiffSide, RANDOM_BOT_ID, RunContent, Session, diff_content};
use state::StateTree;

use crate::bundled;
use crate::support::RandomSource;

/// Plays a run to its end: the digest and the story of each step.
fn play_to_end(
    content: &RunContent,
    seed: u64,
    mut before_each_step: impl FnMut(&mut Session),
) -> Vec<(Digest, Vec<StoryEvent>)> {
    let (mut session, step_outcome) = bundled::start_session(content, seed, &[], Value::map());
    let mut bot = Bot::new(RANDOM_BOT_ID, seed);
    let mut steps = vec![(session.digest(), step_outcome.events)];
    while session.run_outcome().is_none() {
        before_each_step(&mut session);
        let input = bot.choose_input(&mut session, &steps.last().unwrap().1).unwrap();
        let step_outcome = session.answer_prompt(&input).unwrap();
        assert!(step_outcome.refusal.is_none());
        steps.push((session.digest(), step_outcome.events));
    }
    steps
}

#[test]
fn five_hundred_reloads_do_not_change_runs() {
    let content = bundled::game_content("duel", &[]);
    let (mut reload_count, mut scenes) = (0, std::collections::BTreeSet::new());
    let mut random = RandomSource::from_seed(500);
    for seed in 0.. {
        if reload_count >= 500 {
            break;
        }
        let steps_without_reloads = play_to_end(&content, seed, |_| {});
        let steps_with_reloads = play_to_end(&content, seed, |session| {
            for _ in 0..random.next_below(4) {
                let registry_before: *const _ = session.vm().registry();
                session.reload(content.clone()).unwrap();
                assert!(
                    !std::ptr::eq(registry_before, session.vm().registry()),
                    "another VM is in place"
                );
                scenes.insert(session.prompt().scene.clone());
                reload_count += 1;
            }
        });
        assert_eq!(steps_with_reloads, steps_without_reloads, "seed {seed}");
    }
    assert!(reload_count >= 500);
    assert_eq!(scenes.len(), 2, "at any prompt of any scene: {scenes:?}");
}

fn changes_between(before: &str, after: &str) -> Vec<String> {
    let mods_from_text = |text: &str| {
        crate::support::game_from_files(&[
            ("a.luau", text),
            ("b.luau", crate::support::MINIMAL_GAME),
        ])
    };
    let (old_mods, new_mods) = (mods_from_text(before), mods_from_text(after));
    let load_vm = |mods| script::Vm::load(mods, &Value::map()).unwrap();
    let (old_vm, new_vm) = (load_vm(&old_mods), load_vm(&new_mods));
    diff_content(
        DiffSide { mods: &old_mods, registry: old_vm.registry() },
        DiffSide { mods: &new_mods, registry: new_vm.registry() },
    )
}

#[test]
fn changes_are_named_by_definition_and_field() {
    let kind_script = "kind \"word\" { bonus = field.int { default = 0 }, tags = field.list { field.text, \
                default = {} }, on = field.fn { optional = true } }\n";
    let with_kind = |definitions: &str| format!("{kind_script}{definitions}");
    let old_script = with_kind(
        "word \"ash\" { bonus = 1, tags = { \"dry\" }, on = function()\n  return 1\nend }\n",
    );
    assert_eq!(changes_between(&old_script, &old_script), Vec::<String>::new());
    // A function that only moved is unchanged.
    let moved_script = with_kind(
        "\n\n-- further down\nword \"ash\" { bonus = 1, tags = { \"dry\" }, on = function()\n  return 1\nend }\n",
    );
    assert_eq!(changes_between(&old_script, &moved_script), ["1 file changed: game/a.luau"]);
    let other_script = with_kind(
        "word \"ash\" { bonus = 3, tags = { \"dry\", \"hot\" }, on = function()\n  return 2\nend }\nword \"oak\" {}\n",
    );
    assert_eq!(
        changes_between(&old_script, &other_script),
        [
            "1 definition changed: game:ash (bonus 1 → 3, on, tags[2] nothing → \"hot\")",
            "1 definition added: game:oak",
        ]
    );
    assert_eq!(
        changes_between(&other_script, &with_kind("word \"oak\" {}\n")),
        ["1 definition removed: game:ash"]
    );
}

#[test]
fn long_values_are_shown_where_they_differ() {
    let with_line = |line: &str| {
        format!("kind \"word\" {{ line = field.text }}\nword \"ash\" {{ line = \"{line}\" }}\n")
    };
    let old_script = with_line("The tide takes the lower steps, and the rope is wet all night.");
    let new_script = with_line("The tide takes the lower steps, and the chain is wet all night.");
    assert_eq!(
        changes_between(&old_script, &new_script),
        [
            "1 definition changed: game:ash (line …d the rope is wet all ni… → …d the chain is wet all n…)"
        ]
    );
}

#[test]
fn a_reload_keeps_the_same_state_object() {
    let content = bundled::game_content("duel", &[]);
    let (mut session, _) = bundled::start_session(&content, 3, &[], Value::map());
    let state_before: *const StateTree = &session.world().state;
    session.reload(content).unwrap();
    assert!(std::ptr::eq(state_before, &session.world().state));
}
