//! Decodes the bytes of a terminal into keys, clicks and pastes. Escape sequences are parsed by the
//! structure of ECMA-48, so unknown ones and replies of the terminal are consumed and never become
//! keys.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// The most bytes kept of a paste; further bytes are dropped.
const PASTE_BYTES: usize = 64 * 1024;
/// The most bytes kept of a control sequence.
const SEQUENCE_BYTES: usize = 64;

/// Decodes bytes that come in pieces of any size.
#[derive(Debug, Default)]
pub struct Decoder {
    state: DecoderState,
    /// The bytes of the current sequence, paste or character.
    held: Vec<u8>,
    /// The remaining bytes of a character inside a string that is dropped.
    rest: usize,
    /// Whether the last event was a lone Esc: its sequence may follow in the next piece.
    cut: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DecoderState {
    #[default]
    Ground,
    /// After ESC.
    Escape,
    /// After ESC O (SS3).
    Single,
    /// Inside a control sequence (CSI).
    Control,
    /// The three bytes of an X10 mouse event.
    OldMouse,
    /// The letter of a function key of the Linux console.
    Console,
    /// Inside OSC, DCS, APC, PM or SOS, which are dropped.
    Text,
    /// After ESC inside such a string, where a backslash ends it.
    TextEscape,
    /// Inside a bracketed paste.
    Paste,
}

impl Decoder {
    /// Whether the last byte was an ESC, which is a key if nothing follows.
    pub fn is_open_escape(&self) -> bool {
        self.state == DecoderState::Escape
    }

    /// Nothing followed for a short time: an ESC is the key, unless it belongs to a string.
    pub fn pause(&mut self, events: &mut Vec<Event>) {
        if self.state == DecoderState::Escape {
            self.state = DecoderState::Ground;
            self.cut = true;
            events.push(key(KeyCode::Esc));
        }
    }

    /// Nothing came for a long time: drops an unfinished sequence. A paste is delivered as far as
    /// it came.
    pub fn give_up(&mut self, events: &mut Vec<Event>) {
        self.pause(events);
        if self.state == DecoderState::Paste {
            self.end_paste(events);
        }
        *self = Self::default();
    }

    /// Decodes bytes that came together.
    pub fn take(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        let cut = std::mem::take(&mut self.cut) && self.state == DecoderState::Ground;
        if cut
            && bytes.len() > 1
            && matches!(bytes[0], b'[' | b'O' | b']' | b'P' | b'X' | b'^' | b'_')
        {
            self.state = DecoderState::Escape;
        }
        for byte in bytes {
            self.byte(*byte, events);
        }
    }

    fn byte(&mut self, byte: u8, events: &mut Vec<Event>) {
        match (self.state, byte) {
            (DecoderState::Paste, _) => self.paste(byte, events),
            (DecoderState::OldMouse, _) => self.old_mouse(byte, events),
            (DecoderState::Text, 0x07 | 0x18 | 0x1a) => self.state = DecoderState::Ground,
            (DecoderState::Text, 0x1b) => (self.state, self.rest) = (DecoderState::TextEscape, 0),
            (DecoderState::Text, _) => self.text(byte),
            (DecoderState::TextEscape, b'\\') => self.state = DecoderState::Ground,
            (DecoderState::TextEscape | DecoderState::Escape, 0x1b) => {
                if self.state == DecoderState::Escape {
                    events.push(key(KeyCode::Esc));
                }
                self.state = DecoderState::Escape;
            }
            (DecoderState::Single | DecoderState::Control | DecoderState::Console, 0x1b) => {
                self.begin(DecoderState::Escape)
            }
            (DecoderState::Single | DecoderState::Control | DecoderState::Console, 0x00..=0x1f) => {
                self.begin(DecoderState::Ground);
                self.ground(byte, KeyModifiers::NONE, events);
            }
            (DecoderState::Escape | DecoderState::TextEscape, _) => self.escape(byte, events),
            (DecoderState::Single, _) => {
                self.state = DecoderState::Ground;
                events.extend(single(byte).map(key));
            }
            (DecoderState::Console, _) => {
                self.state = DecoderState::Ground;
                events.extend((b'A'..=b'E').contains(&byte).then(|| key(KeyCode::F(byte - b'@'))));
            }
            (DecoderState::Control, _) => self.control(byte, events),
            (DecoderState::Ground, 0x1b) if self.held.is_empty() => {
                self.begin(DecoderState::Escape)
            }
            (DecoderState::Ground, _) => self.ground(byte, KeyModifiers::NONE, events),
        }
    }

