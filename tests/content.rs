//! Content: what definitions may contain, what other mods may change, and the Problems for mistakes
//! in either. The kinds are those of a harbour, so that no test depends on the bundled game.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine::base::lines::Lines;
use engine::base::{Problem, Severity, SourceLocation};
use engine::content::{
    ChangeAction, ChangeKind, ContentBuilder, Datum, DatumMap, DefinitionChange, DependencyMap,
    Field, FieldEdit, FieldType, FunctionRef, Kind, Registry, Sources,
};

/// The mods of these tests in load order: `gulls` and `tide` are independent, `storm` comes after
/// `gulls`.
const ORDER: [&str; 4] = ["harbour", "gulls", "storm", "tide"];

fn loader_context() -> DependencyMap {
    let set = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>();
    BTreeMap::from([
        ("harbour".to_owned(), set(&[])),
        ("gulls".to_owned(), set(&["harbour"])),
        ("storm".to_owned(), set(&["gulls", "harbour"])),
        ("tide".to_owned(), set(&["harbour"])),
    ])
}

fn location(owner: &str, line: u32) -> SourceLocation {
    SourceLocation::new(owner, "boats.luau", line)
}

fn function(owner: &str, line: u32) -> FunctionRef {
    FunctionRef::new(u64::from(line), location(owner, line))
}

/// A draft with the kinds `boat` and `knot`.
fn harbour() -> ContentBuilder {
    let mut draft = ContentBuilder::new();
    let crew = FieldType::Record(vec![
        Field::new("oars", FieldType::Int { min: Some(0), max: Some(8) }),
        Field::new("song", FieldType::Text).default(Datum::text("Heave")),
        Field::new("cook", FieldType::Text).optional(),
    ]);
    let names = ["red", "green"].map(str::to_owned).to_vec();
    let fields = vec![
        Field::new("name", FieldType::Text).doc("what is painted on the bow"),
        Field::new("length", FieldType::Int { min: Some(2), max: Some(40) }).default(Datum::Int(6)),
        Field::new("weight", FieldType::Number).optional(),
        Field::new("light", FieldType::OneOf(names.into())).optional(),
        Field::new("afloat", FieldType::Bool).default(Datum::Bool(true)),
        Field::new("towed_by", FieldType::Ref("boat".to_owned())).optional(),
        Field::new("tags", FieldType::list(FieldType::Text)).default(Datum::List(Vec::new())),
        Field::new("knots", FieldType::list(FieldType::Ref("knot".to_owned()))).optional(),
        Field::new("crew", crew).optional(),
        Field::new("sails", FieldType::map(FieldType::INT)).default(Datum::map_of([])),
        Field::new("on_wind", FieldType::Fn).optional(),
        Field::new("cargo", FieldType::Either(vec![FieldType::Text, FieldType::Bool])).optional(),
    ];
    draft.add_kind(Kind::new("boat", fields, location("harbour", 1)));
    let knot = vec![Field::new("loops", FieldType::INT)];
    draft.add_kind(Kind::new("knot", knot, location("harbour", 2)));
    draft
}

fn declare(draft: &mut ContentBuilder, owner: &str, line: u32, id: &str, fields: Datum) {
    draft.add(DefinitionChange::new(
        "boat",
        id,
        location(owner, line),
        ChangeKind::Declare(Some(fields)),
    ));
}

fn patch(
    draft: &mut ContentBuilder,
    owner: &str,
    line: u32,
    id: &str,
    edits: Vec<(&str, FieldEdit)>,
) {
    let edits = edits.into_iter().map(|(name, edit)| (Arc::from(name), edit)).collect();
    draft.add(DefinitionChange::new(
        "boat",
        id,
        location(owner, line),
        ChangeKind::Patch(Some(FieldEdit::Nested(edits))),
    ));
}

fn replace(draft: &mut ContentBuilder, owner: &str, line: u32, id: &str, body: Datum) {
    draft.add(DefinitionChange::new(
        "boat",
        id,
        location(owner, line),
        ChangeKind::Replace(Some(body)),
    ));
}

fn retire(draft: &mut ContentBuilder, owner: &str, line: u32, id: &str) {
    draft.add(DefinitionChange::new("boat", id, location(owner, line), ChangeKind::Retire));
}

