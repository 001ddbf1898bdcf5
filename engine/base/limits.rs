//! All limits of the engine, in one place; `docs/modding/lua.md` says what bounds what. The counts in
//! compiled files stand in `script::compile::bytecode`, because the build needs them too. Limits that
//! decide whether a step is refused are part of determinism: changing one changes the save format.

/// Longest id or name of a definition, in bytes for each part.
pub const MAX_ID_PART_BYTES: usize = 64;
/// Longest text that a script may build or store, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Longest pattern or needle of a text search, in bytes.
pub const MAX_PATTERN_BYTES: usize = 256;
/// Longest chain of `__index` tables that a lookup follows.
pub const MAX_INDEX_CHAIN_TABLES: usize = 5;
/// Deepest nesting of a plain value or of the state.
pub const MAX_NESTING_DEPTH: usize = 24;
/// Most entries in the whole state. This limit and the next ones bound the memory growth of a run
/// to 64 MiB, whatever a mod does (`tests/trust/memory_growth.rs`).
pub const MAX_STATE_ENTRIES: usize = 120_000;
/// Entries that a table in plain data counts as, in addition to its contents.
pub const TABLE_COST_ENTRIES: usize = 8;
/// Most bytes of texts and text keys in the whole state.
pub const MAX_STATE_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Most entries that one step may write into the state; each overwrite counts again.
pub const MAX_WRITES_PER_STEP: usize = 120_000;
/// Most bytes of texts and text keys that one step may write into the state.
pub const MAX_WRITTEN_BYTES_PER_STEP: usize = 8 * 1024 * 1024;
/// Most values that are read from one value in a file: three times the limit of the state.
pub const MAX_DESERIALIZED_VALUES: usize = 400_000;
/// Most entries of one list or table of plain data.
pub const MAX_TABLE_ENTRIES: usize = 100_000;
/// Most events in one step.
pub const MAX_STORY_EVENTS_PER_STEP: usize = 2_000;
/// Most bytes of story text in one step.
pub const MAX_STORY_BYTES_PER_STEP: usize = 1024 * 1024;
/// Most names that one mod declares: kinds and exports together.
pub const MAX_DECLARED_NAMES_PER_MOD: usize = 500;
/// Fuel of one declaration while loading.
pub const DECLARATION_COST_FUEL: usize = 12;
/// Most bytes that the host holds for one step, apart from the state and the story: caught errors,
/// prompts and views.
pub const MAX_HOST_BYTES_PER_STEP: usize = 12 * 1024 * 1024;
/// Bytes that an entry of a prompt or view, or a caught error, counts as in addition to its texts.
pub const ENTRY_COST_HOST_BYTES: usize = 256;
/// Bytes that a name in a list counts as in addition to its own length.
pub const NAME_COST_HOST_BYTES: usize = 32;
/// Most bytes of one game's data in a profile, and so of the awards and the outcome of one run, as
/// `protocol::award::profile_bytes` counts them.
pub const MAX_PROFILE_BYTES_PER_GAME: usize = 1024 * 1024;
/// Longest name of a roll outcome, in bytes.
pub const MAX_OUTCOME_NAME_BYTES: usize = 256;
/// Most hooks on one event.
pub const MAX_HOOKS_PER_EVENT: usize = 256;
/// Deepest nesting of events emitted inside hooks of events.
pub const MAX_EMIT_DEPTH: usize = 16;
/// Most choices in one prompt.
pub const MAX_CHOICES_PER_PROMPT: usize = 200;
/// Most scenes on the stack.
pub const MAX_OPEN_SCENES: usize = 32;
/// Most questions and stages that are pending at once.
pub const MAX_AGENDA_ITEMS: usize = 64;
/// Most stages that run in one step.
pub const MAX_STAGES_PER_STEP: usize = 1_000;
/// Most rolls that are open at once.
pub const MAX_OPEN_ROLLS: usize = 16;
/// Most dice of one roll.
pub const MAX_DICE_PER_ROLL: u32 = 1_000;
/// Most sides of a die.
pub const MAX_DIE_SIDES: u32 = 1_000_000;
/// Longest dice notation, in bytes.
pub const MAX_NOTATION_BYTES: usize = 200;
/// Most random streams that one run may draw from.
pub const MAX_STREAMS: usize = 256;
/// Columns for a choice label, a name or a title on a screen of 80 columns. A longer one is cut,
/// and `check` warns about it.
pub const MAX_LABEL_COLUMNS: u32 = 50;
/// Columns for a line of its own on a screen of 80 columns.
pub const MAX_LINE_COLUMNS: u32 = 76;
/// Columns for the cost of a choice.
pub const MAX_COST_COLUMNS: u32 = 24;
/// Bytes of text that are read or copied for one unit of fuel.
pub const BYTES_PER_FUEL_UNIT: usize = 64;
/// Fuel of one step, in interrupts of the VM.
pub const MAX_FUEL_PER_STEP: i64 = 1_000_000;
/// Fuel of one lint, case or console line. These may read all declarations of a game and are not
/// part of a step.
pub const MAX_FUEL_PER_TOOL_CALL: i64 = 5_000_000;
/// Fuel for loading one mod.
pub const MAX_FUEL_PER_MOD_LOAD: i64 = 1_250_000;
/// Memory that scripts may allocate in one step, and one mod while it loads, in bytes.
pub const MAX_VM_BYTES: usize = 24 * 1024 * 1024;
/// Memory beyond [`MAX_VM_BYTES`] that the VM may allocate before it is stopped in the middle of an
/// operation.
pub const VM_OVERRUN_BYTES: usize = 16 * 1024 * 1024;
/// Garbage of earlier calls that may remain before a collection, in bytes.
pub const MAX_GARBAGE_BYTES: usize = 8 * 1024 * 1024;
/// Memory at which the VM is stopped anywhere, in addition to what was in use before.
pub const VM_STOP_BYTES: usize = MAX_VM_BYTES + VM_OVERRUN_BYTES;
/// Memory of everything that one mod declares, in bytes, counted while it is read.
pub const MAX_DECLARED_BYTES_PER_MOD: usize = 40 * 1024 * 1024;
/// Largest script of a mod, in bytes.
pub const MAX_SCRIPT_FILE_BYTES: u64 = 256 * 1024;
/// Largest `mod.toml`, in bytes.
pub const MAX_MANIFEST_BYTES: usize = 64 * 1024;
/// Most names in one list of a `mod.toml`, such as `needs` or its settings.
pub const MAX_MANIFEST_LIST_NAMES: usize = 500;
/// Most files in a mod.
pub const MAX_MOD_FILES: usize = 4_096;
/// Longest path of a file in a mod, in bytes.
pub const MAX_MOD_PATH_BYTES: usize = 160;
/// Deepest folder in a mod.
pub const MAX_MOD_FOLDER_DEPTH: usize = 8;
/// Most bytes of all files of a mod.
pub const MAX_MOD_BYTES: u64 = 8 * 1024 * 1024;
/// Largest archive of a mod, in bytes.
pub const MAX_MOD_ARCHIVE_BYTES: u64 = 16 * 1024 * 1024;

