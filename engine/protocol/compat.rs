//! What is kept for runs of older formats, all of it: how content behaved for them. A run is played and
//! replayed to its end in the edition that its header's format names, so that it comes to what it came
//! to then. `save` reads the number, `run` hands the edition to each VM, `script` asks it.
//!
//! What the raise from format 1 to 2 says (`docs/ARCHITECTURE.md` has the same list):
//! - assigning in play to what was made while loading is refused where it is done, and an iterator of the library
//!   that was made while loading where it is kept (`freezes_locals`);
//! - so is a plain loop over keys that have no order (`orders_loops`);
//! - a table with a metatable is no plain data (`bounds_scripts`);
//! - numbers out of range, texts for numbers and metatables are as `docs/modding/lua.md` says under Limits,
//!   and so is what a file may do while it is loaded (`bounds_scripts`);
//! - a scene that a mod's `after` hook opens and another's code leaves unasked refuses the step: `hook-scene-replaced`;
//! - the judge of a roll sees the dice in one order, however they fell; that of odds sees them too;
//! - a wrap that gives nothing where what it was given gave something, or fewer results, refuses the
//!   step: `wrap-returns-nothing`, `wrap-returns-less`;
//! - what a wrap hands to an export or a rule, and what it gives in its place, is
//!   held to the types that the function itself says: `wrong-type`, `wrong-result`;
//! - what a `before` hook puts into an event is held to what the moment
//!   declares: `event-wrong-value`, `unknown-event-field`;
//! - a mod that is disabled for a run is not loaded for it, so that its definitions and patches stop too
//!   (`unloads_disabled`);
//! - what a change of mods takes away is remembered: the highest version that the run had of a mod, so that
//!   each migration runs once, and the scenes that were left, so that they are returned to (`remembers_changes`).
//! - what a step, a hook and a load may take is counted in other units and by other weights (`limits::FUEL_PER_STEP`,
//!   `script/code`, `script/blocks`), of files that are compiled otherwise (`script/compiler`). No method asks for
//!   this: a step that is walked again succeeded once and has sixteen times as much (`LimitPolicy::KnownToSucceed`), one that was
//!   refused is passed over as it was then, and what is played on from there is counted as it is today, so that such
//!   a step may be refused `out-of-fuel` that was not.
//!
//! A change of behaviour is a line above, a method below (`pub const fn lists_by_id(self) -> bool`), and
//! one place that asks it (`host.edition` in `script`).

use crate::base::{Code, Problem};

/// How content behaves for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edition(u32);

impl Edition {
    /// The edition of runs that are begun now.
    pub const NOW: Self = Self(2);

    /// The edition of runs of that format. One that was made before there were numbers is of the first.
    pub const fn of_format(format: u32) -> Self {
        match format {
            0 | 1 => Self(1),
            _ => Self::NOW,
        }
    }

    /// Whether what was made while loading may not be assigned to in play.
    pub const fn freezes_locals(self) -> bool {
        self.0 >= 2
    }

    /// Whether a plain loop over keys that have no order is refused.
    pub const fn orders_loops(self) -> bool {
        self.0 >= 2
    }

    /// Whether numbers that are given to the library, and what files do while they are loaded, are held
    /// to their limits.
    pub const fn bounds_scripts(self) -> bool {
        self.0 >= 2
    }

    /// Whether a scene that a hook opens may not be left unasked.
    pub const fn keeps_hooked_scenes(self) -> bool {
        self.0 >= 2
    }

    /// Whether the judge of a roll is shown the dice in the order in which odds count them.
    pub const fn shows_dice(self) -> bool {
        self.0 >= 2
    }

    /// Whether a function around another is refused that loses what the other gave.
    pub const fn watches_wraps(self) -> bool {
        self.0 >= 2
    }

    /// Whether what a wrap hands on and gives is held to the types of the function that it is around.
    pub const fn holds_wraps(self) -> bool {
        self.0 >= 2
    }

    /// Whether a mod that is disabled for a run is left out of what is loaded.
    pub const fn unloads_disabled(self) -> bool {
        self.0 >= 2
    }

    /// Whether a run remembers what a change of mods took away from it.
    pub const fn remembers_changes(self) -> bool {
        self.0 >= 2
    }

    /// Whether what `before` hooks put into an event is held to what its moment declares.
    pub const fn holds_events(self) -> bool {
        self.0 >= 2
    }
}

/// What is told where a run of that format cannot be gone on with. One of today's format is told as it
/// is; an older one is kept whole, can be read for ever, and says how it can be ended.
pub fn of_older_run(format: u32, problem: Problem) -> Problem {
    if Edition::of_format(format) == Edition::NOW {
        return problem;
    }
    let told = format!("this run of an older format cannot be played on: {}", problem.message);
    let told = Problem::error(Code::OlderRun, told).hint(
        "it stays as it is, its story and its page too; given up from the title, it is paid what it had \
         earned at its last checkpoint",
    );
    Problem { place: problem.place, trail: problem.trail, ..told }
}

impl Default for Edition {
    fn default() -> Self {
        Self::NOW
    }
}
