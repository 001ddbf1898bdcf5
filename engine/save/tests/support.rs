//! Helpers that the tests of the program share.

#[allow(dead_code)] // each binary uses a part
#[path = "../../../tests/support/disk.rs"]
pub mod disk;
