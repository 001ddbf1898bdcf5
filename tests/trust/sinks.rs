//! Text of mods on its way to a person: no byte of it controls a terminal. It is checked where it
//! arrives: on a pseudo-terminal, in a pipe, in files, in JSON.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::cli;

/// A hostile text as a Lua literal: a title, a cleared screen, a key report, direction marks,
/// zero-width characters, a bell, a delete character.
const HOSTILE_TEXT: &str = r#"EVIL\27]0;owned\7\27]52;c;b3duZWQ=\7\27[7;7y\27[2J\27P$q\27\\\226\128\174rtl\226\128\168\226\129\166\226\128\139zw\194\155 31m\8\127\r!"#;

/// A declaration with such a text is refused while loading (`bad-text`); a text from a function in
/// play is filtered.
const HOSTILE_GAME: &str = r#"
title "main" { name = "EVIL", text = "EVIL", new = "EVIL", resume = "EVIL", quit = "EVIL" }
page "board" { title = "EVIL", text = "EVIL", menu = 1 }
kind "door" { name = field.text }
door "oak" { name = "EVIL" }
option "door" { type = "ref", kind = "door", default = "oak", label = "EVIL", ask = true }
achievement "done" { name = "EVIL", text = "EVIL", when = function() return true end }
start(function() heading "EVIL" say "EVIL" go "hall" end)

-- Each way for a text to get out, tried alone.
local ways = {
  heading = function() heading "EV" end,
  value = function() say("{it}", { it = "EV" }) end,
  label = function() roll("1d6", "hall", { label = "EV", outcome = "EV" }) end,
  raised = function() error "EV" end,
  scene = function() go "EV" end,
  stream = function() roll("1d6", "EV") end,
  notation = function() roll("EV", "hall") end,
  mark = function() say("{EV}", {}) end,
  key = function() state["EV"] = 0 / 0 end,
  definition = function() return door["EV"].name end,
  rule = function() return rules["EV"]() end,
  event = function() emit("EV", 7) end,
  choice = function() state.at = "choice" end,
  note = function() state.at = "note" end,
  closed = function() state.at = "closed" end,
  title = function() state.at = "title" end,
  widget = function() state.at = "widget" end,
  award = function() award { ["EV"] = "EV" } end,
}
local names = { "heading", "value", "label", "raised", "scene", "stream", "notation", "mark", "key", "definition",
  "rule", "event", "choice", "note", "closed", "title", "widget", "award" }

scene "hall" {
  prompt = function()
    local at = state.at
    local choices = {}
    for _, name in ipairs(names) do
      table.insert(choices, { id = name, label = "EVIL " .. name, on = "try" })
    end
    table.insert(choices, {
      id = "done",
      label = if at == "choice" then "EV" else "Done",
      note = if at == "note" then "EV" else "EVIL",
      disabled_because = if at == "closed" then "EV" else nil,
    })
    return { text = "EVIL?", choices = choices }
  end,
  on = {
    try = function(input) ways[input.id]() end,
    done = function() finish { outcome = "EVIL", other = "EV" } end,
  },
}
view "side" (function()
  return { title = if state.at == "title" then "EV" else "EVIL", widgets = {
    { widget = "stat", label = if state.at == "widget" then "EV" else "EVIL", value = 1 },
  } }
end)
"#;

const MANIFEST_TOML: &str =
    "id = \"evil\"\nname = \"Evil\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";

fn write_hostile_game(folder: &Path) -> String {
    let game_folder = folder.join("evil");
    fs::create_dir_all(&game_folder).unwrap();
    fs::write(game_folder.join("mod.toml"), MANIFEST_TOML).unwrap();
    fs::write(
        game_folder.join("main.luau"),
        HOSTILE_GAME.replace("\"EV\"", &format!("\"{HOSTILE_TEXT}\"")),
    )
    .unwrap();
    game_folder.to_string_lossy().into_owned()
}

/// Whether a character may be shown. Repeated here, because a test with the filter's own function
/// would accept whatever it passes.
fn is_safe_character(c: char) -> bool {
    let is_control = matches!(c, '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}');
    let is_direction_mark = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}');
    let is_invisible =
        matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}');
    let is_separator_or_tag =
        matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !(is_control || is_direction_mark || is_invisible || is_separator_or_tag)
}