    fn begin(&mut self, state: DecoderState) {
        self.held.clear();
        (self.state, self.rest) = (state, 0);
    }

    /// A byte after ESC.
    fn escape(&mut self, byte: u8, events: &mut Vec<Event>) {
        match byte {
            b'[' => self.begin(DecoderState::Control),
            b'O' => self.begin(DecoderState::Single),
            b']' | b'P' | b'X' | b'^' | b'_' => self.begin(DecoderState::Text),
            _ => {
                self.begin(DecoderState::Ground);
                self.ground(byte, KeyModifiers::ALT, events);
            }
        }
    }

    /// A byte of a string that is dropped. Its one-byte terminator can also occur inside a
    /// character.
    fn text(&mut self, byte: u8) {
        match byte {
            _ if self.rest > 0 && (0x80..=0xbf).contains(&byte) => self.rest -= 1,
            0x9c => self.begin(DecoderState::Ground),
            _ => self.rest = more_bytes(byte).unwrap_or(0),
        }
    }

    fn control(&mut self, byte: u8, events: &mut Vec<Event>) {
        match byte {
            b'[' if self.held.is_empty() => self.state = DecoderState::Console,
            b'M' if self.held.is_empty() => self.begin(DecoderState::OldMouse),
            0x40..=0x7e => {
                let held = std::mem::take(&mut self.held);
                self.state = DecoderState::Ground;
                if held == b"200" && byte == b'~' {
                    self.state = DecoderState::Paste;
                } else {
                    events.extend(sequence(&held, byte));
                }
            }
            _ if self.held.len() < SEQUENCE_BYTES => self.held.push(byte),
            _ => {}
        }
    }

    fn paste(&mut self, byte: u8, events: &mut Vec<Event>) {
        const END: &[u8] = b"\x1b[201~";
        self.held.push(byte);
        if self.held.ends_with(END) {
            self.held.truncate(self.held.len() - END.len());
            self.end_paste(events);
        } else if self.held.len() > PASTE_BYTES + END.len() {
            // The end is searched for in the newest bytes.
            self.held.remove(PASTE_BYTES);
        }
    }

    fn end_paste(&mut self, events: &mut Vec<Event>) {
        self.held.truncate(PASTE_BYTES);
        events.push(Event::Paste(String::from_utf8_lossy(&self.held).into_owned()));
        self.begin(DecoderState::Ground);
    }

    fn old_mouse(&mut self, byte: u8, events: &mut Vec<Event>) {
        self.held.push(byte);
        if let [kind, x, y] = self.held[..] {
            let [kind, x, y] = [kind, x, y].map(|byte| u16::from(byte.saturating_sub(32)));
            events.extend(mouse(kind, x, y, false));
            self.begin(DecoderState::Ground);
        }
    }

    /// A byte of a key or a character.
    fn ground(&mut self, byte: u8, with: KeyModifiers, events: &mut Vec<Event>) {
        let control =
            |letter: u8| KeyEvent::new(KeyCode::Char(letter.into()), with | KeyModifiers::CONTROL);
        let plain = |code| KeyEvent::new(code, with);
        if self.held.is_empty() {
            let event = match byte {
                b'\r' => plain(KeyCode::Enter),
                b'\t' => plain(KeyCode::Tab),
                0x08 | 0x7f => plain(KeyCode::Backspace),
                0x00 => control(b' '),
                0x01..=0x1a => control(byte - 1 + b'a'),
                0x1c..=0x1f => control(byte - 0x1c + b'4'),
                0x80..=0x9f => return self.eight_bit(byte),
                0x20..=0x7e => plain(KeyCode::Char(byte.into())),
                _ => return self.held.extend(more_bytes(byte).map(|_| byte)),
            };
            return events.push(Event::Key(shifted(event)));
        }
        if !(0x80..=0xbf).contains(&byte) {
            // The character was incomplete.
            self.held.clear();
            return self.byte(byte, events);
        }
        self.held.push(byte);
        if self.held.len() <= more_bytes(self.held[0]).unwrap_or(0) {
            return;
        }
        let held = std::mem::take(&mut self.held);
        match std::str::from_utf8(&held).ok().and_then(|text| text.chars().next()) {
            Some(c @ '\u{80}'..='\u{9f}') => self.eight_bit(c as u8),
            Some(c) => events.push(Event::Key(shifted(plain(KeyCode::Char(c))))),
            None => {}
        }
    }

