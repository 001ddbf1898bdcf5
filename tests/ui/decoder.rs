//! Decodes terminal input into keys. Replies to queries of other programs are no keys, however they
//! are split.

use crossterm::event::{Event, KeyCode};
use ui::full_screen::{Decoder, SequenceTimer};

/// Terminal replies: colours, clipboard, graphics, names, devices, modes, positions, sizes, focus,
/// mouse, and strings of all five kinds with both terminators.
pub const REPLIES: [&[u8]; 22] = [
    b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
    b"\x1b]10;rgb:cdcd/d6d6/f4f4\x07",
    b"\x1b]52;c;MTIzNDU=\x1b\\",
    b"\x1b]4;1;rgb:1111/1111/1111\x07",
    "\x1b]0;a title \u{201c}1\u{201d} 2\x1b\\".as_bytes(),
    b"\x1b_Gi=31;OK\x1b\\",
    b"\x1bP>|XTerm(388)\x1b\\",
    b"\x1bP1$r0 q\x1b\\",
    b"\x1b^a private 1 message 2\x1b\\",
    b"\x1bXa string 1 2 3\x1b\\",
    b"\x9d11;rgb:1e1e/1e1e/2e2e\x9c",
    b"\x1b[?62;22c",
    b"\x1b[>0;276;0c",
    b"\x1b[?2026;2$y",
    b"\x1b[?997;1n",
    b"\x1b[12;40R",
    b"\x1b[8;24;80t",
    b"\x1b[?1u",
    b"\x1b[I",
    b"\x1b[O",
    b"\x1b[<35;10;12M",
    b"\x1b[<0;4294967296;12M",
];

fn decode_pieces(pieces: &[&[u8]]) -> Vec<Event> {
    let (mut decoder, mut events) = (Decoder::default(), Vec::new());
    for piece in pieces {
        decoder.decode(piece, &mut events);
        // Each piece comes so late that an Esc before it is a key.
        decoder.flush_escape(&mut events);
    }
    // The keyboard works as before.
    decoder.decode(b"x", &mut events);
    assert_eq!(events.pop().and_then(key_code), Some(KeyCode::Char('x')), "{pieces:?}");
    events
}

fn key_code(event: Event) -> Option<KeyCode> {
    match event {
        Event::Key(key) => Some(key.code),
        _ => None,
    }
}

#[test]
fn a_split_terminal_reply_yields_no_keys() {
    for reply in REPLIES {
        let decode_keys = |pieces: &[&[u8]]| {
            decode_pieces(pieces).into_iter().filter_map(key_code).collect::<Vec<_>>()
        };
        assert_eq!(decode_keys(&[reply]), [], "{}", reply.escape_ascii());
        for split_at in 1..reply.len() {
            let (head, tail) = reply.split_at(split_at);
            let key_codes = decode_keys(&[head, tail]);
            // A lone ESC cannot be told from the key.
            let expected_keys: &[KeyCode] = if head == b"\x1b" { &[KeyCode::Esc] } else { &[] };
            assert_eq!(
                key_codes,
                expected_keys,
                "{} | {}",
                head.escape_ascii(),
                tail.escape_ascii()
            );
        }
        let bytes: Vec<&[u8]> = reply[1..].chunks(1).collect();
        let pieces = [&[&reply[..2]], &bytes[1..]].concat();
        assert_eq!(decode_keys(&pieces), [], "{} byte by byte", reply.escape_ascii());
    }
}

#[test]
fn split_keys_and_pastes_are_decoded() {
    let cases: [(&[u8], KeyCode); 12] = [
        (b"\x1b[A", KeyCode::Up),
        (b"\x1bOB", KeyCode::Down),
        (b"\x1b[1;5C", KeyCode::Right),
        (b"\x1b[H", KeyCode::Home),
        (b"\x1b[5~", KeyCode::PageUp),
        (b"\x1b[15~", KeyCode::F(5)),
        (b"\x1bOP", KeyCode::F(1)),
        (b"\x1b[[A", KeyCode::F(1)),
        (b"\x1b[Z", KeyCode::BackTab),
        (b"\x1b[97u", KeyCode::Char('a')),
        ("é".as_bytes(), KeyCode::Char('é')),
        ("\u{1f3f3}".as_bytes(), KeyCode::Char('\u{1f3f3}')),
    ];
    for (bytes, key) in cases {
        let key_codes: Vec<_> = decode_pieces(&[bytes]).into_iter().filter_map(key_code).collect();
        assert_eq!(key_codes, [key], "{}", bytes.escape_ascii());
        let (head, tail) = bytes.split_at(bytes.len() - 1);
        if head != b"\x1b" {
            let split_key_codes: Vec<_> =
                decode_pieces(&[head, tail]).into_iter().filter_map(key_code).collect();
            assert_eq!(split_key_codes, [key], "{}", bytes.escape_ascii());
        }
    }
    // A released key is no key press.
    assert_eq!(decode_pieces(&[b"\x1b[97;1:3u"]), []);
    let paste = b"\x1b[200~Ann\rBob \x1b[A 1\x1b[201~";
    for split_at in 2..paste.len() {
        let (head, tail) = paste.split_at(split_at);
        assert_eq!(decode_pieces(&[head, tail]), [Event::Paste("Ann\rBob \u{1b}[A 1".to_owned())]);
    }
    // One without an end is dropped after a while; one that another sequence interrupts is
    // forgotten.
    let (mut decoder, mut events) = (Decoder::default(), Vec::new());
    decoder.decode(b"\x1b[200~abc", &mut events);
    decoder.abandon_sequence(&mut events);
    decoder.decode(b"\x1b]11;never ended", &mut events);
    decoder.abandon_sequence(&mut events);
    decoder.decode(b"1", &mut events);
    assert_eq!(events.remove(0), Event::Paste("abc".to_owned()));
    assert_eq!(events.into_iter().filter_map(key_code).collect::<Vec<_>>(), [KeyCode::Char('1')]);
}

/// Who keeps pressing keys after a paste without an end is heard again.
#[test]
fn a_paste_without_an_end_ends_although_keys_come() {
    use std::time::Duration;
    // The clock of a test only counts on from here.
    #[allow(clippy::disallowed_methods)]
    let start_time = std::time::Instant::now();
    let mut timer = SequenceTimer::new(start_time);
    let mut last_paste_second = 0;
    for second in 0..30 {
        let now = start_time + Duration::from_secs(second);
        if timer.is_expired(now) {
            break;
        }
        timer.note_input(now, true);
        last_paste_second = second;
    }
    assert_eq!(last_paste_second, 10);
    // A paste that ended does not count.
    let mut timer = SequenceTimer::new(start_time);
    for second in 0..30 {
        let now = start_time + Duration::from_secs(second);
        assert!(!timer.is_expired(now), "{second}");
        timer.note_input(now, second % 2 == 0);
    }
    assert!(timer.is_expired(start_time + Duration::from_secs(32)));
}