fn skiff() -> Datum {
    Datum::map_of([
        ("name", Datum::text("Skiff")),
        ("tags", texts(&["small", "old"])),
        ("crew", Datum::map_of([("oars", Datum::Int(2))])),
        ("sails", Datum::map_of([("jib", Datum::Int(1))])),
        ("on_wind", Datum::Fn(Box::new(function("harbour", 12)))),
    ])
}

fn texts(words: &[&str]) -> Datum {
    Datum::List(words.iter().map(Datum::text).collect())
}

fn build(draft: ContentBuilder) -> (Option<Registry>, Vec<Problem>) {
    draft.build(&ORDER.map(str::to_owned), &loader_context())
}

fn build_registry(draft: ContentBuilder) -> Registry {
    let (registry, problems) = build(draft);
    assert_eq!(problems, Vec::new(), "{}", problem_text(&problems));
    registry.unwrap()
}

fn problem_text(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n\n")
}

fn build_error(draft: ContentBuilder) -> String {
    let (registry, problems) = build(draft);
    assert!(problems.iter().any(|problem| problem.severity == Severity::Error));
    assert!(registry.is_none(), "a draft with errors became a registry");
    problem_text(&problems)
}

/// The Problems of a boat with these fields beside its name.
fn build_error_with(fields: Vec<(&str, Datum)>) -> String {
    let mut draft = harbour();
    let name = ("name", Datum::text("Skiff"));
    declare(&mut draft, "harbour", 10, "skiff", Datum::map_of([name].into_iter().chain(fields)));
    build_error(draft)
}

#[test]
fn a_definition_has_its_fields_with_defaults_and_whole_references() {
    let mut draft = harbour();
    declare(&mut draft, "harbour", 10, "skiff", skiff());
    let towed = Datum::map_of([("name", Datum::text("Dinghy")), ("towed_by", Datum::text("punt"))]);
    declare(&mut draft, "gulls", 3, "dinghy", towed);
    let punt =
        Datum::map_of([("name", Datum::text("Punt")), ("towed_by", Datum::text("harbour:skiff"))]);
    declare(&mut draft, "gulls", 9, "punt", punt);
    let registry = build_registry(draft);

    let skiff = registry.get("boat", "harbour:skiff").unwrap();
    assert_eq!(skiff.get("length"), Some(&Datum::Int(6)));
    assert_eq!(skiff.get("crew").unwrap().get("song"), Some(&Datum::text("Heave")));
    assert_eq!(skiff.get("weight"), None);
    let dinghy = registry.get("boat", "gulls:dinghy").unwrap();
    assert_eq!(dinghy.get("towed_by"), Some(&Datum::text("gulls:punt")));
    let punt = registry.get("boat", "gulls:punt").unwrap();
    assert_eq!(punt.get("towed_by"), Some(&Datum::text("harbour:skiff")));
}

#[test]
fn a_body_that_is_no_table_stands_for_the_body_field_of_the_kind() {
    let mut draft = harbour();
    let body = Datum::Fn(Box::new(function("harbour", 4)));
    draft.add(DefinitionChange::new(
        "rule",
        "ebb",
        location("harbour", 4),
        ChangeKind::Declare(Some(body.clone())),
    ));
    let edit = ChangeKind::Patch(Some(FieldEdit::Wrap(function("gulls", 5))));
    draft.add(DefinitionChange::new("rule", "harbour:ebb", location("gulls", 5), edit));
    let registry = build_registry(draft);
    let run = registry.get("rule", "harbour:ebb").unwrap().get("run").unwrap();
    assert_eq!(run.as_fn().unwrap().wrappers, vec![function("gulls", 5)]);
    assert_eq!(run.as_fn().unwrap().place, location("harbour", 4));
}

