//! `why`: where a definition comes from. For each field it shows the value, who set it where, and
//! the value before; for an event its hooks and where it is emitted; for a text where it is
//! written.

mod texts;

use std::collections::BTreeSet;

use serde_json::json;

use super::analysis::{self, FileSummary};
use super::format_data::{format_block, format_inline, to_json};
use super::{CommandContext, CommandOutcome, CommandResult, output};
use crate::CommandOutput;
use base::problem::nearest_name;
use base::{Code, Problem, SourceLocation};
use content::{
    ChangeAction, Definition, EXPORT_KIND, FieldType, HOST_MOD_ID, Kind, ProvenanceRecord,
    Registry, Signature, SourceFiles, unknown_kind_problem,
};
use mods::ModSet;
use script::{FunctionDoc, HookInfo, Vm};

/// The arguments of `why`.
#[derive(Clone, Debug, Default)]
pub struct WhyRequest {
    /// The kind, if one was named.
    pub kind: Option<String>,
    /// An id, a name of a definition, a kind or an event, or words of a text that is shown.
    pub name: String,
    /// Whether to print JSON.
    pub json: bool,
}

/// Shows where something comes from.
pub fn explain_origin(
    context: &CommandContext,
    request: &WhyRequest,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let refuse = |out: &mut dyn CommandOutput, outcome, problems: &[Problem]| {
        output::report_failure(out, request.json, outcome, problems)
    };
    let startup = match context.load_game() {
        Ok(startup) => startup,
        Err((outcome, problems)) => return refuse(out, outcome, &problems),
    };
    let library = LoadedMods::new(&startup.content.mods, &startup.vm);
    let definitions = library.find_definitions(request);
    let event = library.event_report(&request.name).filter(|_| request.kind.is_none());
    let of_kind = library.ids_of_kind(request);
    let is_name_known = !definitions.is_empty() || event.is_some() || of_kind.is_some();
    // A single word may be a misspelt name, so it matches only a whole text.
    let texts = match (is_name_known || request.kind.is_some(), request.name.contains(' ')) {
        (true, _) => Vec::new(),
        (false, true) => texts::texts_containing(&request.name, &startup.vm, &library.summaries),
        (false, false) => texts::texts_equal_to(&request.name, &startup.vm, &library.summaries),
    };
    if !is_name_known && texts.is_empty() {
        return refuse(out, CommandOutcome::UsageError, &[library.not_found_problem(request)]);
    }
    if request.json {
        let definitions: Vec<_> =
            definitions.iter().map(|one| library.definition_json(one)).collect();
        let page = json!({
            "definitions": definitions, "event": event, "kind": of_kind, "texts": texts
        });
        output::write_json(out, &page)?;
        return Ok(CommandOutcome::Ok);
    }
    for definition in definitions {
        library.write_definition(definition, out)?;
    }
    if let Some(event) = event {
        event.write_text(out)?;
    }
    texts::write_texts(&texts, out)?;
    if let Some(ids) = of_kind {
        let count = ids.len();
        output::write_line(out, &format!("kind \"{}\", definitions: {count}", request.name))?;
        ids.iter().try_for_each(|id| output::write_line(out, &format!("  {id}")))?;
    }
    Ok(CommandOutcome::Ok)
}

/// An event with its hooks.
#[derive(serde::Serialize)]
struct EventReport {
    event: String,
    /// Its description and where it is declared.
    doc: Option<(String, SourceLocation)>,
    /// The fields of the event: name, type, description.
    fields: Vec<(String, String, String)>,
    emitted_at: Vec<SourceLocation>,
    #[serde(rename = "before")]
    before_hooks: Vec<SourceLocation>,
    #[serde(rename = "after")]
    after_hooks: Vec<SourceLocation>,
}

/// Everything that is loaded.
struct LoadedMods<'t> {
    vm: &'t Vm,
    registry: &'t Registry,
    hooks: Vec<HookInfo>,
    events: Vec<Kind>,
    sources: &'t SourceFiles,
    summaries: Vec<FileSummary>,
}

impl<'t> LoadedMods<'t> {
    fn new(mods: &ModSet, vm: &'t Vm) -> Self {
        let facts = mods.mods.iter().flat_map(|source| analysis::analyze_mod(source).0).collect();
        let (hooks, moments, sources) = (vm.registered_hooks(), vm.declared_events(), vm.sources());
        Self { vm, registry: vm.registry(), hooks, events: moments, sources, summaries: facts }
    }

