//! `emit` and `preview` as Luau calls them: a game announces hundreds of moments in a step, and
//! through mlua each hook takes several protected calls. What is wrong is told by functions of mlua's.

use std::ffi::{CStr, c_int};
use std::rc::Rc;

use mlua::{Function, Lua, Table, ffi};

use super::super::host::{Host, Permit, Phase};
use super::super::moment::{Hook, Moment};
use super::events::{freeze, keep_fields, push_copy, same_types, thaw};
use super::{host_of, text_at};
use crate::kit::limits;

/// What a moment is announced with, in the order of arguments.
const MOMENT: c_int = 1;
const EVENT: c_int = 2;
const APPLY: c_int = 3;
/// The list of the moment's hooks, or nothing.
const HOOKS: c_int = 4;
/// What makes an error of Luau's one that may go up.
const CARRY_UP: c_int = 5;
/// What stands for the event as it was, or the tables in it that were frozen.
const BESIDE: c_int = 6;
/// Whatever lies on top.
const TOP: c_int = -1;

/// Where the functions find what they need, beside the host.
const MOMENTS: c_int = 2;
const REFUSE: c_int = 3;
const WAKE: c_int = 4;
const CARRY: c_int = 5;

/// What is wrong with a moment that is announced.
#[derive(Clone, Copy)]
pub(crate) enum Wrong {
    /// It must not be announced now, or what is announced is no moment or no event.
    Announced,
    /// Too many are announced inside each other.
    Deep,
    /// A before-hook took a field away or changed its type.
    Changed,
    /// What is to be applied is no function.
    Apply,
    /// The event holds too many tables inside each other.
    Event,
}

impl Wrong {
    const ALL: [Self; 5] = [Self::Announced, Self::Deep, Self::Changed, Self::Apply, Self::Event];

    /// What a number stands for.
    pub(crate) fn of(number: u8) -> Self {
        Self::ALL[usize::from(number)]
    }
}

/// What tells in full, as functions of Lua.
pub(crate) struct Telling {
    /// Raises the Problem of a `Wrong`, given as a number with the place of the hook whose fault it is,
    /// the moment, the event, what is to be applied (or the name of what was called, or of the field),
    /// and what a field was.
    pub(crate) refuse: Function,
    /// Gives a hook that is not at hand, by its moment and its place among the hooks.
    pub(crate) wake: Function,
    /// What an error becomes on its way up.
    pub(crate) carry: Function,
}

/// `emit` and `preview`.
pub(crate) fn announcing(
    lua: &Lua,
    host: &Rc<Host>,
    moments: &Table,
    telling: &Telling,
) -> mlua::Result<(Function, Function)> {
    let at = Rc::as_ptr(host).cast_mut().cast();
    // SAFETY: what is asked for lies at 1 to 4; the host outlives the VM's last call; the two functions
    // are the results.
    unsafe {
        lua.exec_raw((moments, &telling.refuse, &telling.wake, &telling.carry), |state| {
            ffi::lua_rawcheckstack(state, 8);
            let work: [(ffi::lua_CFunction, _); 2] = [(emit, c"emit"), (preview, c"preview")];
            for (work, name) in work {
                ffi::lua_pushlightuserdata(state, at);
                (1..=4).for_each(|at| ffi::lua_pushvalue(state, at));
                ffi::lua_pushcclosured(state, work, name.as_ptr(), 5);
            }
            (1..=4).for_each(|_| ffi::lua_remove(state, 1));
        })
    }
}

unsafe extern "C-unwind" fn emit(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Luau calls this with room for twenty values. Whatever raises an error unwinds this
    // frame, which holds nothing that wants dropping.
    unsafe {
        let host = host_of(state);
        let may = host.phase.get() == Phase::Playing && host.permit.get() == Permit::Act;
        let moment = begin(state, host, may, c"emit");
        within(state, host, || announce(state, host, moment))
    }
}

unsafe extern "C-unwind" fn preview(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let host = host_of(state);
        ffi::lua_settop(state, EVENT);
        let moment = begin(state, host, host.phase.get() == Phase::Playing, c"preview");
        // What is frozen already (a definition) or lies in the state is not copied, since no hook can
        // change it.
        if !push_copy(state, EVENT, 0) {
            refuse(state, Wrong::Event, 0);
        }
        ffi::lua_replace(state, EVENT);
        within(state, host, || moment.map_or(Ok(()), |moment| before(state, host, moment)))
    }
}

