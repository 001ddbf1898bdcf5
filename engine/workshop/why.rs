//! `why`: where a definition comes from. For each field it shows the value, who set it where, and
//! the value before; for an event its hooks and where it is emitted; for a text where it is
//! written.

mod texts;

use std::collections::BTreeSet;

use serde_json::json;

use super::lua::{self, Facts};
use super::shown::{as_json, inline, written};
use super::{Bench, Done, Outcome, told};
use crate::content::{
    Definition, EXPORT, FieldType, HOST, Kind, Origin, Registry, Signature, Sources, What,
};
use crate::kit::problem::nearest;
use crate::kit::{Place, Problem};
use crate::mods::ModSet;
use crate::script::{Described, HookLine, Vm};
use crate::workshop::Out;

/// The arguments of `why`.
#[derive(Clone, Debug, Default)]
pub struct Why {
    /// The kind, if one was named.
    pub kind: Option<String>,
    /// An id, a name of a definition, a kind or an event, or words of a text that is shown.
    pub name: String,
    /// Whether to print JSON.
    pub json: bool,
}

/// Shows where something comes from.
pub fn why(bench: &Bench, asked: &Why, out: &mut dyn Out) -> Done {
    let refuse = |out: &mut dyn Out, outcome, problems: &[Problem]| {
        told::refuse(out, asked.json, outcome, problems)
    };
    let startup = match bench.start_up() {
        Ok(startup) => startup,
        Err((outcome, problems)) => return refuse(out, outcome, &problems),
    };
    let library = Library::new(&startup.content.mods, &startup.vm);
    let definitions = library.definitions(asked);
    let moment = library.moment(&asked.name).filter(|_| asked.kind.is_none());
    let of_kind = library.of_kind(asked);
    let named = !definitions.is_empty() || moment.is_some() || of_kind.is_some();
    // A single word may be a misspelt name, so it matches only a whole text.
    let texts = match (named || asked.kind.is_some(), asked.name.contains(' ')) {
        (true, _) => Vec::new(),
        (false, true) => texts::holding(&asked.name, &startup.vm, &library.facts),
        (false, false) => texts::saying(&asked.name, &startup.vm, &library.facts),
    };
    if !named && texts.is_empty() {
        return refuse(out, Outcome::Usage, &[library.unknown(asked)]);
    }
    if asked.json {
        let definitions: Vec<_> = definitions.iter().map(|one| library.page(one)).collect();
        let page = json!({
            "definitions": definitions, "event": moment, "kind": of_kind, "texts": texts
        });
        told::json(out, &page)?;
        return Ok(Outcome::Ok);
    }
    for definition in definitions {
        library.tell(definition, out)?;
    }
    if let Some(moment) = moment {
        moment.tell(out)?;
    }
    texts::tell(&texts, out)?;
    if let Some(ids) = of_kind {
        let count = ids.len();
        told::line(out, &format!("kind \"{}\", {count} definitions:", asked.name))?;
        ids.iter().try_for_each(|id| told::line(out, &format!("  {id}")))?;
    }
    Ok(Outcome::Ok)
}

/// An event with its hooks.
#[derive(serde::Serialize)]
struct Moment {
    moment: String,
    /// Its description and where it is declared.
    doc: Option<(String, Place)>,
    /// The fields of the event: name, type, description.
    fields: Vec<(String, String, String)>,
    announced: Vec<Place>,
    before: Vec<Place>,
    after: Vec<Place>,
}

/// Everything that is loaded.
struct Library<'t> {
    vm: &'t Vm,
    registry: &'t Registry,
    hooks: Vec<HookLine>,
    moments: Vec<Kind>,
    sources: &'t Sources,
    facts: Vec<Facts>,
}

impl<'t> Library<'t> {
    fn new(mods: &ModSet, vm: &'t Vm) -> Self {
        let facts = mods.mods.iter().flat_map(|source| lua::read(source).0).collect();
        let (hooks, moments, sources) = (vm.hooks(), vm.moments(), vm.sources());
        Self { vm, registry: vm.registry(), hooks, moments, sources, facts }
    }

