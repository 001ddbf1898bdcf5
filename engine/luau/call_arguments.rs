//! Arguments of the calls from one mod to another that an error left: recorded where the error is
//! raised, while its calls are still on the stack.

use std::cell::RefCell;
use std::ffi::c_int;
use std::fmt::Write as _;

use super::lua_type::LuaType;
use super::stack::Stack;
use base::{meter, quote, truncate_quoted_bytes};

/// The most call frames that are examined for an error.
const MAX_FRAMES: c_int = 24;
/// The most calls that are recorded for one error.
const MAX_CALLS_PER_ERROR: usize = 4;
/// The most calls that are remembered.
const MAX_RECORDED_CALLS: usize = 8;
/// The most arguments of a call that are recorded.
const MAX_ARGUMENTS: c_int = 4;

thread_local! {
    /// The newest last.
    static RECORDED_CALLS: RefCell<Vec<RecordedCall>> = const { RefCell::new(Vec::new()) };
}

/// A call of a function of one mod by another mod.
#[derive(Default)]
struct RecordedCall {
    /// The chunk of the called function, such as `mod/file.luau`.
    chunk: String,
    /// The line at which the called function was.
    line: u32,
    arguments: String,
}

/// Forgets all recorded calls.
pub fn clear_recorded_calls() {
    RECORDED_CALLS.with_borrow_mut(Vec::clear);
}

/// The arguments of the newest recorded call whose function was at this line.
pub fn recorded_arguments(chunk: &str, line: u32) -> Option<String> {
    RECORDED_CALLS.with_borrow(|calls| {
        let mut newest_first = calls.iter().rev();
        let call = newest_first.find(|call| call.line == line && call.chunk == chunk)?;
        Some(call.arguments.clone())
    })
}

impl Stack<'_> {
    /// Records the calls from one mod to another that are on the stack. The functions of the host
    /// and of the prelude between them belong to no mod. A script may catch many errors, so this
    /// seldom allocates.
    #[cold]
    pub fn record_calls_between_mods(self) {
        let mut called_levels = [0; MAX_CALLS_PER_ERROR];
        let (mut call_count, mut callee) = (0, None);
        self.find_in_frames(0..MAX_FRAMES, 0, |level, chunk, _| {
            let owner = owner_fingerprint(chunk.to_bytes())?;
            if let Some((callee_level, callee_owner)) = callee
                && callee_owner != owner
            {
                *called_levels.get_mut(call_count)? = callee_level;
                call_count += 1;
            }
            callee = Some((level, owner));
            (call_count == MAX_CALLS_PER_ERROR).then_some(())
        });
        // The innermost call is the newest.
        for level in called_levels[..call_count].iter().rev() {
            meter::run_without_charge(|| self.record_call(*level));
        }
    }

    /// Records the call of the frame at a level, with the present values of its arguments.
    fn record_call(self, level: c_int) {
        let first = self.top() + 1;
        self.find_in_frames(level..level + 1, MAX_ARGUMENTS, |_, chunk, line| {
            let line = u32::try_from(line).unwrap_or(0);
            let mut last = self.top();
            while last > first && self.lua_type(last) == LuaType::Nil {
                last -= 1;
            }
            RECORDED_CALLS.with_borrow_mut(|calls| {
                let is_same = |call: &RecordedCall| {
                    call.line == line && call.chunk.as_bytes() == chunk.to_bytes()
                };
                let mut call = match calls.iter().position(is_same) {
                    Some(index) => calls.remove(index),
                    None if calls.len() == MAX_RECORDED_CALLS => calls.remove(0),
                    None => RecordedCall::default(),
                };
                call.chunk.clear();
                call.chunk.push_str(&chunk.to_string_lossy());
                call.line = line;
                call.arguments.clear();
                for index in first..=last {
                    let separator = if index > first { ", " } else { "" };
                    call.arguments.push_str(separator);
                    self.write_value(&mut call.arguments, index);
                }
                calls.push(call);
            });
            Some(())
        });
    }

    fn write_value(self, text: &mut String, index: c_int) {
        // Writing into a text does not fail.
        let _ = match self.lua_type(index) {
            LuaType::Nil => write!(text, "nil"),
            LuaType::Bool => write!(text, "{}", self.is_truthy(index)),
            LuaType::Number => write!(text, "{}", self.number(index)),
            LuaType::Text => {
                let bytes = self.text_bytes(index).unwrap_or_default();
                write!(text, "{}", quote(&truncate_quoted_bytes(bytes)))
            }
            LuaType::Function => write!(text, "a function"),
            _ => write!(text, "a table"),
        };
    }
}

/// A fingerprint of the mod of a chunk such as `mod/file.luau`; `None` if it is no file of a mod.
fn owner_fingerprint(chunk: &[u8]) -> Option<u64> {
    let length = chunk.iter().position(|byte| *byte == b'/')?;
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    Some(chunk[..length].iter().fold(0xcbf2_9ce4_8422_2325, mix))
}
