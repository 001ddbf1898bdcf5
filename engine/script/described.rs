//! What functions with a name are declared to take and give: read where each begins, with the types that
//! mods declare by what they share. And where a run is held to it, at every call.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use mlua::{Function, Lua};

use super::host::Host;
use super::vm::{TYPES, Vm};
use crate::content::{
    Argument, Come, Definition, EXPORT, Field, FieldType, Signature, Way, declared_type, title,
};
use crate::kit::{Place, Problem, text};
use crate::luau::{self, At, Fault, Kind, Stack};

/// Most names of types that lead to each other.
const NAMES: usize = 8;

/// A function that a mod gives a name, as its file tells of it.
#[derive(Clone, Debug, Default)]
pub struct Described {
    /// What it takes and gives; nothing if that cannot be read off.
    pub signature: Option<Signature>,
    /// What it is for: the comment above the line that names it.
    pub doc: String,
}

impl Vm {
    /// What a rule or an export takes and gives, and what it is for.
    pub fn described(&self, one: &Definition) -> Described {
        let host = self.host();
        let run = one.get("run").and_then(|run| run.as_fn());
        let signature = run.and_then(|run| host.signature_at(&run.place));
        let said = one.get("doc").and_then(|doc| doc.as_text()).map(str::to_owned);
        Described { signature, doc: said.unwrap_or_else(|| host.comment_above(&one.place)) }
    }

    /// What the function takes and gives that begins at a place.
    pub fn signature_at(&self, place: &Place) -> Option<Signature> {
        self.host().signature_at(place)
    }

    /// What a type of that name means in a file.
    pub fn type_named(&self, owner: &str, file: &str, name: &str) -> Option<FieldType> {
        let text = self.host().sources.text(owner, file).map_or("", |text| text);
        self.host().type_named(text, name, NAMES)
    }

    /// The types that mods export, `export type Round = …`, in the order of names.
    pub fn exported_types(&self) -> Vec<(&str, FieldType)> {
        let host = self.host();
        let meant = |name| Some((name, host.type_named(host.sources.typed(name)?, name, NAMES)?));
        host.sources.exporting().keys().map(String::as_str).filter_map(meant).collect()
    }

    /// The rule or export that a file of a mod means by a name, `rules.damage` or `fight.harm`.
    pub fn function_named(&self, caller: &str, name: &str) -> Option<&Definition> {
        let registry = self.registry();
        if let Some(rule) = name.strip_prefix("rules.") {
            let id = super::from_lua::rules::resolve(registry, caller, rule).ok()?;
            return registry.get("rule", &id);
        }
        let mut named = registry.every(EXPORT).filter(|one| one.id.name() == name);
        named.find(|one| self.host().environments.sees(caller, one.id.owner()))
    }
}

impl Host {
    /// What the function takes and gives that is written at a place.
    pub(super) fn signature_at(&self, place: &Place) -> Option<Signature> {
        let lines = self.sources.lines(&place.owner, &place.file)?;
        let start = lines.start((place.line as usize).checked_sub(1)?)?;
        let text: &str = lines.text();
        Signature::read(&text[start..], &|name| self.type_named(text, name, NAMES))
    }

    fn comment_above(&self, place: &Place) -> String {
        let Some(lines) = self.sources.lines(&place.owner, &place.file) else {
            return String::new();
        };
        let above = (0..(place.line as usize).saturating_sub(1)).rev();
        let said = above.map_while(|at| lines.line(at)?.trim_start().strip_prefix("--"));
        let mut said: Vec<&str> = said.map(str::trim).collect();
        // That is for `explore`.
        said.retain(|line| !line.starts_with("seldom:"));
        said.reverse();
        text::clean(&said.join(" "))
    }

    /// What a name of a type means: as the reference makes names of kinds, moments and the state, as the
    /// file itself declares it, or the host.
    fn type_named(&self, text: &str, name: &str, depth: usize) -> Option<FieldType> {
        let depth = depth.checked_sub(1)?;
        let of = |end: &str, known: &str| name.strip_suffix(end) == Some(&title(known));
        if name.ends_with("Event")
            && let Some(moment) =
                self.heard.moments.borrow().iter().find(|one| of("Event", &one.name))
        {
            return Some(FieldType::Record(moment.fields.clone()));
        }
        let shapes = &self.heard.declared.borrow().shapes;
        if let Some(field) = shapes.fields().iter().find(|one| of("State", &one.name)) {
            return Some(field.ty.clone());
        }
        if let Some(way) = name.strip_prefix("state.") {
            return match shapes.follow(&way_of(way)) {
                Come::To(ty) => Some(ty.clone()),
                _ => None,
            };
        }
        for kind in self.registry.get().iter().flat_map(|registry| registry.kinds()) {
            if of("Id", &kind.name) {
                return Some(FieldType::Ref(kind.name.to_string()));
            }
            if of("Name", &kind.name) {
                return Some(FieldType::Text);
            }
            if of("Definition", &kind.name) {
                let id = Field::new("id", FieldType::Text);
                return Some(FieldType::Record(kind.fields.iter().cloned().chain([id]).collect()));
            }
            // What is written may be short: a function in place of its table.
            if of("Body", &kind.name) {
                return Some(FieldType::map(FieldType::Any));
            }
        }
        let within =
            |text: &str| declared_type(text, name, &|name| self.type_named(text, name, depth));
        within(text).or_else(|| within(TYPES)).or_else(|| self.sources.typed(name).and_then(within))
    }

