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
const MISTAKES: [(&str, &str, Detection); 70] = [
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
    (
        "a short id of a value",
        "after(\"spell_cast\", function(event)\n  if event.spell == \"knell\" then\n    note \"x\"\n  end\nend)",
        ByCheck("did you mean \"sub_rosa:knell\"? A value has the whole id"),
    ),
    (
        "a short id inside an event",
        "before(\"damage\", function(event)\n  local id = event.foe.id\n  if id == \"packer_rats\" then\n    event.damage = 0\n  end\nend)",
        ByCheck("`foe.id` of the event is compared with \"packer_rats\""),
    ),
    (
        "a misspelt id of the state",
        "after(\"rested\", function()\n  if state.run.dungeon == \"sub_rosa:icehouse\" then\n    note \"x\"\n  end\nend)",
        ByCheck("did you mean \"sub_rosa:ice_house\"?"),
    ),
    (
        "a short id behind a call",
        "after(\"rested\", function()\n  if rooms.here().room == \"hall\" then\n    note \"x\"\n  end\nend)",
        ByCheck("is compared with \"hall\", a value that it never has"),
    ),
    (
        "a short id of a definition",
        "after(\"rested\", function()\n  for _, one in all(foe) do\n    if one.id == \"nobody\" then\n      note \"x\"\n    end\n  end\nend)",
        ByCheck("`foe[…].id` is compared with \"nobody\""),
    ),
    (
        "an option that is no whole id",
        "after(\"rested\", function()\n  if options.dungeon == \"ice_house\" then\n    note \"x\"\n  end\nend)",
        ByCheck("did you mean \"sub_rosa:ice_house\"?"),
    ),
    (
        "an id in a list of ids",
        "after(\"rested\", function()\n  table.insert(state.hero.satchel, \"candle_stub\")\nend)",
        ByCheck("`table.insert` adds the text \"candle_stub\" to `state.hero.satchel`"),
    ),
    (
        "an unknown id for an export",
        "after(\"rested\", function()\n  pieces.find \"sub_rosa:no_such\"\nend)",
        ByCheck("the text \"sub_rosa:no_such\""),
    ),
    (
        "an export called with a colon",
        "after(\"rested\", function()\n  vitals:mend(1)\nend)",
        ByCheck("`vitals.mend(…)`"),
    ),
    (
        "a function of an event",
        "before(\"damage\", function(event)\n  event:halve()\nend)",
        ByCheck("`:halve(…)` calls a function of the event"),
    ),
    (
        "a function of a number",
        "before(\"damage\", function(event)\n  event.damage:halve()\nend)",
        ByCheck("`:halve(…)` calls a function of `damage` of the event"),
    ),
    (
        "a fraction in a whole number",
        "before(\"damage\", function(event)\n  event.damage /= 2\nend)",
        ByCheck("a number that may have a fraction"),
    ),
    (
        "a part of a whole number",
        "after(\"rested\", function()\n  state.hero.vigour = state.hero.max * 0.5 + 1\nend)",
        ByCheck("`//` and `math.floor` give a whole number"),
    ),
    (
        "a rule that returns nothing",
        "patch.rule \"sub_rosa:breaths\"(function() end)",
        ByCheck("returns nothing on the path"),
    ),
    (
        "a wrapped rule that returns another type",
        "patch.rule \"sub_rosa:breaths\"(wrap(function(original, level)\n  if original(level) > 3 then\n    return \"three\"\n  end\n  return original(level)\nend))",
        ByCheck("returns the text \"three\""),
    ),
    (
        "a required field that no line writes",
        "schema \"briar\" { doc = \"x\", list = field.list { field.int }, grown = field.int }\nafter(\"rested\", function()\n  state.briar = { list = {} }\nend)",
        ByCheck("`state.briar.grown` is missing, and no line writes it"),
    ),
    (
        "a list with a gap",
        "schema \"briar\" { doc = \"x\", list = field.list { field.int } }\nafter(\"rested\", function()\n  state.briar = { list = { 1, nil, 3 } }\nend)",
        ByCheck("`state.briar.list[2]` is given nothing"),
    ),
    (
        "a name in a list",
        "schema \"briar\" { doc = \"x\", list = field.list { field.text } }\nafter(\"rested\", function()\n  state.briar = { list = {} }\n  state.briar.list.thorn = \"x\"\nend)",
        ByCheck("`state.briar.list.thorn` is no item: `state.briar.list` is a list"),
    ),
    (
        "two added choices with one id",
        "patch.scene \"sub_rosa:room\" {\n  choices = add {\n    { id = \"listen\", label = \"a\", on = function() end },\n    {\n      id = \"listen\",\n      label = \"b\",\n      on = function() end,\n    },\n  },\n}",
        ByCheck("give one of the two another id"),
    ),
    (
        "a rule that forgets its result",
        "rule \"mine\"(function(n: number): number\n  local x = n + 1\nend)",
        ByCheck("this function of the rule briar:mine returns nothing on the path that ends here"),
    ),
    (
        "an untyped rule that forgets its result",
        "rule \"mine\"(function(n)\n  local x = n + 1\nend)\nafter(\"rested\", function()\n  vitals.mend(rules.mine(1))\nend)",
        ByCheck("this function of the rule briar:mine returns nothing"),
    ),
    (
        "an export with a result on one path",
        "export(\"briar.grown\", function(n: number): number\n  if n > 3 then\n    return n\n  end\nend)",
        ByCheck("of the export briar:briar.grown returns nothing on the path that ends here"),
    ),
    (
        "a rule that returns nil",
        "patch.rule \"sub_rosa:cast_cost\"(function()\n  return nil\nend)",
        ByCheck("this function of the rule sub_rosa:cast_cost returns nothing"),
    ),
    (
        "a misspelt field of a definition with a computed id",
        "after(\"rested\", function()\n  note(dungeon[state.run.dungeon].nme)\nend)",
        ByCheck("the kind `dungeon` has no such field"),
    ),
    (
        "a misspelt field of each definition",
        "after(\"rested\", function()\n  for _, one in all(spell) do\n    note(one.nmae)\n  end\nend)",
        ByCheck("did you mean `name`?"),
    ),
    (
        "a misspelt field of a picked definition",
        "after(\"rested\", function()\n  note(pick(all(spell), \"s\").nmae)\nend)",
        ByCheck("did you mean `name`?"),
    ),
    (
        "a misspelt field of a picked definition in a local",
        "after(\"rested\", function()\n  local one = pick(all(spell), \"s\")\n  note(one.nmae)\nend)",
        ByCheck("did you mean `name`?"),
    ),
    (
        "a field of an id",
        "after(\"rested\", function()\n  note(options.dungeon.name)\nend)",
        ByCheck("the definition has them: `dungeon[options.dungeon].name`"),
    ),
    (
        "a part of the state that nothing sets",
        "schema \"briar\" { doc = \"x\", grown = field.int }\nafter(\"rested\", function()\n  state.briar.grown += 1\nend)",
        ByCheck("nothing sets `state.briar`"),
    ),
    (
        "an option with the name of a part of the state",
        "schema \"briar\" { doc = \"x\", grown = field.int }\noption \"grown\" { type = \"bool\", default = false, ask = true, label = \"V\" }\nafter(\"rested\", function()\n  state.briar = { grown = 1 }\n  note(`{state.briar.grown}`)\nend)",
        ByCheck("no script reads the option"),
    ),
    (
        "a function for a question",
        "scene \"x\" { prompt = function() return { text = \"x\", choices = { { id = \"a\", label = \"A\" } } } end, on = { a = function() end } }\nafter(\"rested\", function()\n  ask(\"x\", { done = function() end })\nend)",
        ByCheck("`ask` is given a function as `done`"),
    ),
    (
        "a prompt without choices",
        "scene \"x\" { prompt = function() return { text = \"x\", choices = {} } end, on = {} }\nafter(\"rested\", function()\n  ask \"x\"\nend)",
        ByCheck("the prompt of briar:x has no choices"),
    ),
];

