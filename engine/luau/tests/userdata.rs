//! Tagged userdata beside mlua's own.

use std::ffi::c_int;

use luau::TaggedUserdata;
use mlua::{AnyUserData, Lua, UserData};

use super::{call_host_function, raised_error};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Small(u8);

impl TaggedUserdata for Small {
    const TAG: c_int = 100;
}

/// It has the tag of another type.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Large([u64; 64]);

impl TaggedUserdata for Large {
    const TAG: c_int = 100;
}

#[derive(Clone, Copy)]
struct Unregistered;

impl TaggedUserdata for Unregistered {
    const TAG: c_int = 101;
}

struct OfMlua(String);

impl UserData for OfMlua {}

#[test]
fn a_tag_belongs_to_one_type() {
    let lua = Lua::new();
    let metatable = || lua.create_table().unwrap();
    luau::set_type_metatable::<Small>(&lua, &metatable()).unwrap();
    let refusal = luau::set_type_metatable::<Large>(&lua, &metatable()).unwrap_err().to_string();
    assert!(refusal.contains("another type has this tag"), "{refusal}");
    call_host_function(&lua, (), |stack| {
        (0..1000).for_each(|number| stack.push_tagged_userdata(Small(number as u8)));
        assert_eq!(stack.tagged_userdata(8), Some(Small(7)));
        assert_eq!(stack.tagged_userdata::<Large>(8), None);
        for index in
            super::indices_without_value().into_iter().filter(|index| *index > 1000 || *index <= 0)
        {
            assert_eq!(stack.tagged_userdata::<Small>(index), None, "{index}");
        }
        Ok(0)
    })
    .unwrap();
    let pushed = raised_error((), |stack| stack.push_tagged_userdata(Large([0; 64])));
    assert!(pushed.contains("without a tag"), "{pushed}");
    let pushed = raised_error((), |stack| stack.push_tagged_userdata(Unregistered));
    assert!(pushed.contains("without a tag"), "{pushed}");
}

#[test]
fn userdata_of_mlua_keeps_its_metatable() {
    let lua = Lua::new();
    luau::register_empty_userdata(&lua).unwrap();
    let empty = luau::create_empty_userdata(&lua, &lua.create_table().unwrap()).unwrap();
    let of_mlua = || lua.create_userdata(OfMlua("kept".to_owned())).unwrap();
    let give_metatable = |first: AnyUserData, second: AnyUserData| {
        call_host_function(&lua, (first, second), |stack| {
            assert!(stack.has_metatable(1));
            if !stack.push_metatable(1) {
                stack.push_table(0, 0);
            }
            stack.set_metatable(2);
            Ok(0)
        })
    };
    let kept = of_mlua();
    assert!(give_metatable(empty.clone(), kept.clone()).is_err());
    give_metatable(kept.clone(), empty.clone()).unwrap();
    assert_eq!(kept.borrow::<OfMlua>().unwrap().0, "kept");
    assert!(empty.borrow::<OfMlua>().is_err());
}
