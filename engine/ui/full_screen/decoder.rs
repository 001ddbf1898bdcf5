//! Decodes the bytes of a terminal into keys, clicks and pastes. Escape sequences are parsed by the
//! structure of ECMA-48, so unknown ones and replies of the terminal are consumed and never become
//! keys.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// The most bytes kept of a paste; further bytes are dropped.
const MAX_PASTE_BYTES: usize = 64 * 1024;
/// The most bytes kept of a control sequence.
const MAX_SEQUENCE_BYTES: usize = 64;

/// Decodes bytes that come in pieces of any size.
#[derive(Debug, Default)]
pub struct Decoder {
    state: DecoderState,
    /// The bytes of the current sequence, paste or character.
    buffer: Vec<u8>,
    /// The remaining bytes of a character inside a string that is dropped.
    continuation_bytes: usize,
    /// Whether the last event was a lone Esc: its sequence may follow in the next piece.
    escape_was_flushed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DecoderState {
    #[default]
    Ground,
    /// After ESC.
    Escape,
    /// After ESC O (SS3).
    Ss3,
    /// Inside a control sequence (CSI).
    Csi,
    /// The three bytes of an X10 mouse event.
    X10Mouse,
    /// The letter of a function key of the Linux console.
    LinuxFunctionKey,
    /// Inside OSC, DCS, APC, PM or SOS, which are dropped.
    ControlString,
    /// After ESC inside such a string, where a backslash ends it.
    ControlStringEscape,
    /// Inside a bracketed paste.
    Paste,
}

impl Decoder {
    /// Whether a paste has begun and not ended.
    pub fn is_in_paste(&self) -> bool {
        self.state == DecoderState::Paste
    }

    /// Whether the last byte was an ESC, which is a key if nothing follows.
    pub fn is_after_escape(&self) -> bool {
        self.state == DecoderState::Escape
    }

    /// Nothing followed for a short time: an ESC is the key, unless it belongs to a string.
    pub fn flush_escape(&mut self, events: &mut Vec<Event>) {
        if self.state == DecoderState::Escape {
            self.state = DecoderState::Ground;
            self.escape_was_flushed = true;
            events.push(unmodified_key(KeyCode::Esc));
        }
    }

    /// Nothing came for a long time: drops an unfinished sequence. A paste is delivered as far as
    /// it came.
    pub fn abandon_sequence(&mut self, events: &mut Vec<Event>) {
        self.flush_escape(events);
        if self.state == DecoderState::Paste {
            self.end_paste(events);
        }
        *self = Self::default();
    }

    /// Decodes bytes that came together.
    pub fn decode(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        let was_split =
            std::mem::take(&mut self.escape_was_flushed) && self.state == DecoderState::Ground;
        if was_split
            && bytes.len() > 1
            && matches!(bytes[0], b'[' | b'O' | b']' | b'P' | b'X' | b'^' | b'_')
        {
            self.state = DecoderState::Escape;
        }
        for byte in bytes {
            self.decode_byte(*byte, events);
        }
    }

    fn decode_byte(&mut self, byte: u8, events: &mut Vec<Event>) {
        match (self.state, byte) {
            (DecoderState::Paste, _) => self.collect_paste_byte(byte, events),
            (DecoderState::X10Mouse, _) => self.decode_x10_mouse(byte, events),
            (DecoderState::ControlString, 0x07 | 0x18 | 0x1a) => self.state = DecoderState::Ground,
            (DecoderState::ControlString, 0x1b) => {
                (self.state, self.continuation_bytes) = (DecoderState::ControlStringEscape, 0)
            }
            (DecoderState::ControlString, _) => self.skip_string_byte(byte),
            (DecoderState::ControlStringEscape, b'\\') => self.state = DecoderState::Ground,
            (DecoderState::ControlStringEscape | DecoderState::Escape, 0x1b) => {
                if self.state == DecoderState::Escape {
                    events.push(unmodified_key(KeyCode::Esc));
                }
                self.state = DecoderState::Escape;
            }
            (DecoderState::Ss3 | DecoderState::Csi | DecoderState::LinuxFunctionKey, 0x1b) => {
                self.enter_state(DecoderState::Escape)
            }
            (
                DecoderState::Ss3 | DecoderState::Csi | DecoderState::LinuxFunctionKey,
                0x00..=0x1f,
            ) => {
                self.enter_state(DecoderState::Ground);
                self.decode_ground_byte(byte, KeyModifiers::NONE, events);
            }
            (DecoderState::Escape | DecoderState::ControlStringEscape, _) => {
                self.decode_after_escape(byte, events)
            }
            (DecoderState::Ss3, _) => {
                self.state = DecoderState::Ground;
                events.extend(ss3_key(byte).map(unmodified_key));
            }
            (DecoderState::LinuxFunctionKey, _) => {
                self.state = DecoderState::Ground;
                events.extend(
                    (b'A'..=b'E').contains(&byte).then(|| unmodified_key(KeyCode::F(byte - b'@'))),
                );
            }
            (DecoderState::Csi, _) => self.decode_csi_byte(byte, events),
            (DecoderState::Ground, 0x1b) if self.buffer.is_empty() => {
                self.enter_state(DecoderState::Escape)
            }
            (DecoderState::Ground, _) => self.decode_ground_byte(byte, KeyModifiers::NONE, events),
        }
    }