/// Why a moment was not announced to the end.
enum Halt {
    /// An error was raised, and lies on top.
    Raised,
    /// Something is wrong, in the hook of that place if it is one's fault.
    Wrong(Wrong, usize),
}

/// Looks the arguments over and lays out what is needed beside them.
///
/// # Safety
/// The state must be live and inside one of the functions above.
unsafe fn begin<'h>(
    state: *mut ffi::lua_State,
    host: &'h Host,
    may: bool,
    name: &CStr,
) -> Option<&'h Moment> {
    // SAFETY: there is room. Places that are not there count as of no type.
    unsafe {
        ffi::lua_settop(state, APPLY);
        let is_moment = ffi::lua_type(state, MOMENT) == ffi::LUA_TSTRING;
        let event = ffi::lua_type(state, EVENT);
        if !may || !is_moment || !matches!(event, ffi::LUA_TTABLE | ffi::LUA_TNIL) {
            announced_wrong(state, name);
        }
        if event == ffi::LUA_TNIL {
            ffi::lua_createtable(state, 0, 0);
            ffi::lua_replace(state, EVENT);
        }
        ffi::lua_pushvalue(state, MOMENT);
        let hooks = ffi::lua_rawget(state, ffi::lua_upvalueindex(MOMENTS));
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(CARRY));
        ffi::lua_pushnil(state);
        if hooks == ffi::LUA_TTABLE {
            ffi::lua_rawgeti_(state, HOOKS, 1);
            let place = ffi::lua_tonumber(state, TOP) as usize;
            ffi::lua_settop(state, BESIDE);
            return Some(host.moments.at(place));
        }
        // The name of a moment with hooks is a text that was looked at when they were declared.
        if std::str::from_utf8(text_at(state, MOMENT)).is_err() {
            announced_wrong(state, name);
        }
        None
    }
}

/// Announces something inside of what is announced already, and gives the event back.
///
/// # Safety
/// As above, and the arguments were looked over.
unsafe fn within(
    state: *mut ffi::lua_State,
    host: &Host,
    work: impl FnOnce() -> Result<(), Halt>,
) -> c_int {
    let depth = &host.turn.depth;
    // SAFETY: as above.
    unsafe {
        if depth.get() >= limits::EMIT_DEPTH {
            refuse(state, Wrong::Deep, 0);
        }
        depth.set(depth.get() + 1);
        let done = work();
        depth.set(depth.get() - 1);
        match done {
            Ok(()) => {
                ffi::lua_settop(state, EVENT);
                1
            }
            Err(Halt::Raised) => ffi::lua_error(state),
            Err(Halt::Wrong(wrong, hook)) => refuse(state, wrong, hook),
        }
    }
}

/// # Safety
/// As above.
unsafe fn announce(
    state: *mut ffi::lua_State,
    host: &Host,
    moment: Option<&Moment>,
) -> Result<(), Halt> {
    // SAFETY: what is called lies on the stack, and has room above it.
    unsafe {
        if let Some(moment) = moment {
            before(state, host, moment)?;
        }
        match ffi::lua_type(state, APPLY) {
            ffi::LUA_TNIL => {}
            ffi::LUA_TFUNCTION => {
                ffi::lua_pushvalue(state, APPLY);
                ffi::lua_pushvalue(state, EVENT);
                call(state, 1, 0)?;
            }
            _ => return Err(Halt::Wrong(Wrong::Apply, 0)),
        }
        moment.map_or(Ok(()), |moment| after(state, host, moment))
    }
}

