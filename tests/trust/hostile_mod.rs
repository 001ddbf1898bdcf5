//! Hostile mods, each a small file in `tests/hostile/strangers/` that says when it acts (`-- at:`)
//! and what must follow (`-- expect:`). The Problem names the mod, nothing else changes, and the
//! next step is accepted.

use std::path::Path;

use base::{Problem, Value};
use session::Bot;

use super::inn::{InnSession, inn_content};
use crate::support::count_from_env;

/// A mod without harm.
pub const HARMLESS_SCRIPT: &str = "local nothing = 0\n";

/// The hostile action alone, to be run once, and its Problem.
pub type HostileAction<'a> = &'a mut dyn FnMut() -> Option<Problem>;

/// A hostile mod and when it acts.
pub struct HostileMod {
    pub name: String,
    pub acts_at: String,
    pub expected_code: String,
    pub text: String,
}

pub fn hostile_mods() -> Vec<HostileMod> {
    let folder = Path::new("tests/hostile/strangers");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read_mod = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let header_value = |prefix: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(prefix));
            line.unwrap_or_else(|| panic!("{} has no line {prefix}", path.display())).to_owned()
        };
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        HostileMod {
            name,
            acts_at: header_value("-- at: "),
            expected_code: header_value("-- expect: "),
            text: text.clone(),
        }
    };
    paths.iter().map(read_mod).collect()
}

impl HostileMod {
    /// Runs the action; returns its Problem, and checks the rest of the session.
    pub fn run_attack(&self) -> Option<Problem> {
        self.run_attack_within(&mut |attack| attack())
    }

    /// The same; `run_around` receives the action alone and runs it once.
    pub fn run_attack_within(
        &self,
        run_around: &mut dyn FnMut(HostileAction<'_>) -> Option<Problem>,
    ) -> Option<Problem> {
        let name = &self.name;
        let content = match self.acts_at.as_str() {
            "migrate" => inn_content("0.1.0", HARMLESS_SCRIPT),
            _ => inn_content("0.1.0", &self.text),
        };
        if self.acts_at == "load" {
            return run_around(&mut || content.load_vm().err().map(|problems| problems[0].clone()));
        }
        let mut inn_session = match InnSession::begin(&content) {
            Ok(inn_session) => inn_session,
            Err(problem) => return Some(problem),
        };
        inn_session.assert_neighbour_works(name);
        if self.acts_at == "knock_twice" {
            assert!(inn_session.choose("knock").is_none(), "{name}: the first time");
        }
        let digest_before = inn_session.session.digest();
        let problem = run_around(&mut || match self.acts_at.as_str() {
            "migrate" => {
                let newer_content = inn_content("0.2.0", &self.text);
                inn_session.data_dir.store_mods(&newer_content.mods).unwrap();
                inn_session.session.reload(newer_content).err().map(|problems| problems[0].clone())
            }
            "page" => inn_session.session.vm().compute_page("stranger:board", &Value::map()).err(),
            "achieve" => {
                inn_session.session.vm().list_achieved(&Value::map(), &Value::map()).1.pop()
            }
            "lint" => inn_session.session.vm().run_lints(&["stranger".to_owned()].into()).pop(),
            "bot" => {
                Bot::new("stranger:still", 1).choose_input(&mut inn_session.session, &[]).err()
            }
            "knock_twice" => inn_session.choose("knock"),
            choice_id => inn_session.choose(choice_id),
        });
        if problem.is_some() {
            assert_eq!(inn_session.session.digest(), digest_before, "{name}: nothing has happened");
        }
        inn_session.assert_neighbour_works(name);
        inn_session.assert_neighbour_works(name);
        // Some of the runs are replayed; all of them on request.
        if self.name.len().is_multiple_of(8) || count_from_env("SUB_ROSA_FULL", 0) > 0 {
            inn_session.assert_replays(name);
        }
        problem
    }

    /// Checks the expected Problem.
    pub fn check_problem(&self, problem: Option<Problem>) -> Result<(), String> {
        let name = &self.name;
        let Some(problem) = problem else {
            return match self.expected_code == "fine" {
                true => Ok(()),
                false => Err(format!("{name}: nothing came of it, not {}", self.expected_code)),
            };
        };
        let owners =
            problem.place.iter().chain(&problem.related_locations).map(|place| &*place.owner);
        let problem_text = problem.to_string();
        let is_allowed = |c: char| c == '\n' || base::text::is_printable(c);
        if problem.code != self.expected_code.as_str() {
            Err(format!("{name}: {} and not {}: {problem_text}", problem.code, self.expected_code))
        } else if !owners.into_iter().any(|owner| owner == "stranger") {
            Err(format!("{name}: it names another: {problem_text}"))
        } else if problem.code == "out-of-fuel" && !problem_text.contains("spent by `stranger`") {
            Err(format!("{name}: it does not say who spent most: {problem_text}"))
        } else if problem_text.contains("0x") || !problem_text.chars().all(is_allowed) {
            Err(format!("{name}: an address, or a byte that is not for people: {problem_text:?}"))
        } else {
            Ok(())
        }
    }
}
