//! A limit on everything, in one place. Limits that decide whether a step is refused are part of
//! what makes runs repeat: changing one is a change of the format.

/// Longest id or name of a definition, in bytes of each part.
pub const ID_BYTES: usize = 64;
/// Longest text that a script may build or store, in bytes.
pub const TEXT_BYTES: usize = 64 * 1024;
/// Longest pattern or needle of a text search, in bytes.
pub const PATTERN_BYTES: usize = 256;
/// Most tables that a lookup goes through, one behind the other (`__index`).
pub const LOOKUPS: usize = 5;
/// Deepest nesting of a plain value or of the state.
pub const DEPTH: usize = 24;
/// Most entries in the whole state. This and what follows keeps a run from growing the program by
/// more than 64 MiB, whatever a mod does (`tests/trust/growth.rs`).
pub const STATE_NODES: usize = 120_000;
/// How many entries a table in plain data counts as, beside those that it holds.
pub const TABLE_NODES: usize = 8;
/// Most bytes of texts and text keys in the whole state.
pub const STATE_BYTES: usize = 4 * 1024 * 1024;
/// Most entries that one step may write into the state, counting what it overwrites again.
pub const WRITES_PER_STEP: usize = 120_000;
/// Most bytes of texts and text keys that one step may write into the state.
pub const WRITTEN_BYTES_PER_STEP: usize = 8 * 1024 * 1024;
/// Most values that are read of one value in a file: three times what a state may hold.
pub const READ_VALUES: usize = 400_000;
/// Most entries of one list or table of plain data.
pub const TABLE_ENTRIES: usize = 100_000;
/// Most events in one step.
pub const EVENTS_PER_STEP: usize = 2_000;
/// Most bytes of told text in one step.
pub const EVENT_BYTES_PER_STEP: usize = 1024 * 1024;
/// Most names that one mod gives: its kinds and its exports.
pub const NAMES_PER_MOD: usize = 500;
/// Fuel of one declaration while loading.
pub const FUEL_PER_DECLARATION: usize = 12;
/// Most bytes that the host keeps for one step beside the state and what is told: errors that scripts catch, prompts
/// and views.
pub const KEPT_PER_STEP: usize = 12 * 1024 * 1024;
/// Bytes that an entry of a prompt or a view counts as beside its texts, and an error that is caught.
pub const KEPT_PER_ENTRY: usize = 256;
/// Bytes that a name in a list counts as beside itself.
pub const KEPT_PER_NAME: usize = 32;
/// Longest name of what a roll comes to, in bytes.
pub const OUTCOME_BYTES: usize = 256;
/// Most hooks on one moment.
pub const HOOKS_PER_MOMENT: usize = 256;
/// Deepest nesting of moments announced inside hooks of moments.
pub const EMIT_DEPTH: usize = 16;
/// Most choices in one prompt.
pub const CHOICES_PER_PROMPT: usize = 200;
/// Most scenes on the stack.
pub const SCENE_DEPTH: usize = 32;
/// Most questions and stages that wait at once.
pub const WAITING: usize = 64;
/// Most stages that are done in one step.
pub const STAGES_PER_STEP: usize = 1_000;
/// Most rolls whose telling is open at once.
pub const OPEN_ROLLS: usize = 16;
/// Most dice of one roll.
pub const DICE_PER_ROLL: u32 = 1_000;
/// Most sides of a die.
pub const DIE_SIDES: u32 = 1_000_000;
/// Longest dice notation, in bytes.
pub const NOTATION_BYTES: usize = 200;
/// Most streams of dice that one run may draw from.
pub const STREAMS: usize = 256;
/// Columns that a choice's label, a name or a title may take on a screen of 80: what stands beside
/// it needs the rest. A longer one is cut there, and `check` warns of it.
pub const LABEL_COLUMNS: u32 = 50;
/// Columns that a line of its own may take on a screen of 80.
pub const LINE_COLUMNS: u32 = 76;
/// Columns that a choice's cost may take.
pub const COST_COLUMNS: u32 = 24;
/// Bytes of a text that are looked over or copied for one unit of fuel.
pub const BYTES_PER_UNIT: usize = 64;
/// Fuel of one step, in interrupts of the VM.
pub const FUEL_PER_STEP: i64 = 1_000_000;
/// Fuel of one lint, case or line of the console: they may go through all that a game declares, and are no
/// part of a step.
pub const FUEL_PER_LINT: i64 = 5_000_000;
/// Fuel for loading one mod.
pub const FUEL_LOADING: i64 = 1_250_000;
/// Memory that scripts may take in one step, and that one mod may take while it is loaded, in bytes.
pub const VM_MEMORY: usize = 24 * 1024 * 1024;
/// Memory beyond that which the VM may take before it is stopped in the middle of something.
pub const SPARE_MEMORY: usize = 16 * 1024 * 1024;
/// Garbage of earlier calls that may lie about before it is collected, in bytes.
pub const GARBAGE: usize = 8 * 1024 * 1024;
/// Memory at which it is stopped wherever it is, beside what it had in use before.
pub const STOP_MEMORY: usize = VM_MEMORY + SPARE_MEMORY;
/// Memory of everything that one mod declares, in bytes, as it is counted when it is read.
pub const DECLARED_BYTES: usize = 40 * 1024 * 1024;
/// Largest file of a mod, in bytes.
pub const MOD_FILE_BYTES: u64 = 256 * 1024;
/// Largest `mod.toml`, in bytes.
pub const MANIFEST_BYTES: usize = 64 * 1024;
/// Most names in one list of a `mod.toml`: mods that it needs, settings that it has.
pub const MANIFEST_NAMES: usize = 500;
/// Most files in a mod.
pub const MOD_FILES: usize = 4_096;
/// Longest path of a file in a mod, in bytes.
pub const MOD_PATH_BYTES: usize = 160;
/// Deepest folder in a mod.
pub const MOD_FOLDER_DEPTH: usize = 8;
/// Most bytes of scripts in a mod.
pub const MOD_BYTES: u64 = 8 * 1024 * 1024;
/// Largest archive of a mod, in bytes.
pub const MOD_ARCHIVE_BYTES: u64 = 16 * 1024 * 1024;