#[test]
fn definitions_stand_in_the_order_of_mods_files_and_lines_however_they_were_added() {
    let declared = [
        ("harbour", "kinds/first.luau", 9, "zebra"),
        ("harbour", "a.luau", 20, "yawl"),
        ("harbour", "b.luau", 2, "xebec"),
        ("harbour", "b.luau", 10, "barge"),
        ("gulls", "a.luau", 1, "ark"),
        ("tide", "kinds/a.luau", 1, "wherry"),
    ];
    let mut digests = BTreeSet::new();
    for turn in 0..declared.len() {
        let mut draft = harbour();
        for index in 0..declared.len() {
            let (owner, file, line, id) = declared[(index * 5 + turn) % declared.len()];
            let body = ChangeKind::Declare(Some(Datum::map_of([("name", Datum::text(id))])));
            draft.add(DefinitionChange::new(
                "boat",
                id,
                SourceLocation::new(owner, file, line),
                body,
            ));
        }
        let registry = build_registry(draft);
        let names: Vec<&str> =
            registry.active_definitions("boat").map(|boat| boat.id.name()).collect();
        assert_eq!(names, ["zebra", "yawl", "xebec", "barge", "ark", "wherry"]);
        digests.insert(registry.digest());
    }
    assert_eq!(digests.len(), 1);
}

#[test]
fn patches_change_field_by_field_and_say_so() {
    let mut draft = harbour();
    declare(&mut draft, "harbour", 10, "skiff", skiff());
    let crew = FieldEdit::Set(Datum::map_of([("oars", Datum::Int(4))]));
    patch(
        &mut draft,
        "gulls",
        3,
        "harbour:skiff",
        vec![
            ("length", FieldEdit::Set(Datum::Int(9))),
            ("crew", crew),
            ("sails", FieldEdit::Add(Datum::map_of([("main", Datum::Int(2))]))),
            ("on_wind", FieldEdit::Wrap(function("gulls", 4))),
        ],
    );
    patch(
        &mut draft,
        "storm",
        1,
        "harbour:skiff",
        vec![
            ("length", FieldEdit::Set(Datum::Int(11))),
            ("tags", FieldEdit::Drop(texts(&["old"]))),
            ("on_wind", FieldEdit::Wrap(function("storm", 2))),
        ],
    );
    let registry = build_registry(draft);
    let skiff = registry.get("boat", "harbour:skiff").unwrap();
    assert_eq!(skiff.get("length"), Some(&Datum::Int(11)));
    assert_eq!(skiff.get("tags"), Some(&texts(&["small"])));
    let crew = skiff.get("crew").unwrap();
    assert_eq!(crew.get("oars"), Some(&Datum::Int(4)));
    assert_eq!(crew.get("song"), Some(&Datum::text("Heave")), "unnamed fields stay");
    assert_eq!(skiff.get("sails").unwrap().as_map().unwrap().len(), 2);
    let wrappers = &skiff.get("on_wind").unwrap().as_fn().unwrap().wrappers;
    assert_eq!(*wrappers, vec![function("gulls", 4), function("storm", 2)], "later outermost");

    let who = |path: &str| -> Vec<(String, ChangeAction, Option<Datum>)> {
        let origins = registry.provenance("boat", "harbour:skiff", path).unwrap();
        origins.into_iter().map(|origin| (origin.owner, origin.action, origin.before)).collect()
    };
    let by = |owner: &str| owner.to_owned();
    assert_eq!(
        who("length"),
        vec![
            (by("harbour"), ChangeAction::Default, None),
            (by("gulls"), ChangeAction::Set, Some(Datum::Int(6))),
            (by("storm"), ChangeAction::Set, Some(Datum::Int(9))),
        ]
    );
    assert_eq!(
        who("crew.oars"),
        vec![
            (by("harbour"), ChangeAction::Declared, None),
            (by("gulls"), ChangeAction::Set, Some(Datum::Int(2))),
        ]
    );
    assert_eq!(who("crew.song"), vec![(by("harbour"), ChangeAction::Default, None)]);
    assert_eq!(who("sails.main").last(), Some(&(by("gulls"), ChangeAction::Added, None)));
    assert_eq!(who("name"), vec![(by("harbour"), ChangeAction::Declared, None)]);
}