    fn enter_state(&mut self, state: DecoderState) {
        self.buffer.clear();
        (self.state, self.continuation_bytes) = (state, 0);
    }

    /// A byte after ESC.
    fn decode_after_escape(&mut self, byte: u8, events: &mut Vec<Event>) {
        match byte {
            b'[' => self.enter_state(DecoderState::Csi),
            b'O' => self.enter_state(DecoderState::Ss3),
            b']' | b'P' | b'X' | b'^' | b'_' => self.enter_state(DecoderState::ControlString),
            _ => {
                self.enter_state(DecoderState::Ground);
                self.decode_ground_byte(byte, KeyModifiers::ALT, events);
            }
        }
    }

    /// A byte of a string that is dropped. Its one-byte terminator can also occur inside a
    /// character.
    fn skip_string_byte(&mut self, byte: u8) {
        match byte {
            _ if self.continuation_bytes > 0 && (0x80..=0xbf).contains(&byte) => {
                self.continuation_bytes -= 1
            }
            0x9c => self.enter_state(DecoderState::Ground),
            _ => self.continuation_bytes = continuation_count(byte).unwrap_or(0),
        }
    }

    fn decode_csi_byte(&mut self, byte: u8, events: &mut Vec<Event>) {
        match byte {
            b'[' if self.buffer.is_empty() => self.state = DecoderState::LinuxFunctionKey,
            b'M' if self.buffer.is_empty() => self.enter_state(DecoderState::X10Mouse),
            0x40..=0x7e => {
                let sequence = std::mem::take(&mut self.buffer);
                self.state = DecoderState::Ground;
                if sequence == b"200" && byte == b'~' {
                    self.state = DecoderState::Paste;
                } else {
                    events.extend(csi_event(&sequence, byte));
                }
            }
            _ if self.buffer.len() < MAX_SEQUENCE_BYTES => self.buffer.push(byte),
            _ => {}
        }
    }

    fn collect_paste_byte(&mut self, byte: u8, events: &mut Vec<Event>) {
        const PASTE_END: &[u8] = b"\x1b[201~";
        self.buffer.push(byte);
        if self.buffer.ends_with(PASTE_END) {
            self.buffer.truncate(self.buffer.len() - PASTE_END.len());
            self.end_paste(events);
        } else if self.buffer.len() > MAX_PASTE_BYTES + PASTE_END.len() {
            // The end is searched for in the newest bytes.
            self.buffer.remove(MAX_PASTE_BYTES);
        }
    }

    fn end_paste(&mut self, events: &mut Vec<Event>) {
        self.buffer.truncate(MAX_PASTE_BYTES);
        events.push(Event::Paste(String::from_utf8_lossy(&self.buffer).into_owned()));
        self.enter_state(DecoderState::Ground);
    }

    fn decode_x10_mouse(&mut self, byte: u8, events: &mut Vec<Event>) {
        self.buffer.push(byte);
        if let [kind, x, y] = self.buffer[..] {
            let [kind, x, y] = [kind, x, y].map(|byte| u16::from(byte.saturating_sub(32)));
            events.extend(mouse_event(kind, x, y, false));
            self.enter_state(DecoderState::Ground);
        }
    }