    /// Eight-bit (C1) control characters.
    fn eight_bit(&mut self, byte: u8) {
        match byte {
            0x8f => self.begin(DecoderState::Single),
            0x90 | 0x98 | 0x9d..=0x9f => self.begin(DecoderState::Text),
            0x9b => self.begin(DecoderState::Control),
            _ => {}
        }
    }
}

/// How many bytes follow the first byte of a character.
fn more_bytes(first: u8) -> Option<usize> {
    match first {
        0xc2..=0xdf => Some(1),
        0xe0..=0xef => Some(2),
        0xf0..=0xf4 => Some(3),
        _ => None,
    }
}

fn key(code: KeyCode) -> Event {
    Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn shifted(mut event: KeyEvent) -> KeyEvent {
    if matches!(event.code, KeyCode::Char(c) if c.is_uppercase()) {
        event.modifiers |= KeyModifiers::SHIFT;
    }
    event
}

fn single(byte: u8) -> Option<KeyCode> {
    Some(match byte {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'M' => KeyCode::Enter,
        b'P'..=b'S' => KeyCode::F(byte - b'O'),
        _ => return None,
    })
}

/// A control sequence as a key, a click or a focus event; all others are dropped.
fn sequence(held: &[u8], last: u8) -> Option<Event> {
    if let (Some(rest), b'M' | b'm') = (held.strip_prefix(b"<"), last) {
        let [kind, x, y] = numbers(rest)?[..] else { return None };
        return mouse(kind, x, y, last == b'm');
    }
    let numbers = numbers(held)?;
    let first = numbers.first().copied().unwrap_or(0);
    match (last, &numbers[..]) {
        (b'I', []) => return Some(Event::FocusGained),
        (b'O', []) => return Some(Event::FocusLost),
        (b'M', [kind, x, y]) => return mouse(kind.checked_sub(32)?, *x, *y, false),
        _ => {}
    }
    let code = match last {
        b'A'..=b'D' | b'H' | b'F' | b'P' | b'Q' | b'S' if first <= 1 => single(last)?,
        b'Z' => KeyCode::BackTab,
        b'u' => match first {
            9 => KeyCode::Tab,
            13 => KeyCode::Enter,
            27 => KeyCode::Esc,
            127 => KeyCode::Backspace,
            // Private-use code points are keys that the program does not use.
            0xe000..=0xf8ff => return None,
            code => KeyCode::Char(char::from_u32(code.into()).filter(|c| !c.is_control())?),
        },
        b'~' => match u8::try_from(first).ok()? {
            1 | 7 => KeyCode::Home,
            2 => KeyCode::Insert,
            3 => KeyCode::Delete,
            4 | 8 => KeyCode::End,
            5 => KeyCode::PageUp,
            6 => KeyCode::PageDown,
            code @ 11..=15 => KeyCode::F(code - 10),
            code @ 17..=21 => KeyCode::F(code - 11),
            code @ 23..=24 => KeyCode::F(code - 12),
            _ => return None,
        },
        _ => return None,
    };
    // The second parameter is the modifiers plus one; `:3` after it marks a key release.
    let second = held.split(|byte| *byte == b';').nth(1).unwrap_or_default();
    if second.ends_with(b":3") {
        return None;
    }
    let bits = numbers.get(1).map_or(0, |more| more.saturating_sub(1));
    let all = [KeyModifiers::SHIFT, KeyModifiers::ALT, KeyModifiers::CONTROL];
    let with = all.into_iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    let with = with.fold(KeyModifiers::NONE, |all, (_, one)| all | one);
    Some(Event::Key(shifted(KeyEvent::new(code, with))))
}

/// The parameters between semicolons, each up to a colon; `None` if there is anything else.
fn numbers(held: &[u8]) -> Option<Vec<u16>> {
    if held.is_empty() {
        return Some(Vec::new());
    }
    let text = std::str::from_utf8(held).ok()?;
    let number = |part: &str| match part.split(':').next() {
        Some("") | None => Some(0),
        Some(digits) => digits.parse().ok(),
    };
    text.split(';').map(number).collect()
}

/// A click or a wheel turn; coordinates start at 1.
fn mouse(kind: u16, x: u16, y: u16, released: bool) -> Option<Event> {
    let button = match kind & 3 {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        _ => MouseButton::Right,
    };
    let kind = match kind {
        _ if kind & 64 != 0 => match kind & 3 {
            0 => MouseEventKind::ScrollUp,
            1 => MouseEventKind::ScrollDown,
            _ => return None,
        },
        _ if kind & 32 != 0 => MouseEventKind::Moved,
        _ if released || kind & 3 == 3 => MouseEventKind::Up(button),
        _ => MouseEventKind::Down(button),
    };
    let (column, row) = (x.checked_sub(1)?, y.checked_sub(1)?);
    Some(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
}