    /// The definitions with that id or name.
    fn definitions(&self, asked: &Why) -> Vec<&'t Definition> {
        let exports = self.registry.kind(EXPORT);
        let kinds = self.registry.kinds().chain(exports);
        let kinds =
            kinds.filter(|kind| asked.kind.as_deref().is_none_or(|wanted| wanted == &*kind.name));
        let all = kinds.flat_map(|kind| self.registry.every(&kind.name));
        let named =
            |one: &&Definition| one.id.as_str() == asked.name || one.id.name() == asked.name;
        all.filter(named).collect()
    }

    /// The ids of a kind, if a kind was asked for.
    fn of_kind(&self, asked: &Why) -> Option<Vec<String>> {
        let kind = self.registry.kind(&asked.name).filter(|_| asked.kind.is_none())?;
        Some(self.registry.every(&kind.name).map(|one| one.id.to_string()).collect())
    }

    fn announced(&self) -> impl Iterator<Item = (&Facts, u32, &str)> {
        self.facts.iter().flat_map(|facts| {
            let words = facts.words.iter();
            words
                .filter(|word| ["emit", "preview"].contains(&word.callee.as_str()))
                .map(move |word| (facts, word.line, word.text.as_str()))
        })
    }

    fn moment(&self, name: &str) -> Option<Moment> {
        let announced = self.announced().filter(|(_, _, moment)| *moment == name);
        let announced: Vec<Place> = announced.map(|(facts, line, _)| facts.place(line)).collect();
        let hooks = |before| {
            let hooks = self.hooks.iter();
            let here = hooks.filter(|hook| hook.moment == name && hook.before == before);
            here.map(|hook| hook.place.clone()).collect::<Vec<_>>()
        };
        let (before, after) = (hooks(true), hooks(false));
        let declared = self.moments.iter().find(|moment| &*moment.name == name);
        let bare = announced.is_empty() && before.is_empty() && after.is_empty();
        let fields = declared.iter().flat_map(|moment| &moment.fields).map(|field| {
            let holds = match &field.ty {
                FieldType::List(_) => "a list".to_owned(),
                FieldType::Record(fields) => {
                    let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
                    format!("a table of {}", names.join(", "))
                }
                other => other.to_string(),
            };
            let maybe = if field.optional { ", or nothing" } else { "" };
            (field.name.to_string(), holds + maybe, field.doc.clone())
        });
        let fields = fields.collect();
        let doc = declared.map(|moment| (moment.doc.clone(), moment.place.clone()));
        (declared.is_some() || !bare).then(|| Moment {
            moment: name.to_owned(),
            doc,
            fields,
            announced,
            before,
            after,
        })
    }

    fn unknown(&self, asked: &Why) -> Problem {
        let name = &asked.name;
        let kinds: Vec<&str> = self.registry.kinds().map(|kind| &*kind.name).collect();
        if let Some(kind) = asked.kind.as_deref().filter(|kind| self.registry.kind(kind).is_none())
        {
            let problem = Problem::error("unknown-kind", format!("there is no kind \"{kind}\""))
                .expected(format!("one of {}", kinds.join(", ")));
            return problem.did_you_mean(nearest(kind, kinds));
        }
        let mut known = BTreeSet::new();
        for kind in self.registry.kinds().chain(self.registry.kind(EXPORT)) {
            if asked.kind.as_deref().is_none_or(|wanted| wanted == &*kind.name) {
                let ids = self.registry.every(&kind.name).map(|one| one.id.as_str());
                known.extend(ids);
            }
        }
        let mut names: BTreeSet<&str> =
            known.iter().filter_map(|id| id.split_once(':')).map(|(_, name)| name).collect();
        if asked.kind.is_none() {
            names.extend(self.hooks.iter().map(|hook| hook.moment.as_str()));
            names.extend(self.moments.iter().map(|moment| &*moment.name));
            names.extend(self.announced().map(|(_, _, moment)| moment));
            names.extend(kinds);
        }
        let what = asked.kind.as_deref().unwrap_or("definition, kind or event");
        let problem =
            Problem::error("no-such-definition", format!("there is no {what} \"{name}\""))
                .expected("an id such as \"mod:name\", a name, or words of a text that is shown");
        let bare = name.split_once(':').map_or(name.as_str(), |(_, name)| name);
        let same = known.iter().find(|id| id.ends_with(&format!(":{bare}"))).copied();
        let meant = same.or_else(|| nearest(name, known.iter().copied()));
        problem
            .hint("mods that are off are not loaded: add one with --with")
            .did_you_mean(meant.or_else(|| nearest(bare, names)))
    }

    /// Who set a field, newest first, with the line of the field and the value before.
    fn origins(&self, definition: &Definition, field: &str) -> Vec<Origin> {
        let id = definition.id.as_str();
        let mut origins = self.registry.provenance(&definition.kind, id, field).unwrap_or_default();
        for origin in &mut origins {
            let whole = matches!(origin.what, What::Declared | What::Default | What::Replaced);
            if whole {
                origin.place = self.sources.field(&origin.place, &[field.to_owned()]);
            }
            if origin.what == What::Replaced {
                origin.before = origin.before.take().and_then(|before| before.get(field).cloned());
            }
        }
        // A replaced definition keeps nothing from before.
        let last = origins.iter().rposition(|origin| origin.what == What::Replaced);
        if let Some(last) = last {
            // If the new one leaves a field out, its first origin is the default.
            let keep = usize::from(origins[0].what == What::Default);
            origins.drain(keep..last);
            origins.swap(0, keep);
        }
        origins.retain(|origin| origin.what != What::Retired);
        origins.reverse();
        origins
    }

    fn tell(&self, definition: &Definition, out: &mut dyn Out) -> std::io::Result<()> {
        told::line(out, &format!("{} \"{}\"", definition.kind, definition.id))?;
        told::line(out, &format!("  declared at {}", definition.place))?;
        if let Some((shape, doc)) = self.signature(definition) {
            let doc = if doc.is_empty() { doc } else { format!(": {doc}") };
            told::line(out, &format!("  {}{shape}{doc}", definition.id.name()))?;
        }
        for change in &definition.changes {
            if matches!(change.what, What::Replaced | What::Retired) {
                let what = change.what.word();
                told::line(out, &format!("  {what} by {} at {}", change.owner, change.place))?;
            }
        }
        for (name, value) in &definition.fields {
            told::line(out, &format!("\n  {name} = {}", written(value, 2)))?;
            for origin in self.origins(definition, name) {
                told::line(out, &format!("      {}", origin_line(&origin, name)))?;
            }
        }
        told::line(out, "")
    }

    /// The signature and description of an export or a rule.
    fn signature(&self, definition: &Definition) -> Option<(Signature, String)> {
        let known = [EXPORT, "rule"].contains(&&*definition.kind);
        let Described { signature, doc } = self.vm.described(definition);
        signature.filter(|_| known).map(|signature| (signature, doc))
    }

    fn page(&self, definition: &Definition) -> serde_json::Value {
        let fields = definition.fields.iter().map(|(name, value)| {
            let origins = self.origins(definition, name);
            let origins: Vec<_> = origins
                .iter()
                .map(|origin| {
                    json!({
                        "what": origin.what.word(), "path": origin.path, "mod": origin.owner,
                        "place": origin.place, "before": origin.before.as_ref().map(as_json),
                    })
                })
                .collect();
            json!({ "name": **name, "value": as_json(value), "origins": origins })
        });
        json!({
            "kind": *definition.kind, "id": definition.id.as_str(), "place": definition.place,
            "retired": definition.retired, "fields": fields.collect::<Vec<_>>(),
        })
    }
}