#[test]
fn additions_and_wrappings_by_strangers_compose_in_load_order() {
    let mut draft = harbour();
    declare(&mut draft, "harbour", 10, "skiff", skiff());
    for owner in ["tide", "gulls"] {
        patch(
            &mut draft,
            owner,
            3,
            "harbour:skiff",
            vec![
                ("tags", FieldEdit::Add(texts(&[owner]))),
                ("on_wind", FieldEdit::Wrap(function(owner, 4))),
                ("sails", FieldEdit::Add(Datum::map_of([(owner, Datum::Int(1))]))),
            ],
        );
    }
    let registry = build_registry(draft);
    let skiff = registry.get("boat", "harbour:skiff").unwrap();
    assert_eq!(skiff.get("tags"), Some(&texts(&["small", "old", "gulls", "tide"])));
    let wrappers = &skiff.get("on_wind").unwrap().as_fn().unwrap().wrappers;
    assert_eq!(*wrappers, vec![function("gulls", 4), function("tide", 4)]);
}

#[test]
fn a_replaced_definition_is_new_as_a_whole_and_remembers_the_old() {
    let mut draft = harbour();
    declare(&mut draft, "harbour", 10, "skiff", skiff());
    replace(
        &mut draft,
        "gulls",
        5,
        "harbour:skiff",
        Datum::map_of([("name", Datum::text("Tern"))]),
    );
    let registry = build_registry(draft);
    let tern = registry.get("boat", "harbour:skiff").unwrap();
    assert_eq!(tern.get("name"), Some(&Datum::text("Tern")));
    assert_eq!(tern.get("crew"), None);
    assert_eq!(tern.get("length"), Some(&Datum::Int(6)), "defaults stand in a replacement too");
    let origins = registry.provenance("boat", "harbour:skiff", "crew").unwrap();
    assert_eq!(origins[1].action, ChangeAction::Replaced);
    assert!(origins[1].before.as_ref().unwrap().get("crew").is_some());
}

#[test]
fn a_retired_definition_is_no_longer_drawn_but_can_still_be_read() {
    let mut draft = harbour();
    declare(&mut draft, "harbour", 10, "skiff", skiff());
    declare(&mut draft, "harbour", 20, "punt", skiff());
    retire(&mut draft, "gulls", 5, "harbour:skiff");
    let registry = build_registry(draft);
    let drawn: Vec<&str> = registry.active_definitions("boat").map(|boat| boat.id.name()).collect();
    assert_eq!(drawn, ["punt"]);
    assert!(registry.get("boat", "harbour:skiff").unwrap().retired);
    assert_eq!(registry.all_definitions("boat").count(), 2);
}

#[test]
fn an_optional_change_of_something_absent_is_forgotten() {
    let mut draft = harbour();
    for kind in ["boat", "no_such_kind"] {
        let retire = DefinitionChange::new(
            kind,
            "elsewhere:ghost",
            location("gulls", 5),
            ChangeKind::Retire,
        );
        draft.add(DefinitionChange { optional: true, ..retire });
    }
    assert_eq!(build_registry(draft).all_definitions("boat").count(), 0);
}

#[test]
fn items_are_dropped_by_their_value_their_reference_or_their_id() {
    let mut draft = harbour();
    let knot = |draft: &mut ContentBuilder, id: &str| {
        let body = ChangeKind::Declare(Some(Datum::map_of([("loops", Datum::Int(1))])));
        draft.add(DefinitionChange::new("knot", id, location("harbour", 3), body));
    };
    knot(&mut draft, "bowline");
    knot(&mut draft, "hitch");
    let knots = texts(&["bowline", "hitch"]);
    let boat = Datum::map_of([("name", Datum::text("Skiff")), ("knots", knots)]);
    declare(&mut draft, "harbour", 10, "skiff", boat);
    let drop = FieldEdit::Drop(texts(&["harbour:hitch"]));
    patch(&mut draft, "gulls", 1, "harbour:skiff", vec![("knots", drop)]);
    let scene = |owner: &str, line, choices| {
        let place = location(owner, line);
        let handler = Datum::Fn(Box::new(function(owner, line)));
        let body = Datum::map_of([("prompt", handler), ("choices", choices)]);
        DefinitionChange::new("scene", "quay", place, ChangeKind::Declare(Some(body)))
    };
    let choice = |id: &str| {
        let on = Datum::Fn(Box::new(function("harbour", 7)));
        Datum::map_of([("id", Datum::text(id)), ("label", Datum::text(id)), ("on", on)])
    };
    draft.add(scene("harbour", 6, Datum::List(vec![choice("fish"), choice("sleep")])));
    let edits = BTreeMap::from([(Arc::from("choices"), FieldEdit::Drop(texts(&["fish"])))]);
    let edit = ChangeKind::Patch(Some(FieldEdit::Nested(edits)));
    draft.add(DefinitionChange::new("scene", "harbour:quay", location("gulls", 8), edit));
    let registry = build_registry(draft);
    let skiff = registry.get("boat", "harbour:skiff").unwrap();
    assert_eq!(skiff.get("knots"), Some(&texts(&["harbour:bowline"])));
    let choices = registry.get("scene", "harbour:quay").unwrap().get("choices").unwrap();
    let ids: Vec<_> = choices.as_list().unwrap().iter().map(|one| one.get("id")).collect();
    assert_eq!(ids, vec![Some(&Datum::text("sleep"))]);
}

