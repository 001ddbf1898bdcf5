//! Runs the pages for mod authors: every Lua block in `docs/modding` is loaded as the page says and
//! does what it shows.
//!
//! A comment before a block adds information: `<!-- file: lib/words.luau -->` is its path, `<!--
//! wrong: code -->` says that it must fail with that Problem.

use std::collections::BTreeMap;
use std::path::Path;

use base::Value;
use mods::{ModSource, read_folder};
use protocol::{Input, StoryEvent};
use script::Vm;
use session::{RunContent, Session};

use crate::bundled;
use crate::support::{load_order_with_library, mod_from_text, problem_texts};

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A block of a page.
#[derive(Clone, Debug)]
struct PageBlock {
    /// The language.
    language: String,
    /// The heading above it.
    heading: String,
    /// Its path in a mod, if the page gives one.
    file_path: Option<String>,
    /// The Problem that it must give.
    expected_problem: Option<String>,
    text: String,
}

fn page_blocks(page: &str) -> Vec<PageBlock> {
    let text =
        std::fs::read_to_string(Path::new(PROJECT_ROOT).join("docs/modding").join(page)).unwrap();
    let (mut blocks, mut heading) = (Vec::new(), String::new());
    let (mut file, mut next_problem) = (None, None);
    let mut open_block: Option<PageBlock> = None;
    for line in text.lines() {
        match (&mut open_block, line.strip_prefix("```")) {
            (Some(_), Some("")) => blocks.extend(open_block.take()),
            (Some(block), _) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, Some(language)) => {
                open_block = Some(PageBlock {
                    language: language.to_owned(),
                    heading: heading.clone(),
                    file_path: file.take(),
                    expected_problem: next_problem.take(),
                    text: String::new(),
                });
            }
            (None, None) => {
                let comment_value = |key: &str| {
                    let rest = line.strip_prefix("<!-- ")?.strip_prefix(key)?;
                    rest.strip_prefix(": ")?.strip_suffix(" -->").map(str::to_owned)
                };
                file = comment_value("file").or(file.take());
                next_problem = comment_value("wrong").or(next_problem.take());
                if let Some(title) = line.strip_prefix('#') {
                    heading = title.trim_start_matches('#').trim().to_owned();
                }
            }
        }
    }
    assert!(open_block.is_none(), "{page}: a block is left open");
    blocks
}

fn blocks_in_language<'b>(
    blocks: &'b [PageBlock],
    language: &'b str,
) -> impl Iterator<Item = &'b PageBlock> + 'b {
    blocks.iter().filter(move |block| block.language == language)
}

/// The manifest of the recipes, with the setting that one of them declares.
fn recipe_manifest(blocks: &[PageBlock]) -> String {
    let toml_blocks: Vec<&str> =
        blocks_in_language(blocks, "toml").map(|block| block.text.as_str()).collect();
    assert_eq!(toml_blocks.len(), 2, "a manifest, and a setting at its end");
    toml_blocks.join("\n")
}

/// The files of all recipes: one each, unless a recipe says otherwise.
fn recipe_files(blocks: &[PageBlock]) -> BTreeMap<String, &PageBlock> {
    let path_of = |(number, block): (usize, &'_ PageBlock)| {
        block.file_path.clone().unwrap_or_else(|| format!("recipe_{number:02}.luau"))
    };
    let lua: Vec<&PageBlock> = blocks_in_language(blocks, "lua").collect();
    lua.iter().enumerate().map(|(number, block)| (path_of((number, block)), *block)).collect()
}

fn recipe_mod(is_wanted: impl Fn(&str, &PageBlock) -> bool) -> ModSource {
    let blocks = page_blocks("how-do-i.md");
    let files = recipe_files(&blocks);
    let recipe_texts: Vec<(&str, &str)> = files
        .iter()
        .filter(|(path, block)| is_wanted(path, block))
        .map(|(path, block)| (path.as_str(), block.text.as_str()))
        .collect();
    mod_from_text(&recipe_manifest(&blocks), &recipe_texts)
}

fn base_game() -> ModSource {
    read_folder(&Path::new(PROJECT_ROOT).join("base_game")).unwrap()
}