    /// An export as it is called where a run is held to what is declared.
    pub(crate) fn held_export(
        self: &Rc<Self>,
        lua: &Lua,
        id: &str,
        place: Option<Place>,
        function: Function,
    ) -> mlua::Result<Function> {
        let Some(place) = place.filter(|_| self.holds_calls.get()) else { return Ok(function) };
        let (host, called) = (self.clone(), HeldCall::new(id, place));
        luau::make(lua, Some(c"export"), function, move |stack| {
            called.look(&host, stack)?;
            pass_on(stack);
            called.look_back(&host, stack)?;
            Ok(stack.top())
        })
    }

    /// A function that others are wrapped around, or what is wrapped around it, with the look at what it is
    /// given and what it gives. `maker` says who wrote it; what `call` notes is known to all parts of the whole.
    pub(crate) fn held_part(
        self: &Rc<Self>,
        lua: &Lua,
        (called, layer): (HeldCall, Layer),
        call: &Rc<Cell<bool>>,
        function: Function,
    ) -> mlua::Result<Function> {
        let (host, call) = (self.clone(), call.clone());
        luau::make(lua, Some(c"part"), function, move |stack| {
            let _call = match layer {
                Layer::Outermost => Some(Noted::new(&call, called.suited(&host, stack))),
                Layer::Innermost | Layer::Between if call.get() => {
                    called.look(&host, stack)?;
                    None
                }
                _ => None,
            };
            pass_on(stack);
            match layer {
                // What it gives by itself is for its own tests to tell, and for nobody around it to answer for.
                Layer::Innermost if !host.holds.get() => {
                    call.set(call.get() && called.gave_well(&host, stack));
                }
                Layer::Innermost => called.look_back(&host, stack)?,
                _ if call.get() => called.look_back(&host, stack)?,
                _ => {}
            }
            Ok(stack.top())
        })
    }
}

/// Where a part of a function with others around it stands.
#[derive(Clone, Copy)]
pub(crate) enum Layer {
    /// It is what the others stand around.
    Innermost,
    /// One stands around it, and it around another.
    Between,
    /// It is called by whoever calls the whole.
    Outermost,
}

/// A call of a whole goes on, of which something is noted that was not of the one around it.
struct Noted<'c> {
    call: &'c Cell<bool>,
    before: bool,
}

impl<'c> Noted<'c> {
    fn new(call: &'c Cell<bool>, is: bool) -> Self {
        Self { call, before: call.replace(is) }
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.call.set(self.before);
    }
}

/// Calls the function that this one was made with, and leaves what it gives.
pub(crate) fn pass_on(stack: Stack<'_>) {
    let arguments = stack.top();
    stack.push_copy(luau::with(1));
    stack.insert(1);
    stack.call(arguments, luau::ALL);
}

/// A way through the state, as it is written: `run.rooms[""]`.
fn way_of(written: &str) -> Vec<Way> {
    let steps = written.split(['.', '[']);
    let way = |step: &str| match step.ends_with(']') {
        true => Way::Each,
        false => Way::Name(step.trim().to_owned()),
    };
    steps.map(way).collect()
}

/// A function whose calls are held to what it is declared with, where the run asks for that.
pub(crate) struct HeldCall {
    /// How it is called: `fight.harm`, `rules.damage`.
    name: String,
    place: Place,
    /// Where that is written which gives what is looked at.
    maker: Place,
    /// Whether it is looked at in any run.
    always: bool,
    signature: OnceCell<Option<Signature>>,
}

impl HeldCall {
    /// Of a function with this id, written here.
    pub(crate) fn new(id: &str, place: Place) -> Self {
        let name = id.split_once(':').map_or(id, |(_, name)| name).to_owned();
        Self { name, maker: place.clone(), place, always: false, signature: OnceCell::new() }
    }

