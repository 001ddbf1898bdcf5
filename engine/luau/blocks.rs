//! Hearing of each block that Luau asks for and gives back, and looking at the bytes of texts and at what
//! holds the keys of tables. Luau tells it of every block; all but few are small and of no interest.

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
    /// A part of a table, or of something else that grows, was asked for. It is empty.
    fn part(part: Block);
    /// A block is given back: it is forgotten; `Some` if it is to be looked at once more.
    fn given_back(is_it: impl Fn(&Block) -> bool) -> Option<Block>;
    /// The last look.
    fn look(words: &[u32]);
}

/// Smaller parts of tables hold too few keys for a long chain.
const PART: usize = 2048;
/// What Luau puts around the bytes of a text, and what of that stands before them.
const AROUND_TEXT: usize = 25;
const BEFORE_TEXT: usize = 24;
/// Where the hash of a text lies.
const HASH: usize = 16;
/// From here on come sorts that are no values: the parts of tables among them.
const PARTS: c_int = 14;

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
    if bytes < B::TEXT + AROUND_TEXT {
        return;
    }
    let at = block as usize;
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
    if let Some(part) = B::given_back(|other| other.at == block as usize) {
        // Luau tells it before it is given back.
        B::look(words(&part));
    }
}

impl Block {
    /// So many values of a plain sort that lie in it, from a byte on.
    fn view<T: Copy>(&self, from: usize, count: usize) -> &[T] {
        // SAFETY: a block is forgotten when it is given back; Luau filled it before anything else could
        // happen, and aligns it to 16 bytes. Both callers ask for whole numbers inside of it.
        unsafe { slice::from_raw_parts((self.at + from) as *const T, count) }
    }
}

/// The words of a part of a table that is there.
pub(crate) fn words(part: &Block) -> &[u32] {
    part.view(0, part.bytes / 4)
}

/// The bytes of a text that is there; nothing of a buffer of the library that became no text: it has no
/// hash.
pub(crate) fn bytes(text: &Block) -> Option<&[u8]> {
    let hash: &[u32] = text.view(HASH, 1);
    (hash != [0]).then(|| text.view(BEFORE_TEXT, text.bytes))
}
