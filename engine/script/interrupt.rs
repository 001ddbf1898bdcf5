//! The interrupt of the VM: counts fuel, says now and then who is running, and notes where a script
//! was stopped.

use mlua::Lua;

use super::blocks::{self, Watching};
use super::fuel::{self, Tick};
use crate::luau::{self, At, Interrupt, Stack};

/// The text of the error that stops a script whose fuel is spent. Who sees it looks at the fuel.
pub(crate) const SPENT: &str = "the fuel is spent";

/// Frames that are looked at for the place where a script was stopped.
const FRAMES: At = 8;

/// A function's own values are fewer than these; what is handed on lies above them.
const FEW_VALUES: At = 256;
/// Values handed on for one unit of fuel.
const VALUES_PER_UNIT: At = 32;

/// Counts fuel at every interrupt of the VM.
pub(crate) fn count_fuel(lua: &Lua) -> mlua::Result<()> {
    luau::watch::<Counting, Watching>(lua)
}

struct Counting;

impl Interrupt for Counting {
    #[inline]
    fn count(memory_kib: i32, values: At) -> bool {
        // Only where many values are handed on do so many lie there.
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
                // What the script does with the error may hide where it was stopped.
                stack.find_call(FRAMES, |chunk, line| {
                    fuel::note_stop(&chunk.to_string_lossy(), line);
                    None::<()>
                });
                Err(SPENT)
            }
        }
    }
}

/// Says which mod's function is running: the innermost that is not our own Lua.
fn look(stack: Stack<'_>) {
    let found = stack.find_call(FRAMES, |chunk, _| {
        let (owner, _) = chunk.to_str().ok()?.split_once('/')?;
        (!owner.starts_with('[')).then(|| fuel::seen(owner))
    });
    if found.is_none() {
        fuel::seen("");
    }
}
