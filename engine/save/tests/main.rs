//! Runs and profiles on a disk that crashes, fills up and loses data.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod save;
mod support;
