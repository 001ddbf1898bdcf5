//! Observes the blocks that Luau allocates and frees, and reads the contents of texts and of hash
//! parts of tables. Luau reports every block; nearly all are too small to matter.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::slice;

use mlua::ffi;

/// A live block of Luau.
#[derive(Clone, Copy)]
struct MemoryBlock {
    address: usize,
    /// The length of the text, or of the whole block.
    byte_count: usize,
}

/// Receives reports about blocks. Texts and parts of tables are then watched: they can be inspected
/// as long as they live.
pub trait AllocationObserver {
    /// Shorter texts are not reported.
    const MIN_REPORTED_TEXT_BYTES: usize;
    /// Luau allocated a text, or a buffer that may become one. It is watched.
    fn on_text_allocated(byte_count: usize);
    /// Luau created a text with this hash.
    fn on_string_created(hash: u32);
    /// Luau allocated a part of a table, or of another growing object. Returns whether to watch it.
    fn on_table_part_allocated(byte_count: usize) -> bool;
    /// Inspects the words of a watched part of a table before it is freed.
    fn inspect_freed_table_part(words: &[Cell<u32>]);
}

/// The blocks that are watched, oldest first.
#[derive(Default)]
struct WatchedBlocks {
    texts: Vec<MemoryBlock>,
    table_parts: Vec<MemoryBlock>,
    suspended: Vec<(Vec<MemoryBlock>, Vec<MemoryBlock>)>,
}

impl WatchedBlocks {
    /// Forgets a block; returns it if it is a part of a table.
    fn remove(&mut self, address: usize) -> Option<MemoryBlock> {
        for (texts, table_parts) in &mut self.suspended {
            texts.retain(|text| text.address != address);
            table_parts.retain(|part| part.address != address);
        }
        self.texts.retain(|text| text.address != address);
        let found = self.table_parts.iter().rposition(|part| part.address == address)?;
        Some(self.table_parts.swap_remove(found))
    }
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
    static WATCHED_BLOCKS: RefCell<WatchedBlocks> = const {
        RefCell::new(WatchedBlocks { texts: Vec::new(), table_parts: Vec::new(), suspended: Vec::new() })
    };
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
    bytes_before: usize,
    byte_count: usize,
    _: u8,
    sort: c_int,
    _: c_int,
) {
    report_allocation::<B>(MemoryBlock { address: block as usize, byte_count }, bytes_before, sort)
}

fn report_allocation<B: AllocationObserver>(block: MemoryBlock, bytes_before: usize, sort: c_int) {
    if sort == ffi::LUA_TSTRING {
        report_hash_of_previous_text::<B>(block.address);
    }
    if block.byte_count < B::MIN_REPORTED_TEXT_BYTES + TEXT_OVERHEAD_BYTES {
        return;
    }
    if sort == ffi::LUA_TSTRING {
        let byte_count = block.byte_count - TEXT_OVERHEAD_BYTES;
        let text = MemoryBlock { byte_count, ..block };
        WATCHED_BLOCKS.with_borrow_mut(|watched| watched.texts.push(text));
        B::on_text_allocated(byte_count);
    } else if block.byte_count >= MIN_REPORTED_PART_BYTES
        && sort >= FIRST_NON_VALUE_TYPE
        && bytes_before == 0
        && B::on_table_part_allocated(block.byte_count)
    {
        WATCHED_BLOCKS.with_borrow_mut(|watched| watched.table_parts.push(block));
    }
}

/// Luau's callback before a block is freed.
pub(super) unsafe extern "C-unwind" fn on_luau_free<B: AllocationObserver>(
    _: *mut ffi::lua_State,
    block: *mut c_void,
) {
    report_free::<B>(block as usize)
}

fn report_free<B: AllocationObserver>(address: usize) {
    clear_last_text_if_freed(address);
    // While a block is inspected this panics, and nothing is freed.
    if let Some(part) = WATCHED_BLOCKS.with_borrow_mut(|watched| watched.remove(address)) {
        // The block is still readable, because Luau reports it before it is freed.
        B::inspect_freed_table_part(part.words());
    }
}

/// Whether a text is watched.
pub fn has_watched_texts() -> bool {
    WATCHED_BLOCKS.with_borrow(|watched| !watched.texts.is_empty())
}

/// Inspects the watched texts and forgets them. A buffer of the library that did not become a text
/// is skipped: it has no hash.
pub fn inspect_watched_texts(mut inspect: impl FnMut(&[u8])) {
    WATCHED_BLOCKS.with_borrow_mut(|watched| {
        for text in watched.texts.drain(..).filter(|text| read_text_hash(text) != 0) {
            inspect(text.read_slice(TEXT_CONTENT_OFFSET, text.byte_count));
        }
    });
}

/// The number of watched parts of tables.
pub fn watched_table_part_count() -> usize {
    WATCHED_BLOCKS.with_borrow(|watched| watched.table_parts.len())
}

/// Inspects the words of each watched part of a table, from a number on; the parts for which it
/// returns false are forgotten.
pub fn retain_watched_table_parts(first: usize, mut keep: impl FnMut(&[Cell<u32>]) -> bool) {
    WATCHED_BLOCKS.with_borrow_mut(|watched| {
        let mut number = 0;
        watched.table_parts.retain(|part| {
            number += 1;
            number <= first || keep(part.words())
        });
    });
}

/// Forgets the watched blocks.
pub fn clear_watched_blocks() {
    WATCHED_BLOCKS.with_borrow_mut(|watched| {
        watched.texts.clear();
        watched.table_parts.clear();
    });
}

/// Suspends the watched blocks until `resume_watched_blocks`.
pub fn suspend_watched_blocks() {
    WATCHED_BLOCKS.with_borrow_mut(|watched| {
        let blocks = (std::mem::take(&mut watched.texts), std::mem::take(&mut watched.table_parts));
        watched.suspended.push(blocks);
    });
}

/// Watches the blocks again that were suspended last, and no others.
pub fn resume_watched_blocks() {
    WATCHED_BLOCKS.with_borrow_mut(|watched| {
        (watched.texts, watched.table_parts) = watched.suspended.pop().unwrap_or_default();
    });
}

impl MemoryBlock {
    /// Reads `count` values of a plain type from a byte offset.
    fn read_slice<T>(&self, from: usize, count: usize) -> &[T] {
        // SAFETY: a block is forgotten when Luau frees it. Luau writes a block before other code
        // runs, and aligns it to 16 bytes. All callers read aligned values inside the block.
        unsafe { slice::from_raw_parts((self.address + from) as *const T, count) }
    }

    /// The words of a part of a table, which Luau may write.
    fn words(&self) -> &[Cell<u32>] {
        self.read_slice(0, self.byte_count / 4)
    }
}

/// The capacity of a table: an iteration visits every slot, used or not.
///
/// # Safety
/// It must be the address of a live table.
#[inline]
pub(super) unsafe fn count_table_slots(table: usize) -> usize {
    let header = MemoryBlock { address: table, byte_count: TABLE_HEADER_BYTES };
    let list: i32 = header.read_slice(LIST_SLOT_COUNT_OFFSET, 1)[0];
    let names: u8 = header.read_slice(NAME_SLOTS_LOG2_OFFSET, 1)[0];
    usize::try_from(list).unwrap_or(0) + (1 << names)
}

fn read_text_hash(text: &MemoryBlock) -> u32 {
    text.read_slice(TEXT_HASH_OFFSET, 1)[0]
}
