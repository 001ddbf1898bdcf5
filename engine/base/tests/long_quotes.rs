//! Texts that a message quotes are cut, whatever their length and however they are escaped.

use base::{quote, truncate_quoted_bytes, truncate_quoted_text};

#[test]
fn a_name_is_quoted_whole_and_a_longer_text_is_cut() {
    assert_eq!(quote("salt \"x\"\n").to_string(), "\"salt \\\"x\\\"\\n\"");
    let name = "n".repeat(240);
    assert_eq!(quote(&name).to_string(), format!("\"{name}\""));
    assert_eq!(quote(&(name + "n")).to_string(), format!("\"{}…\"", "n".repeat(160)));
    // A character is not divided.
    assert_eq!(truncate_quoted_text(&"…".repeat(100)), format!("{}…", "…".repeat(53)));
    assert_eq!(truncate_quoted_bytes(b"a\xff"), "a\u{fffd}");
    assert_eq!(truncate_quoted_bytes(&[b'a'; 300]), format!("{}…", "a".repeat(160)));
}