/// What is wrong with a shown text.
fn describe_unsafe_character(text: &str) -> Option<String> {
    let position =
        text.char_indices().find(|(_, c)| !matches!(c, '\t' | '\n') && !is_safe_character(*c))?;
    let context_start = text[..position.0].char_indices().rev().nth(40).map_or(0, |(from, _)| from);
    Some(format!("{:?} after {:?}", position.1, &text[context_start..position.0]))
}

fn assert_text_is_safe(label: &str, bytes: &[u8]) {
    let text = String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| panic!("{label} is no UTF-8"));
    assert!(
        describe_unsafe_character(&text).is_none(),
        "{label}: {}",
        describe_unsafe_character(&text).unwrap()
    );
}

/// The lines from the title through every output, and to the end.
fn all_input_lines() -> String {
    let answer_ids = [
        "heading",
        "value",
        "label",
        "raised",
        "scene",
        "stream",
        "notation",
        "mark",
        "key",
        "definition",
        "rule",
        "event",
        "choice",
        "note",
        "closed",
        "title",
        "widget",
        "award",
    ];
    format!(
        "new\noak\n{}\nsheet\nlog\ndone\npage\ntitle\nboard\nhistory\nachievements\nback\nquit\n",
        answer_ids.join("\n")
    )
}

#[test]
fn no_hostile_byte_reaches_a_pipe_a_page_or_json() {
    let folder = tempfile::tempdir().unwrap();
    let game_path = write_hostile_game(folder.path());
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let flags = ["--mods", &game_path, "--game", "evil", "--data", &data];
    let play_output = cli::run_with_input(cli::program_command(&flags), &all_input_lines());
    assert_text_is_safe("plain voice", &play_output.stdout);
    assert_text_is_safe("plain voice's complaints", &play_output.stderr);
    let output_text = cli::utf8_text(&play_output.stdout);
    assert!(
        output_text.matches("EVIL").count() > 20 && output_text.contains("The run is over"),
        "{output_text}"
    );
    let run = folder.path().join("data/runs/player-0001");
    for page in ["page.md", "page.txt"] {
        let bytes = fs::read(run.join(page)).unwrap();
        assert!(bytes.windows(4).any(|window| window == b"EVIL"), "{page} mentions it");
        assert_text_is_safe(page, &bytes);
    }
    let replay = ["replay", "player-0001", "--mods", &game_path, "--game", "evil", "--data", &data];
    let replay_output =
        cli::run_with_input(cli::program_command(&replay), "next\nnext\nnext\nlast\nback\n");
    assert_text_is_safe("replay", &replay_output.stdout);
    assert!(cli::utf8_text(&replay_output.stdout).contains("EVIL"));
    let location_flags = ["--mods", &game_path, "--game", "evil", "--data", &data];
    for command in [
        &["check"][..],
        &["check", "--json"],
        &["mods"],
        &["mods", "--json"],
        &["api"],
        &["api", "--json"],
        &["why", "door", "evil:oak"],
        &["why", "door", "evil:oak", "--json"],
        &["simulate", "--runs", "3"],
        &["simulate", "--runs", "3", "--json"],
        &["explore", "--runs", "5"],
    ] {
        let output =
            cli::run_with_input(cli::program_command(&[command, &location_flags[..]].concat()), "");
        assert_text_is_safe(&format!("{command:?}"), &output.stdout);
        assert_text_is_safe(&format!("{command:?}, complaints"), &output.stderr);
    }
}

