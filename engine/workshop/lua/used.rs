//! What a file uses that is not its own: globals, calls of them, access paths, events.

use std::collections::BTreeMap;

use super::hidden::Hidden;
use super::required::{Asked, Required};
use super::said::{Part, Said, Table};
use super::shown::Shown;

/// A global name.
#[derive(Debug)]
pub(in crate::workshop) struct Global {
    pub(in crate::workshop) name: String,
    /// The field that is read, if it is written out: `abs` of `math.abs`.
    pub(in crate::workshop) field: Option<String>,
    /// The field of that field: `name` of `boat.low.name`.
    pub(in crate::workshop) further: Option<String>,
    pub(in crate::workshop) line: u32,
    pub(in crate::workshop) assigned: bool,
}

/// A call of a global function.
#[derive(Debug)]
pub(in crate::workshop) struct Calling {
    pub(in crate::workshop) name: String,
    /// The required file that the function is from, if any.
    pub(in crate::workshop) of: Option<Required>,
    pub(in crate::workshop) line: u32,
    /// The minimum number of arguments; the exact number unless `open`.
    pub(in crate::workshop) arguments: usize,
    pub(in crate::workshop) open: bool,
    /// The literals of the arguments.
    pub(in crate::workshop) said: Vec<Said>,
    /// The sources of arguments whose types are declared elsewhere.
    pub(in crate::workshop) from: Vec<Option<From>>,
    /// The read-only function that directly contains the call, such as `a rule`.
    pub(in crate::workshop) looks: Option<&'static str>,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(in crate::workshop) enum From {
    /// An access path.
    Part(Part),
    /// The result of a function, and the file that it is from.
    Call(String, Option<Required>),
}

/// A use of an event: registered on, emitted or previewed.
#[derive(Debug)]
pub(in crate::workshop) struct MomentUse {
    /// The host function.
    pub(in crate::workshop) verb: String,
    /// The name; none if it is known only at run time.
    pub(in crate::workshop) name: Option<String>,
    pub(in crate::workshop) line: u32,
    /// The event table, if it is written out.
    pub(in crate::workshop) event: Option<Table>,
}

/// A read or a write of an access path.
#[derive(Debug)]
pub(in crate::workshop) struct PartUse {
    pub(in crate::workshop) part: Part,
    pub(in crate::workshop) line: u32,
    /// The value that is written, if any.
    pub(in crate::workshop) given: Option<Said>,
    /// The read-only function that directly contains it.
    pub(in crate::workshop) looks: Option<&'static str>,
    /// Whether it is in an event that can no longer change.
    pub(in crate::workshop) is_final: bool,
    /// Whether it is in a bot.
    pub(in crate::workshop) of_bot: bool,
}

/// A comparison of an access path with a string literal.
#[derive(Debug)]
pub(in crate::workshop) struct Compared {
    pub(in crate::workshop) part: Part,
    pub(in crate::workshop) with: String,
    pub(in crate::workshop) line: u32,
}

/// A hook that returns a value.
#[derive(Debug)]
pub(in crate::workshop) struct GivenBack {
    pub(in crate::workshop) moment: String,
    pub(in crate::workshop) line: u32,
}

/// All uses in one file.
#[derive(Debug, Default)]
pub(in crate::workshop) struct Uses {
    /// By position.
    pub(in crate::workshop) globals: BTreeMap<usize, Global>,
    pub(in crate::workshop) calls: Vec<Calling>,
    pub(in crate::workshop) moments: Vec<MomentUse>,
    pub(in crate::workshop) parts: Vec<PartUse>,
    pub(in crate::workshop) hidden: Vec<Hidden>,
    pub(in crate::workshop) asked: Vec<Asked>,
    pub(in crate::workshop) shown: Vec<Shown>,
    pub(in crate::workshop) compared: Vec<Compared>,
    pub(in crate::workshop) given_back: Vec<GivenBack>,
}