fn load_vm(mods: Vec<ModSource>) -> Result<Vm, String> {
    let order = load_order_with_library(mods).map_err(|problems| problem_texts(&problems))?;
    Vm::load(&order, &Value::map()).map_err(|problems| problem_texts(&problems))
}

/// A run with all recipes, and the mod that one of them mentions.
fn recipe_content() -> RunContent {
    let words_mod = read_folder(&Path::new(PROJECT_ROOT).join("mods/ember_words")).unwrap();
    let mods =
        load_order_with_library(vec![base_game(), words_mod, recipe_mod(|_, _| true)]).unwrap();
    RunContent { mods, settings: Value::map() }
}

fn begin_session(seed: u64) -> Session {
    bundled::start_session(&recipe_content(), seed, &[("build", Value::text("eye"))], Value::map())
        .0
}

/// Runs a line as a step and returns the output.
fn run_line(session: &mut Session, line: &str) -> String {
    let step_outcome = session.run_unrecorded_luau("recipes", line).unwrap();
    assert!(step_outcome.refusal.is_none(), "{line}: {}", step_outcome.refusal.unwrap());
    event_texts(&step_outcome.events)
}

fn event_texts(events: &[StoryEvent]) -> String {
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
    let answer_result = session.answer_prompt(&Input::Choice(id.to_owned()));
    let step_outcome = answer_result.unwrap_or_else(|error| {
        panic!("{id}: {error:?}: {}", bundled::prompt_description(session))
    });
    assert!(step_outcome.refusal.is_none(), "{id}: {}", step_outcome.refusal.unwrap());
    event_texts(&step_outcome.events)
}

#[test]
fn each_of_at_least_25_recipes_loads_by_itself() {
    let blocks = page_blocks("how-do-i.md");
    let headings: std::collections::BTreeSet<&str> =
        blocks.iter().map(|block| block.heading.as_str()).filter(|h| *h != "Recipes").collect();
    assert!(headings.len() >= 25, "only {} recipes", headings.len());
    for heading in headings {
        let recipe =
            recipe_mod(|path, block| block.heading == heading || path.starts_with("kinds/"));
        load_vm(vec![base_game(), recipe])
            .unwrap_or_else(|problems| panic!("{heading}\n{problems}"));
    }
}

#[test]
fn all_recipes_together_load_without_a_warning() {
    let vm = recipe_content()
        .load_vm()
        .unwrap_or_else(|problems| panic!("{}", problem_texts(&problems)));
    assert_eq!(problem_texts(vm.load_warnings()), "");
}

#[test]
fn items_skills_and_foes_of_recipes_work_in_play() {
    let mut session = begin_session(1);
    run_line(
        &mut session,
        "state.hero.vigour = 5 consumables.find 'recipes:twist_of_salt' flow.next()",
    );
    assert!(choose(&mut session, "item:recipes:twist_of_salt").contains("like a horse"));
    run_line(&mut session, "pieces.find 'recipes:hobnails' flow.next()");
    assert!(session.prompt().choices.iter().any(|choice| choice.id == "wear"));
    choose(&mut session, "wear");
    assert!(
        run_line(&mut session, "return #vitals.worn_effects() .. vitals.worn_effects()[1].id")
            .contains("sure_foot")
    );
    run_line(&mut session, "state.hero.skills = { { id = 'recipes:elbow', remaining = 2 } }");
    run_line(
        &mut session,
        "rooms.here().room = 'recipes:warden_stair' rooms.here().foe = { id = \
         'recipes:stair_warden', vigour = 20, max = 20, met = false, beaten = false } \
         encounters.meet(rooms.here()) flow.next()",
    );
    assert!(choose(&mut session, "skill:recipes:elbow").contains("corner of yourself"));
    run_line(&mut session, "encounters.foe_falls() flow.next()");
    let ids = bundled::prompt_description(&session);
    assert!(ids.contains("count_the_steps"), "{ids}");
}

