//! The interrupt of the VM: charges fuel, records the running mod now and then, and records where a
//! script was stopped.

use base::limits;
use mlua::Lua;

use super::allocation_checks;
use super::allocation_checks::AllocationRecorder;
use super::fuel;
use super::fuel::InterruptAction;
use luau::{InterruptHandler, InterruptedCall, StackIndex};

/// The error text that stops a script whose fuel is spent. Its handler checks the fuel.
pub(crate) const FUEL_SPENT_MESSAGE: &str = "the fuel is spent";

/// Maximum number of frames that are searched for the place where a script was stopped.
const MAX_SEARCHED_FRAMES: StackIndex = 8;

/// Installs the interrupt that charges fuel.
pub(crate) fn install_interrupt(lua: &Lua) -> mlua::Result<()> {
    luau::install_callbacks::<FuelInterrupt, AllocationRecorder>(lua)
}

struct FuelInterrupt;

impl InterruptHandler for FuelInterrupt {
    #[inline]
    fn charge_unit(memory_kib: i32, value_count: StackIndex) -> bool {
        // There are more values only if many are passed or returned.
        fuel::charge_interrupt(memory_kib) && value_count <= limits::MAX_UNCHARGED_STACK_VALUES
    }

    fn check_limits(memory_kib: i32, call: InterruptedCall<'_>) -> Result<(), &'static str> {
        if call.value_count() > limits::MAX_UNCHARGED_STACK_VALUES {
            fuel::charge_fuel((call.value_count() / limits::STACK_VALUES_PER_FUEL_UNIT) as usize);
        }
        let mut action = fuel::next_action(memory_kib);
        if action == InterruptAction::CheckTexts {
            allocation_checks::check_new_texts();
            action = fuel::continue_after_text_check();
        }
        if action == InterruptAction::CheckTables {
            action = fuel::continue_after_table_check(allocation_checks::check_new_tables());
            if action == InterruptAction::Continue {
                charge_running_function(call);
            }
        }
        match action {
            InterruptAction::Continue
            | InterruptAction::CheckTables
            | InterruptAction::CheckTexts => Ok(()),
            InterruptAction::Stop => {
                // The script may handle the error and so hide where it was stopped.
                call.find_in_call_frames(MAX_SEARCHED_FRAMES, |chunk, line| {
                    fuel::record_stop_frame(&chunk.to_string_lossy(), line);
                    None::<()>
                });
                Err(FUEL_SPENT_MESSAGE)
            }
        }
    }
}

/// Records the mod of the innermost function that is not in the prelude.
fn charge_running_function(call: InterruptedCall<'_>) {
    let frame = call.find_in_call_frames(MAX_SEARCHED_FRAMES, |chunk, _| {
        let (owner, _) = chunk.to_str().ok()?.split_once('/')?;
        (!owner.starts_with('[')).then(|| fuel::charge_running_mod(owner))
    });
    if frame.is_none() {
        fuel::charge_running_mod("");
    }
}
