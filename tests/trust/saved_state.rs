//! A save is data: after every step, what is read from the disk is what is in memory, byte for
//! byte, and a run that is resumed after each of its steps writes the same journal as one that
//! never was.

use base::{Problem, Value};
use protocol::WorldState;
use save::{ConsoleCommand, DataDir, JournalEntry, ReadExtent};
use session::{
    self, DISABLE_MOD_CHOICE_ID, RunContent, RunRequest, Session, StepOutcome, restore_run,
};

use crate::support::memory_runs::{lock_profile_of_ada, memory_data_dir};
use crate::support::{GAME_MANIFEST, load_order_with_library, manifest_needing, mod_from_text};

const RUN: &str = "ada-0001";

/// Everything that a step can change: maps, lists, tables in lists, queued questions, an open roll,
/// awards, dice.
const MINE: &str = r#"
start(function()
  state.depth, state.log, state.crew = 0, {}, { { name = "Ada", marks = {} }, { name = "Bo", marks = {} } }
  go "shaft"
end)
scene "shaft" {
  prompt = function()
    return { text = "The shaft.", choices = {
      { id = "dig", label = "Dig" }, { id = "sort", label = "Sort" }, { id = "swap", label = "Swap" },
      { id = "clear", label = "Clear" }, { id = "ask", label = "Ask" }, { id = "fail", label = "Fail" },
      { id = "deep", label = "Deep" },
    } }
  end,
  on = {
    dig = function()
      state.depth += (roll("2d6", "shaft"))
      table.insert(state.log, { depth = state.depth })
      table.insert(state.crew[1].marks, 1, state.depth)
      say "You dig."
    end,
    sort = function()
      table.sort(state.log, function(one, other) return one.depth > other.depth end)
      if #state.log > 2 then table.remove(state.log, 2) end
    end,
    swap = function()
      table.remove(state.crew, 1)
      state.crew[2] = { name = "New", marks = { 1.5, "two", true } }
      state.crew[2].marks[4] = { deep = { er = {} } }
      state.gone = nil
    end,
    clear = function()
      state.log = {}
      state.notes = { a = 1 }
      state.notes.a = nil
      state.notes[1] = "a list now"
    end,
    ask = function() ask("sure", { n = state.depth }) end,
    fail = function() state.depth = -1 error "no" end,
    deep = function() state.bad = { bad = 1 } end,
  },
}
scene "sure" {
  prompt = function() return { text = "Sure?", choices = { { id = "yes", label = "Yes" } } } end,
  on = { yes = function() award { lamps = 1 } end },
}
"#;

const HELPER: &str = r#"
patch.scene "game:shaft" { on = { deep = function() local nothing = nil nothing.x = 1 end } }
migrate("0.2.0", function() state.migrated = { from = state.depth } end)
"#;

fn content(version: &str) -> RunContent {
    let manifest = manifest_needing("helper", &["game"]).replace("0.1.0", version);
    let mods = vec![
        mod_from_text(GAME_MANIFEST, &[("mine.luau", MINE)]),
        mod_from_text(&manifest, &[("helper.luau", HELPER)]),
    ];
    let mods = load_order_with_library(mods).unwrap_or_else(|problems| panic!("{}", problems[0]));
    RunContent { mods, settings: Value::map() }
}

fn bytes(world: &WorldState) -> String {
    serde_json::to_string(&world.snapshot()).unwrap()
}