    /// A byte of a key or a character.
    fn decode_ground_byte(&mut self, byte: u8, modifiers: KeyModifiers, events: &mut Vec<Event>) {
        let control = |letter: u8| {
            KeyEvent::new(KeyCode::Char(letter.into()), modifiers | KeyModifiers::CONTROL)
        };
        let plain = |code| KeyEvent::new(code, modifiers);
        if self.buffer.is_empty() {
            let event = match byte {
                b'\r' => plain(KeyCode::Enter),
                b'\t' => plain(KeyCode::Tab),
                0x08 | 0x7f => plain(KeyCode::Backspace),
                0x00 => control(b' '),
                0x01..=0x1a => control(byte - 1 + b'a'),
                0x1c..=0x1f => control(byte - 0x1c + b'4'),
                0x80..=0x9f => return self.enter_c1_state(byte),
                0x20..=0x7e => plain(KeyCode::Char(byte.into())),
                _ => return self.buffer.extend(continuation_count(byte).map(|_| byte)),
            };
            return events.push(Event::Key(add_shift_if_uppercase(event)));
        }
        if !(0x80..=0xbf).contains(&byte) {
            // The character was incomplete.
            self.buffer.clear();
            return self.decode_byte(byte, events);
        }
        self.buffer.push(byte);
        if self.buffer.len() <= continuation_count(self.buffer[0]).unwrap_or(0) {
            return;
        }
        let character_bytes = std::mem::take(&mut self.buffer);
        match std::str::from_utf8(&character_bytes).ok().and_then(|text| text.chars().next()) {
            Some(c @ '\u{80}'..='\u{9f}') => self.enter_c1_state(c as u8),
            Some(c) => events.push(Event::Key(add_shift_if_uppercase(plain(KeyCode::Char(c))))),
            None => {}
        }
    }

    /// Eight-bit (C1) control characters.
    fn enter_c1_state(&mut self, byte: u8) {
        match byte {
            0x8f => self.enter_state(DecoderState::Ss3),
            0x90 | 0x98 | 0x9d..=0x9f => self.enter_state(DecoderState::ControlString),
            0x9b => self.enter_state(DecoderState::Csi),
            _ => {}
        }
    }
}

/// How many bytes follow the first byte of a character.
fn continuation_count(first: u8) -> Option<usize> {
    match first {
        0xc2..=0xdf => Some(1),
        0xe0..=0xef => Some(2),
        0xf0..=0xf4 => Some(3),
        _ => None,
    }
}

fn unmodified_key(code: KeyCode) -> Event {
    Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn add_shift_if_uppercase(mut event: KeyEvent) -> KeyEvent {
    if matches!(event.code, KeyCode::Char(c) if c.is_uppercase()) {
        event.modifiers |= KeyModifiers::SHIFT;
    }
    event
}

fn ss3_key(byte: u8) -> Option<KeyCode> {
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
fn csi_event(parameters: &[u8], last: u8) -> Option<Event> {
    if let (Some(rest), b'M' | b'm') = (parameters.strip_prefix(b"<"), last) {
        let [kind, x, y] = csi_parameters(rest)?[..] else { return None };
        return mouse_event(kind, x, y, last == b'm');
    }
    let numbers = csi_parameters(parameters)?;
    let first = numbers.first().copied().unwrap_or(0);
    match (last, &numbers[..]) {
        (b'I', []) => return Some(Event::FocusGained),
        (b'O', []) => return Some(Event::FocusLost),
        (b'M', [kind, x, y]) => return mouse_event(kind.checked_sub(32)?, *x, *y, false),
        _ => {}
    }
    let code = match last {
        b'A'..=b'D' | b'H' | b'F' | b'P' | b'Q' | b'S' if first <= 1 => ss3_key(last)?,
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
    let modifier_parameter = parameters.split(|byte| *byte == b';').nth(1).unwrap_or_default();
    if modifier_parameter.ends_with(b":3") {
        return None;
    }
    let modifier_bits = numbers.get(1).map_or(0, |more| more.saturating_sub(1));
    let all = [KeyModifiers::SHIFT, KeyModifiers::ALT, KeyModifiers::CONTROL];
    let modifiers = all.into_iter().enumerate().filter(|(bit, _)| modifier_bits >> bit & 1 == 1);
    let modifiers = modifiers.fold(KeyModifiers::NONE, |all, (_, one)| all | one);
    Some(Event::Key(add_shift_if_uppercase(KeyEvent::new(code, modifiers))))
}

/// The parameters between semicolons, each up to a colon; `None` if there is anything else.
fn csi_parameters(parameters: &[u8]) -> Option<Vec<u16>> {
    if parameters.is_empty() {
        return Some(Vec::new());
    }
    let text = std::str::from_utf8(parameters).ok()?;
    let number = |part: &str| match part.split(':').next() {
        Some("") | None => Some(0),
        Some(digits) => digits.parse().ok(),
    };
    text.split(';').map(number).collect()
}

/// A click or a wheel turn; coordinates start at 1.
fn mouse_event(kind: u16, x: u16, y: u16, released: bool) -> Option<Event> {
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
