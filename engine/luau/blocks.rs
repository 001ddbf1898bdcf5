//! Hearing of each block that Luau asks for and gives back, and looking at the bytes of texts and at what
//! holds the keys of tables. Luau tells it of every block; all but few are small and of no interest.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::slice;

use mlua::ffi;

/// A block of Luau's that is there. Whoever is told that it is given back forgets it.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    at: usize,
    /// The bytes of a text, or all of the block.
    pub(crate) bytes: usize,
}

/// What is told of blocks.
pub(crate) trait Blocks {
    /// Shorter texts are not told.
    const TEXT: usize;
    /// A text, or what may become one, was asked for. Its bytes are not there yet.
    fn text(text: Block);
    /// A text came to be whose hash this is.
    fn hashed(hash: u32);
    /// A part of a table, or of something else that grows, was asked for. It is empty.
    fn part(part: Block);
    /// A block is given back: it is forgotten; `Some` if it is to be looked at once more.
    fn given_back(is_it: impl Fn(&Block) -> bool) -> Option<Block>;
    /// The last look.
    fn look(words: &[u32]);
}

/// Smaller parts of tables hold too few keys for a long chain.
const PART: usize = 1024;
/// What Luau puts around the bytes of a text, and what of that stands before them.
const AROUND_TEXT: usize = 25;
const BEFORE_TEXT: usize = 24;
/// Where the hash of a text lies.
const HASH: usize = 16;
/// The bytes of a table's header that are read, and where its room for a list and for names lies in them.
const TABLE_HEADER: usize = 12;
const LIST_SLOTS: usize = 8;
const NAME_SLOTS_LOG2: usize = 6;
/// From here on come sorts that are no values: the parts of tables among them.
const PARTS: c_int = 14;

thread_local! {
    /// The text that was asked for last: it is filled before the next one is asked for.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

/// The next text was asked for.
fn next<B: Blocks>(at: usize) {
    let last = Block { at: LAST.replace(at), bytes: 0 };
    // A buffer that became no text has no hash.
    if last.at != 0 && hash(&last) != 0 {
        B::hashed(hash(&last));
    }
}

/// What lies there is given back.
fn forget(at: usize) {
    if LAST.get() == at {
        LAST.set(0);
    }
}

/// Luau asked for a block.
pub(super) unsafe extern "C-unwind" fn asked<B: Blocks>(
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
        next::<B>(at);
    }
    if bytes < B::TEXT + AROUND_TEXT {
        return;
    }
    if sort == ffi::LUA_TSTRING {
        B::text(Block { at, bytes: bytes - AROUND_TEXT });
    } else if bytes >= PART && sort >= PARTS && before == 0 {
        B::part(Block { at, bytes });
    }
}

/// Luau gives a block back.
pub(super) unsafe extern "C-unwind" fn given_back<B: Blocks>(
    _: *mut ffi::lua_State,
    block: *mut c_void,
) {
    forget(block as usize);
    if let Some(part) = B::given_back(|other| other.at == block as usize) {
        // Luau tells it before it is given back.
        B::look(words(&part));
    }
}

impl Block {
    /// So many values of a plain sort that lie in it, from a byte on.
    fn view<T: Copy>(&self, from: usize, count: usize) -> &[T] {
        // SAFETY: a block is forgotten when it is given back; Luau filled it before anything else could
        // happen, and aligns it to 16 bytes. All callers ask for whole numbers inside of it.
        unsafe { slice::from_raw_parts((self.at + from) as *const T, count) }
    }
}

/// The words of a part of a table that is there.
pub(crate) fn words(part: &Block) -> &[u32] {
    part.view(0, part.bytes / 4)
}

/// How many entries a table has room for, used or not: a walk visits each.
pub(super) fn table_slots(table: usize) -> usize {
    let header = Block { at: table, bytes: TABLE_HEADER };
    let list: i32 = header.view(LIST_SLOTS, 1)[0];
    let names: u8 = header.view(NAME_SLOTS_LOG2, 1)[0];
    usize::try_from(list).unwrap_or(0) + (1 << names)
}

fn hash(text: &Block) -> u32 {
    text.view(HASH, 1)[0]
}

/// The bytes of a text that is there; nothing of a buffer of the library that became no text: it has no
/// hash.
pub(crate) fn bytes(text: &Block) -> Option<&[u8]> {
    (hash(text) != 0).then(|| text.view(BEFORE_TEXT, text.bytes))
}
