//! A case that is a function: it asks the rules, outside any run, and says what it expects with
//! `equals`, `holds` and `refuses` (`expect.luau`, which the mod's tests find beside them).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::kit::{Problem, Value};
use crate::mods::ModSource;
use crate::play::{Event, World};
use crate::run::Content;
use crate::script::Vm;

/// What cases may say of what they found.
const EXPECT: &str = include_str!("expect.luau");
/// Where that lies: before all scripts of the tests, under a name that no file of a mod has.
const EXPECT_FILE: &str = "tests/.expect.luau";
/// What calls a case is called in trails.
const CONSOLE: &str = "console";
/// Parts what was found from what was expected.
const PARTED: &str = " ⇔ ";

/// A mod with its tests, and with what those may say.
pub(super) fn with_words(source: &ModSource) -> ModSource {
    source.with_texts(BTreeMap::from([(EXPECT_FILE.to_owned(), EXPECT.to_owned().into())]))
}

/// Where cases are asked: a VM with the mod's tests, made anew once it cannot be used any more.
pub(in crate::workshop) struct Stand {
    content: Content,
    vm: RefCell<Vm>,
}

impl Stand {
    /// A VM that has just been loaded with this content.
    pub(super) fn new(content: Content, vm: Vm) -> Rc<Self> {
        Rc::new(Self { content, vm: RefCell::new(vm) })
    }
}

/// A case that is a function.
pub(in crate::workshop) struct Proof {
    /// Where it is asked.
    pub(super) stand: Rc<Stand>,
    /// The mod whose case it is.
    pub(in crate::workshop) owner: String,
    /// The whole id.
    pub(in crate::workshop) id: String,
    /// What it says.
    pub(in crate::workshop) about: String,
    /// The seed of the dice that it may throw.
    pub(in crate::workshop) seed: u64,
}

impl Proof {
    /// Asks it; nothing is wrong if nothing is told.
    pub(super) fn ask(&self) -> Vec<Problem> {
        if !self.stand.vm.borrow().usable() {
            match self.stand.content.load_held() {
                Ok(vm) => drop(self.stand.vm.replace(vm)),
                Err(problems) => return problems,
            }
        }
        ask(&self.stand.vm.borrow(), &self.owner, &self.id, &self.about, self.seed)
            .err()
            .into_iter()
            .collect()
    }
}

/// Asks a case in a VM.
pub(in crate::workshop) fn ask(
    vm: &Vm,
    owner: &str,
    id: &str,
    about: &str,
    seed: u64,
) -> Result<(), Problem> {
    let mut world = World::new(seed);
    let line = format!("asks(case[\"{id}\"].run)");
    vm.console(&mut world, &Value::map(), owner, &line).map_err(|why| parted(why, about))?;
    let mut asked = world.take_events().into_iter().filter_map(|event| match event {
        Event::Note { text } => text.parse::<u64>().ok(),
        _ => None,
    });
    if asked.next_back() != Some(0) {
        return Ok(());
    }
    let place = vm.registry().get("case", id).map(|case| case.place.clone());
    let problem = Problem::error("asks-nothing", format!("the case \"{about}\" cannot fail"))
        .expected("at least one of `equals`, `holds` and `refuses` on its way")
        .hint("say what must come of it, or take the case out");
    Err(Problem { place, ..problem })
}

/// The Problem of an expectation that does not hold; any other as it is.
pub(super) fn parted(mut problem: Problem, about: &str) -> Problem {
    problem.trail.retain(|place| place.file != EXPECT_FILE && place.file != CONSOLE);
    let Some((found, expected)) = problem.message.split_once(PARTED) else {
        let message = format!("{about}: {}", problem.message);
        return Problem { message, ..problem };
    };
    let told = Problem::error("not-so", format!("{about}: found {found}")).expected(expected);
    Problem { place: problem.place, trail: problem.trail, ..told }
}