fn origin_line(origin: &Origin, field: &str) -> String {
    let within = match origin.path == field || origin.path.is_empty() {
        true => String::new(),
        false => format!("{}: ", origin.path),
    };
    let what = match origin.what {
        What::Declared => format!("declared at {}", origin.place),
        What::Default if origin.owner == HOST => "default of the kind, built in".to_owned(),
        What::Default => format!("default of the kind at {}", origin.place),
        other => format!("{} by {} at {}", other.word(), origin.owner, origin.place),
    };
    let before = match (&origin.before, origin.what) {
        (Some(before), _) => format!(" (it was {})", inline(before)),
        (None, What::Set | What::Resolved) => " (it was not set)".to_owned(),
        (None, _) => String::new(),
    };
    format!("{within}{what}{before}")
}

impl Moment {
    fn tell(&self, out: &mut dyn Out) -> std::io::Result<()> {
        told::line(out, &format!("event \"{}\"", self.moment))?;
        if let Some((doc, place)) = &self.doc {
            told::line(out, &format!("  {doc}; declared at {place}"))?;
        }
        for (name, holds, doc) in &self.fields {
            let doc = if doc.is_empty() { String::new() } else { format!(": {doc}") };
            told::line(out, &format!("  event.{name}, {holds}{doc}"))?;
        }
        for place in &self.announced {
            told::line(out, &format!("  emitted at {place}"))?;
        }
        if self.announced.is_empty() {
            told::line(out, "  no emit with this name in the scripts")?;
        }
        for (title, hooks) in [("before", &self.before), ("after", &self.after)] {
            for (index, place) in hooks.iter().enumerate() {
                let line = format!("  {title} {}. {place}", index + 1);
                told::line(out, &line)?;
            }
        }
        if self.before.is_empty() && self.after.is_empty() {
            told::line(out, "  no hooks")?;
        }
        told::line(out, "")
    }
}
