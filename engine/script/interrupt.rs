//! The interrupt of the VM: counts fuel, says now and then who is running, and notes where a script
//! was stopped.

use mlua::Lua;

use super::fuel::{self, Tick};
use crate::luau::{self, At, Interrupt, Stack};

/// The text of the error that stops a script whose fuel is spent. Who sees it looks at the fuel.
pub(crate) const SPENT: &str = "the fuel is spent";

/// Frames that are looked at for the place where a script was stopped.
const FRAMES: At = 8;

/// Counts fuel at every interrupt of the VM.
pub(crate) fn count_fuel(lua: &Lua) -> mlua::Result<()> {
    luau::set_interrupt::<Counting>(lua)
}

struct Counting;

impl Interrupt for Counting {
    fn tick(memory_kib: i32, stack: Stack<'_>) -> Result<(), &'static str> {
        match fuel::tick(memory_kib) {
            Tick::On => Ok(()),
            Tick::Look => {
                look(stack);
                Ok(())
            }
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
