//! Exports: names that modules of a mod give to other mods, and functions that other mods wrap
//! around them.

use base::{Problem, Value};
use mods::{ModSet, sort_into_load_order};
use script::Vm;

use crate::support::{GAME_MANIFEST, TestRun, manifest_needing, mod_from_text, problem_texts};

/// A game with three callers of its harm function: its own file, an earlier file, and a local that
/// took the function while loading.
const HARM_GAME: &[(&str, &str)] = &[
    (
        "a_before.luau",
        r#"
scene "only" {
  prompt = function() return { text = "?", choices = { { id = "go", label = "Go" } } } end,
  on = {
    go = function()
      fight.harm(1)
      fight.round()
      state.by_local = fight.taken()
    end,
  },
}
start(function()
  state.lost = 0
  go "only"
end)
"#,
    ),
    (
        "b_fight.luau",
        r#"
export("fight.harm", function(amount)
  state.lost += amount
  return state.lost, amount
end)
export("fight.round", function()
  return fight.harm(10)
end)
"#,
    ),
    (
        "c_behind.luau",
        r#"
local harm = fight.harm
export("fight.taken", function()
  local lost = harm(100)
  return lost
end)
schema "lost"(field.int)
schema "by_local"(field.int)
"#,
    ),
];

fn load_order_with_game(mods: &[(&str, &[&str], &str)]) -> Result<ModSet, Vec<Problem>> {
    let mut sources = vec![mod_from_text(GAME_MANIFEST, HARM_GAME)];
    for (id, needs, text) in mods {
        let manifest = manifest_needing(id, &[&["game"], *needs].concat());
        sources.push(mod_from_text(&manifest, &[("main.luau", text)]));
    }
    sort_into_load_order(sources)
}

fn vigour_lost(run: &TestRun) -> Option<i64> {
    run.world.snapshot().state.get("game")?.get("lost")?.as_int()
}

fn play_mods(mods: &[(&str, &[&str], &str)]) -> Result<TestRun, Problem> {
    let mut run = TestRun::start(&load_order_with_game(mods).unwrap(), 1)?;
    run.choose("go")?;
    Ok(run)
}

const DOUBLING_PATCH: &str = r#"patch.export "game:fight.harm"(wrap(function(original, amount)
  return original(amount * 2)
end))"#;
const INCREMENT_PATCH: &str = r#"patch.export "game:fight.harm" {
  run = wrap(function(original, amount)
    return original(amount + 1)
  end),
}"#;

#[test]
fn an_export_in_a_module_is_called_from_every_file() {
    assert_eq!(vigour_lost(&play_mods(&[]).unwrap()), Some(111));
}

#[test]
fn a_wrapped_export_is_used_by_every_caller() {
    // The callers in its own file, in an earlier file, and through a local taken while loading.
    assert_eq!(vigour_lost(&play_mods(&[("double", &[], DOUBLING_PATCH)]).unwrap()), Some(222));
}

#[test]
fn wraps_of_an_export_follow_the_load_order() {
    let run_with_both =
        play_mods(&[("double", &[], DOUBLING_PATCH), ("more", &["double"], INCREMENT_PATCH)])
            .unwrap();
    assert_eq!(vigour_lost(&run_with_both), Some(2 * (1 + 1) + 2 * (10 + 1) + 2 * (100 + 1)));
    let run_in_other_order =
        play_mods(&[("more", &[], INCREMENT_PATCH), ("double", &["more"], DOUBLING_PATCH)])
            .unwrap();
    assert_eq!(vigour_lost(&run_in_other_order), Some(2 + 1 + 20 + 1 + 200 + 1));
}

#[test]
fn a_wrapped_export_works_with_every_load_function() {
    let mods = load_order_with_game(&[("double", &[], DOUBLING_PATCH)]).unwrap();
    for _ in 0..2 {
        for load in [Vm::load, Vm::load_uncached, Vm::load_traced] {
            let vm = load(&mods, &Value::map())
                .unwrap_or_else(|problems| panic!("{}", problem_texts(&problems)));
            let mut run = TestRun { vm, world: protocol::WorldState::new(1) };
            run.vm.start_run(&mut run.world, &Value::map(), &Value::map()).unwrap();
            run.choose("go").unwrap();
            assert_eq!(vigour_lost(&run), Some(222));
        }
    }
}

#[test]
fn a_replaced_export_calls_the_new_function() {
    let replacement = r#"replace.export "game:fight.harm"(function(amount)
  return 0, amount
end)"#;
    assert_eq!(vigour_lost(&play_mods(&[("other", &[], replacement)]).unwrap()), Some(0));
}

#[test]
fn exports_without_a_namespace_can_be_wrapped() {
    let files = [(
        "main.luau",
        "export('harm', function(n) state.lost = n end)\nscene 'only' { prompt = function() return { text = '?', choices = { { id = 'go', label = 'Go' } } } end, on = { go = function() harm(4) end } }\nstart(function() go 'only' end)",
    )];
    let doubling_patch =
        "patch.export 'game:harm'(wrap(function(original, n) original(n * 2) end))";
    for (extra_patch, expected) in [(None, 4), (Some(doubling_patch), 8)] {
        let mut mods = vec![mod_from_text(GAME_MANIFEST, &files)];
        mods.extend(extra_patch.map(|text| {
            mod_from_text(&manifest_needing("guest", &["game"]), &[("main.luau", text)])
        }));
        let mut run = TestRun::start(&sort_into_load_order(mods).unwrap(), 1).unwrap();
        run.choose("go").unwrap();
        assert_eq!(vigour_lost(&run), Some(expected));
    }
}

const SPELL_GAME: &str = r#"
kind "spell" { name = field.text }
spell "ember" { name = "Ember" }
export("magic.cast", function(id: SpellId, times: number): string
  local one = spell[id]
  return one.name
end)
scene "only" {
  prompt = function() return { text = "?", choices = { { id = "go", label = "Go" } } } end,
  on = { go = function() emit("gone", {}) end },
}
start(function() go "only" end)
"#;

#[test]
fn an_unknown_id_is_reported_where_another_mod_passed_it() {
    for (id, is_strict) in [("embr", false), ("game:embr", false), ("game:embr", true)] {
        let script = format!("after(\"gone\", function()\n  magic.cast(\"{id}\", 1)\nend)");
        let sources = vec![
            mod_from_text(GAME_MANIFEST, &[("main.luau", SPELL_GAME)]),
            mod_from_text(&manifest_needing("caller", &["game"]), &[("main.luau", &script)]),
        ];
        let mods = sort_into_load_order(sources).unwrap();
        let load = if is_strict { Vm::load_strict } else { Vm::load };
        let vm = load(&mods, &Value::map()).unwrap();
        let mut run = TestRun { vm, world: protocol::WorldState::new(1) };
        run.vm.start_run(&mut run.world, &Value::map(), &Value::map()).unwrap();
        let problem = run.choose("go").unwrap_err();
        let place = problem.place.as_ref().unwrap();
        assert_eq!((&*place.owner, place.line), ("caller", 2), "{problem}");
        assert!(problem.message.contains(&format!("\"{id}\"")), "{problem}");
        assert_eq!(problem.hint.as_deref(), Some("did you mean \"game:ember\"?"), "{problem}");
        assert_eq!(problem.related_locations[0].owner, "game", "{problem}");
    }
}
