//! The mistakes that a first-time author made (issue 42), each in a mod for Sub Rosa: what `check`
//! says of it without playing, or why only play can tell.

use std::path::Path;

use crate::author_check::{AuthorWorkspace, run_check};
use crate::support::manifest_needing;

/// How a mistake is found.
enum Detection {
    /// `check` names it with this text.
    ByCheck(&'static str),
    /// `check` says nothing: it depends on a value that exists in play only.
    InPlay,
}

use Detection::{ByCheck, InPlay};

/// The mistakes: a script of a mod, and how it is found.
const MISTAKES: [(&str, &str, Detection); 38] = [
    ("a field that a kind lacks", "spell \"x\" { vigor = 1 }", ByCheck("\"vigor\"")),
    ("a text for a number", "foe \"x\" { name = \"x\", guard = \"3\" }", ByCheck("the text \"3\"")),
    (
        "a wrapped rule without a result",
        "patch.rule \"sub_rosa:breaths\"(wrap(function(original, ...)\n  original(...)\nend))",
        ByCheck("returns nothing on the path"),
    ),
    (
        "a wrapped export without a result",
        "patch.export \"sub_rosa:vitals.mend\"(wrap(function(original, amount)\n  if amount > 3 then\n    return original(amount)\n  end\nend))",
        ByCheck("returns nothing on the path"),
    ),
    (
        "a part of the state that nobody declares",
        "after(\"rested\", function()\n  state.briar.grown += 1\nend)",
        ByCheck("no mod declares `state.briar`"),
    ),
    (
        "a field that an event lacks",
        "after(\"rested\", function(event)\n  note(`{event.hwo}`)\nend)",
        ByCheck("has no field `hwo`"),
    ),
    (
        "nil out of a table",
        "after(\"rested\", function()\n  local names: { [string]: string } = {}\n  note(\"the \" .. names.nobody)\nend)",
        InPlay,
    ),
    ("an event that nobody emits", "after(\"restde\", function() end)", ByCheck("\"restde\"")),
    (
        "a misspelt export",
        "after(\"rested\", function()\n  vitals.mned(3)\nend)",
        ByCheck("did you mean `vitals.mend`?"),
    ),
    (
        "a misspelt module",
        "after(\"rested\", function()\n  vitasl.mend(3)\nend)",
        ByCheck("did you mean `vitals`?"),
    ),
    (
        "a library that is not required",
        "after(\"rested\", function()\n  say(text.capital(\"a room\"))\nend)",
        ByCheck("did you mean `tell.capital`? Or write `local text = require \"@parts/lib/text\"`"),
    ),
    (
        "an argument of another type",
        "after(\"rested\", function()\n  vitals.mend(\"three\")\nend)",
        ByCheck("the text \"three\""),
    ),
    ("a write to a global", "briar_kind = nil", ByCheck("briar_kind")),
    ("an endless loop while loading", "while true do end", ByCheck("out-of-fuel")),
    (
        "an endless loop in a hook",
        "after(\"rested\", function()\n  while true do end\nend)",
        ByCheck("nothing ends this loop"),
    ),
    (
        "a write in a view",
        "view \"x\"(function()\n  state.hero.vigour = 3\n  return { title = \"x\" }\nend)\nscene \"x\" { view = \"x\", prompt = function() return { text = \"x\", choices = { { id = \"a\", label = \"A\" } } } end, on = { a = function() end } }\nafter(\"rested\", function() go \"x\" end)",
        ByCheck("was written in a view"),
    ),
    (
        "a write in an added widget",
        "patch.view \"sub_rosa:descent\" {\n  widgets = add {\n    function()\n      state.hero.vigour = 3\n      return nil\n    end,\n  },\n}",
        ByCheck("was written in a view"),
    ),
    (
        "a write through an export",
        "patch.view \"sub_rosa:descent\" {\n  widgets = add {\n    function()\n      vitals.mend(3)\n      return nil\n    end,\n  },\n}",
        ByCheck("`vitals.mend` was used in a view; it calls `emit`"),
    ),
    (
        "a write through a local that holds a part of the state",
        "before(\"rested\", function()\n  local kept = rooms.here().foe\n  kept.stage = 3\nend)",
        ByCheck("was written in a before-hook"),
    ),
    (
        "a misspelt field behind a call",
        "after(\"rested\", function()\n  local kept = rooms.here().foe\n  kept.stgae = 3\nend)",
        ByCheck("`stgae`"),
    ),
    (
        "a widget that does not exist",
        "patch.view \"sub_rosa:descent\" {\n  widgets = add {\n    function()\n      return { widget = \"gague\", label = \"x\", value = 1, max = 2 }\n    end,\n  },\n}",
        ByCheck("did you mean \"gauge\"?"),
    ),
    (
        "a text in a stat",
        "patch.view \"sub_rosa:descent\" {\n  widgets = add {\n    function()\n      return { widget = \"stat\", label = \"sky\", value = \"clear\" }\n    end,\n  },\n}",
        ByCheck("the widget.value is the text \"clear\""),
    ),
    ("the clock", "local now = os.time()", ByCheck("os.time")),
    ("random numbers of Luau", "local now = math.random(3)", ByCheck("math.random")),
    (
        "a local counter",
        "local count = 0\nafter(\"rested\", function()\n  count += 1\nend)",
        ByCheck("kept-in-a-local"),
    ),
    ("an unknown reference", "foe \"x\" { dungeon = \"nowhere\" }", ByCheck("nowhere")),
    (
        "a mark that nothing fills",
        "after(\"rested\", function()\n  say \"{vigor}\"\nend)",
        ByCheck("{vigor}"),
    ),
    (
        "an outcome that does not exist",
        "patch.spell \"sub_rosa:knell\" {\n  on_cast = wrap(function(original, cast)\n    if cast.outcome == \"ful\" then\n      note \"x\"\n    end\n    return original(cast)\n  end),\n}",
        ByCheck("\"ful\""),
    ),
    (
        "a setting that does not exist",
        "after(\"rested\", function()\n  note(`{settings.heet}`)\nend)",
        ByCheck("there is no `settings.heet`"),
    ),
    (
        "too few arguments",
        "after(\"rested\", function()\n  vitals.mend()\nend)",
        ByCheck("called with no arguments"),
    ),
    (
        "a declaration in a hook",
        "after(\"rested\", function()\n  spell \"late\" { name = \"Late\" }\nend)",
        ByCheck("`spell` was used in play"),
    ),
    (
        "dice that cannot be read",
        "after(\"rested\", function()\n  note(`{roll(\"2d\", \"x\")}`)\nend)",
        ByCheck("roll cannot read this roll"),
    ),
    (
        "an empty list to pick from",
        "after(\"rested\", function()\n  note(`{pick({}, \"x\")}`)\nend)",
        ByCheck("`pick` is given an empty list"),
    ),
    (
        "an award of a function",
        "after(\"rested\", function()\n  award { mine = function() end }\nend)",
        ByCheck("`award` is given a function as `mine`"),
    ),
    (
        "nil for a field that always has a value",
        "after(\"rested\", function()\n  state.hero.vigour = nil\nend)",
        ByCheck("`state.hero.vigour` is given nothing"),
    ),
    (
        "a text that is no number",
        "after(\"rested\", function()\n  state.hero.vigour = tonumber(\"x\")\nend)",
        InPlay,
    ),
    (
        "a list of a misspelt kind",
        "after(\"rested\", function()\n  note(`{#all(\"spel\")}`)\nend)",
        ByCheck("did you mean \"spell\"?"),
    ),
    (
        "an option that nobody reads",
        "option \"sky_at_the_door\" { type = \"bool\", default = false, ask = true }",
        ByCheck("no script reads the option"),
    ),
];

/// The output of `check` for a mod with this script, and with this test if any.
fn check_output(script: &str, test: Option<&str>) -> String {
    let workspace = AuthorWorkspace::new();
    let manifest = manifest_needing("briar", &["sub_rosa"]);
    let files: Vec<(&str, &str)> =
        [Some(("briar.luau", script)), test.map(|test| ("tests/briar.luau", test))]
            .into_iter()
            .flatten()
            .collect();
    workspace.write_mod("briar", &manifest, &files);
    let mut context = workspace.command_context();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    context.search_paths.named_folders =
        vec![root.join("base_game"), root.join("mods/parts"), workspace.folder.path().to_owned()];
    run_check(&context, &["briar"], false).1
}

#[test]
fn check_finds_each_mistake_that_is_written_down() {
    for (mistake, script, detection) in MISTAKES {
        let output = check_output(script, None);
        match detection {
            ByCheck(text) => {
                assert!(output.contains(text), "{mistake}: no {text}:\n{output}");
                assert!(output.contains("briar/briar.luau:"), "{mistake}: {output}");
            }
            InPlay => assert!(output.ends_with("no problems\n"), "{mistake}: {output}"),
        }
    }
}

#[test]
fn mistakes_in_tests_are_found() {
    let script = "after(\"rested\", function() end)";
    for (test, expected) in [
        ("case \"a\" { optoins = {}, answers = { \"go\" } }", "did you mean \"options\"?"),
        ("case \"a\"(function()\n  equals(rooms.her(), nil)\nend)", "did you mean `rooms.here`?"),
        ("case \"a\"(function()\n  equals(rules.breths(1), 2)\nend)", "breths"),
    ] {
        let output = check_output(script, Some(test));
        assert!(output.contains(expected), "{test}: {output}");
        assert!(output.contains("briar/tests/briar.luau:"), "{test}: {output}");
    }
}