#[test]
fn player_file_and_save_names_are_filtered() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let hostile_name = "E\u{1b}]0;owned\u{7}\u{202e}x";
    for flags in [
        vec!["--data", &data, "--profile", hostile_name],
        vec!["--data", &data, "--set", "E\u{1b}[2J=\u{1b}[2J"],
        vec!["--data", &data, "--script", hostile_name],
        vec!["--data", &data, "--with", hostile_name],
    ] {
        let output = cli::run_with_input(cli::ferry_command(&flags), "quit\n");
        assert_text_is_safe(&format!("{flags:?}"), &output.stdout);
        assert_text_is_safe(&format!("{flags:?}"), &output.stderr);
    }
    // A crafted save: its chain is valid, its texts are not for people.
    let folder = super::fixture_data();
    let data_dir = save::DataDir::new(folder.path());
    {
        let writable_run =
            save::open_run_for_writing(&data_dir, "ada-0002", save::ReadExtent::AfterCheckpoint)
                .unwrap();
        let mut writer = writable_run.writer.unwrap();
        let step = writer.run_state().next_step;
        let input = protocol::Input::Choice("wait".to_owned());
        let mut problem = base::Problem::error(base::Code::ScriptError, "");
        problem.message = hostile_name.to_owned();
        problem.hint = Some(hostile_name.to_owned());
        let refusal = save::JournalEntry::Refusal { step, problem };
        writer
            .append_all(
                &[
                    save::JournalEntry::Intent {
                        step,
                        input,
                        answer_text: String::new(),
                        odds: None,
                    },
                    refusal,
                ],
                true,
            )
            .unwrap();
    }
    let data = folder.path().to_string_lossy().into_owned();
    let flags =
        ["replay", "ada-0002", "--mods", cli::FERRY_FOLDER, "--game", "ferry", "--data", &data];
    let input_lines = "last\nnext\nback\n";
    let replay_output = cli::run_with_input(
        cli::program_command(&[&flags[..], &["--profile", "Ada"]].concat()),
        input_lines,
    );
    assert_text_is_safe("a replay of an evil save", &replay_output.stdout);
    assert_text_is_safe("a replay of an evil save", &replay_output.stderr);
}

/// The allowed output to a terminal: control sequences that end in one of these letters, and these
/// characters. Operating system commands and device control are not allowed.
fn check_terminal_output(bytes: &[u8]) -> Result<String, String> {
    let (mut text, mut offset) = (Vec::new(), 0);
    while offset < bytes.len() {
        let remaining = &bytes[offset..];
        match remaining {
            [0x1b, b'[', tail @ ..] => {
                let Some(end) = tail.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
                    break;
                };
                if !b"mHhlJKABCDGdsurqXtc".contains(&tail[end]) {
                    return Err(format!("CSI …{}", tail[end] as char));
                }
                offset += end + 3;
            }
            [0x1b, b'7' | b'8' | b'=' | b'>' | b'M', ..] => offset += 2,
            [0x1b, b'(' | b')', _, ..] => offset += 3,
            [0x1b, other, ..] => return Err(format!("ESC {:?}", *other as char)),
            [0x1b] => break,
            [byte, ..] => {
                text.push(*byte);
                offset += 1;
            }
            [] => break,
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(unix)]
#[test]
fn no_hostile_byte_reaches_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let game_path = write_hostile_game(folder.path());
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["--mods", &game_path, "--game", "evil", "--data", &data]);
    command.env("TERM", "xterm-256color");
    command.cwd(std::env::temp_dir());
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let shared_bytes = Arc::clone(&bytes);
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            shared_bytes.lock().unwrap().extend_from_slice(&buffer[..count]);
        }
    });
    let mut keys = pair.master.take_writer().unwrap();
    let byte_count = |bytes: &Arc<Mutex<Vec<u8>>>| bytes.lock().unwrap().len();
    // Title, option, hall; outputs of all kinds, with the log and help between them.
    for key in [
        "", "1", "1", "\r", "1", "2", "3", "4", "5", "6", "7", "l", "\u{1b}", "8", "9", "?",
        "\u{1b}",
    ] {
        let before = byte_count(&bytes);
        keys.write_all(key.as_bytes()).unwrap();
        keys.flush().unwrap();
        for _ in 0..if key.is_empty() { 400 } else { 30 } {
            std::thread::sleep(Duration::from_millis(20));
            if byte_count(&bytes) > before + 200 {
                break;
            }
        }
    }
    let _ = keys.write_all(b"\x03");
    std::thread::sleep(Duration::from_millis(300));
    let _ = child.kill();
    let _ = child.wait();
    let bytes = bytes.lock().unwrap().clone();
    let text =
        check_terminal_output(&bytes).unwrap_or_else(|reason| panic!("a foreign byte: {reason}"));
    assert!(text.matches("EVIL").count() > 10, "the texts were shown: {text:?}");
    for c in text.chars() {
        assert!(
            is_safe_character(c) || matches!(c, '\r' | '\n' | '\u{8}' | '\u{fffd}'),
            "{c:?} was shown"
        );
    }
}
