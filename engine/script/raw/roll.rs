//! `roll` as Luau calls it, where nobody judges and nothing is added by name: most rolls are so, and
//! through mlua one takes several protected calls. What is unusual goes on to a function that does the
//! same in full, before any die has fallen.

use std::ffi::{CStr, c_int};
use std::rc::Rc;

use mlua::{Function, Lua, ffi};

use super::super::host::{Host, Permit, Phase};
use super::super::shape;
use super::data::Maker;
use super::{host_of, in_full, text_at, utf8};
use crate::dice;
use crate::kit::{Value, id, limits};
use crate::play::Event;
use crate::play::event::{Die, Roll};

/// What is rolled with, in the order of arguments.
const NOTATION: c_int = 1;
const STREAM: c_int = 2;
const ABOUT: c_int = 3;
/// Where a name and what stands under it lie while what a roll is about is looked at.
const NAME: c_int = 4;
const FIELD: c_int = 5;

/// Where the function finds a table of parts that are all there, and their names, each under the next
/// number.
const PARTS: c_int = 3;
/// The names of parts, in the order that a table of them is filled in (`fields::parts`).
const NAMES: [&str; 4] = ["natural", "total", "dice", "outcome"];

/// Most dice that are thrown here.
const DICE: usize = 32;
/// Calls that are looked at for whoever called us.
const CALLS: c_int = 8;

/// A function that rolls. `in_full` does the same in full.
pub(crate) fn roller(lua: &Lua, host: &Rc<Host>, in_full: &Function) -> mlua::Result<Function> {
    let host = Rc::as_ptr(host).cast_mut().cast();
    // SAFETY: the function in full is argument 1 and becomes an upvalue; the host outlives the VM's last
    // call; what is pushed has room, and the function made is the result.
    unsafe {
        lua.exec_raw(in_full, |state| {
            ffi::lua_pushlightuserdata(state, host);
            ffi::lua_insert(state, 1);
            let mut maker = Maker::new(state);
            maker.open(0, NAMES.len());
            for name in NAMES {
                maker.text(name);
                maker.truth(false);
                maker.put();
            }
            NAMES.into_iter().for_each(|name| maker.text(name));
            ffi::lua_pushcclosured(state, roll, c"roll".as_ptr(), PARTS + NAMES.len() as c_int);
        })
    }
}

unsafe extern "C-unwind" fn roll(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Luau calls this with room for twenty values. Nothing raises an error while anything of
    // ours is held: dice fall without a word to Luau, and what they came to is plain numbers.
    unsafe {
        let host = host_of(state);
        ffi::lua_settop(state, ABOUT);
        let may = host.phase.get() == Phase::Playing && host.permit.get() == Permit::Act;
        let fallen = may.then(|| about(state)).flatten().and_then(|about| fall(state, host, about));
        let Some(fallen) = fallen else { return in_full(state, ABOUT, 2) };
        ffi::lua_pushnumber(state, fallen.total as f64);
        push_parts(state, &fallen);
        2
    }
}

/// Pushes what a roll gives beside its total: a copy of the table of parts, each put in its place, so that
/// it is walked in the same order as one that was made anew.
///
/// # Safety
/// The state must be live and inside the function above, with room for four values.
unsafe fn push_parts(state: *mut ffi::lua_State, fallen: &Fallen) {
    // SAFETY: each part is put under its name, which takes both away.
    unsafe {
        ffi::lua_clonetable(state, ffi::lua_upvalueindex(PARTS));
        let parts = ffi::lua_gettop(state);
        for name in (PARTS + 1..).take(NAMES.len()) {
            ffi::lua_pushvalue(state, ffi::lua_upvalueindex(name));
            match (name - PARTS, fallen.natural) {
                (1, Some(natural)) => ffi::lua_pushnumber(state, natural as f64),
                (2, _) => ffi::lua_pushnumber(state, fallen.total as f64),
                (3, _) => push_faces(state, &fallen.faces[..fallen.dice]),
                _ => ffi::lua_pushnil(state),
            }
            ffi::lua_rawset(state, parts);
        }
    }
}

/// # Safety
/// The state must be live, with room for two values.
unsafe fn push_faces(state: *mut ffi::lua_State, faces: &[u32]) {
    // SAFETY: there are few.
    unsafe {
        ffi::lua_createtable(state, faces.len() as c_int, 0);
        for (place, face) in (1..).zip(faces) {
            ffi::lua_pushnumber(state, f64::from(*face));
            ffi::lua_rawseti_(state, -2, place);
        }
    }
}

/// What a script says of a roll.
#[derive(Clone, Copy, Default)]
struct About<'s> {
    label: &'s str,
    against: Option<i64>,
}

/// What dice came to.
struct Fallen {
    total: i64,
    natural: Option<i64>,
    faces: [u32; DICE],
    dice: usize,
}