// What scripts are charged for inside the VM.

/// Fuel for each protected call of a script: an error takes microseconds.
pub const FUEL_PER_PROTECTED_CALL: usize = 100;
/// A function has fewer own values than this on the stack; more are arguments or results.
pub const MAX_UNCHARGED_STACK_VALUES: i32 = 256;
/// Arguments or results for one unit of fuel.
pub const STACK_VALUES_PER_FUEL_UNIT: i32 = 32;
/// Table slots that an interrupt examines for one unit of fuel.
pub const TABLE_SLOTS_PER_FUEL_UNIT: usize = 64;
/// Texts below this size are not looked at when they are created. A longer one is slow to parse as a
/// number, because every byte is read.
pub const MIN_CHECKED_TEXT_BYTES: usize = 48;
/// From this size on a text is long. A comparison of two texts with the same prefix then charges
/// fuel.
pub const MIN_LONG_TEXT_BYTES: usize = 2048;
/// Bytes of the longest text with a duplicate prefix for one unit of fuel at each interrupt. A few
/// texts may be compared between two interrupts.
pub const SIMILAR_TEXT_BYTES_PER_FUEL_UNIT: usize = 512;
/// Bytes of the longest text with a duplicate prefix for one unit of fuel at each comparison.
pub const COMPARED_TEXT_BYTES_PER_FUEL_UNIT: f64 = 1024.0;
/// Bytes of the longest numeric text for one unit of fuel at each interrupt.
pub const NUMERIC_TEXT_BYTES_PER_FUEL_UNIT: usize = 8;
/// Texts in one hash chain for one unit of fuel at each interrupt.
pub const CHAINED_TEXTS_PER_FUEL_UNIT: usize = 24;
/// Maximum length of a hash chain. The longest chain of keys without chosen collisions has three
/// fifths of this.
pub const MAX_KEY_CHAIN_LENGTH: usize = 16;
/// Texts that a bucket may have beyond twice the average without a surcharge.
pub const HARMLESS_TEXTS_PER_BUCKET: usize = 64;
/// Maximum number of excess texts in one bucket.
pub const MAX_EXCESS_TEXTS_PER_BUCKET: usize = 1024;
/// Maximum bytes that tables may allocate in one call, including freed bytes. A table whose size
/// oscillates around a power of two allocates all its slots each time.
pub const MAX_TABLE_BYTES_PER_CALL: usize = 128 * 1024 * 1024;