/// What is right, and near to a mistake above.
const CORRECT_SCRIPT: &str = r#"
option "sky" { type = "bool", default = false, ask = true, label = "Sky" }
rule "mine"(function(n)
  if n > 3 then
    return n
  end
  error "never"
end)
rule "some"(function(n: number): number?
  if n > 3 then
    return n
  end
  return nil
end)
export("briar.grown", function(n: number): number
  for _, one in all(spell) do
    return if one.gone or one.id == "sub_rosa:knell" then #one.name else n
  end
  error("never")
end)
export("briar.grow", function(n: number): ()
  note(dungeon[state.run.dungeon].name .. pick(all(spell), "s").name .. dungeon[options.dungeon].id)
  note(`{rules.mine(n)} {rules.some(n)} {options.sky}`)
  briar.grow(briar.grown(n))
end)
scene "ways" {
  prompt = function()
    return { text = "?", choices = {} }
  end,
  choices = { { id = "go", label = "Go", on = function() end } },
  on = {},
}
schema "briar" { doc = "x", list = field.list { field.text }, grown = field.int, at = field.int }
after("spell_cast", function(event)
  if event.spell == "sub_rosa:knell" or event.spell == "absent:knell" then
    note(event.outcome:upper())
  end
  ask("ways", { done = true, of = { "a" } })
  state.briar = { list = { "a", nil }, at = 0 }
  state.briar.grown = 1
  if table.find(state.hero.words, "sub_rosa:knell") then
    table.insert(state.briar.list, 1, "b")
  end
end)
before("damage", function(event)
  event.damage //= 2
  event.damage = math.floor(event.damage / 2)
end)
patch.rule "sub_rosa:breaths"(wrap(function(original, level)
  return original(level) or 3
end))
patch.scene "sub_rosa:room" {
  choices = add {
    { id = "listen", label = "a", when = function() return state.briar ~= nil end, on = function() end },
    { id = "listen", label = "b", when = function() return state.briar == nil end, on = function() end },
  },
}
"#;

