//! `play --json`: its lines fit the schema, a run is the same as in other frontends, and the clients
//! of `docs/protocol.md` work.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use jsonschema::Validator;
use serde_json::{Value, json};
use ui::json_lines::message_schemas;

use crate::support::count_from_env;
use crate::support::ferry_runs::{FERRY_ARGUMENTS, assert_same_run_in_terminal, simplest_answer};

const SCHEMA_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/protocol.schema.json");
const PROTOCOL_PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/protocol.md"));

/// The schemas as the file has them.
fn schema_text() -> String {
    let schemas: serde_json::Map<String, Value> = message_schemas()
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema.to_value()))
        .collect();
    serde_json::to_string_pretty(&schemas).unwrap() + "\n"
}

fn validator(name: &str) -> Validator {
    let schemas: Value = serde_json::from_str(&fs::read_to_string(SCHEMA_FILE).unwrap()).unwrap();
    jsonschema::validator_for(&schemas[name]).unwrap()
}

/// A program that is played by messages; each of its lines must fit the schema.
struct Client {
    program: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    validator: Validator,
    seen_types: BTreeSet<String>,
}

impl Client {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_sub-rosa"))
            .args(["play", "--json", "--seed", "7", "--data"])
            .arg(folder)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (program.stdin.take(), program.stdout.take().unwrap());
        Self {
            program,
            input,
            output: BufReader::new(output),
            validator: validator("output"),
            seen_types: BTreeSet::new(),
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The next line, or none if the program has ended.
    fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        if line.is_empty() {
            return None;
        }
        let message: Value = serde_json::from_str(&line).unwrap();
        let errors: Vec<String> =
            self.validator.iter_errors(&message).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{line}\n{errors:?}");
        self.seen_types.insert(message["type"].as_str().unwrap().to_owned());
        Some(message)
    }

    /// Reads up to a message of a type.
    fn read_until(&mut self, message_type: &str) -> Value {
        std::iter::from_fn(|| self.read())
            .find(|message| message["type"] == message_type)
            .unwrap_or_else(|| panic!("no {message_type} came"))
    }

    /// Ends the input; the program must end well.
    fn finish(mut self) {
        self.input = None;
        while self.read().is_some() {}
        assert!(self.program.wait().unwrap().success());
    }
}

#[test]
fn the_schema_file_is_made_from_the_types() {
    if std::env::var_os("SUB_ROSA_WRITE_SCHEMA").is_some() {
        fs::write(SCHEMA_FILE, schema_text()).unwrap();
    }
    let text = fs::read_to_string(SCHEMA_FILE).unwrap_or_default();
    assert!(text == schema_text(), "SUB_ROSA_WRITE_SCHEMA=1 cargo test protocol:: writes it anew");
}

#[test]
fn a_run_is_played_by_messages_and_each_line_fits_the_schema() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(folder.path(), &[]);
    let inputs = validator("input");
    assert_eq!(
        client.read().unwrap(),
        json!({"type": "hello", "protocol": 1, "version": env!("CARGO_PKG_VERSION")})
    );
    let mut steps = 0;
    while steps < 60 {
        let message = client.read_until("prompt");
        let prompt = &message["prompt"];
        for choice in prompt["choices"].as_array().unwrap() {
            for name in ["hint", "on", "with"] {
                assert!(choice.get(name).is_none(), "{choice} tells what only scripts read");
            }
        }
        let is_enabled = |choice: &&Value| choice.get("disabled_because").is_none();
        let answer = match prompt["ask"].as_str() {
            Some("one") if prompt["scene"] == "host:title" => json!({"choice": "new"}),
            Some("one") => {
                let all: Vec<&Value> =
                    prompt["choices"].as_array().unwrap().iter().filter(is_enabled).collect();
                json!({"choice": all[steps * 7 % all.len()]["id"]})
            }
            _ if prompt["ask"].get("text").is_some() => json!({"text": "Ada"}),
            _ => json!({"command": "leave"}),
        };
        assert!(inputs.is_valid(&answer), "{answer}");
        client.send(&answer);
        steps += 1;
    }
    client.read_until("prompt");
    assert!(client.seen_types.contains("events") && client.seen_types.contains("story"));
    client.finish();
}

#[test]
fn wrong_lines_are_refused_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(folder.path(), &FERRY_ARGUMENTS);
    client.read_until("prompt");
    let wrong_lines = [
        json!("new"),
        json!({"choice": "nowhere"}),
        json!({"choice": 3}),
        json!({"many": ["new"]}),
        json!({"number": 1}),
        json!({"command": "undo"}),
        json!({"command": "reload"}),
        json!({"command": "win"}),
        json!({"console": "state.won = true"}),
        json!({}),
    ];
    for line in wrong_lines {
        client.send(&line);
        let message = client.read().unwrap();
        assert_eq!(message["type"], "refused", "{line}: {message}");
        assert!(!message["message"].as_str().unwrap().is_empty());
    }
    client.send(&json!({"choice": "new"}));
    client.read_until("prompt");
    client.finish();
}

