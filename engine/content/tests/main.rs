//! Content: definitions, patches, conflicts and their Problems.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod content;