/// Checks that the disk has what memory has: the world, the step, the mods.
pub(super) fn assert_disk_equals_memory(
    session: &Session,
    data_dir: &DataDir,
    run_id: &str,
    what: &str,
) {
    let restored = restore_run(data_dir, run_id, None).unwrap_or_else(|p| panic!("{what}: {p}"));
    let (on_disk, in_memory) = (bytes(&restored.world), bytes(session.world()));
    assert!(on_disk == in_memory, "{what}: on disk {on_disk}\nin memory {in_memory}");
    assert_eq!(restored.step(), session.step_number(), "{what}");
    let opened = data_dir.open_run(run_id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(restored.run_state.mods, opened.run_state.mods, "{what}");
    assert_eq!(restored.run_state.disabled_entries, opened.run_state.disabled_entries, "{what}");
    let mods = session.content().mods.mods.iter().map(|source| source.digest);
    assert!(mods.eq(restored.run_state.mods.iter().map(|version| version.digest)), "{what}");
}

/// Something that a player or an author does between two steps.
enum Act {
    Choose(&'static str),
    Console(ConsoleCommand),
    Reload(&'static str),
    UndoTo(u64),
}

fn acts() -> Vec<Act> {
    use Act::{Choose, Console, Reload, UndoTo};
    let lua = |line: &str| Console(ConsoleCommand::Lua(line.to_owned()));
    vec![
        Choose("dig"),
        Choose("dig"),
        Choose("sort"),
        Choose("fail"),
        Choose("dig"),
        Choose("swap"),
        Choose("dig"),
        Choose("clear"),
        Choose("ask"),
        Choose("yes"),
        Choose("dig"),
        lua("state.log[#state.log + 1] = { depth = 3 }"),
        lua("state.depth = nil + 1"),
        Choose("deep"),
        Choose(DISABLE_MOD_CHOICE_ID),
        Choose("deep"),
        Console(ConsoleCommand::Seed(99)),
        Choose("dig"),
        Reload("0.2.0"),
        Choose("dig"),
        Choose("swap"),
        Console(ConsoleCommand::Goto("sure".to_owned())),
        Choose("yes"),
        UndoTo(12),
        Choose("dig"),
        Choose("sort"),
        UndoTo(3),
        Choose("dig"),
        Choose("dig"),
    ]
}

fn perform(session: &mut Session, data_dir: &DataDir, act: &Act) {
    let step = |outcome: Result<StepOutcome, Problem>| drop(outcome.unwrap());
    match act {
        Act::Choose(id) => step(session.answer_prompt(&protocol::Input::Choice((*id).to_owned()))),
        Act::Console(command) => step(session.run_console_step(command.clone())),
        Act::Reload(version) => {
            session::reload_if_content_differs(data_dir, session, content(version)).unwrap();
        }
        Act::UndoTo(to) => drop(session::undo_to_step(data_dir, session, *to).unwrap()),
    }
}

fn begin(data_dir: &DataDir) -> Session {
    let request = RunRequest {
        content: content("0.1.0"),
        options: Value::map(),
        seed: Some(5),
        is_practice: true,
    };
    let mut session =
        session::start_run(&mut lock_profile_of_ada(data_dir), request, &mut || 5).unwrap().session;
    session.offer_disabling();
    session
}

fn entries(data_dir: &DataDir) -> Vec<JournalEntry> {
    let opened = data_dir.open_run(RUN, ReadExtent::All).unwrap();
    opened.entries().map(|(_, entry)| entry).collect()
}

#[test]
fn what_is_on_disk_is_what_is_in_memory_after_every_step() {
    let (_, data_dir) = memory_data_dir();
    let mut session = begin(&data_dir);
    assert_disk_equals_memory(&session, &data_dir, RUN, "the start");
    let mut worlds = vec![(0, bytes(session.world()))];
    for (number, act) in acts().iter().enumerate() {
        perform(&mut session, &data_dir, act);
        assert_disk_equals_memory(&session, &data_dir, RUN, &format!("act {number}"));
        let step = session.step_number();
        // A reload has no step of its own: the world of its step is the one before it.
        worlds.retain(|(earlier, _)| *earlier <= step);
        if worlds.last().is_some_and(|(last, _)| *last < step) {
            worlds.push((step, bytes(session.world())));
        }
        for (step, world) in &worlds {
            let restored = restore_run(&data_dir, RUN, Some(*step)).unwrap();
            assert!(bytes(&restored.world) == *world, "step {step} after act {number}");
        }
    }
    // Executed again, each step comes to what its entry says.
    let last_step = session.step_number();
    drop(session);
    assert_eq!(session::replay_and_verify(&data_dir, RUN, &mut |_, _| {}).unwrap(), last_step);
}

#[test]
fn a_run_that_is_resumed_after_each_step_writes_the_same_journal() {
    let ((_, whole), (_, parted)) = (memory_data_dir(), memory_data_dir());
    let mut stays = begin(&whole);
    drop(begin(&parted));
    for (number, act) in acts().iter().enumerate() {
        perform(&mut stays, &whole, act);
        // An offer after a refusal is not repeated after a resume.
        if matches!(act, Act::Choose(id) if *id == DISABLE_MOD_CHOICE_ID) {
            continue;
        }
        let mut resumed = session::resume_run(&parted, RUN, None).unwrap();
        assert!(resumed.notes.is_empty(), "act {number}: {}", resumed.notes[0]);
        resumed.session.offer_disabling();
        perform(&mut resumed.session, &parted, act);
        if matches!(act, Act::Choose("deep")) && number == 13 {
            perform(&mut resumed.session, &parted, &Act::Choose(DISABLE_MOD_CHOICE_ID));
        }
        assert_disk_equals_memory(&resumed.session, &parted, RUN, &format!("act {number}"));
    }
    let (whole, parted) = (entries(&whole), entries(&parted));
    for (one, other) in whole.iter().zip(&parted) {
        assert_eq!(one, other);
    }
    assert_eq!(whole.len(), parted.len());
}