#[test]
fn a_run_is_the_same_in_every_frontend_and_goes_on_in_another() {
    let by_messages = tempfile::tempdir().unwrap();
    let mut client = Client::start(by_messages.path(), &FERRY_ARGUMENTS);
    client.read_until("prompt");
    client.send(&json!({"choice": "new"}));
    let mut lines = Vec::new();
    for _ in 0..4 {
        let message = client.read_until("prompt");
        let (answer, line) = simplest_answer(&message["prompt"]);
        client.send(&answer);
        lines.push(line);
    }
    client.read_until("prompt");
    client.finish();
    assert_same_run_in_terminal(by_messages.path(), &lines);

    let mut client = Client::start(by_messages.path(), &FERRY_ARGUMENTS);
    client.read_until("prompt");
    client.send(&json!({"choice": "resume"}));
    let story = client.read_until("story");
    assert!(story["past"].as_array().unwrap().len() > 4, "{story}");
    client.finish();
}

/// Runs a program of the page with arguments; none if there is no Python.
#[allow(clippy::print_stderr)] // It says what was not tried.
fn run_page_program(
    first_argument: &Path,
    data_folder: &Path,
    name: &str,
    further_text: &str,
    arguments: &[&str],
) -> Option<String> {
    let python = if cfg!(windows) { "python" } else { "python3" };
    if Command::new(python).arg("--version").output().is_err() {
        eprintln!("{name} was not tried: there is no {python}");
        return None;
    }
    let (_, rest) =
        PROTOCOL_PAGE.split_once(&format!("<!-- file: {name} -->\n```python\n")).unwrap();
    let text = rest.split_once("\n```").unwrap().0;
    assert!(text.lines().count() <= 60, "{name} has more than sixty lines");
    let path = data_folder.join(name);
    fs::write(&path, format!("{text}\n{further_text}")).unwrap();
    let output =
        Command::new(python).arg(&path).arg(first_argument).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Writes a figure of a campaign.
#[allow(clippy::print_stderr)] // It is for the person who runs the campaign.
fn report_figure(figure: &str) {
    eprintln!("{figure}");
}

const GAMES: [&str; 5] = ["sub_rosa", "leeward", "hollow_way", "fivey", "sovereign"];

#[test]
fn the_client_of_the_page_plays_descents_by_the_odds() {
    let lines = validator("output");
    let (mut played, mut line_count) = (0, 0);
    let first_seed = count_from_env("SUB_ROSA_CLIENT_FROM", 0);
    for seed in first_seed..first_seed + count_from_env("SUB_ROSA_CLIENT_RUNS", 1) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        // The program's lines are kept, to be checked against the schema.
        let kept_lines = path.join("lines.jsonl");
        let wrapper = path.join("kept.sh");
        let script = format!(
            "#!/bin/sh\n'{}' \"$@\" | tee '{}'\n",
            env!("CARGO_BIN_EXE_sub-rosa"),
            kept_lines.display()
        );
        fs::write(&wrapper, script).unwrap();
        let program =
            if cfg!(unix) { &*wrapper } else { Path::new(env!("CARGO_BIN_EXE_sub-rosa")) };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o700)).unwrap();
        }
        let seed_text = (seed + 7).to_string();
        let game = GAMES[seed as usize % GAMES.len()];
        let arguments = ["--seed", &seed_text, "--game", game, "--data", path.to_str().unwrap()];
        let Some(output) = run_page_program(program, path, "play_by_odds.py", "", &arguments)
        else {
            return;
        };
        let least_lines = if seed == 0 { 100 } else { 30 };
        assert!(output.lines().count() > least_lines, "{game}, {seed_text}: {output}");
        let run = fs::read_dir(path.join("runs")).unwrap().next().unwrap().unwrap();
        assert!(run.path().join("page.md").exists(), "{game}, {seed_text}: the run is not over");
        for line in fs::read_to_string(&kept_lines).unwrap_or_default().lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            assert!(lines.is_valid(&message), "{game}, {seed_text}: {line}");
            line_count += 1;
        }
        played += 1;
    }
    report_figure(&format!("{played} runs, {line_count} lines fit the schema"));
}

#[test]
fn the_environment_of_the_page_steps_and_begins_anew() {
    let agent = r#"
import random, sys, time
chance, environment = random.Random(2), SubRosa(*sys.argv[2:])
first, actions = environment.reset(1)
again, _ = environment.reset(1)
assert first["prompt"] == again["prompt"]
steps = episodes = 0
begun = time.time()
while steps < int(sys.argv[1]):
    observation, actions = environment.reset(episodes)
    is_over = False
    while not is_over and steps < int(sys.argv[1]):
        observation, actions, is_over = environment.step(chance.choice(actions))
        steps += 1
    episodes += 1
environment.close()
print(steps, "steps,", episodes, "episodes,", round(steps / (time.time() - begun)), "steps a second")
"#;
    let wanted = count_from_env("SUB_ROSA_ENVIRONMENT_STEPS", 200).to_string();
    let program = env!("CARGO_BIN_EXE_sub-rosa");
    let game_count = count_from_env("SUB_ROSA_ENVIRONMENT_GAMES", 1) as usize;
    let bundled = GAMES.map(|game| ["--game", game]);
    for options in std::iter::once(&FERRY_ARGUMENTS[..])
        .chain(bundled.iter().take(game_count).map(|one| &one[..]))
    {
        let folder = tempfile::tempdir().unwrap();
        let arguments = [&[program], options].concat();
        let output = run_page_program(
            Path::new(&wanted),
            folder.path(),
            "environment.py",
            agent,
            &arguments,
        );
        let Some(output) = output else { return };
        assert!(output.contains(&format!("{wanted} steps")), "{output}");
        report_figure(&format!("{options:?}: {output}"));
    }
}
