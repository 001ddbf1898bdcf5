//! Texts that a message quotes are cut, whatever their length and however they are escaped.

use engine::base::{cut_quote, cut_quote_of_bytes, quote};

#[test]
fn a_name_is_quoted_whole_and_a_longer_text_is_cut() {
    assert_eq!(quote("salt \"x\"\n").to_string(), "\"salt \\\"x\\\"\\n\"");
    let name = "n".repeat(240);
    assert_eq!(quote(&name).to_string(), format!("\"{name}\""));
    assert_eq!(quote(&(name + "n")).to_string(), format!("\"{}…\"", "n".repeat(160)));
    // A character is not divided.
    assert_eq!(cut_quote(&"…".repeat(100)), format!("{}…", "…".repeat(53)));
    assert_eq!(cut_quote_of_bytes(b"a\xff"), "a\u{fffd}");
    assert_eq!(cut_quote_of_bytes(&[b'a'; 300]), format!("{}…", "a".repeat(160)));
}