#[test]
fn recipes_reveal_choices_and_add_to_existing_rooms() {
    let mut session = begin_session(2);
    run_line(&mut session, "rooms.here().room = 'recipes:two_ways_in' flow.next()");
    assert!(!bundled::prompt_description(&session).contains("reach_in"));
    run_line(&mut session, "state.run.flags.hatch_open = true flow.next()");
    assert!(bundled::prompt_description(&session).contains("reach_in"));
    assert!(!bundled::prompt_description(&session).contains("left_handle"));
    run_line(&mut session, "rooms.here().room = 'sub_rosa:banquet_store' flow.next()");
    choose(&mut session, "three_bells");
    choose(&mut session, "answer:1:1");
    assert!(choose(&mut session, "answer:2:2").contains("Service comes"));
}

#[test]
fn patches_set_add_drop_wrap_retire_and_replace() {
    let content = recipe_content();
    let vm = content.load_vm().unwrap();
    let text = |kind: &str, id: &str, field: &str| {
        format!("{:?}", vm.registry().get(kind, id).unwrap().get(field))
    };
    assert!(text("spell", "sub_rosa:cinder", "cast").contains("briefly, lit"));
    assert!(!text("foe", "sub_rosa:packer_rats", "tags").contains("beast"));
    assert!(text("skill", "sub_rosa:half_moon", "name").contains("whole moon"));
    assert!(text("spell", "ember_words:kindle", "bonus").contains("Int(2)"));
    let is_active =
        |id: &str| vm.registry().active_definitions("piece").any(|piece| piece.id.as_str() == id);
    assert!(!is_active("sub_rosa:reading_glass"), "it is not drawn any more");
    assert!(vm.registry().get("piece", "sub_rosa:reading_glass").is_some(), "and is stored");
    let mut session = begin_session(1);
    assert_eq!(run_line(&mut session, "rules['sub_rosa:breaths']('small', false)"), "2");
    assert_eq!(run_line(&mut session, "rules['sub_rosa:breaths']('small', true)"), "1");
    let hush_line = "state.hero.vigour = 5 rooms.here().foe = { id = 'sub_rosa:packer_rats', vigour = 40, \
                max = 40, met = true, beaten = false } encounters.start_fight() spell['sub_rosa:hush'].on_cast \
                { outcome = 'full', foe = enemies.event(), damage = 0 } return state.hero.vigour";
    let output = run_line(&mut session, hush_line);
    assert!(output.contains("1 vigour back; 6 now."), "the wrap repairs 1: {output}");
}

#[test]
fn a_text_inside_a_function_of_the_game_is_overridden() {
    let mut session = begin_session(2);
    let output = run_line(&mut session, "state.hero.vigour = 0 flow.next()");
    assert!(output.contains("That was a life. ") && !output.contains("One life lost"), "{output}");
    let fight_line = "state.hero.mp = 0 state.hero.words = { 'sub_rosa:cinder' } rooms.here().foe = { id = 'sub_rosa:packer_rats', vigour = 40, max = 40, met = \
                 true, beaten = false } encounters.start_fight() flow.next()";
    run_line(&mut session, fight_line);
    let choices_text = format!("{:?}", session.prompt().choices);
    assert!(
        choices_text.contains("not a word left in you") && !choices_text.contains("no mp left"),
        "{choices_text}"
    );
}

#[test]
fn a_dungeon_of_an_added_size_can_be_finished() {
    let options = [("build", Value::text("eye")), ("dungeon", Value::text("sub_rosa:ropewalk"))];
    let (mut session, step_outcome) =
        bundled::start_session(&recipe_content(), 3, &options, Value::map());
    assert!(!event_texts(&step_outcome.events).is_empty());
    // The entrance is not among the drawn rooms.
    assert_eq!(
        run_line(&mut session, "return #state.run.order - 1 .. state.run.size"),
        "\"7closet\""
    );
    let walk_line = "local run = state.run for _, id in ipairs(run.order) do local room = run.rooms[id] \
                   if room.kind ~= 'boss' and not room.seen then doors.enter(id) if room.foe then \
                   room.foe.beaten = true state.fight = nil end end end \
                   for _, id in ipairs(run.order) do if run.rooms[id].kind == 'boss' then doors.enter(id) end end \
                   flow.next()";
    run_line(&mut session, walk_line);
    run_line(&mut session, "encounters.start_fight() encounters.foe_falls() flow.next()");
    for _ in 0..6 {
        if session.run_outcome().is_some() {
            return;
        }
        let choice = session.prompt().choices[0].id.clone();
        choose(&mut session, &choice);
    }
    assert!(session.run_outcome().is_some(), "{}", bundled::prompt_description(&session));
}

