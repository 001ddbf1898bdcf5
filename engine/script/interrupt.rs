//! The interrupt of the VM: charges fuel, records the running mod now and then, and records where a
//! script was stopped.

use mlua::Lua;

use super::blocks::{self, Watching};
use super::fuel::{self, Tick};
use crate::luau::{self, At, Interrupt, Stack};

/// The error text that stops a script whose fuel is spent. Its handler checks the fuel.
pub(crate) const SPENT: &str = "the fuel is spent";

/// Maximum number of frames that are searched for the place where a script was stopped.
const FRAMES: At = 8;

/// A function has fewer own values than this on the stack; more are arguments or results.
const FEW_VALUES: At = 256;
/// Arguments or results for one unit of fuel.
const VALUES_PER_UNIT: At = 32;

/// Installs the interrupt that charges fuel.
pub(crate) fn count_fuel(lua: &Lua) -> mlua::Result<()> {
    luau::watch::<Counting, Watching>(lua)
}

struct Counting;

impl Interrupt for Counting {
    #[inline]
    fn count(memory_kib: i32, values: At) -> bool {
        // There are more values only if many are passed or returned.
        fuel::count(memory_kib) && values <= FEW_VALUES
    }

    fn look(memory_kib: i32, stack: Stack<'_>) -> Result<(), &'static str> {
        let top = stack.top();
        if top > FEW_VALUES {
            fuel::charge((top / VALUES_PER_UNIT) as usize);
        }
        let mut next = fuel::tick(memory_kib);
        if next == Tick::Closely {
            blocks::look_at_texts();
            next = fuel::closely();
        }
        if next == Tick::Look {
            next = fuel::looked(blocks::look_at_tables());
            if next == Tick::On {
                look(stack);
            }
        }
        match next {
            Tick::On | Tick::Look | Tick::Closely => Ok(()),
            Tick::Stop => {
                // The script may handle the error and so hide where it was stopped.
                stack.find_call(FRAMES, |chunk, line| {
                    fuel::note_stop(&chunk.to_string_lossy(), line);
                    None::<()>
                });
                Err(SPENT)
            }
        }
    }
}

/// Records the mod of the innermost function that is not in the prelude.
fn look(stack: Stack<'_>) {
    let found = stack.find_call(FRAMES, |chunk, _| {
        let (owner, _) = chunk.to_str().ok()?.split_once('/')?;
        (!owner.starts_with('[')).then(|| fuel::seen(owner))
    });
    if found.is_none() {
        fuel::seen("");
    }
}
