//! The names that a Problem is about, for callers that know more of them.

/// The names that a Problem is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProblemNames {
    /// The name that nothing declares.
    pub undeclared: Option<UndeclaredName>,
    /// The declared name that its hint suggests.
    pub suggested: Option<String>,
}

/// A name that no loaded mod declares, but another mod might.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndeclaredName {
    /// A name that scripts use: a kind, an export, a builder.
    ScriptName(String),
    /// An event.
    Event(String),
    /// A kind or an event that has an open list.
    OpenListOwner(String),
    /// A part of the state.
    StatePart(String),
}