#[test]
fn hooks_change_and_answer_events() {
    let mut session = begin_session(3);
    let fight_line = "rooms.here().foe = { id = 'sub_rosa:packer_rats', vigour = 40, max = 40, met = true, \
                 beaten = false } encounters.start_fight() return preview('damage', blows.damage_for { path = 'cast', \
                 outcome = 'full', base = 5 }).damage";
    assert!(run_line(&mut session, fight_line).ends_with('7'), "five, and the heat that was set");
    assert!(
        run_line(&mut session, "encounters.foe_falls() flow.next()")
            .contains("You look through what")
    );
    assert_eq!(run_line(&mut session, "state.recipes.steps"), "0");
    let walk_line = "for _, id in rooms.here().doors do if not state.run.rooms[id].seen then \
                   doors.enter(id) break end end state.fight = nil if rooms.here().foe then \
                   rooms.here().foe.beaten = true end flow.next()";
    let mut output = String::new();
    for _ in 0..4 {
        output += &run_line(&mut session, walk_line);
    }
    assert_eq!(run_line(&mut session, "state.recipes.steps"), "4", "rooms were counted");
    output += &run_line(&mut session, "fragments.find(all(fragment)[1].id) flow.next()");
    assert!(output.contains("a whisper"), "{output}");
    assert!(
        output.contains("A moth goes round") || output.contains("A coin on its edge"),
        "{output}"
    );
    let widgets = format!("{:?}", session.view());
    assert!(widgets.contains("new rooms") && widgets.contains("The way here"), "{widgets}");
}

#[test]
fn choices_and_scenes_of_recipes_can_be_taken() {
    let mut session = begin_session(4);
    assert!(choose(&mut session, "listen").contains("Drip."));
    assert!(!bundled::prompt_description(&session).contains("listen"), "once to a room");
    let lean_choice = session.prompt().choices.iter().find(|choice| choice.id == "lean").unwrap();
    assert!(lean_choice.odds.is_some());
    choose(&mut session, "lean");
    choose(&mut session, "wager");
    assert_eq!(session.prompt().scene, "recipes:wager");
    let step_outcome = session.answer_prompt(&Input::Number(2)).unwrap();
    assert!(event_texts(&step_outcome.events).contains("the flame leans"));
    assert_eq!(session.prompt().scene, "sub_rosa:room");
    let vm = recipe_content().load_vm().unwrap();
    assert!(vm.registry().get("page", "recipes:heat").is_some());
}

