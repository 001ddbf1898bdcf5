//! Hostile mods, each a small file in `tests/hostile/strangers/` that says when it acts (`-- at:`)
//! and what must follow (`-- expect:`). The Problem names the mod, nothing else changes, and the
//! next step is accepted.

use std::path::Path;

use engine::base::{Problem, Value};
use engine::session::Bot;

use super::inn::{InnSession, inn};
use crate::support::count_from_env;

/// A mod without harm.
pub const HARMLESS: &str = "local nothing = 0\n";

/// The hostile action alone, to be run once, and its Problem.
pub type HostileAction<'a> = &'a mut dyn FnMut() -> Option<Problem>;

/// A hostile mod and when it acts.
pub struct HostileMod {
    pub name: String,
    pub at: String,
    pub expect: String,
    pub text: String,
}

pub fn strangers() -> Vec<HostileMod> {
    let folder = Path::new("tests/hostile/strangers");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let said = |mark: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(mark));
            line.unwrap_or_else(|| panic!("{} has no line {mark}", path.display())).to_owned()
        };
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        HostileMod { name, at: said("-- at: "), expect: said("-- expect: "), text: text.clone() }
    };
    paths.iter().map(read).collect()
}

impl HostileMod {
    /// Runs the action; returns its Problem, and checks the rest of the session.
    pub fn attack(&self) -> Option<Problem> {
        self.attack_within(&mut |harm| harm())
    }

    /// The same; `around` receives the action alone and runs it once.
    pub fn attack_within(
        &self,
        around: &mut dyn FnMut(HostileAction<'_>) -> Option<Problem>,
    ) -> Option<Problem> {
        let name = &self.name;
        let content = match self.at.as_str() {
            "migrate" => inn("0.1.0", HARMLESS),
            _ => inn("0.1.0", &self.text),
        };
        if self.at == "load" {
            return around(&mut || content.load().err().map(|problems| problems[0].clone()));
        }
        let mut evening = match InnSession::begin(&content) {
            Ok(evening) => evening,
            Err(problem) => return Some(problem),
        };
        evening.assert_neighbour_works(name);
        if self.at == "knock_twice" {
            assert!(evening.choose("knock").is_none(), "{name}: the first time");
        }
        let before = evening.session.digest();
        let problem = around(&mut || match self.at.as_str() {
            "migrate" => {
                let risen = inn("0.2.0", &self.text);
                evening.data_dir.store_mods(&risen.mods).unwrap();
                evening.session.reload(risen).err().map(|problems| problems[0].clone())
            }
            "page" => evening.session.vm().page("stranger:board", &Value::map()).err(),
            "achieve" => evening.session.vm().list_achieved(&Value::map(), &Value::map()).1.pop(),
            "lint" => evening.session.vm().run_lints(&["stranger".to_owned()].into()).pop(),
            "bot" => Bot::new("stranger:still", 1).choose(&mut evening.session, &[]).err(),
            "knock_twice" => evening.choose("knock"),
            at => evening.choose(at),
        });
        if problem.is_some() {
            assert_eq!(evening.session.digest(), before, "{name}: nothing has happened");
        }
        evening.assert_neighbour_works(name);
        evening.assert_neighbour_works(name);
        // Some of the runs are replayed; all of them on request.
        if self.name.len().is_multiple_of(8) || count_from_env("SUB_ROSA_FULL", 0) > 0 {
            evening.check(name);
        }
        problem
    }

    /// Checks the expected Problem.
    pub fn check(&self, problem: Option<Problem>) -> Result<(), String> {
        let name = &self.name;
        if engine::base::fault::planted("judge_is_blind") {
            return Ok(());
        }
        let Some(problem) = problem else {
            return match self.expect == "fine" {
                true => Ok(()),
                false => Err(format!("{name}: nothing came of it, not {}", self.expect)),
            };
        };
        let owners = problem.place.iter().chain(&problem.trail).map(|place| &*place.owner);
        let shown = problem.to_string();
        let fair = |c: char| c == '\n' || engine::base::text::is_printable(c);
        if problem.code != self.expect.as_str() {
            Err(format!("{name}: {} and not {}: {shown}", problem.code, self.expect))
        } else if !owners.into_iter().any(|owner| owner == "stranger") {
            Err(format!("{name}: it names another: {shown}"))
        } else if problem.code == "out-of-fuel" && !shown.contains("spent by `stranger`") {
            Err(format!("{name}: it does not say who spent most: {shown}"))
        } else if shown.contains("0x") || !shown.chars().all(fair) {
            Err(format!("{name}: an address, or a byte that is not for people: {shown:?}"))
        } else {
            Ok(())
        }
    }
}
