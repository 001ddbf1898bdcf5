//! Function cases: they check rules outside any run with `equals`, `holds` and `refuses`
//! (`expect.luau`, which is added to the tests of the mod).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use base::{Code, Problem, Value};
use mods::ModSource;
use protocol::{StoryEvent, WorldState};
use script::Vm;
use session::RunContent;

/// The functions that a case uses for its expectations.
const EXPECT_SCRIPT: &str = include_str!("expect.luau");
/// The path of that file: before all test scripts, with a name that no file of a mod has.
const EXPECT_FILE: &str = "tests/.expect.luau";
/// The name of the calling chunk in error places.
const CALLER_CHUNK_NAME: &str = "console";
/// Separates the found value from the expected one.
const FOUND_EXPECTED_SEPARATOR: &str = " ⇔ ";

/// Adds the expectation functions to a mod with its tests.
pub(crate) fn with_expectation_functions(source: &ModSource) -> ModSource {
    source.with_changed_scripts(BTreeMap::from([(
        EXPECT_FILE.to_owned(),
        EXPECT_SCRIPT.to_owned().into(),
    )]))
}

/// The VM with the tests of a mod, loaded again when it can no longer be used.
pub(crate) struct CaseVm {
    content: RunContent,
    vm: RefCell<Vm>,
}

impl CaseVm {
    /// A VM that has just loaded this content.
    pub(super) fn new(content: RunContent, vm: Vm) -> Rc<Self> {
        Rc::new(Self { content, vm: RefCell::new(vm) })
    }
}

/// A function case.
pub struct FunctionCase {
    /// The VM that it runs in.
    pub(super) vm: Rc<CaseVm>,
    /// The mod that it belongs to.
    pub(crate) owner: String,
    /// The whole id.
    pub id: String,
    /// Its name.
    pub(crate) sentence: String,
    /// The seed of its dice.
    pub seed: u64,
}

impl FunctionCase {
    /// Runs it; no problems if it passes.
    pub(super) fn run_case_function(&self) -> Vec<Problem> {
        if !self.vm.vm.borrow().is_usable() {
            match self.vm.content.load_strict_vm() {
                Ok(vm) => drop(self.vm.vm.replace(vm)),
                Err(problems) => return problems,
            }
        }
        run_function_case(&self.vm.vm.borrow(), &self.owner, &self.id, &self.sentence, self.seed)
            .err()
            .into_iter()
            .collect()
    }
}

/// Runs a case in a VM.
pub fn run_function_case(
    vm: &Vm,
    owner: &str,
    id: &str,
    about: &str,
    seed: u64,
) -> Result<(), Problem> {
    let mut world = WorldState::new(seed);
    let line = format!("asks(case[\"{id}\"].run)");
    vm.run_console_line(&mut world, &Value::map(), owner, &line)
        .map_err(|why| case_problem(why, about))?;
    let mut expectation_counts =
        world.take_story_events().into_iter().filter_map(|emitted| match emitted.recorded.event {
            StoryEvent::Note { text } => text.parse::<u64>().ok(),
            _ => None,
        });
    if expectation_counts.next_back() != Some(0) {
        return Ok(());
    }
    let place = vm.registry().get("case", id).map(|case| case.place.clone());
    let problem = Problem::error(Code::AsksNothing, format!("the case \"{about}\" cannot fail"))
        .expected("at least one call of `equals`, `holds` or `refuses`")
        .hint("add an expectation, or remove the case");
    Err(Problem { place, ..problem })
}

/// The Problem of a failed expectation; any other Problem stays as it is.
pub(crate) fn expectation_problem(problem: Problem) -> Problem {
    let Some((found, expected)) = problem.message.split_once(FOUND_EXPECTED_SEPARATOR) else {
        return problem;
    };
    let failed_expectation = Problem::error(Code::CaseCheckFailed, found).expected(expected);
    Problem {
        place: problem.place,
        related_locations: problem.related_locations,
        ..failed_expectation
    }
}

/// The Problem of a case, with the name of the case.
pub(super) fn case_problem(problem: Problem, about: &str) -> Problem {
    let mut problem = expectation_problem(problem);
    problem
        .related_locations
        .retain(|place| place.file != EXPECT_FILE && place.file != CALLER_CHUNK_NAME);
    let message = format!("{about}: {}", problem.message);
    Problem { message, ..problem }
}