#[test]
fn prompts_queued_by_recipes_are_asked_first() {
    let mut session = begin_session(7);
    let missed_line = "rooms.here().foe = { id = 'sub_rosa:packer_rats', vigour = 40, max = 40, met = true, beaten = \
                  false } encounters.start_fight() blows.deal { path = 'strike', outcome = 'failure', base = 0 } flow.next()";
    run_line(&mut session, missed_line);
    assert_eq!(session.prompt().scene, "recipes:sidestep");
    assert!(session.prompt().text.contains("past"), "{}", session.prompt().text);
    assert!(choose(&mut session, "step").contains("looks for you where you were"));
    assert_eq!(session.prompt().scene, "sub_rosa:round");
    run_line(&mut session, "encounters.foe_falls() flow.next()");
    // A failed insight may be rerolled; the roll is shown as it stands, and reported once.
    let mut level_output = String::new();
    for _ in 0..60 {
        let level_line = "state.hero.mp = 3 emit('level_gained', { level = 2 }) flow.next()";
        level_output = run_line(&mut session, level_line);
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
    assert!(level_output.contains("open: true"), "{level_output}");
    let output = choose(&mut session, "think");
    assert!(output.contains("thinking") && !output.contains("open: true"), "{output}");
}

#[test]
fn a_hidden_way_joins_two_rooms() {
    let mut session = begin_session(6);
    let count_doors = "return #rooms.here().doors";
    let before: usize = run_line(&mut session, count_doors).parse().unwrap();
    assert!(choose(&mut session, "search").contains("One slab gives."));
    let after: usize = run_line(&mut session, count_doors).parse().unwrap();
    assert_eq!(after, before + 1);
    let way_back = "local here = rooms.here() local beyond = state.run.rooms[here.doors[#here.doors]] \
                    return table.find(beyond.doors, here.id) ~= nil";
    assert_eq!(run_line(&mut session, way_back), "true");
    assert!(!bundled::prompt_description(&session).contains("search"), "once to a room");
    let map = format!("{:?}", session.view());
    assert!(map.contains("Map { label"), "{map}");
}

#[test]
fn a_recipe_acts_each_turn() {
    let mut session = begin_session(7);
    let weaken = "rooms.here().kind = 'rest' state.hero.vigour = 3 flow.next() \
                  return state.hero.vigour";
    assert!(run_line(&mut session, weaken).ends_with('4'));
    assert!(run_line(&mut session, "flow.next() return state.hero.vigour").ends_with('5'));
    assert!(run_line(&mut session, "flow.next() return state.hero.vigour").ends_with('5'));
}

#[test]
fn a_rest_prints_a_library_text_and_an_ending_is_stored() {
    let mut session = begin_session(5);
    let output = run_line(
        &mut session,
        "rooms.here().kind = 'rest' state.hero.vigour = 3 rests.take() flow.next()",
    );
    assert!(output.contains("Once.") || output.contains("Twice."), "{output}");
    run_line(&mut session, "endings.close 'abandoned'");
    let award_json = session.award_so_far().to_json();
    assert!(award_json.contains("\"@recipes\":{\"endings\":{\"abandoned\":1}}"), "{award_json}");
    let endings = Value::map_of([("victory", Value::Int(3))]);
    let profile_data = Value::map_of([("@recipes", Value::map_of([("endings", endings)]))]);
    let (_, step_outcome) = bundled::start_session(
        &recipe_content(),
        1,
        &[("build", Value::text("eye"))],
        profile_data,
    );
    assert!(
        event_texts(&step_outcome.events).contains("walked out of 3 of these"),
        "{:?}",
        step_outcome.events
    );
}

#[test]
fn the_lint_of_a_recipe_is_run_by_check() {
    let long_script =
        format!("omen \"long\" {{ name = \"long\", text = \"{}\" }}\n", "so ".repeat(80));
    let blocks = page_blocks("how-do-i.md");
    let mut file_texts: Vec<(String, String)> = recipe_files(&blocks)
        .iter()
        .map(|(path, block)| (path.clone(), block.text.clone()))
        .collect();
    file_texts.push(("long.luau".to_owned(), long_script));
    let file_texts_ref: Vec<(&str, &str)> =
        file_texts.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let vm = load_vm(vec![base_game(), mod_from_text(&recipe_manifest(&blocks), &file_texts_ref)])
        .unwrap();
    let lint_output = problem_texts(&vm.run_lints(&["recipes".to_owned()].into()));
    assert!(
        lint_output.contains("too great a length") && lint_output.contains("recipes:long"),
        "{lint_output}"
    );
}

#[test]
fn the_recipe_that_replaces_a_definition_passes_the_lints_of_the_game() {
    let recipe = recipe_mod(|path, block| {
        block.heading == "Retire or replace a definition" || path.starts_with("kinds/")
    });
    let vm = load_vm(vec![base_game(), recipe]).unwrap();
    let lint_output = problem_texts(&vm.run_lints(&["recipes".to_owned()].into()));
    assert!(!lint_output.contains("half_moon"), "{lint_output}");
}

#[test]
fn console_lines_of_the_page_run() {
    let blocks = page_blocks("how-do-i.md");
    let typed_lines = blocks_in_language(&blocks, "text")
        .flat_map(|block| block.text.lines())
        .collect::<Vec<_>>();
    let lines: Vec<&str> = typed_lines.iter().filter_map(|line| line.strip_prefix(':')).collect();
    assert!(lines.len() >= 4, "{typed_lines:?}");
    let mut session = begin_session(6);
    for console_line in lines.iter().filter(|line| !line.starts_with("back")) {
        run_line(&mut session, console_line);
    }
}

#[test]
fn the_case_of_a_recipe_passes() {
    let blocks = page_blocks("how-do-i.md");
    let folder = write_recipe_folder(&blocks);
    let (status, output) = run_program(&["test", "recipes", "--mods"], folder.path());
    assert_eq!(
        (status, output.as_str()),
        (Some(0), "ok     recipes salt: a twist of salt is worth licking\n1 passed\n")
    );
}

/// The mod of the recipes on disk.
fn write_recipe_folder(blocks: &[PageBlock]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write_file = |path: &str, text: &str| {
        let path = folder.path().join("recipes").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write_file("mod.toml", &recipe_manifest(blocks));
    recipe_files(blocks).iter().for_each(|(path, block)| write_file(path, &block.text));
    folder
}

#[test]
fn shell_commands_of_the_page_succeed() {
    let blocks = page_blocks("how-do-i.md");
    let folder = write_recipe_folder(&blocks);
    let mut outputs = BTreeMap::new();
    for command_line in blocks_in_language(&blocks, "sh").flat_map(|block| block.text.lines()) {
        // The page plays two hundred runs; one also shows that the command works.
        let shortened_command = command_line.replace("--runs 200", "--runs 1");
        let mut command_words = shortened_command.split(' ');
        assert_eq!(command_words.next(), Some("sub-rosa"), "{command_line}");
        let arguments: Vec<&str> = command_words.chain(["--mods"]).collect();
        let (status, output) = run_program(&arguments, folder.path());
        assert_eq!(status, Some(0), "{command_line}\n{output}");
        outputs.insert(command_line, output);
    }
    let output_of = |command_start: &str| {
        let command_and_output =
            outputs.iter().find(|(command, _)| command.starts_with(command_start));
        command_and_output
            .unwrap_or_else(|| panic!("{command_start}: not on the page: {outputs:?}"))
            .1
    };
    assert!(
        output_of("sub-rosa why sub_rosa:cinder").contains("recipes/"),
        "the mod that set it, and where"
    );
    assert!(output_of("sub-rosa why damage").contains("recipes/"), "which hooks, in order");
    assert!(
        output_of("sub-rosa simulate").contains("1 runs"),
        "{}",
        output_of("sub-rosa simulate")
    );
    assert!(outputs.len() >= 3, "every line of every block");
}

/// Runs the real program on a folder of mods: status and output.
fn run_program(arguments: &[&str], mods: &Path) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command
        .args(arguments)
        .arg(mods)
        .current_dir(PROJECT_ROOT)
        .env("XDG_DATA_HOME", "/no/such/folder");
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn blocks_of_other_pages_load_or_give_the_stated_problem() {
    let (mut loading_blocks, mut failing_blocks) = (0, 0);
    for page in ["lua.md", "lifecycle.md"] {
        for block in blocks_in_language(&page_blocks(page), "lua") {
            let manifest = crate::support::manifest_needing("my_mod", &["sub_rosa"]);
            let recipe = mod_from_text(&manifest, &[("page.luau", &block.text)]);
            match &block.expected_problem {
                None => {
                    load_vm(vec![base_game(), recipe])
                        .unwrap_or_else(|problems| panic!("{page}\n{problems}"));
                    loading_blocks += 1;
                }
                Some(code) => {
                    let output = check_output(&manifest, &block.text);
                    assert!(output.contains(&format!("[{code}]")), "{page} wants {code}\n{output}");
                    failing_blocks += 1;
                }
            }
        }
    }
    assert!(
        loading_blocks >= 1 && failing_blocks >= 1,
        "{loading_blocks} right, {failing_blocks} wrong"
    );
}

/// The output of `check` for a mod of one file.
fn check_output(manifest: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let recipe = folder.path().join("my_mod");
    std::fs::create_dir(&recipe).unwrap();
    std::fs::write(recipe.join("mod.toml"), manifest).unwrap();
    std::fs::write(recipe.join("page.luau"), text).unwrap();
    run_program(&["check", "my_mod", "--mods"], folder.path()).1
}
