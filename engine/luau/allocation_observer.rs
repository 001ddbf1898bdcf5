//! Observes the blocks that Luau allocates and frees, and reads the contents of texts and of hash
//! parts of tables. Luau reports every block; nearly all are too small to matter.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::slice;

use mlua::ffi;

/// A live block of Luau. It must be dropped when Luau frees the block.
#[derive(Clone, Copy)]
pub struct MemoryBlock {
    address: usize,
    /// The length of the text, or of the whole block.
    pub byte_count: usize,
}

/// Receives reports about blocks.
pub trait AllocationObserver {
    /// Shorter texts are not reported.
    const MIN_REPORTED_TEXT_BYTES: usize;
    /// Luau allocated a text, or a buffer that may become one. Its bytes are not written yet.
    fn on_text_allocated(text: MemoryBlock);
    /// Luau created a text with this hash.
    fn on_string_created(hash: u32);
    /// Luau allocated a part of a table, or of another growing object. It is empty.
    fn on_table_part_allocated(part: MemoryBlock);
    /// Luau frees a block. Returns the block if its contents must be inspected first.
    fn on_block_freed(is_it: impl Fn(&MemoryBlock) -> bool) -> Option<MemoryBlock>;
    /// Inspects a part of a table before it is freed.
    fn inspect_freed_table_part(words: &[u32]);
}

/// Smaller parts of tables hold too few keys for a long chain.
const MIN_REPORTED_PART_BYTES: usize = 1024;
/// The bytes of a text block that are not content, and the offset of the content.
const TEXT_OVERHEAD_BYTES: usize = 25;
const TEXT_CONTENT_OFFSET: usize = 24;
/// The offset of the hash in a text block.
const TEXT_HASH_OFFSET: usize = 16;
/// The bytes of a table header that are read, and the offsets of its two capacities.
const TABLE_HEADER_BYTES: usize = 12;
const LIST_SLOT_COUNT_OFFSET: usize = 8;
const NAME_SLOTS_LOG2_OFFSET: usize = 6;
/// Types from here on are not values; parts of tables are among them.
const FIRST_NON_VALUE_TYPE: c_int = 14;

thread_local! {
    /// The most recent text. Luau writes it before it allocates the next one.
    static LAST_TEXT_ADDRESS: Cell<usize> = const { Cell::new(0) };
}

/// Reports the hash of the previous text when the next one is allocated, because it is complete
/// then.
fn report_hash_of_previous_text<B: AllocationObserver>(at: usize) {
    let last = MemoryBlock { address: LAST_TEXT_ADDRESS.replace(at), byte_count: 0 };
    // A buffer that became no text has no hash.
    if last.address != 0 && read_text_hash(&last) != 0 {
        B::on_string_created(read_text_hash(&last));
    }
}

fn clear_last_text_if_freed(at: usize) {
    if LAST_TEXT_ADDRESS.get() == at {
        LAST_TEXT_ADDRESS.set(0);
    }
}

/// Luau's callback after an allocation.
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

/// Luau's callback before a block is freed.
pub(super) unsafe extern "C-unwind" fn on_luau_free<B: AllocationObserver>(
    _: *mut ffi::lua_State,
    block: *mut c_void,
) {
    clear_last_text_if_freed(block as usize);
    if let Some(part) = B::on_block_freed(|other| other.address == block as usize) {
        // The block is still readable, because Luau reports it before it is freed.
        B::inspect_freed_table_part(read_table_part_words(&part));
    }
}

impl MemoryBlock {
    /// Reads `count` values of a plain type from a byte offset.
    fn read_slice<T: Copy>(&self, from: usize, count: usize) -> &[T] {
        // SAFETY: a block is dropped when Luau frees it. Luau writes a block before other code
        // runs, and aligns it to 16 bytes. All callers read aligned values inside the block.
        unsafe { slice::from_raw_parts((self.address + from) as *const T, count) }
    }
}

/// The words of a part of a table.
pub fn read_table_part_words(part: &MemoryBlock) -> &[u32] {
    part.read_slice(0, part.byte_count / 4)
}

/// The capacity of a table: an iteration visits every slot, used or not.
pub(super) fn count_table_slots(table: usize) -> usize {
    let header = MemoryBlock { address: table, byte_count: TABLE_HEADER_BYTES };
    let list: i32 = header.read_slice(LIST_SLOT_COUNT_OFFSET, 1)[0];
    let names: u8 = header.read_slice(NAME_SLOTS_LOG2_OFFSET, 1)[0];
    usize::try_from(list).unwrap_or(0) + (1 << names)
}

fn read_text_hash(text: &MemoryBlock) -> u32 {
    text.read_slice(TEXT_HASH_OFFSET, 1)[0]
}

/// The bytes of a text. `None` for a buffer of the library that did not become a text: it has no
/// hash.
pub fn read_text_bytes(text: &MemoryBlock) -> Option<&[u8]> {
    (read_text_hash(text) != 0).then(|| text.read_slice(TEXT_CONTENT_OFFSET, text.byte_count))
}
