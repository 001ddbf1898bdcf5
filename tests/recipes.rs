//! Runs the pages for mod authors: every Lua block in `docs/modding` is loaded as the page says and
//! does what it shows.
//!
//! A comment before a block adds information: `<!-- file: lib/words.luau -->` is its path, `<!--
//! wrong: code -->` says that it must fail with that Problem.

use std::collections::BTreeMap;
use std::path::Path;

use engine::base::Value;
use engine::mods::{ModSource, read_folder};
use engine::protocol::{Input, StoryEvent};
use engine::script::Vm;
use engine::session::{Content, Session};

use crate::bundled;
use crate::support::{mod_from_text, ordered, problems_text};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A block of a page.
#[derive(Clone, Debug)]
struct Block {
    /// The language.
    language: String,
    /// The heading above it.
    heading: String,
    /// Its path in a mod, if the page gives one.
    file: Option<String>,
    /// The Problem that it must give.
    wrong: Option<String>,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let text = std::fs::read_to_string(Path::new(ROOT).join("docs/modding").join(page)).unwrap();
    let (mut blocks, mut heading) = (Vec::new(), String::new());
    let (mut file, mut wrong) = (None, None);
    let mut open: Option<Block> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, Some(language)) => {
                open = Some(Block {
                    language: language.to_owned(),
                    heading: heading.clone(),
                    file: file.take(),
                    wrong: wrong.take(),
                    text: String::new(),
                });
            }
            (None, None) => {
                let said = |what: &str| {
                    let rest = line.strip_prefix("<!-- ")?.strip_prefix(what)?;
                    rest.strip_prefix(": ")?.strip_suffix(" -->").map(str::to_owned)
                };
                file = said("file").or(file.take());
                wrong = said("wrong").or(wrong.take());
                if let Some(title) = line.strip_prefix('#') {
                    heading = title.trim_start_matches('#').trim().to_owned();
                }
            }
        }
    }
    assert!(open.is_none(), "{page}: a block is left open");
    blocks
}

fn of<'b>(blocks: &'b [Block], language: &'b str) -> impl Iterator<Item = &'b Block> + 'b {
    blocks.iter().filter(move |block| block.language == language)
}

/// The manifest of the recipes, with the setting that one of them declares.
fn manifest(blocks: &[Block]) -> String {
    let parts: Vec<&str> = of(blocks, "toml").map(|block| block.text.as_str()).collect();
    assert_eq!(parts.len(), 2, "a manifest, and a setting at its end");
    parts.join("\n")
}

/// The files of all recipes: one each, unless a recipe says otherwise.
fn files(blocks: &[Block]) -> BTreeMap<String, &Block> {
    let named = |(number, block): (usize, &'_ Block)| {
        block.file.clone().unwrap_or_else(|| format!("recipe_{number:02}.luau"))
    };
    let lua: Vec<&Block> = of(blocks, "lua").collect();
    lua.iter().enumerate().map(|(number, block)| (named((number, block)), *block)).collect()
}

fn recipes(wanted: impl Fn(&str, &Block) -> bool) -> ModSource {
    let blocks = blocks("how-do-i.md");
    let files = files(&blocks);
    let kept: Vec<(&str, &str)> = files
        .iter()
        .filter(|(path, block)| wanted(path, block))
        .map(|(path, block)| (path.as_str(), block.text.as_str()))
        .collect();
    mod_from_text(&manifest(&blocks), &kept)
}

fn game() -> ModSource {
    read_folder(&Path::new(ROOT).join("base_game")).unwrap()
}

fn loaded(mods: Vec<ModSource>) -> Result<Vm, String> {
    let order = ordered(mods).map_err(|problems| problems_text(&problems))?;
    Vm::load(&order, &Value::map()).map_err(|problems| problems_text(&problems))
}

/// A run with all recipes, and the mod that one of them mentions.
fn content() -> Content {
    let words = read_folder(&Path::new(ROOT).join("mods/ember_words")).unwrap();
    let mods = ordered(vec![game(), words, recipes(|_, _| true)]).unwrap();
    Content { mods, settings: Value::map() }
}

fn begin_session(seed: u64) -> Session {
    bundled::begin(&content(), seed, &[("build", Value::text("eye"))], Value::map()).0
}