    /// The definitions with that id or name.
    fn find_definitions(&self, request: &WhyRequest) -> Vec<&'t Definition> {
        let exports = self.registry.kind(EXPORT_KIND);
        let kinds = self.registry.kinds().chain(exports);
        let kinds =
            kinds.filter(|kind| request.kind.as_deref().is_none_or(|wanted| wanted == &*kind.name));
        let all = kinds.flat_map(|kind| self.registry.all_definitions(&kind.name));
        let named =
            |one: &&Definition| one.id.as_str() == request.name || one.id.name() == request.name;
        all.filter(named).collect()
    }

    /// The ids of a kind, if a kind was asked for.
    fn ids_of_kind(&self, request: &WhyRequest) -> Option<Vec<String>> {
        let kind = self.registry.kind(&request.name).filter(|_| request.kind.is_none())?;
        Some(self.registry.all_definitions(&kind.name).map(|one| one.id.to_string()).collect())
    }

    fn emit_sites(&self) -> impl Iterator<Item = (&FileSummary, u32, &str)> {
        self.summaries.iter().flat_map(|facts| {
            let uses = facts.uses.events.iter();
            uses.filter(|one| ["emit", "preview"].contains(&one.host_function.as_str()))
                .filter_map(move |one| Some((facts, one.line, one.name.as_deref()?)))
        })
    }

    fn event_report(&self, name: &str) -> Option<EventReport> {
        let emitted_at = self.emit_sites().filter(|(_, _, event)| *event == name);
        let emitted_at: Vec<SourceLocation> =
            emitted_at.map(|(facts, line, _)| facts.place(line)).collect();
        let hooks = |before| {
            let hooks = self.hooks.iter();
            let here = hooks.filter(|hook| hook.event == name && hook.is_before == before);
            here.map(|hook| hook.place.clone()).collect::<Vec<_>>()
        };
        let (before, after) = (hooks(true), hooks(false));
        let declared = self.events.iter().find(|event| &*event.name == name);
        let bare = emitted_at.is_empty() && before.is_empty() && after.is_empty();
        let fields = declared.iter().flat_map(|event| event.fields.iter()).map(|field| {
            let holds = match &field.ty {
                FieldType::List(_) => "a list".to_owned(),
                FieldType::Record(fields) => {
                    let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
                    format!("a table of {}", names.join(", "))
                }
                other => other.to_string(),
            };
            let maybe = if field.is_optional { ", or nothing" } else { "" };
            (field.name.to_string(), holds + maybe, field.doc.clone())
        });
        let fields = fields.collect();
        let doc = declared.map(|event| (event.doc.clone(), event.place.clone()));
        (declared.is_some() || !bare).then(|| EventReport {
            event: name.to_owned(),
            doc,
            fields,
            emitted_at,
            before_hooks: before,
            after_hooks: after,
        })
    }

    fn not_found_problem(&self, request: &WhyRequest) -> Problem {
        let name = &request.name;
        if let Some(kind) =
            request.kind.as_deref().filter(|kind| self.registry.kind(kind).is_none())
        {
            return unknown_kind_problem(kind, self.registry.kinds());
        }
        let mut known = BTreeSet::new();
        for kind in self.registry.kinds().chain(self.registry.kind(EXPORT_KIND)) {
            if request.kind.as_deref().is_none_or(|wanted| wanted == &*kind.name) {
                let ids = self.registry.all_definitions(&kind.name).map(|one| one.id.as_str());
                known.extend(ids);
            }
        }
        let mut names: BTreeSet<&str> =
            known.iter().filter_map(|id| id.split_once(':')).map(|(_, name)| name).collect();
        if request.kind.is_none() {
            names.extend(self.hooks.iter().map(|hook| hook.event.as_str()));
            names.extend(self.events.iter().map(|event| &*event.name));
            names.extend(self.emit_sites().map(|(_, _, event)| event));
            names.extend(self.registry.kinds().map(|kind| &*kind.name));
        }
        let what = request.kind.as_deref().unwrap_or("definition, kind or event");
        let problem =
            Problem::error(Code::NoSuchDefinition, format!("there is no {what} \"{name}\""))
                .expected("an id such as \"mod:name\", a name, or words of a text that is shown");
        let bare = name.split_once(':').map_or(name.as_str(), |(_, name)| name);
        let same = known.iter().find(|id| id.ends_with(&format!(":{bare}"))).copied();
        let suggestion = same.or_else(|| nearest_name(name, known.iter().copied()));
        problem
            .hint("mods that are off are not loaded: add one with --with")
            .suggest_name(suggestion.or_else(|| nearest_name(bare, names)))
    }

    /// Who set a field, newest first, with the line of the field and the value before.
    fn field_origins(&self, definition: &Definition, field: &str) -> Vec<ProvenanceRecord> {
        let id = definition.id.as_str();
        let mut origins = self.registry.provenance(&definition.kind, id, field).unwrap_or_default();
        for origin in &mut origins {
            let is_whole_definition = matches!(
                origin.action,
                ChangeAction::Declared | ChangeAction::Default | ChangeAction::Replaced
            );
            if is_whole_definition {
                origin.place = self.sources.locate_field(&origin.place, &[field.to_owned()]);
            }
            if origin.action == ChangeAction::Replaced {
                origin.previous_value =
                    origin.previous_value.take().and_then(|before| before.get(field).cloned());
            }
        }
        // A replaced definition keeps nothing from before.
        let last = origins.iter().rposition(|origin| origin.action == ChangeAction::Replaced);
        if let Some(last) = last {
            // If the new one leaves a field out, its first origin is the default.
            let keep = usize::from(origins[0].action == ChangeAction::Default);
            origins.drain(keep..last);
            origins.swap(0, keep);
        }
        origins.retain(|origin| origin.action != ChangeAction::Retired);
        origins.reverse();
        origins
    }

    fn write_definition(
        &self,
        definition: &Definition,
        out: &mut dyn CommandOutput,
    ) -> std::io::Result<()> {
        output::write_line(out, &format!("{} \"{}\"", definition.kind, definition.id))?;
        output::write_line(out, &format!("  declared at {}", definition.place))?;
        if let Some((shape, doc)) = self.signature(definition) {
            let doc = if doc.is_empty() { doc } else { format!(": {doc}") };
            output::write_line(out, &format!("  {}{shape}{doc}", definition.id.name()))?;
        }
        for change in &definition.changes {
            if matches!(change.action, ChangeAction::Replaced | ChangeAction::Retired) {
                let what = change.action.display_name();
                output::write_line(
                    out,
                    &format!("  {what} by {} at {}", change.owner, change.place),
                )?;
            }
        }
        for (name, value) in &definition.fields {
            output::write_line(out, &format!("\n  {name} = {}", format_block(value, 2)))?;
            for origin in self.field_origins(definition, name) {
                output::write_line(out, &format!("      {}", origin_line(&origin, name)))?;
            }
        }
        output::write_line(out, "")
    }

    /// The signature and description of an export or a rule.
    fn signature(&self, definition: &Definition) -> Option<(Signature, String)> {
        let known = [EXPORT_KIND, "rule"].contains(&&*definition.kind);
        let FunctionDoc { signature, doc } = self.vm.function_doc(definition);
        signature.filter(|_| known).map(|signature| (signature, doc))
    }

    fn definition_json(&self, definition: &Definition) -> serde_json::Value {
        let fields = definition.fields.iter().map(|(name, value)| {
            let origins = self.field_origins(definition, name);
            let origins: Vec<_> = origins
                .iter()
                .map(|origin| {
                    json!({
                        "what": origin.action.display_name(), "path": origin.path, "mod": origin.owner,
                        "place": origin.place, "before": origin.previous_value.as_ref().map(to_json),
                    })
                })
                .collect();
            json!({ "name": **name, "value": to_json(value), "origins": origins })
        });
        json!({
            "kind": *definition.kind, "id": definition.id.as_str(), "place": definition.place,
            "retired": definition.is_retired, "fields": fields.collect::<Vec<_>>(),
        })
    }
}

