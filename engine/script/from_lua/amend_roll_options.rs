//! The options of `amend_roll`.

use mlua::ExternalResult as _;

use super::host_fn::{HostCall, HostFnParam};
use crate::values::data_path::DataPath;
use crate::values::plain_data::MixedTablePolicy;
use crate::values::read_fields::FieldReader;
use crate::values::value_ref::ValueRef;
use base::{Value, meter};
use luau::{LuaType, StackIndex};

/// Options of `amend_roll`.
#[derive(Default)]
pub(super) struct AmendRollOptions {
    pub(super) stream: Option<String>,
    pub(super) label: String,
}

impl HostFnParam for AmendRollOptions {
    type Value<'c> = Self;
    const LUAU_TYPE: &'static str = "{ stream: string?, label: string?, values: Values? }?";

    fn read_argument<'c>(call: &HostCall<'c>, index: StackIndex) -> mlua::Result<Self> {
        if call.stack.lua_type(index) == LuaType::Nil {
            return Ok(Self::default());
        }
        let host_bytes_before = meter::counted_host_bytes();
        let field_values = call.host.read_plain_value_at(
            call.stack,
            index,
            &call.name,
            MixedTablePolicy::Reject,
        )?;
        let options = field_values.unwrap_or_else(Value::map);
        let options_ref = ValueRef::from_value(&options);
        let fields = FieldReader::open_table(
            &options_ref,
            DataPath::root("how", call.host.active_text_overrides()),
            &["stream", "label", "values"],
        )
        .into_lua_err()?;
        let stream = fields.read_word("stream").into_lua_err()?.map(str::to_owned);
        let label = fields.read_text_or_empty("label").into_lua_err()?;
        // Only the output is kept.
        meter::set_counted_host_bytes(host_bytes_before);
        Ok(Self { stream, label })
    }
}
