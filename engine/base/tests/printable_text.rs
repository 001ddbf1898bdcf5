//! The search for characters that may not reach a terminal reads many bytes at a time and finds the
//! same as a search character by character.

use base::text::{first_unprintable, strip_unprintable};

#[test]
fn an_unprintable_character_is_found_at_any_place_among_any_others() {
    let printable = ["a", "~", " ", "\n", "ä", "…", "𝄞"];
    let unprintable = ["\u{0}", "\t", "\r", "\u{1b}", "\u{1f}", "\u{7f}", "\u{9b}", "\u{202e}"];
    for other in printable {
        for count in 0..80 {
            let text = other.repeat(count);
            assert_eq!(first_unprintable(&text), None, "{count} times {other:?}");
            for character in unprintable {
                let damaged = format!("{text}{character}{text}");
                let found = (text.len(), character.chars().next().unwrap());
                assert_eq!(first_unprintable(&damaged), Some(found), "{damaged:?}");
            }
        }
    }
    assert_eq!(strip_unprintable("a\u{1b}[2Jb"), "a[2Jb");
}
