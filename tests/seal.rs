//! The seal: what scripts can see, what they cannot do, and what authors read when they are wrong.

use std::path::Path;

use engine::kit::{Problem, Value};
use engine::script::Vm;

use crate::support::{FRAME, Run, folder, game, load, shown};

/// A hostile program: its name, what must come of it, and its text.
struct Hostile {
    name: String,
    code: String,
    /// The line that the Problem must name, if there is one line only that it can be.
    line: Option<u32>,
    text: String,
}

fn hostile() -> Vec<Hostile> {
    let folder = Path::new("tests/hostile");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| Hostile::read(path)).collect()
}

impl Hostile {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let expect = text.lines().next().unwrap().strip_prefix("-- expect: ").unwrap().to_owned();
        let (code, line) = expect.split_once(' ').unwrap_or((&expect, "*"));
        Self {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            code: code.to_owned(),
            line: line.parse().ok(),
            text,
        }
    }

    fn check(&self, outcome: Result<(), Problem>) {
        let name = &self.name;
        let problem = match outcome {
            Ok(()) => return assert_eq!(self.code, "fine", "{name}"),
            Err(problem) => problem,
        };
        assert_eq!(problem.code, self.code, "{name}: {problem}");
        let place = problem.place.as_ref().unwrap_or_else(|| panic!("{name}: {problem}"));
        assert_eq!((&*place.owner, &*place.file), ("game", "main.luau"), "{name}: {problem}");
        assert!(place.excerpt.is_some(), "{name}: {problem}");
        if let Some(line) = self.line {
            assert_eq!(place.line, line, "{name}: {problem}");
        }
        assert!(!problem.to_string().contains("0x"), "{name}: {problem}");
    }
}

#[test]
fn hostile_programs_are_stopped_while_loading() {
    for case in hostile() {
        let vm = load(&[("frame.luau", FRAME), ("main.luau", &case.text)]);
        case.check(vm.map(drop).map_err(|problems| problems[0].clone()));
    }
    load(&[("frame.luau", FRAME)]).unwrap();
}

/// The same programs inside the handler of a choice: the step is refused, and the next one, in the
/// same VM or in a new one, is taken.
#[test]
fn hostile_programs_are_stopped_while_playing() {
    for case in hostile() {
        let first = case.text.lines().next().unwrap();
        let head = "start(function() go 'only' end) scene 'only' { prompt = function() return \
            { text = '?', choices = { { id = 'bad', label = 'Bad' }, { id = 'good', label = 'Good' } } } \
            end, on = { good = function() state.good = (state.good or 0) + 1 end, bad = function()";
        let program = format!("{}\nend }} }}", case.text.replacen(first, head, 1));
        let mods = game(&[("main.luau", &program)]);
        let mut run = match Run::of(&mods, 1) {
            Ok(run) => run,
            // What the compiler sees is refused before anything is played.
            Err(problem) => {
                case.check(Err(problem));
                continue;
            }
        };
        run.choose("good").unwrap();
        let outcome = run.choose("bad");
        if case.code == "bad-require" {
            assert_eq!(outcome.unwrap_err().code, "not-loading", "{}", case.name);
        } else {
            case.check(outcome);
        }
        if !run.vm.usable() {
            run.vm = Vm::load(&mods, &Value::map()).unwrap();
        }
        run.choose("good").unwrap();
        let state = run.world.snapshot().state;
        assert_eq!(state.get("game").and_then(|game| game.get("good")), Some(&Value::Int(2)));
    }
}

#[test]
fn broken_mods_are_explained() {
    let mut cases: Vec<_> =
        Path::new("tests/broken_mods").read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    cases.sort();
    for case in cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let problems = match Vm::load(&folder(&case), &Value::map()) {
            Ok(_) => panic!("{name} loads"),
            Err(problems) => problems,
        };
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("snapshots/broken_mods");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, shown(&problems)));
    }
}
