//! `award`: what a run pays into the profile when it ends.

use super::host_fn::{HostCall, HostFnParam, HostFnRegistry, host_fn};
use super::scenes::NamedValues;
use base::value::ValueMap;
use base::{Code, Problem};
use luau::{LuaType, StackIndex};
use protocol::award::AwardError;
use protocol::{AwardMode, AwardTarget, profile_part};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Writing "award"(award: NamedValues, mode: AwardModeWord) -> "()",
        "Pays into the mod's `profile` when the run ends: whole numbers are added, lists are appended, tables are merged. With `\"max\"` the greatest whole number is kept, with `\"set\"` the value replaces the one there.",
        |call| pay_into_profile(call, mode, &award)
    )
}

/// Pays an award into the part of the profile that the calling mod sees.
fn pay_into_profile(call: &HostCall<'_>, mode: AwardMode, award: &ValueMap) -> Result<(), Problem> {
    let (host, context) = (call.host, &call.host.call_context);
    let caller = host.calling_mod(&call.lua());
    let mod_id = host.profile_owner(&caller);
    let target = AwardTarget { mod_id, mode };
    let profile = context.profile.borrow();
    let result = match target.find_type_conflict(&profile_part(&profile, mod_id), award) {
        Some(reason) => Err(AwardError::wrong_type(reason)),
        None => context.world.borrow_mut().add_award(target, award),
    };
    result.map_err(|error| Problem::error(Code::BadAward, error.reason).hint(error.hint))
}

/// The way to pay an award; nil adds.
struct AwardModeWord;

impl HostFnParam for AwardModeWord {
    type Value<'c> = AwardMode;
    const LUAU_TYPE: &'static str = "(\"add\" | \"max\" | \"set\")?";

    fn read_argument<'c>(call: &HostCall<'c>, index: StackIndex) -> mlua::Result<AwardMode> {
        if index > call.stack.top() || call.stack.lua_type(index) == LuaType::Nil {
            return Ok(AwardMode::Add);
        }
        let mode = call.stack.text(index).and_then(AwardMode::parse);
        mode.ok_or_else(|| call.wrong_argument_error(index, "\"add\", \"max\" or \"set\""))
    }
}