/// Runs a line as a step and returns the output.
fn line(session: &mut Session, line: &str) -> String {
    let told = session.run_unrecorded_line("recipes", line).unwrap();
    assert!(told.refused.is_none(), "{line}: {}", told.refused.unwrap());
    texts(&told.events)
}

fn texts(events: &[StoryEvent]) -> String {
    let text = |event: &StoryEvent| match event {
        StoryEvent::Say { text }
        | StoryEvent::Note { text }
        | StoryEvent::Gain { text }
        | StoryEvent::Loss { text } => text.clone(),
        StoryEvent::Heading { text } => text.clone(),
        StoryEvent::Roll(roll) => format!("{roll:?}"),
    };
    events.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn choose(session: &mut Session, id: &str) -> String {
    let told = session.answer(&Input::Choice(id.to_owned()));
    let told = told.unwrap_or_else(|why| panic!("{id}: {why:?}: {}", bundled::prompt_ids(session)));
    assert!(told.refused.is_none(), "{id}: {}", told.refused.unwrap());
    texts(&told.events)
}

#[test]
fn there_are_at_least_twenty_five_recipes_and_each_loads_by_itself() {
    let blocks = blocks("how-do-i.md");
    let headings: std::collections::BTreeSet<&str> =
        blocks.iter().map(|block| block.heading.as_str()).filter(|h| *h != "Recipes").collect();
    assert!(headings.len() >= 25, "only {} recipes", headings.len());
    for heading in headings {
        let own = recipes(|path, block| block.heading == heading || path.starts_with("kinds/"));
        loaded(vec![game(), own]).unwrap_or_else(|told| panic!("{heading}\n{told}"));
    }
}

#[test]
fn all_recipes_together_load_without_a_warning() {
    let vm = content().load().unwrap_or_else(|problems| panic!("{}", problems_text(&problems)));
    assert_eq!(problems_text(vm.warnings()), "");
}

#[test]
fn things_of_ones_own_are_found_worn_used_and_fought() {
    let mut session = begin_session(1);
    line(
        &mut session,
        "state.hero.vigour = 5 consumables.find 'recipes:twist_of_salt' flow.next()",
    );
    assert!(choose(&mut session, "item:recipes:twist_of_salt").contains("like a horse"));
    line(&mut session, "pieces.find 'recipes:hobnails' flow.next()");
    assert!(session.prompt().choices.iter().any(|choice| choice.id == "wear"));
    choose(&mut session, "wear");
    assert!(
        line(&mut session, "return #vitals.worn_effects() .. vitals.worn_effects()[1].id")
            .contains("sure_foot")
    );
    line(&mut session, "state.hero.skills = { { id = 'recipes:elbow', remaining = 2 } }");
    line(
        &mut session,
        "rooms.here().room = 'recipes:warden_stair' rooms.here().foe = { id = \
         'recipes:stair_warden', vigour = 20, max = 20, met = false, beaten = false } \
         encounters.meet(rooms.here()) flow.next()",
    );
    assert!(choose(&mut session, "skill:recipes:elbow").contains("corner of yourself"));
    line(&mut session, "encounters.foe_falls() flow.next()");
    let ids = bundled::prompt_ids(&session);
    assert!(ids.contains("count_the_steps"), "{ids}");
}

#[test]
fn one_choice_opens_another_and_rooms_of_the_game_hold_what_was_put_there() {
    let mut session = begin_session(2);
    line(&mut session, "rooms.here().room = 'recipes:two_ways_in' flow.next()");
    assert!(!bundled::prompt_ids(&session).contains("reach_in"));
    line(&mut session, "state.run.flags.hatch_open = true flow.next()");
    assert!(bundled::prompt_ids(&session).contains("reach_in"));
    assert!(!bundled::prompt_ids(&session).contains("left_handle"));
    line(&mut session, "rooms.here().room = 'sub_rosa:banquet_store' flow.next()");
    choose(&mut session, "three_bells");
    choose(&mut session, "answer:1:1");
    assert!(choose(&mut session, "answer:2:2").contains("Service comes"));
}

#[test]
fn patches_set_add_drop_wrap_retire_and_replace() {
    let content = content();
    let vm = content.load().unwrap();
    let text = |kind: &str, id: &str, field: &str| {
        format!("{:?}", vm.registry().get(kind, id).unwrap().get(field))
    };
    assert!(text("spell", "sub_rosa:cinder", "cast").contains("briefly, lit"));
    assert!(!text("foe", "sub_rosa:packer_rats", "tags").contains("beast"));
    assert!(text("skill", "sub_rosa:half_moon", "name").contains("whole moon"));
    assert!(text("spell", "ember_words:kindle", "bonus").contains("Int(2)"));
    let drawn =
        |id: &str| vm.registry().active_definitions("piece").any(|piece| piece.id.as_str() == id);
    assert!(!drawn("sub_rosa:reading_glass"), "it is not drawn any more");
    assert!(vm.registry().get("piece", "sub_rosa:reading_glass").is_some(), "and is stored");
    let mut session = begin_session(1);
    assert_eq!(line(&mut session, "rules['sub_rosa:breaths']('small', false)"), "2");
    assert_eq!(line(&mut session, "rules['sub_rosa:breaths']('small', true)"), "1");
    let hush = "state.hero.vigour = 5 rooms.here().foe = { id = 'sub_rosa:packer_rats', vigour = 40, \
                max = 40, met = true, beaten = false } encounters.start_fight() spell['sub_rosa:hush'].on_cast \
                { outcome = 'full', foe = enemies.event(), damage = 0 } return state.hero.vigour";
    let told = line(&mut session, hush);
    assert!(told.contains("1 vigour back; 6 now."), "the wrap repairs 1: {told}");
}

#[test]
fn a_text_inside_a_function_of_the_game_is_overridden() {
    let mut session = begin_session(2);
    let told = line(&mut session, "state.hero.vigour = 0 flow.next()");
    assert!(told.contains("That was a breath. ") && !told.contains("One breath spent"), "{told}");
    let fight = "state.hero.mp = 0 state.hero.words = { 'sub_rosa:cinder' } rooms.here().foe = { id = 'sub_rosa:packer_rats', vigour = 40, max = 40, met = \
                 true, beaten = false } encounters.start_fight() flow.next()";
    line(&mut session, fight);
    let shown = format!("{:?}", session.prompt().choices);
    assert!(shown.contains("not a word left in you") && !shown.contains("no mp left"), "{shown}");
}

#[test]
fn a_place_of_a_size_that_a_mod_added_is_played_to_its_end() {
    let options = [("build", Value::text("eye")), ("dungeon", Value::text("sub_rosa:ropewalk"))];
    let (mut session, told) = bundled::begin(&content(), 3, &options, Value::map());
    assert!(!texts(&told.events).is_empty());
    // The entrance is not among the drawn rooms.
    assert_eq!(line(&mut session, "return #state.run.order - 1 .. state.run.size"), "\"7closet\"");
    let through = "local run = state.run for _, id in ipairs(run.order) do local room = run.rooms[id] \
                   if room.kind ~= 'boss' and not room.seen then doors.enter(id) if room.foe then \
                   room.foe.beaten = true state.fight = nil end end end \
                   for _, id in ipairs(run.order) do if run.rooms[id].kind == 'boss' then doors.enter(id) end end \
                   flow.next()";
    line(&mut session, through);
    line(&mut session, "encounters.start_fight() encounters.foe_falls() flow.next()");
    for _ in 0..6 {
        if session.run_outcome().is_some() {
            return;
        }
        let choice = session.prompt().choices[0].id.clone();
        choose(&mut session, &choice);
    }
    assert!(session.run_outcome().is_some(), "{}", bundled::prompt_ids(&session));
}

#[test]
fn hooks_change_and_answer_events() {
    let mut session = begin_session(3);
    let fight = "rooms.here().foe = { id = 'sub_rosa:packer_rats', vigour = 40, max = 40, met = true, \
                 beaten = false } encounters.start_fight() return preview('damage', blows.damage_for { path = 'cast', \
                 outcome = 'full', base = 5 }).damage";
    assert!(line(&mut session, fight).ends_with('7'), "five, and the heat that was set");
    assert!(
        line(&mut session, "encounters.foe_falls() flow.next()").contains("You look through what")
    );
    assert_eq!(line(&mut session, "state.recipes.steps"), "0");
    let through = "for _, id in rooms.here().doors do if not state.run.rooms[id].seen then \
                   doors.enter(id) break end end state.fight = nil if rooms.here().foe then \
                   rooms.here().foe.beaten = true end flow.next()";
    let mut told = String::new();
    for _ in 0..4 {
        told += &line(&mut session, through);
    }
    assert_eq!(line(&mut session, "state.recipes.steps"), "4", "rooms were counted");
    told += &line(&mut session, "fragments.find(all(fragment)[1].id) flow.next()");
    assert!(told.contains("a whisper"), "{told}");
    assert!(told.contains("A moth goes round") || told.contains("A coin on its edge"), "{told}");
    let widgets = format!("{:?}", session.view());
    assert!(widgets.contains("new rooms"), "{widgets}");
}

#[test]
fn choices_and_scenes_of_ones_own_can_be_taken() {
    let mut session = begin_session(4);
    assert!(choose(&mut session, "listen").contains("Drip."));
    assert!(!bundled::prompt_ids(&session).contains("listen"), "once to a room");
    let lean = session.prompt().choices.iter().find(|choice| choice.id == "lean").unwrap();
    assert!(lean.odds.is_some());
    choose(&mut session, "lean");
    choose(&mut session, "wager");
    assert_eq!(session.prompt().scene, "recipes:wager");
    let told = session.answer(&Input::Number(2)).unwrap();
    assert!(texts(&told.events).contains("the flame leans"));
    assert_eq!(session.prompt().scene, "sub_rosa:room");
    let pages = content().load().unwrap();
    assert!(pages.registry().get("page", "recipes:heat").is_some());
}

#[test]
fn questions_are_asked_before_the_game_goes_on() {
    let mut session = begin_session(7);
    let missed = "rooms.here().foe = { id = 'sub_rosa:packer_rats', vigour = 40, max = 40, met = true, beaten = \
                  false } encounters.start_fight() blows.deal { path = 'strike', outcome = 'failure', base = 0 } flow.next()";
    line(&mut session, missed);
    assert_eq!(session.prompt().scene, "recipes:sidestep");
    assert!(session.prompt().text.contains("past"), "{}", session.prompt().text);
    assert!(choose(&mut session, "step").contains("looks for you where you were"));
    assert_eq!(session.prompt().scene, "sub_rosa:round");
    line(&mut session, "encounters.foe_falls() flow.next()");
    // A failed insight may be rerolled; the roll is shown as it stands, and reported once.
    let mut shown = String::new();
    for _ in 0..60 {
        let rise = "state.hero.mp = 3 emit('level_gained', { level = 2 }) flow.next()";
        shown = line(&mut session, rise);
        if session.prompt().scene != "recipes:think_harder" {
            continue;
        }
        // Only the added die is still to roll; it is offered only where it can help.
        let odds = session.prompt().choices[0].odds.clone().unwrap();
        if odds.total_cases == 6 {
            break;
        }
        assert_eq!(odds.total_cases, 1);
        choose(&mut session, "leave");
    }
    assert!(shown.contains("open: true"), "{shown}");
    let told = choose(&mut session, "think");
    assert!(told.contains("thinking") && !told.contains("open: true"), "{told}");
}

#[test]
fn a_rest_says_a_line_of_the_library_and_an_end_is_remembered() {
    let mut session = begin_session(5);
    let told = line(
        &mut session,
        "rooms.here().kind = 'rest' state.hero.vigour = 3 rests.take() flow.next()",
    );
    assert!(told.contains("Once.") || told.contains("Twice."), "{told}");
    line(&mut session, "endings.close 'abandoned'");
    let awarded = session.award_so_far().to_json();
    assert!(awarded.contains("\"recipes_endings\":{\"abandoned\":1}"), "{awarded}");
    let kept = Value::map_of([("recipes_endings", Value::map_of([("victory", Value::Int(3))]))]);
    let (_, told) = bundled::begin(&content(), 1, &[("build", Value::text("eye"))], kept);
    assert!(texts(&told.events).contains("walked out of 3 of these"), "{:?}", told.events);
}

#[test]
fn the_lint_of_a_recipe_is_run_by_check() {
    let long = format!("omen \"long\" {{ name = \"long\", text = \"{}\" }}\n", "so ".repeat(80));
    let blocks = blocks("how-do-i.md");
    let mut kept: Vec<(String, String)> =
        files(&blocks).iter().map(|(path, block)| (path.clone(), block.text.clone())).collect();
    kept.push(("long.luau".to_owned(), long));
    let kept: Vec<(&str, &str)> = kept.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let vm = loaded(vec![game(), mod_from_text(&manifest(&blocks), &kept)]).unwrap();
    let told = problems_text(&vm.run_lints(&["recipes".to_owned()].into()));
    assert!(told.contains("too great a length") && told.contains("recipes:long"), "{told}");
}

#[test]
fn what_is_typed_at_the_console_is_taken() {
    let blocks = blocks("how-do-i.md");
    let typed = of(&blocks, "text").flat_map(|block| block.text.lines()).collect::<Vec<_>>();
    let lines: Vec<&str> = typed.iter().filter_map(|line| line.strip_prefix(':')).collect();
    assert!(lines.len() >= 4, "{typed:?}");
    let mut session = begin_session(6);
    for one in lines.iter().filter(|line| !line.starts_with("back")) {
        line(&mut session, one);
    }
}

#[test]
fn the_case_of_a_recipe_is_played() {
    let blocks = blocks("how-do-i.md");
    let folder = in_a_folder(&blocks);
    let (status, told) = run(&["test", "recipes", "--mods"], folder.path());
    assert_eq!(
        (status, told.as_str()),
        (Some(0), "ok     recipes salt: a twist of salt is worth licking\n1 passed\n")
    );
}

/// The mod of the recipes on disk.
fn in_a_folder(blocks: &[Block]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = folder.path().join("recipes").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("mod.toml", &manifest(blocks));
    files(blocks).iter().for_each(|(path, block)| put(path, &block.text));
    folder
}

#[test]
fn what_is_typed_at_the_shell_does_what_the_page_says() {
    let blocks = blocks("how-do-i.md");
    let folder = in_a_folder(&blocks);
    let mut told = BTreeMap::new();
    for typed in of(&blocks, "sh").flat_map(|block| block.text.lines()) {
        // The page plays two hundred runs; one also shows that the command works.
        let fewer = typed.replace("--runs 200", "--runs 1");
        let mut words = fewer.split(' ');
        assert_eq!(words.next(), Some("sub-rosa"), "{typed}");
        let arguments: Vec<&str> = words.chain(["--mods"]).collect();
        let (status, said) = run(&arguments, folder.path());
        assert_eq!(status, Some(0), "{typed}\n{said}");
        told.insert(typed, said);
    }
    let said = |begin: &str| {
        let found = told.iter().find(|(typed, _)| typed.starts_with(begin));
        found.unwrap_or_else(|| panic!("{begin}: not on the page: {told:?}")).1
    };
    assert!(
        said("sub-rosa why sub_rosa:cinder").contains("recipes/"),
        "the mod that set it, and where"
    );
    assert!(said("sub-rosa why damage").contains("recipes/"), "which hooks, in order");
    assert!(said("sub-rosa simulate").contains("1 runs"), "{}", said("sub-rosa simulate"));
    assert!(told.len() >= 3, "every line of every block");
}

/// Runs the real program on a folder of mods: status and output.
fn run(arguments: &[&str], mods: &Path) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(arguments).arg(mods).current_dir(ROOT).env("XDG_DATA_HOME", "/no/such/folder");
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn other_pages_show_what_loads_and_what_does_not() {
    let (mut right, mut wrong) = (0, 0);
    for page in ["lua.md", "lifecycle.md"] {
        for block in of(&blocks(page), "lua") {
            let manifest = crate::support::manifest_needing("my_mod", &["sub_rosa"]);
            let own = mod_from_text(&manifest, &[("page.luau", &block.text)]);
            match &block.wrong {
                None => {
                    loaded(vec![game(), own]).unwrap_or_else(|told| panic!("{page}\n{told}"));
                    right += 1;
                }
                Some(code) => {
                    let told = check_output(&manifest, &block.text);
                    assert!(told.contains(&format!("[{code}]")), "{page} wants {code}\n{told}");
                    wrong += 1;
                }
            }
        }
    }
    assert!(right >= 1 && wrong >= 1, "{right} right, {wrong} wrong");
}

/// The output of `check` for a mod of one file.
fn check_output(manifest: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("my_mod");
    std::fs::create_dir(&own).unwrap();
    std::fs::write(own.join("mod.toml"), manifest).unwrap();
    std::fs::write(own.join("page.luau"), text).unwrap();
    run(&["check", "my_mod", "--mods"], folder.path()).1
}
