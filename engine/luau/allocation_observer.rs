//! Hearing of each block that Luau asks for and gives back, and looking at the bytes of texts and at what
//! holds the keys of tables. Luau tells it of every block; all but few are small and of no interest.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::slice;

use mlua::ffi;

/// A block of Luau's that is there. Whoever is told that it is given back forgets it.
#[derive(Clone, Copy)]
pub struct MemoryBlock {
    address: usize,
    /// The bytes of a text, or all of the block.
    pub byte_count: usize,
}

/// What is told of blocks.
pub trait AllocationObserver {
    /// Shorter texts are not told.
    const MIN_REPORTED_TEXT_BYTES: usize;
    /// A text, or what may become one, was asked for. Its bytes are not there yet.
    fn on_text_allocated(text: MemoryBlock);
    /// A text came to be whose hash this is.
    fn on_string_created(hash: u32);
    /// A part of a table, or of something else that grows, was asked for. It is empty.
    fn on_table_part_allocated(part: MemoryBlock);
    /// A block is given back: it is forgotten; `Some` if it is to be looked at once more.
    fn on_block_freed(is_it: impl Fn(&MemoryBlock) -> bool) -> Option<MemoryBlock>;
    /// The last look.
    fn inspect_freed_table_part(words: &[u32]);
}

/// Smaller parts of tables hold too few keys for a long chain.
const MIN_REPORTED_PART_BYTES: usize = 1024;
/// What Luau puts around the bytes of a text, and what of that stands before them.
const TEXT_OVERHEAD_BYTES: usize = 25;
const TEXT_CONTENT_OFFSET: usize = 24;
/// Where the hash of a text lies.
const TEXT_HASH_OFFSET: usize = 16;
/// The bytes of a table's header that are read, and where its room for a list and for names lies in them.
const TABLE_HEADER_BYTES: usize = 12;
const LIST_SLOT_COUNT_OFFSET: usize = 8;
const NAME_SLOTS_LOG2_OFFSET: usize = 6;
/// From here on come sorts that are no values: the parts of tables among them.
const FIRST_NON_VALUE_TYPE: c_int = 14;

thread_local! {
    /// The text that was asked for last: it is filled before the next one is asked for.
    static LAST_TEXT_ADDRESS: Cell<usize> = const { Cell::new(0) };
}

/// The next text was asked for.
fn report_hash_of_previous_text<B: AllocationObserver>(at: usize) {
    let last = MemoryBlock { address: LAST_TEXT_ADDRESS.replace(at), byte_count: 0 };
    // A buffer that became no text has no hash.
    if last.address != 0 && read_text_hash(&last) != 0 {
        B::on_string_created(read_text_hash(&last));
    }
}

/// What lies there is given back.
fn clear_last_text_if_freed(at: usize) {
    if LAST_TEXT_ADDRESS.get() == at {
        LAST_TEXT_ADDRESS.set(0);
    }
}

/// Luau has allocated a block.
pub(super) unsafe extern "C-unwind" fn on_luau_allocated<B: AllocationObserver>(
    _: *mut ffi::lua_State,
    block: *mut c_void,
    before: usize,
    bytes: usize,
    _: u8,
    sort: c_int,
    _: c_int,
) {
    let at = block as usize;
    if sort == ffi::LUA_TSTRING {
        report_hash_of_previous_text::<B>(at);
    }
    if bytes < B::MIN_REPORTED_TEXT_BYTES + TEXT_OVERHEAD_BYTES {
        return;
    }
    if sort == ffi::LUA_TSTRING {
        B::on_text_allocated(MemoryBlock { address: at, byte_count: bytes - TEXT_OVERHEAD_BYTES });
    } else if bytes >= MIN_REPORTED_PART_BYTES && sort >= FIRST_NON_VALUE_TYPE && before == 0 {
        B::on_table_part_allocated(MemoryBlock { address: at, byte_count: bytes });
    }
}

/// Luau gives a block back.
pub(super) unsafe extern "C-unwind" fn on_luau_free<B: AllocationObserver>(
    _: *mut ffi::lua_State,
    block: *mut c_void,
) {
    clear_last_text_if_freed(block as usize);
    if let Some(part) = B::on_block_freed(|other| other.address == block as usize) {
        // Luau tells it before it is given back.
        B::inspect_freed_table_part(read_table_part_words(&part));
    }
}

impl MemoryBlock {
    /// So many values of a plain sort that lie in it, from a byte on.
    fn read_slice<T: Copy>(&self, from: usize, count: usize) -> &[T] {
        // SAFETY: a block is forgotten when it is given back; Luau filled it before anything else could
        // happen, and aligns it to 16 bytes. All callers ask for whole numbers inside of it.
        unsafe { slice::from_raw_parts((self.address + from) as *const T, count) }
    }
}

/// The words of a part of a table that is there.
pub fn read_table_part_words(part: &MemoryBlock) -> &[u32] {
    part.read_slice(0, part.byte_count / 4)
}

/// How many entries a table has room for, used or not: a walk visits each.
pub(super) fn count_table_slots(table: usize) -> usize {
    let header = MemoryBlock { address: table, byte_count: TABLE_HEADER_BYTES };
    let list: i32 = header.read_slice(LIST_SLOT_COUNT_OFFSET, 1)[0];
    let names: u8 = header.read_slice(NAME_SLOTS_LOG2_OFFSET, 1)[0];
    usize::try_from(list).unwrap_or(0) + (1 << names)
}

fn read_text_hash(text: &MemoryBlock) -> u32 {
    text.read_slice(TEXT_HASH_OFFSET, 1)[0]
}

/// The bytes of a text that is there; nothing of a buffer of the library that became no text: it has no
/// hash.
pub fn read_text_bytes(text: &MemoryBlock) -> Option<&[u8]> {
    (read_text_hash(text) != 0).then(|| text.read_slice(TEXT_CONTENT_OFFSET, text.byte_count))
}
