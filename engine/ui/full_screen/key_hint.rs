//! A key as the key line and the help page show it.

/// A key and what it does now.
pub(super) struct KeyHint {
    /// The key as the key line shows it.
    pub(super) key: String,
    /// All keys that do it, for the help page.
    pub(super) all_keys: String,
    pub(super) label: String,
    /// The order in which hints leave a narrow key line; the lowest stays longest.
    pub(super) drop_order: u8,
}
