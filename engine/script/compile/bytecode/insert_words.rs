//! Inserts words into the code of a function and adjusts all jumps across them.

use super::compiled_file::CompiledFunction;
use super::opcodes;
use super::opcodes::JumpEncoding;

/// Words to insert before a position. A jump to that position leads to the inserted words.
pub(super) struct WordInsertion {
    /// The index of the code word, from 0.
    pub(super) position: usize,
    pub(super) words: Vec<u32>,
}

/// The index of the first word of each instruction.
pub(super) fn instruction_starts(code: &[u32]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while at < code.len() {
        starts.push(at);
        at += opcodes::instruction_length(code[at] as u8);
    }
    starts
}

/// The index of the word that an instruction jumps to, if it jumps.
pub(super) fn jump_target(code: &[u32], at: usize) -> Option<usize> {
    let word = code[at];
    let (half, most, last) = ((word as i32) >> 16, (word as i32) >> 8, (word >> 24) as i32);
    let over = match opcodes::jump_encoding(word as u8) {
        JumpEncoding::None => return None,
        JumpEncoding::Offset16 => half + 1,
        JumpEncoding::Offset24 => most + 1,
        JumpEncoding::SkipByte if last == 0 => return None,
        JumpEncoding::SkipByte => last + 1,
        JumpEncoding::FastcallSkip => last + 2,
    };
    usize::try_from(i64::try_from(at).ok()? + i64::from(over)).ok()
}

/// Inserts words. Returns `None` if a jump becomes too long or has no valid target.
pub(super) fn insert_words(
    function: &mut CompiledFunction,
    inserts: &[WordInsertion],
) -> Option<()> {
    let old = &function.code;
    // The number of words that are inserted before each old position.
    let mut grown = vec![0_usize; old.len() + 1];
    for one in inserts {
        grown[one.position] += one.words.len();
    }
    let mut sum = 0;
    let mut landing = Vec::with_capacity(old.len() + 1);
    let mut place = Vec::with_capacity(old.len() + 1);
    for (at, more) in grown.iter().enumerate() {
        landing.push(at + sum);
        sum += more;
        place.push(at + sum);
    }
    let mut code = vec![0_u32; old.len() + sum];
    let mut lines = vec![0_i32; code.len()];
    let line_of = |at: usize| function.line_table.as_ref().map_or(0, |(_, lines)| lines[at]);
    let mut filled = landing.clone();
    for one in inserts {
        for word in &one.words {
            code[filled[one.position]] = *word;
            lines[filled[one.position]] = line_of(one.position.min(old.len() - 1));
            filled[one.position] += 1;
        }
    }
    for at in 0..old.len() {
        code[place[at]] = old[at];
        lines[place[at]] = line_of(at);
    }
    for at in instruction_starts(old) {
        let Some(to) = jump_target(old, at) else { continue };
        let over = i64::try_from(*landing.get(to)?).ok()? - i64::try_from(place[at]).ok()?;
        code[place[at]] = retarget_jump(old[at], over)?;
    }
    function.code = code;
    if let Some((_, kept)) = &mut function.line_table {
        *kept = lines;
    }
    Some(())
}

/// The jump with a new distance, counted from itself.
fn retarget_jump(word: u32, over: i64) -> Option<u32> {
    let byte =
        |over: i64| u8::try_from(over).ok().map(|c| (word & 0x00ff_ffff) | u32::from(c) << 24);
    match opcodes::jump_encoding(word as u8) {
        JumpEncoding::None => Some(word),
        JumpEncoding::Offset16 => {
            let half = i16::try_from(over - 1).ok()?;
            Some((word & 0xffff) | u32::from(half as u16) << 16)
        }
        JumpEncoding::Offset24 => {
            let most = i32::try_from(over - 1).ok().filter(|most| most.abs() < 1 << 23)?;
            Some((word & 0xff) | (most as u32) << 8)
        }
        JumpEncoding::SkipByte => byte(over - 1),
        JumpEncoding::FastcallSkip => byte(over - 2),
    }
}