/// # Safety
/// As above.
unsafe fn before(state: *mut ffi::lua_State, host: &Host, moment: &Moment) -> Result<(), Halt> {
    if moment.before.is_empty() {
        return Ok(());
    }
    // SAFETY: as above.
    unsafe {
        let fields = keep_fields(state, EVENT, BESIDE);
        for (at, hook) in moment.before.iter().enumerate() {
            let permit = host.permit.replace(Permit::Look("a before-hook"));
            let called = call_hook(state, host, moment, hook, at);
            host.permit.set(permit);
            called?;
            if !same_types(state, EVENT, BESIDE, fields) {
                // The field and what it was.
                ffi::lua_replace(state, BESIDE);
                ffi::lua_replace(state, APPLY);
                host.blame_hook(&hook.place, &moment.name);
                return Err(Halt::Wrong(Wrong::Changed, at));
            }
        }
        ffi::lua_settop(state, BESIDE);
    }
    Ok(())
}

/// # Safety
/// As above.
unsafe fn after(state: *mut ffi::lua_State, host: &Host, moment: &Moment) -> Result<(), Halt> {
    if moment.after.is_empty() {
        return Ok(());
    }
    // SAFETY: as above.
    unsafe {
        ffi::lua_pushnil(state);
        ffi::lua_replace(state, BESIDE);
        let was_open = ffi::lua_getreadonly(state, EVENT) == 0;
        if was_open && !freeze(state, EVENT, BESIDE) {
            return Err(Halt::Wrong(Wrong::Event, 0));
        }
        for (at, hook) in (moment.before.len()..).zip(&moment.after) {
            call_hook(state, host, moment, hook, at)?;
        }
        // The event is given back as writable as it came, whether there are hooks or none.
        if was_open {
            thaw(state, EVENT, BESIDE);
        }
    }
    Ok(())
}

/// Calls a hook on a moment. It has a share of the fuel and no more, and whatever goes wrong in
/// it, it is blamed for.
///
/// # Safety
/// As above.
unsafe fn call_hook(
    state: *mut ffi::lua_State,
    host: &Host,
    moment: &Moment,
    hook: &Hook,
    at: usize,
) -> Result<(), Halt> {
    // SAFETY: as above. There are few hooks.
    unsafe {
        if ffi::lua_rawgeti_(state, HOOKS, at as c_int + 2) != ffi::LUA_TFUNCTION {
            ffi::lua_settop(state, TOP - 1);
            ffi::lua_pushvalue(state, ffi::lua_upvalueindex(WAKE));
            ffi::lua_pushvalue(state, MOMENT);
            ffi::lua_pushnumber(state, at as f64);
            call(state, 2, 1)?;
        }
        ffi::lua_pushvalue(state, EVENT);
        let share = host.fuel.begin_hook(hook.spender, &hook.purse);
        let called = call(state, 1, 0);
        host.fuel.end_hook(&hook.purse, share);
        if called.is_err() || host.fuel.is_spent() {
            host.blame_hook(&hook.place, &moment.name);
        }
        called
    }
}

/// Calls what lies below its arguments; an error is made one of ours where it happens, with the
/// calls that led there.
///
/// # Safety
/// As above.
unsafe fn call(state: *mut ffi::lua_State, arguments: c_int, results: c_int) -> Result<(), Halt> {
    // SAFETY: as asked for.
    match unsafe { ffi::lua_pcall(state, arguments, results, CARRY_UP) } {
        ffi::LUA_OK => Ok(()),
        _ => Err(Halt::Raised),
    }
}

/// Raises the Problem of arguments that will not do.
///
/// # Safety
/// As above.
unsafe fn announced_wrong(state: *mut ffi::lua_State, name: &CStr) -> ! {
    // SAFETY: as above.
    unsafe {
        ffi::lua_settop(state, EVENT);
        ffi::lua_pushstring_(state, name.as_ptr());
        refuse(state, Wrong::Announced, 0)
    }
}

/// Raises the Problem of something wrong.
///
/// # Safety
/// As above.
unsafe fn refuse(state: *mut ffi::lua_State, wrong: Wrong, hook: usize) -> ! {
    // SAFETY: as above.
    unsafe {
        ffi::lua_settop(state, BESIDE);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(REFUSE));
        ffi::lua_pushnumber(state, f64::from(wrong as u8));
        ffi::lua_pushnumber(state, hook as f64);
        for at in [MOMENT, EVENT, APPLY, BESIDE] {
            ffi::lua_pushvalue(state, at);
        }
        ffi::lua_call(state, 6, 0);
    }
    unreachable!("a refusal is an error")
}