#[test]
fn a_set_that_undoes_a_strangers_addition_is_a_warning() {
    let mut draft = harbour();
    declare(&mut draft, "harbour", 10, "skiff", skiff());
    patch(
        &mut draft,
        "gulls",
        1,
        "harbour:skiff",
        vec![("tags", FieldEdit::Add(texts(&["white"])))],
    );
    patch(&mut draft, "tide", 2, "harbour:skiff", vec![("tags", FieldEdit::Set(texts(&["wet"])))]);
    let (registry, problems) = build(draft);
    assert!(registry.is_some());
    insta::assert_snapshot!("content_undone_change", problem_text(&problems));
}

#[test]
fn conflicts_are_named_with_both_locations() {
    let mut draft = harbour();
    for (index, id) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        declare(&mut draft, "harbour", 10 + index as u32, id, skiff());
    }
    let crew = |oars| FieldEdit::Set(Datum::map_of([("oars", Datum::Int(oars))]));
    patch(&mut draft, "gulls", 1, "harbour:a", vec![("crew", crew(3))]);
    patch(&mut draft, "tide", 1, "harbour:a", vec![("crew", crew(5))]);
    retire(&mut draft, "gulls", 2, "harbour:b");
    patch(&mut draft, "tide", 2, "harbour:b", vec![("length", FieldEdit::Set(Datum::Int(3)))]);
    replace(&mut draft, "gulls", 3, "harbour:c", skiff());
    replace(&mut draft, "tide", 3, "harbour:c", skiff());
    patch(&mut draft, "gulls", 4, "harbour:d", vec![("tags", FieldEdit::Drop(texts(&["old"])))]);
    patch(&mut draft, "tide", 4, "harbour:d", vec![("tags", FieldEdit::Add(texts(&["wet"])))]);
    // no conflict: storm comes after gulls
    patch(&mut draft, "gulls", 5, "harbour:e", vec![("length", FieldEdit::Set(Datum::Int(3)))]);
    patch(&mut draft, "storm", 5, "harbour:e", vec![("length", FieldEdit::Set(Datum::Int(4)))]);
    // no conflict: other keys of one table
    let sail = |name| FieldEdit::Set(Datum::map_of([(name, Datum::Int(4))]));
    patch(&mut draft, "gulls", 6, "harbour:e", vec![("sails", sail("jib"))]);
    patch(&mut draft, "tide", 6, "harbour:e", vec![("sails", sail("main"))]);
    insta::assert_snapshot!("content_clashes", build_error(draft));
}