fn origin_line(origin: &ProvenanceRecord, field: &str) -> String {
    let within = match origin.path == field || origin.path.is_empty() {
        true => String::new(),
        false => format!("{}: ", origin.path),
    };
    let what = match origin.action {
        ChangeAction::Declared => format!("declared at {}", origin.place),
        ChangeAction::Default if origin.owner == HOST_MOD_ID => {
            "default of the kind, built in".to_owned()
        }
        ChangeAction::Default => format!("default of the kind at {}", origin.place),
        other => {
            format!("{} by {} at {}", other.display_name(), origin.owner, origin.place)
        }
    };
    let before = match (&origin.previous_value, origin.action) {
        (Some(before), _) => format!(" (it was {})", format_inline(before)),
        (None, ChangeAction::Set | ChangeAction::SettledConflict) => " (it was not set)".to_owned(),
        (None, _) => String::new(),
    };
    format!("{within}{what}{before}")
}

impl EventReport {
    fn write_text(&self, out: &mut dyn CommandOutput) -> std::io::Result<()> {
        output::write_line(out, &format!("event \"{}\"", self.event))?;
        if let Some((doc, place)) = &self.doc {
            output::write_line(out, &format!("  {doc}; declared at {place}"))?;
        }
        for (name, holds, doc) in &self.fields {
            let doc = if doc.is_empty() { String::new() } else { format!(": {doc}") };
            output::write_line(out, &format!("  event.{name}, {holds}{doc}"))?;
        }
        for place in &self.emitted_at {
            output::write_line(out, &format!("  emitted at {place}"))?;
        }
        if self.emitted_at.is_empty() {
            output::write_line(out, "  no emit with this name in the scripts")?;
        }
        for (title, hooks) in [("before", &self.before_hooks), ("after", &self.after_hooks)] {
            for (index, place) in hooks.iter().enumerate() {
                let line = format!("  {title} {}. {place}", index + 1);
                output::write_line(out, &line)?;
            }
        }
        if self.before_hooks.is_empty() && self.after_hooks.is_empty() {
            output::write_line(out, "  no hooks")?;
        }
        output::write_line(out, "")
    }
}