// Shares of a budget, and the last guard.

/// A hook may spend this fraction (one in so many) of a step's fuel.
pub const HOOK_SHARE_DIVISOR: i64 = 4;
/// A call with a shared budget (options, achievements, migrations) may spend this fraction (one in so
/// many) of what is left.
pub const SHARED_BUDGET_DIVISOR: i64 = 4;
/// Maximum thread time of one call. No program is known that reaches it: counts come first.
pub const MAX_CALL_TIME: std::time::Duration = std::time::Duration::from_secs(20);

// What declarations cost.

/// Fuel for one value in a definition: declared values use host memory, and one table may occur in
/// many places of another. Four bytes of text cost one unit in addition.
pub const FUEL_PER_DECLARED_VALUE: usize = 10;
/// Approximate bytes of a value in a definition, and in the table that scripts read, without its text.
pub const DECLARED_VALUE_HOST_BYTES: usize = 256;
/// The same for a table in a definition.
pub const DECLARED_TABLE_HOST_BYTES: usize = 1024;
/// Approximate bytes of a declaration, without its values.
pub const DECLARATION_HOST_BYTES: usize = 1536;
/// Approximate bytes of a table of edits.
pub const EDIT_TABLE_HOST_BYTES: usize = 2048;
/// Approximate bytes of a stored function with its place.
pub const STORED_FUNCTION_HOST_BYTES: usize = 512;

// Functions that scripts call.

/// Maximum number of judged throws in one count, where they are enumerated.
pub const MAX_JUDGED_THROWS: usize = 20_000;
/// Maximum number of rankings that are stored in one call.
pub const MAX_STORED_RANKINGS: usize = 64;
/// Maximum number of modifiers of a roll, and of changes that odds consider.
pub const MAX_ROLL_MODIFIERS: usize = 64;
/// Maximum number of widgets in a view, and of entries in a list, table or map.
pub const MAX_WIDGET_ENTRIES: usize = 500;
/// Proxies of tables of the state that may exist in one call before they are dropped.
pub const MAX_STATE_PROXIES: usize = 16_384;
