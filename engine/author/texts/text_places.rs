//! Where texts stand in scripts: the functions and fields whose literals are shown, and those whose
//! literals are names.

/// Functions whose texts and values are shown.
pub(super) const SHOWING_FUNCTIONS: [&str; 7] =
    ["say", "heading", "note", "gain", "loss", "fill", OVERRIDE_TEXT_FUNCTION];
/// The host function that replaces its first text with its second.
pub(super) const OVERRIDE_TEXT_FUNCTION: &str = "override_text";
/// The host function that ends a run, and whose `outcome` is shown.
pub(super) const FINISH_FUNCTION: &str = "finish";
/// The field with the outcome of a run, or the thresholds of a roll.
pub(super) const OUTCOME_FIELD: &str = "outcome";
/// Functions whose texts only authors read.
pub(super) const AUTHOR_FUNCTIONS: [&str; 10] =
    ["require", "error", "assert", "case", "lint", "bot", "sample", "equals", "migrate", "schema"];
/// Functions whose arguments are names or patterns, if they are literals.
pub(super) const NAMING_FUNCTIONS: [&str; 18] = [
    "roll",
    "odds",
    "emit",
    "preview",
    "go",
    "push",
    "ask",
    "queue_stage",
    "patch",
    "before",
    "after",
    "export",
    "export_builder",
    "pick",
    "shuffle",
    "chance",
    "lend_stream",
    "string",
];
/// Methods of texts whose arguments are patterns.
pub(super) const PATTERN_METHODS: [&str; 6] =
    ["find", "format", "gmatch", "gsub", "match", "split"];
/// Fields with texts that are shown.
pub(super) const SHOWN_FIELDS: [&str; 17] = [
    "label",
    "text",
    "note",
    "title",
    "subtitle",
    "name",
    "cost",
    "gains",
    "confirm",
    "disabled_because",
    "empty",
    "lines",
    "less",
    "more",
    "unit",
    "columns",
    OUTCOME_FIELD,
];
/// Fields with texts that are names for the program, or that only authors read.
pub(super) const HIDDEN_FIELDS: [&str; 22] = [
    "id", "key", "doc", "kind", "type", "scene", "stream", "widget", "group", "view", "tone",
    "art", "hint", "expected", "icon", "on", "stage", "rule", "needs", "target", "mark", "state",
];
