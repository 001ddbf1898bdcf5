//! Reload: content is exchanged under a run, or kept where the new one is no good.

mod files;
mod swap;
mod table;