#[test]
fn a_value_that_does_not_fit_its_field_is_reported() {
    let function = || Datum::Fn(Box::new(function("harbour", 12)));
    let cases: Vec<(&str, Datum)> = vec![
        ("lenght", Datum::Int(4)),
        ("length", Datum::text("4")),
        ("length", Datum::Int(41)),
        ("length", Datum::Num(2.5)),
        ("weight", function()),
        ("light", Datum::text("gren")),
        ("afloat", Datum::Int(1)),
        ("tags", Datum::List(vec![Datum::text("a"), Datum::Bool(false)])),
        ("tags", Datum::map_of([("a", Datum::text("b"))])),
        ("crew", Datum::map_of([("song", Datum::text("Ho"))])),
        ("crew", Datum::map_of([("oars", Datum::Int(9)), ("cock", Datum::text("Ann"))])),
        ("sails", Datum::map_of([("jib", Datum::text("large"))])),
        ("on_wind", Datum::text("luff")),
        ("cargo", Datum::Int(3)),
        ("cargo", Datum::text("salt\u{1b}[2J")),
        ("name", Datum::text("Ski\u{202e}ff")),
    ];
    let told: Vec<String> =
        cases.into_iter().map(|(name, datum)| build_error_with(vec![(name, datum)])).collect();
    insta::assert_snapshot!("content_wrong_fields", told.join("\n\n"));
}

#[test]
fn unknown_references_are_reported_with_suggestions() {
    let mut draft = harbour();
    declare(&mut draft, "harbour", 10, "skiff", skiff());
    for (index, id) in ["harbour:skif", "skiff", "Skiff!", "harbour:galleon"].iter().enumerate() {
        let fields = Datum::map_of([("name", Datum::text("x")), ("towed_by", Datum::text(id))]);
        declare(&mut draft, "gulls", 20 + index as u32, &format!("boat_{index}"), fields);
    }
    insta::assert_snapshot!("content_bad_references", build_error(draft));
}

#[test]
fn invalid_declarations_are_reported() {
    let mut draft = harbour();
    declare(&mut draft, "harbour", 10, "skiff", skiff());
    declare(&mut draft, "harbour", 11, "skiff", skiff());
    declare(&mut draft, "gulls", 1, "harbour:punt", skiff());
    declare(&mut draft, "gulls", 2, "Big Boat", skiff());
    declare(&mut draft, "gulls", 3, "nameless", Datum::map_of([]));
    declare(&mut draft, "gulls", 4, "wordy", Datum::text("Wordy"));
    let open = |kind: &str, line| {
        DefinitionChange::new(kind, "open", location("gulls", line), ChangeKind::Declare(None))
    };
    draft.add(open("boat", 5));
    draft.add(open("rule", 6));
    draft.add(open("baot", 7));
    draft.add_kind(Kind::new("boat", Vec::new(), location("gulls", 8)));
    draft.add_kind(Kind::new("scene", Vec::new(), location("gulls", 9)));
    let quay = vec![
        Field::new("id", FieldType::Text),
        Field::new("boats", FieldType::list(FieldType::Ref("bota".to_owned()))),
        Field::new("depth", FieldType::Int { min: Some(1), max: None }).default(Datum::Int(0)),
    ];
    draft.add_kind(Kind::new("quay", quay, location("gulls", 10)));
    insta::assert_snapshot!("content_bad_declarations", build_error(draft));
}

#[test]
fn changes_of_unknown_targets_are_reported() {
    let mut draft = harbour();
    declare(&mut draft, "harbour", 10, "skiff", skiff());
    let patches: Vec<(&str, FieldEdit)> = vec![
        ("lenght", FieldEdit::Set(Datum::Int(3))),
        ("length", FieldEdit::Set(Datum::Int(300))),
        ("length", FieldEdit::Add(texts(&["x"]))),
        ("tags", FieldEdit::Add(Datum::List(vec![Datum::Int(1)]))),
        ("tags", FieldEdit::Drop(texts(&["new"]))),
        ("tags", FieldEdit::Drop(Datum::text("old"))),
        ("tags", FieldEdit::Wrap(function("gulls", 3))),
        ("sails", FieldEdit::Add(Datum::map_of([("jib", Datum::Int(2))]))),
        ("sails", FieldEdit::Drop(texts(&["jip"]))),
        ("crew", FieldEdit::Drop(texts(&["oars"]))),
        ("crew", FieldEdit::Set(Datum::map_of([("ores", Datum::Int(2))]))),
        ("light", FieldEdit::Drop(texts(&["red"]))),
        ("weight", FieldEdit::Wrap(function("gulls", 3))),
    ];
    for (index, edit) in patches.into_iter().enumerate() {
        patch(&mut draft, "gulls", 1 + index as u32, "harbour:skiff", vec![edit]);
    }
    retire(&mut draft, "storm", 1, "harbour:skif");
    retire(&mut draft, "storm", 2, "abroad:galleon");
    retire(&mut draft, "storm", 3, "harbour:galleon");
    draft.add(DefinitionChange::new(
        "boat",
        "harbour:skiff",
        location("storm", 4),
        ChangeKind::Patch(None),
    ));
    replace(&mut draft, "storm", 5, "harbour:skiff", Datum::map_of([("length", Datum::Int(3))]));
    insta::assert_snapshot!("content_bad_changes", build_error(draft));
}