    /// Of a part of one that others are wrapped around, written by `maker`: in every run.
    pub(crate) fn of_part(id: &str, place: Place, maker: Place) -> Self {
        Self { maker, always: true, ..Self::new(id, place) }
    }

    /// How it is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self, host: &Host) -> Option<&Signature> {
        // Builders are called before there is anything to hold them to.
        if !(self.always || host.holds.get()) || host.registry.get().is_none() {
            return None;
        }
        self.signature.get_or_init(|| host.signature_at(&self.place)).as_ref()
    }

    /// What of what the function is given does not suit it.
    fn misfit<'s>(
        host: &Host,
        stack: Stack<'_>,
        signature: &'s Signature,
    ) -> Option<(At, &'s Argument)> {
        let mut takes = (1..).zip(&signature.takes);
        takes.find(|(at, one)| !host.suits(stack, *at, &one.ty, one.optional))
    }

    /// Whether what the function is given suits it.
    fn suited(&self, host: &Host, stack: Stack<'_>) -> bool {
        let signature = self.signature(host);
        signature.is_none_or(|signature| Self::misfit(host, stack, signature).is_none())
    }

    /// Whether what the function gave is what it is said to give.
    fn gave_well(&self, host: &Host, stack: Stack<'_>) -> bool {
        let gives = self.signature(host).and_then(|signature| signature.gives.as_ref());
        gives.is_none_or(|(ty, optional)| host.suits(stack, 1, ty, *optional))
    }

    /// What the function is given suits it. Whoever calls it is to blame if not.
    pub(crate) fn look(&self, host: &Host, stack: Stack<'_>) -> Result<(), Fault> {
        let Some(signature) = self.signature(host) else { return Ok(()) };
        let Some((at, one)) = Self::misfit(host, stack, signature) else { return Ok(()) };
        let caller = host.place_of_caller(&host.lua());
        if caller.owner.is_empty() {
            return Ok(());
        }
        let found = format!("`{}` is given {} as `{}`", self.name, host.found(stack, at), one.name);
        Err(Problem::error("wrong-type", found)
            .at(caller)
            .expected(format!("`{}: {}`, as in {}{signature}", one.name, one.written, self.name))
            .by_way_of(self.place.clone())
            .into())
    }

    /// What the function gave suits what it is said to give. Whoever wrote it is to blame if not.
    pub(crate) fn look_back(&self, host: &Host, stack: Stack<'_>) -> Result<(), Fault> {
        let Some(signature) = self.signature(host) else { return Ok(()) };
        if self.gave_well(host, stack) {
            return Ok(());
        }
        let found = format!("`{}` gave {}", self.name, host.found(stack, 1));
        let problem = Problem::error("wrong-result", found)
            .at(self.maker.clone())
            .expected(format!("`{}`, as it says: {}{signature}", signature.written, self.name));
        Err(if self.maker == self.place { problem } else { problem.by_way_of(self.place.clone()) }
            .into())
    }
}

impl Host {
    /// Whether what stands there is of a type, as far as one look can tell: what lies in a table is held
    /// where it is written.
    fn suits(&self, stack: Stack<'_>, at: At, ty: &FieldType, optional: bool) -> bool {
        let kind = if at > stack.top() { Kind::Nil } else { stack.kind(at) };
        match (ty, kind) {
            (_, Kind::Nil) => optional,
            (FieldType::Any, _) | (FieldType::Fn, Kind::Function) => true,
            (FieldType::List(_) | FieldType::Map(_) | FieldType::Record(_), kind) => {
                matches!(kind, Kind::Table | Kind::Host)
            }
            (FieldType::Either(types), _) => {
                types.iter().any(|one| self.suits(stack, at, one, false))
            }
            (_, Kind::Bool | Kind::Number | Kind::Text) => {
                self.misfit(stack, at, ty, false).is_none()
            }
            _ => false,
        }
    }

    /// What stands there, in words.
    fn found(&self, stack: Stack<'_>, at: At) -> String {
        let kind = if at > stack.top() { Kind::Nil } else { stack.kind(at) };
        match kind {
            Kind::Nil => "nothing".to_owned(),
            Kind::Function => "a function".to_owned(),
            Kind::Bool | Kind::Number | Kind::Text => {
                let none = FieldType::OneOf(Vec::new().into());
                let misfit = self.misfit(stack, at, &none, false);
                misfit.and_then(|misfit| misfit.found).unwrap_or_else(|| "that".to_owned())
            }
            _ => "a table".to_owned(),
        }
    }
}