/// The output of `check` for a mod with this script, and with this test if any.
fn check_output(script: &str, test: Option<&str>) -> String {
    check_output_for_game(None, &manifest_needing("briar", &["sub_rosa"]), script, test)
}

/// The same with another manifest, and with another game of the workspace.
fn check_output_for_game(
    game: Option<&str>,
    manifest: &str,
    script: &str,
    test: Option<&str>,
) -> String {
    let workspace = AuthorWorkspace::new();
    let files: Vec<(&str, &str)> =
        [Some(("briar.luau", script)), test.map(|test| ("tests/briar.luau", test))]
            .into_iter()
            .flatten()
            .collect();
    workspace.write_mod("briar", manifest, &files);
    let mut context = workspace.command_context();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    context.search_paths.named_folders =
        vec![root.join("base_game"), root.join("mods/parts"), workspace.folder.path().to_owned()];
    if let Some(game) = game {
        context.search_paths.named_folders.push(root.join("tests/games").join(game));
        context.game = Some(game.to_owned());
    }
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
fn correct_code_near_a_mistake_is_not_reported() {
    let output = check_output(CORRECT_SCRIPT, None);
    assert!(output.ends_with("no problems\n"), "{output}");
}

#[test]
fn a_mod_that_uses_another_needs_it() {
    let manifest = manifest_needing("briar", &[]);
    let patch = "patch.spell \"sub_rosa:cinder\" { bonus = 2 }";
    let list = "after(\"step_ended\", function()\n  note(`{#all(\"spell\")}`)\nend)";
    let needs = "write `sub_rosa = \"…\"` under `[needs]` in mod.toml";
    for (game, script, found, cure) in [
        (None, patch, "the spell \"sub_rosa:cinder\" is changed", needs),
        (None, list, "the kind \"spell\" belongs to `sub_rosa`", needs),
        (Some("harbour"), patch, "there is no kind \"spell\"", "add it to needs"),
    ] {
        let output = check_output_for_game(game, &manifest, script, None);
        for text in [found, cure, "briar/briar.luau:"] {
            assert!(output.contains(text), "{script}: no {text}: {output}");
        }
    }
    let patch = "patch.spell \"sub_rosa:cinder\" { bonus = 2, optional = true }";
    for (game, script) in [(None, patch), (Some("harbour"), patch)] {
        let output = check_output_for_game(game, &manifest, script, None);
        assert!(output.ends_with("no problems\n"), "{script}: {output}");
    }
}

#[test]
fn a_setting_that_no_script_reads_is_found() {
    let manifest = manifest_needing("briar", &["sub_rosa"]);
    let manifest = format!("{manifest}\n[settings.heat]\ntype = \"boolean\"\ndefault = true\n");
    let script = |read: &str| format!("after(\"rested\", function()\n  note(`{{{read}}}`)\nend)");
    let output = check_output_for_game(None, &manifest, &script("state.hero.heat"), None);
    assert!(output.contains("no script reads the setting \"heat\""), "{output}");
    assert!(output.contains("briar/mod.toml:7"), "{output}");
    for read in ["settings.heat", "settings[\"heat\"]", "#pairs(settings)"] {
        let output = check_output_for_game(None, &manifest, &script(read), None);
        assert!(!output.contains("no script reads the setting"), "{read}: {output}");
    }
}

#[test]
fn mistakes_in_tests_are_found() {
    let script = "after(\"rested\", function() end)";
    for (test, expected) in [
        ("case \"a\" { optoins = {}, answers = { \"go\" } }", "did you mean \"options\"?"),
        ("case \"a\"(function()\n  equals(rooms.her(), nil)\nend)", "did you mean `rooms.here`?"),
        ("case \"a\"(function()\n  equals(rules.breths(1), 2)\nend)", "breths"),
        (
            "case \"a\" { options = { dungeon = \"icehouse\" }, answers = { \"go\" } }",
            "the option \"dungeon\" cannot be \"icehouse\"",
        ),
        (
            "case \"a\" { settings = { sub_rosa = { giude = false } }, answers = { \"go\" } }",
            "did you mean \"guide\"?",
        ),
        (
            "case \"a\" { settings = { sub_rosa = { guide = 3 } }, answers = { \"go\" } }",
            "the setting `guide` of `sub_rosa` cannot be 3",
        ),
        (
            "case \"a\" { settings = { brair = { heat = 3 } }, answers = { \"go\" } }",
            "the case has no mod `brair`",
        ),
        ("case \"a\" { problem = \"nosuch\", answers = {} }", "no Problem has the code"),
        ("case \"a\" { options = { build = \"evn\" }, answers = { \"go\" } }", "did you mean \""),
        (
            "case \"a\" {\n  mods = { \"absent\" },\n  options = { dungeon = \"sub_rosa:ice_hous\" },\n  answers = { \"go\" },\n}",
            "did you mean \"sub_rosa:ice_house\"?",
        ),
        (
            "case \"a\" {\n  mods = {\n    \"pats\",\n  },\n  answers = { \"go\" },\n}",
            "briar/tests/briar.luau:3",
        ),
        (
            "case \"a\" { dice = { [\"sub_rosa:combta\"] = { 3 } }, answers = { \"go\" } }",
            "no script draws from the stream \"sub_rosa:combta\"",
        ),
        (
            "case \"a\" { outcome = \"victroy\", answers = { \"go\" } }",
            "no script names the outcome \"victroy\"",
        ),
    ] {
        let output = check_output(script, Some(test));
        assert!(output.contains(expected), "{test}: {output}");
        assert!(output.contains("briar/tests/briar.luau:"), "{test}: {output}");
    }
}