#[test]
fn problems_stand_at_the_line_of_the_field() {
    let source = r#"-- boats
boat "skiff" { -- lenght = is not here
  name = "a name = 'x', length = 1",
  crew = {
    song = [[
      oars = in a long text ]],
    oars = 2 + f(2, { oars = 3 }),
  },
  choices = { check "a" { full = { length = 4 } } },
  ["sails"] = {
    jib = 1,
    ["main"] = "x",
  },
  length = 50, lenght = 4,
}

boat "punt" {
  lenght = 5,
}
"#;
    let mut draft = harbour();
    let mut sources = Sources::default();
    sources.add("harbour", "boats.luau", source.into());
    draft.set_sources(sources);
    let crew = Datum::map_of([("oars", Datum::Int(99))]);
    let sails = Datum::map_of([("jib", Datum::Int(1)), ("main", Datum::text("x"))]);
    let fields = Datum::map_of([
        ("name", Datum::text("x")),
        ("crew", crew),
        ("sails", sails),
        ("length", Datum::Int(50)),
        ("lenght", Datum::Int(4)),
    ]);
    declare(&mut draft, "harbour", 2, "skiff", fields);
    declare(&mut draft, "harbour", 17, "punt", Datum::map_of([("lenght", Datum::Int(4))]));
    insta::assert_snapshot!("content_lines_of_fields", build_error(draft));
}

#[test]
fn the_hosts_own_kinds_are_there() {
    let registry = build_registry(harbour());
    let names: Vec<&str> =
        registry.kinds().filter(|kind| kind.builtin).map(|kind| &*kind.name).collect();
    let expected = [
        "achievement",
        "bot",
        "case",
        "fact",
        "group",
        "option",
        "page",
        "rule",
        "sample",
        "scene",
        "stage",
        "title",
        "view",
    ];
    assert_eq!(names, expected);
}

#[test]
fn lines_are_found_by_number_and_by_byte() {
    let lines = Lines::new("one\n\nthree\n".into());
    let all: Vec<_> = (0..5).map(|line| lines.line(line)).collect();
    assert_eq!(all, [Some("one"), Some(""), Some("three"), Some(""), None]);
    assert_eq!([0, 3, 4, 5, 10, 11].map(|at| lines.line_at(at)), [0, 0, 1, 2, 2, 3]);
}

#[test]
fn names_are_in_order_and_the_last_of_several_counts() {
    let pair = |(name, number): (&str, i64)| (Arc::from(name), Datum::Int(number));
    let mut fields: DatumMap = [("oar", 1), ("mast", 2), ("oar", 3), ("keel", 4), ("oar", 5)]
        .map(pair)
        .into_iter()
        .collect();
    let shown = |fields: &DatumMap| format!("{fields:?}");
    assert_eq!(shown(&fields), r#"{"keel": Int(4), "mast": Int(2), "oar": Int(5)}"#);
    assert_eq!(fields.insert("keel".into(), Datum::Int(6)), Some(Datum::Int(4)));
    assert_eq!(fields.insert("helm".into(), Datum::Int(7)), None);
    assert_eq!(fields.remove("mast"), Some(Datum::Int(2)));
    assert_eq!(fields.remove("mast"), None);
    assert_eq!(shown(&fields), r#"{"helm": Int(7), "keel": Int(6), "oar": Int(5)}"#);
    assert_eq!((fields.get("oar"), fields.get("sail")), (Some(&Datum::Int(5)), None));
    assert!(fields.contains_key("helm") && fields.len() == 3 && !fields.is_empty());
}
