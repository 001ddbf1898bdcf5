//! What a file uses that is not its own, as it is told to whoever looks at it: names, calls of them, parts of the
//! state and of the events that its hooks are given, moments that it announces.

use std::collections::BTreeMap;

use super::hidden::Hidden;
use super::required::{Asked, Required};
use super::said::{Part, Said, Table};
use super::shown::Shown;

/// A name that is not the file's own.
#[derive(Debug)]
pub(in crate::workshop) struct Global {
    pub(in crate::workshop) name: String,
    /// What is asked of it, if that is written out: `abs` of `math.abs`.
    pub(in crate::workshop) field: Option<String>,
    /// What is asked of that: `name` of `boat.low.name`.
    pub(in crate::workshop) further: Option<String>,
    pub(in crate::workshop) line: u32,
    pub(in crate::workshop) assigned: bool,
}

/// A call of a name that is not the file's own.
#[derive(Debug)]
pub(in crate::workshop) struct Calling {
    pub(in crate::workshop) name: String,
    /// The file that gives it, if it is of a local that holds one.
    pub(in crate::workshop) of: Option<Required>,
    pub(in crate::workshop) line: u32,
    /// So many arguments at least; exactly so many unless the last one may stand for several.
    pub(in crate::workshop) arguments: usize,
    pub(in crate::workshop) open: bool,
    /// What the first of them plainly are.
    pub(in crate::workshop) said: Vec<Said>,
    /// Where those come from of which only their declaration tells.
    pub(in crate::workshop) from: Vec<Option<From>>,
    /// What looks and changes nothing, if it stands right inside of that: `a rule`.
    pub(in crate::workshop) looks: Option<&'static str>,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(in crate::workshop) enum From {
    /// It is a part of the state or of an event.
    Part(Part),
    /// A function of that name gives it, of that file.
    Call(String, Option<Required>),
}

/// A moment that is named: hung on, announced, or asked what it would come to.
#[derive(Debug)]
pub(in crate::workshop) struct MomentUse {
    /// The function that it is named to.
    pub(in crate::workshop) verb: String,
    /// Its name; none if only running tells.
    pub(in crate::workshop) name: Option<String>,
    pub(in crate::workshop) line: u32,
    /// The event, where it is written out.
    pub(in crate::workshop) event: Option<Table>,
}

/// A part of the state or of an event is looked at, or given a value.
#[derive(Debug)]
pub(in crate::workshop) struct PartUse {
    pub(in crate::workshop) part: Part,
    pub(in crate::workshop) line: u32,
    /// What it is given here, if it is.
    pub(in crate::workshop) given: Option<Said>,
    /// What looks and changes nothing, if it stands right inside of that.
    pub(in crate::workshop) looks: Option<&'static str>,
    /// Whether it is of an event that nobody changes any more.
    pub(in crate::workshop) is_final: bool,
    /// Whether a bot looks at it.
    pub(in crate::workshop) of_bot: bool,
}

/// A part of the state or of an event is compared with a text that is written out.
#[derive(Debug)]
pub(in crate::workshop) struct Compared {
    pub(in crate::workshop) part: Part,
    pub(in crate::workshop) with: String,
    pub(in crate::workshop) line: u32,
}

/// A hook gives something back.
#[derive(Debug)]
pub(in crate::workshop) struct GivenBack {
    pub(in crate::workshop) moment: String,
    pub(in crate::workshop) line: u32,
}

/// Everything of that sort in one file.
#[derive(Debug, Default)]
pub(in crate::workshop) struct Uses {
    /// By where they stand.
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