/// Reads what a script says of a roll; `None` if that takes a closer look.
///
/// # Safety
/// The state must be live and inside the function above, with its three arguments, which stay as long as
/// what was read is used.
unsafe fn about<'s>(state: *mut ffi::lua_State) -> Option<About<'s>> {
    let mut about = About::default();
    // SAFETY: a name and a field have room behind the arguments, and are taken away after each.
    unsafe {
        match ffi::lua_type(state, ABOUT) {
            ffi::LUA_TNIL => return Some(about),
            ffi::LUA_TTABLE if ffi::lua_getmetatable(state, ABOUT) == 0 => {}
            _ => return None,
        }
        let mut next = ffi::lua_rawiter(state, ABOUT, 0);
        while next >= 0 {
            if ffi::lua_type(state, NAME) != ffi::LUA_TSTRING {
                return None;
            }
            match text_at(state, NAME) {
                b"label" => about.label = label(state)?,
                b"against" => about.against = Some(whole(state)?),
                _ => return None,
            }
            ffi::lua_settop(state, ABOUT);
            next = ffi::lua_rawiter(state, ABOUT, next);
        }
    }
    Some(about)
}

/// A label without marks.
///
/// # Safety
/// As above, and the field must be there.
unsafe fn label<'s>(state: *mut ffi::lua_State) -> Option<&'s str> {
    // SAFETY: the table keeps the text.
    let label = unsafe {
        let is_text = ffi::lua_type(state, FIELD) == ffi::LUA_TSTRING;
        is_text.then(|| utf8(text_at(state, FIELD))).flatten()?
    };
    let fits = !label.as_bytes().contains(&b'{') && shape::fit(&"a label", label).is_ok();
    fits.then_some(label)
}

/// A whole number.
///
/// # Safety
/// As above.
unsafe fn whole(state: *mut ffi::lua_State) -> Option<i64> {
    // SAFETY: it is asked for as what it is.
    unsafe {
        let is_number = ffi::lua_type(state, FIELD) == ffi::LUA_TNUMBER;
        is_number.then(|| Value::number(ffi::lua_tonumber(state, FIELD))).flatten()?.as_int()
    }
}

/// Throws the dice and tells it. `None` if that takes a closer look; then none has fallen.
///
/// # Safety
/// As above.
unsafe fn fall(state: *mut ffi::lua_State, host: &Host, about: About<'_>) -> Option<Fallen> {
    // SAFETY: both are arguments, and stay.
    let [notation, stream] = unsafe {
        let are_texts = [NOTATION, STREAM].map(|at| ffi::lua_type(state, at) == ffi::LUA_TSTRING);
        if are_texts != [true; 2] {
            return None;
        }
        [NOTATION, STREAM].map(|at| utf8(text_at(state, at)))
    };
    let (notation, stream) = (notation?, stream?);
    let read = host.turn.notation(notation).ok()?;
    if read.most_dice > DICE as u64 || id::check_word(stream).is_err() {
        return None;
    }
    // SAFETY: as above.
    let (stream, by) = unsafe { home(state, host, stream) }?;
    let mut world = host.world.try_borrow_mut().ok()?;
    let room = notation.len() + about.label.len() + limits::TEXT_BYTES;
    if !world.has_room_to_tell(room) || world.dice.admit(&stream).is_err() {
        return None;
    }
    let rolled = dice::roll(&read.expr, &mut |sides| world.dice.draw(&stream, sides));
    let mut faces = [0; DICE];
    faces.iter_mut().zip(&rolled.dice).for_each(|(face, die)| *face = die.face);
    let fallen =
        Fallen { total: rolled.total, natural: rolled.natural, faces, dice: rolled.dice.len() };
    let told = world.tell(Event::Roll(Roll {
        label: about.label.to_owned(),
        notation: notation.to_owned(),
        stream,
        dice: rolled.dice.into_iter().map(Die::from).collect(),
        dice_total: rolled.total,
        modifiers: Vec::new(),
        total: rolled.total,
        against: about.against,
        outcome: None,
        by,
    }));
    assert!(told.is_ok(), "there was room for it");
    Some(fallen)
}

/// The whole name of a stream of the mod whose Lua called us, and where that stands as it is shown in
/// short.
///
/// # Safety
/// As above.
unsafe fn home(state: *mut ffi::lua_State, host: &Host, stream: &str) -> Option<(String, String)> {
    for level in 1..=CALLS {
        // SAFETY: the record is filled by the call before it is read; nothing is pushed. Its text belongs
        // to a function that is on the stack as long as we are here.
        let (chunk, line) = unsafe {
            let mut record: ffi::lua_Debug = std::mem::zeroed();
            if ffi::lua_getinfo(state, level, c"sl".as_ptr(), &mut record) == 0 {
                return None;
            }
            if record.short_src.is_null() {
                continue;
            }
            (utf8(CStr::from_ptr(record.short_src).to_bytes())?, record.currentline)
        };
        let Some(owner) = host.sources.owner(chunk) else { continue };
        // Hardly any path holds what is not to be shown, or stands without a line.
        let is_plain = line > 0 && chunk.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_plain || !chunk.starts_with(owner) {
            return None;
        }
        return Some(([owner, ":", stream].concat(), [chunk, ":", &line.to_string()].concat()));
    }
    None
}
