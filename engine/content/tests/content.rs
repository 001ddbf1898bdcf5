//! Content: what definitions may contain, what other mods may change, and the Problems for mistakes
//! in either. The kinds are those of a harbour, so that no test depends on the bundled game.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::line_index::LineIndexedText;
use base::{Problem, Severity, SourceLocation};
use content::{
    ChangeAction, ChangeKind, ContentBuilder, Datum, DatumMap, DefinitionChange, DependencyMap,
    Field, FieldEdit, FieldType, FunctionRef, Kind, Registry, SourceFiles,
};

/// The mods of these tests in load order: `gulls` and `tide` are independent, `storm` comes after
/// `gulls`.
const LOAD_ORDER: [&str; 4] = ["harbour", "gulls", "storm", "tide"];

fn dependency_map() -> DependencyMap {
    let id_set = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>();
    BTreeMap::from([
        ("harbour".to_owned(), id_set(&[])),
        ("gulls".to_owned(), id_set(&["harbour"])),
        ("storm".to_owned(), id_set(&["gulls", "harbour"])),
        ("tide".to_owned(), id_set(&["harbour"])),
    ])
}

fn location(owner: &str, line: u32) -> SourceLocation {
    SourceLocation::new(owner, "boats.luau", line)
}

fn function_ref(owner: &str, line: u32) -> FunctionRef {
    FunctionRef::new(u64::from(line), location(owner, line))
}

/// A draft with the kinds `boat` and `knot`.
fn harbour_builder() -> ContentBuilder {
    let mut builder = ContentBuilder::new();
    let crew = FieldType::Record(
        vec![
            Field::new("oars", FieldType::Int { min: Some(0), max: Some(8) }),
            Field::new("song", FieldType::Text).with_default(Datum::text("Heave")),
            Field::new("cook", FieldType::Text).into_optional(),
        ]
        .into(),
    );
    let names = ["red", "green"].map(str::to_owned).to_vec();
    let fields = vec![
        Field::new("name", FieldType::Text).with_doc("what is painted on the bow"),
        Field::new("length", FieldType::Int { min: Some(2), max: Some(40) })
            .with_default(Datum::Int(6)),
        Field::new("weight", FieldType::Number).into_optional(),
        Field::new("light", FieldType::one_of(names)).into_optional(),
        Field::new("afloat", FieldType::Bool).with_default(Datum::Bool(true)),
        Field::new("towed_by", FieldType::Ref("boat".to_owned())).into_optional(),
        Field::new("tags", FieldType::list(FieldType::Text)).with_default(Datum::List(Vec::new())),
        Field::new("knots", FieldType::list(FieldType::Ref("knot".to_owned()))).into_optional(),
        Field::new("crew", crew).into_optional(),
        Field::new("sails", FieldType::map(FieldType::INT)).with_default(Datum::map_of([])),
        Field::new("on_wind", FieldType::Fn).into_optional(),
        Field::new("cargo", FieldType::Either(vec![FieldType::Text, FieldType::Bool].into()))
            .into_optional(),
    ];
    builder.add_kind(Kind::new("boat", fields, location("harbour", 1)));
    let knot_fields = vec![Field::new("loops", FieldType::INT)];
    builder.add_kind(Kind::new("knot", knot_fields, location("harbour", 2)));
    builder
}

fn declare(builder: &mut ContentBuilder, owner: &str, line: u32, id: &str, fields: Datum) {
    builder.add_change(DefinitionChange::new(
        "boat",
        id,
        location(owner, line),
        ChangeKind::Declare(Some(fields)),
    ));
}

fn patch(
    builder: &mut ContentBuilder,
    owner: &str,
    line: u32,
    id: &str,
    edits: Vec<(&str, FieldEdit)>,
) {
    let edits = edits.into_iter().map(|(name, edit)| (Arc::from(name), edit)).collect();
    builder.add_change(DefinitionChange::new(
        "boat",
        id,
        location(owner, line),
        ChangeKind::Patch(Some(FieldEdit::Nested(edits))),
    ));
}

fn replace(builder: &mut ContentBuilder, owner: &str, line: u32, id: &str, body: Datum) {
    builder.add_change(DefinitionChange::new(
        "boat",
        id,
        location(owner, line),
        ChangeKind::Replace(Some(body)),
    ));
}

fn retire(builder: &mut ContentBuilder, owner: &str, line: u32, id: &str) {
    builder.add_change(DefinitionChange::new(
        "boat",
        id,
        location(owner, line),
        ChangeKind::Retire,
    ));
}

fn skiff_fields() -> Datum {
    Datum::map_of([
        ("name", Datum::text("Skiff")),
        ("tags", text_list(&["small", "old"])),
        ("crew", Datum::map_of([("oars", Datum::Int(2))])),
        ("sails", Datum::map_of([("jib", Datum::Int(1))])),
        ("on_wind", Datum::Fn(Box::new(function_ref("harbour", 12)))),
    ])
}

fn text_list(words: &[&str]) -> Datum {
    Datum::List(words.iter().map(Datum::text).collect())
}

fn build(builder: ContentBuilder) -> (Option<Registry>, Vec<Problem>) {
    builder.build_registry(&LOAD_ORDER.map(str::to_owned), &dependency_map())
}

fn build_registry(builder: ContentBuilder) -> Registry {
    let (registry, problems) = build(builder);
    assert_eq!(problems, Vec::new(), "{}", problem_text(&problems));
    registry.unwrap()
}

fn problem_text(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n\n")
}

fn build_error(builder: ContentBuilder) -> String {
    let (registry, problems) = build(builder);
    assert!(problems.iter().any(|problem| problem.severity == Severity::Error));
    assert!(registry.is_none(), "a draft with errors became a registry");
    problem_text(&problems)
}

/// The Problems of a boat with these fields beside its name.
fn build_error_with(fields: Vec<(&str, Datum)>) -> String {
    let mut builder = harbour_builder();
    let name = ("name", Datum::text("Skiff"));
    declare(&mut builder, "harbour", 10, "skiff", Datum::map_of([name].into_iter().chain(fields)));
    build_error(builder)
}

#[test]
fn a_definition_gets_defaults_and_full_reference_ids() {
    let mut builder = harbour_builder();
    declare(&mut builder, "harbour", 10, "skiff", skiff_fields());
    let dinghy_fields =
        Datum::map_of([("name", Datum::text("Dinghy")), ("towed_by", Datum::text("punt"))]);
    declare(&mut builder, "gulls", 3, "dinghy", dinghy_fields);
    let punt_fields =
        Datum::map_of([("name", Datum::text("Punt")), ("towed_by", Datum::text("harbour:skiff"))]);
    declare(&mut builder, "gulls", 9, "punt", punt_fields);
    let registry = build_registry(builder);

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
fn a_body_that_is_no_table_sets_the_body_field() {
    let mut builder = harbour_builder();
    let body = Datum::Fn(Box::new(function_ref("harbour", 4)));
    builder.add_change(DefinitionChange::new(
        "rule",
        "ebb",
        location("harbour", 4),
        ChangeKind::Declare(Some(body.clone())),
    ));
    let edit = ChangeKind::Patch(Some(FieldEdit::Wrap(function_ref("gulls", 5))));
    builder.add_change(DefinitionChange::new("rule", "harbour:ebb", location("gulls", 5), edit));
    let registry = build_registry(builder);
    let run = registry.get("rule", "harbour:ebb").unwrap().get("run").unwrap();
    assert_eq!(run.as_fn().unwrap().wrappers, vec![function_ref("gulls", 5)]);
    assert_eq!(run.as_fn().unwrap().place, location("harbour", 4));
}

#[test]
fn definitions_are_ordered_by_mod_file_and_line() {
    let declarations = [
        ("harbour", "kinds/first.luau", 9, "zebra"),
        ("harbour", "a.luau", 20, "yawl"),
        ("harbour", "b.luau", 2, "xebec"),
        ("harbour", "b.luau", 10, "barge"),
        ("gulls", "a.luau", 1, "ark"),
        ("tide", "kinds/a.luau", 1, "wherry"),
    ];
    let mut digests = BTreeSet::new();
    for rotation in 0..declarations.len() {
        let mut builder = harbour_builder();
        for index in 0..declarations.len() {
            let (owner, file, line, id) = declarations[(index * 5 + rotation) % declarations.len()];
            let body = ChangeKind::Declare(Some(Datum::map_of([("name", Datum::text(id))])));
            builder.add_change(DefinitionChange::new(
                "boat",
                id,
                SourceLocation::new(owner, file, line),
                body,
            ));
        }
        let registry = build_registry(builder);
        let names: Vec<&str> =
            registry.active_definitions("boat").map(|boat| boat.id.name()).collect();
        assert_eq!(names, ["zebra", "yawl", "xebec", "barge", "ark", "wherry"]);
        digests.insert(registry.digest());
    }
    assert_eq!(digests.len(), 1);
}

#[test]
fn patches_change_single_fields_and_record_provenance() {
    let mut builder = harbour_builder();
    declare(&mut builder, "harbour", 10, "skiff", skiff_fields());
    let crew = FieldEdit::Set(Datum::map_of([("oars", Datum::Int(4))]));
    patch(
        &mut builder,
        "gulls",
        3,
        "harbour:skiff",
        vec![
            ("length", FieldEdit::Set(Datum::Int(9))),
            ("crew", crew),
            ("sails", FieldEdit::Add(Datum::map_of([("main", Datum::Int(2))]))),
            ("on_wind", FieldEdit::Wrap(function_ref("gulls", 4))),
        ],
    );
    patch(
        &mut builder,
        "storm",
        1,
        "harbour:skiff",
        vec![
            ("length", FieldEdit::Set(Datum::Int(11))),
            ("tags", FieldEdit::Drop(text_list(&["old"]))),
            ("on_wind", FieldEdit::Wrap(function_ref("storm", 2))),
        ],
    );
    let registry = build_registry(builder);
    let skiff = registry.get("boat", "harbour:skiff").unwrap();
    assert_eq!(skiff.get("length"), Some(&Datum::Int(11)));
    assert_eq!(skiff.get("tags"), Some(&text_list(&["small"])));
    let crew = skiff.get("crew").unwrap();
    assert_eq!(crew.get("oars"), Some(&Datum::Int(4)));
    assert_eq!(crew.get("song"), Some(&Datum::text("Heave")), "unnamed fields stay");
    assert_eq!(skiff.get("sails").unwrap().as_map().unwrap().len(), 2);
    let wrappers = &skiff.get("on_wind").unwrap().as_fn().unwrap().wrappers;
    assert_eq!(
        *wrappers,
        vec![function_ref("gulls", 4), function_ref("storm", 2)],
        "later outermost"
    );

    let origins_of = |path: &str| -> Vec<(String, ChangeAction, Option<Datum>)> {
        let origins = registry.provenance("boat", "harbour:skiff", path).unwrap();
        origins
            .into_iter()
            .map(|origin| (origin.owner, origin.action, origin.previous_value))
            .collect()
    };
    let owned = |owner: &str| owner.to_owned();
    assert_eq!(
        origins_of("length"),
        vec![
            (owned("harbour"), ChangeAction::Default, None),
            (owned("gulls"), ChangeAction::Set, Some(Datum::Int(6))),
            (owned("storm"), ChangeAction::Set, Some(Datum::Int(9))),
        ]
    );
    assert_eq!(
        origins_of("crew.oars"),
        vec![
            (owned("harbour"), ChangeAction::Declared, None),
            (owned("gulls"), ChangeAction::Set, Some(Datum::Int(2))),
        ]
    );
    assert_eq!(origins_of("crew.song"), vec![(owned("harbour"), ChangeAction::Default, None)]);
    assert_eq!(origins_of("sails.main").last(), Some(&(owned("gulls"), ChangeAction::Added, None)));
    assert_eq!(origins_of("name"), vec![(owned("harbour"), ChangeAction::Declared, None)]);
}

#[test]
fn additions_and_wraps_of_unordered_mods_apply_in_load_order() {
    let mut builder = harbour_builder();
    declare(&mut builder, "harbour", 10, "skiff", skiff_fields());
    for owner in ["tide", "gulls"] {
        patch(
            &mut builder,
            owner,
            3,
            "harbour:skiff",
            vec![
                ("tags", FieldEdit::Add(text_list(&[owner]))),
                ("on_wind", FieldEdit::Wrap(function_ref(owner, 4))),
                ("sails", FieldEdit::Add(Datum::map_of([(owner, Datum::Int(1))]))),
            ],
        );
    }
    let registry = build_registry(builder);
    let skiff = registry.get("boat", "harbour:skiff").unwrap();
    assert_eq!(skiff.get("tags"), Some(&text_list(&["small", "old", "gulls", "tide"])));
    let wrappers = &skiff.get("on_wind").unwrap().as_fn().unwrap().wrappers;
    assert_eq!(*wrappers, vec![function_ref("gulls", 4), function_ref("tide", 4)]);
}

#[test]
fn a_replaced_definition_keeps_the_old_one_as_provenance() {
    let mut builder = harbour_builder();
    declare(&mut builder, "harbour", 10, "skiff", skiff_fields());
    replace(
        &mut builder,
        "gulls",
        5,
        "harbour:skiff",
        Datum::map_of([("name", Datum::text("Tern"))]),
    );
    let registry = build_registry(builder);
    let tern = registry.get("boat", "harbour:skiff").unwrap();
    assert_eq!(tern.get("name"), Some(&Datum::text("Tern")));
    assert_eq!(tern.get("crew"), None);
    assert_eq!(tern.get("length"), Some(&Datum::Int(6)), "defaults stand in a replacement too");
    let origins = registry.provenance("boat", "harbour:skiff", "crew").unwrap();
    assert_eq!(origins[1].action, ChangeAction::Replaced);
    assert!(origins[1].previous_value.as_ref().unwrap().get("crew").is_some());
}

#[test]
fn a_retired_definition_is_inactive_but_readable() {
    let mut builder = harbour_builder();
    declare(&mut builder, "harbour", 10, "skiff", skiff_fields());
    declare(&mut builder, "harbour", 20, "punt", skiff_fields());
    retire(&mut builder, "gulls", 5, "harbour:skiff");
    let registry = build_registry(builder);
    let active_ids: Vec<&str> =
        registry.active_definitions("boat").map(|boat| boat.id.name()).collect();
    assert_eq!(active_ids, ["punt"]);
    assert!(registry.get("boat", "harbour:skiff").unwrap().is_retired);
    assert_eq!(registry.all_definitions("boat").count(), 2);
}

#[test]
fn an_optional_change_of_a_missing_definition_is_ignored() {
    let mut builder = harbour_builder();
    for kind in ["boat", "no_such_kind"] {
        let retire = DefinitionChange::new(
            kind,
            "elsewhere:ghost",
            location("gulls", 5),
            ChangeKind::Retire,
        );
        builder.add_change(DefinitionChange { is_optional: true, ..retire });
    }
    assert_eq!(build_registry(builder).all_definitions("boat").count(), 0);
}

#[test]
fn items_are_dropped_by_value_reference_or_id() {
    let mut builder = harbour_builder();
    let declare_knot = |builder: &mut ContentBuilder, id: &str| {
        let body = ChangeKind::Declare(Some(Datum::map_of([("loops", Datum::Int(1))])));
        builder.add_change(DefinitionChange::new("knot", id, location("harbour", 3), body));
    };
    declare_knot(&mut builder, "bowline");
    declare_knot(&mut builder, "hitch");
    let knots = text_list(&["bowline", "hitch"]);
    let boat_fields = Datum::map_of([("name", Datum::text("Skiff")), ("knots", knots)]);
    declare(&mut builder, "harbour", 10, "skiff", boat_fields);
    let drop_edit = FieldEdit::Drop(text_list(&["harbour:hitch"]));
    patch(&mut builder, "gulls", 1, "harbour:skiff", vec![("knots", drop_edit)]);
    let scene = |owner: &str, line, choices| {
        let source_location = location(owner, line);
        let handler = Datum::Fn(Box::new(function_ref(owner, line)));
        let body = Datum::map_of([("prompt", handler), ("choices", choices)]);
        DefinitionChange::new("scene", "quay", source_location, ChangeKind::Declare(Some(body)))
    };
    let choice = |id: &str| {
        let handler_function = Datum::Fn(Box::new(function_ref("harbour", 7)));
        Datum::map_of([
            ("id", Datum::text(id)),
            ("label", Datum::text(id)),
            ("on", handler_function),
        ])
    };
    builder.add_change(scene("harbour", 6, Datum::List(vec![choice("fish"), choice("sleep")])));
    let edits = BTreeMap::from([(Arc::from("choices"), FieldEdit::Drop(text_list(&["fish"])))]);
    let edit = ChangeKind::Patch(Some(FieldEdit::Nested(edits)));
    builder.add_change(DefinitionChange::new("scene", "harbour:quay", location("gulls", 8), edit));
    let registry = build_registry(builder);
    let skiff = registry.get("boat", "harbour:skiff").unwrap();
    assert_eq!(skiff.get("knots"), Some(&text_list(&["harbour:bowline"])));
    let choices = registry.get("scene", "harbour:quay").unwrap().get("choices").unwrap();
    let ids: Vec<_> =
        choices.as_list().unwrap().iter().map(|listed_choice| listed_choice.get("id")).collect();
    assert_eq!(ids, vec![Some(&Datum::text("sleep"))]);
}

#[test]
fn a_set_that_discards_an_addition_of_another_mod_warns() {
    let mut builder = harbour_builder();
    declare(&mut builder, "harbour", 10, "skiff", skiff_fields());
    patch(
        &mut builder,
        "gulls",
        1,
        "harbour:skiff",
        vec![("tags", FieldEdit::Add(text_list(&["white"])))],
    );
    patch(
        &mut builder,
        "tide",
        2,
        "harbour:skiff",
        vec![("tags", FieldEdit::Set(text_list(&["wet"])))],
    );
    let (registry, problems) = build(builder);
    assert!(registry.is_some());
    insta::assert_snapshot!("content_undone_change", problem_text(&problems));
}

#[test]
fn conflicts_are_named_with_both_locations() {
    let mut builder = harbour_builder();
    for (index, id) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        declare(&mut builder, "harbour", 10 + index as u32, id, skiff_fields());
    }
    let set_oars = |oars| FieldEdit::Set(Datum::map_of([("oars", Datum::Int(oars))]));
    patch(&mut builder, "gulls", 1, "harbour:a", vec![("crew", set_oars(3))]);
    patch(&mut builder, "tide", 1, "harbour:a", vec![("crew", set_oars(5))]);
    retire(&mut builder, "gulls", 2, "harbour:b");
    patch(&mut builder, "tide", 2, "harbour:b", vec![("length", FieldEdit::Set(Datum::Int(3)))]);
    replace(&mut builder, "gulls", 3, "harbour:c", skiff_fields());
    replace(&mut builder, "tide", 3, "harbour:c", skiff_fields());
    patch(
        &mut builder,
        "gulls",
        4,
        "harbour:d",
        vec![("tags", FieldEdit::Drop(text_list(&["old"])))],
    );
    patch(
        &mut builder,
        "tide",
        4,
        "harbour:d",
        vec![("tags", FieldEdit::Add(text_list(&["wet"])))],
    );
    // no conflict: storm comes after gulls
    patch(&mut builder, "gulls", 5, "harbour:e", vec![("length", FieldEdit::Set(Datum::Int(3)))]);
    patch(&mut builder, "storm", 5, "harbour:e", vec![("length", FieldEdit::Set(Datum::Int(4)))]);
    // no conflict: other keys of one table
    let set_sail = |name| FieldEdit::Set(Datum::map_of([(name, Datum::Int(4))]));
    patch(&mut builder, "gulls", 6, "harbour:e", vec![("sails", set_sail("jib"))]);
    patch(&mut builder, "tide", 6, "harbour:e", vec![("sails", set_sail("main"))]);
    insta::assert_snapshot!("content_clashes", build_error(builder));
}

#[test]
fn a_value_that_does_not_fit_its_field_is_reported() {
    let function = || Datum::Fn(Box::new(function_ref("harbour", 12)));
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
    let problem_texts: Vec<String> =
        cases.into_iter().map(|(name, datum)| build_error_with(vec![(name, datum)])).collect();
    insta::assert_snapshot!("content_wrong_fields", problem_texts.join("\n\n"));
}

#[test]
fn unknown_references_are_reported_with_suggestions() {
    let mut builder = harbour_builder();
    declare(&mut builder, "harbour", 10, "skiff", skiff_fields());
    for (index, id) in ["harbour:skif", "skiff", "Skiff!", "harbour:galleon"].iter().enumerate() {
        let fields = Datum::map_of([("name", Datum::text("x")), ("towed_by", Datum::text(id))]);
        declare(&mut builder, "gulls", 20 + index as u32, &format!("boat_{index}"), fields);
    }
    insta::assert_snapshot!("content_bad_references", build_error(builder));
}

#[test]
fn invalid_declarations_are_reported() {
    let mut builder = harbour_builder();
    declare(&mut builder, "harbour", 10, "skiff", skiff_fields());
    declare(&mut builder, "harbour", 11, "skiff", skiff_fields());
    declare(&mut builder, "gulls", 1, "harbour:punt", skiff_fields());
    declare(&mut builder, "gulls", 2, "Big Boat", skiff_fields());
    declare(&mut builder, "gulls", 3, "nameless", Datum::map_of([]));
    declare(&mut builder, "gulls", 4, "wordy", Datum::text("Wordy"));
    let declaration_without_body = |kind: &str, line| {
        DefinitionChange::new(kind, "open", location("gulls", line), ChangeKind::Declare(None))
    };
    builder.add_change(declaration_without_body("boat", 5));
    builder.add_change(declaration_without_body("rule", 6));
    builder.add_change(declaration_without_body("baot", 7));
    builder.add_kind(Kind::new("boat", Vec::new(), location("gulls", 8)));
    builder.add_kind(Kind::new("scene", Vec::new(), location("gulls", 9)));
    let quay_fields = vec![
        Field::new("id", FieldType::Text),
        Field::new("boats", FieldType::list(FieldType::Ref("bota".to_owned()))),
        Field::new("depth", FieldType::Int { min: Some(1), max: None }).with_default(Datum::Int(0)),
    ];
    builder.add_kind(Kind::new("quay", quay_fields, location("gulls", 10)));
    insta::assert_snapshot!("content_bad_declarations", build_error(builder));
}

#[test]
fn changes_of_unknown_targets_are_reported() {
    let mut builder = harbour_builder();
    declare(&mut builder, "harbour", 10, "skiff", skiff_fields());
    let patches: Vec<(&str, FieldEdit)> = vec![
        ("lenght", FieldEdit::Set(Datum::Int(3))),
        ("length", FieldEdit::Set(Datum::Int(300))),
        ("length", FieldEdit::Add(text_list(&["x"]))),
        ("tags", FieldEdit::Add(Datum::List(vec![Datum::Int(1)]))),
        ("tags", FieldEdit::Drop(text_list(&["new"]))),
        ("tags", FieldEdit::Drop(Datum::text("old"))),
        ("tags", FieldEdit::Wrap(function_ref("gulls", 3))),
        ("sails", FieldEdit::Add(Datum::map_of([("jib", Datum::Int(2))]))),
        ("sails", FieldEdit::Drop(text_list(&["jip"]))),
        ("crew", FieldEdit::Drop(text_list(&["oars"]))),
        ("crew", FieldEdit::Set(Datum::map_of([("ores", Datum::Int(2))]))),
        ("light", FieldEdit::Drop(text_list(&["red"]))),
        ("weight", FieldEdit::Wrap(function_ref("gulls", 3))),
    ];
    for (index, edit) in patches.into_iter().enumerate() {
        patch(&mut builder, "gulls", 1 + index as u32, "harbour:skiff", vec![edit]);
    }
    retire(&mut builder, "storm", 1, "harbour:skif");
    retire(&mut builder, "storm", 2, "abroad:galleon");
    retire(&mut builder, "storm", 3, "harbour:galleon");
    builder.add_change(DefinitionChange::new(
        "boat",
        "harbour:skiff",
        location("storm", 4),
        ChangeKind::Patch(None),
    ));
    replace(&mut builder, "storm", 5, "harbour:skiff", Datum::map_of([("length", Datum::Int(3))]));
    insta::assert_snapshot!("content_bad_changes", build_error(builder));
}

#[test]
fn problems_point_to_the_line_of_the_field() {
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
    let mut builder = harbour_builder();
    let mut sources = SourceFiles::default();
    sources.add_file("harbour", "boats.luau", source.into());
    builder.set_sources(sources);
    let crew = Datum::map_of([("oars", Datum::Int(99))]);
    let sails = Datum::map_of([("jib", Datum::Int(1)), ("main", Datum::text("x"))]);
    let fields = Datum::map_of([
        ("name", Datum::text("x")),
        ("crew", crew),
        ("sails", sails),
        ("length", Datum::Int(50)),
        ("lenght", Datum::Int(4)),
    ]);
    declare(&mut builder, "harbour", 2, "skiff", fields);
    declare(&mut builder, "harbour", 17, "punt", Datum::map_of([("lenght", Datum::Int(4))]));
    insta::assert_snapshot!("content_lines_of_fields", build_error(builder));
}

#[test]
fn the_built_in_kinds_exist() {
    let registry = build_registry(harbour_builder());
    let names: Vec<&str> =
        registry.kinds().filter(|kind| kind.is_builtin).map(|kind| &*kind.name).collect();
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
    let lines = LineIndexedText::new("one\n\nthree\n".into());
    let all_lines: Vec<_> = (0..5).map(|line| lines.line_text(line)).collect();
    assert_eq!(all_lines, [Some("one"), Some(""), Some("three"), Some(""), None]);
    assert_eq!(
        [0, 3, 4, 5, 10, 11].map(|position| lines.line_number_at_offset(position)),
        [0, 0, 1, 2, 2, 3]
    );
}

#[test]
fn datum_maps_are_sorted_and_the_last_duplicate_wins() {
    let to_entry = |(name, number): (&str, i64)| (Arc::from(name), Datum::Int(number));
    let mut fields: DatumMap = [("oar", 1), ("mast", 2), ("oar", 3), ("keel", 4), ("oar", 5)]
        .map(to_entry)
        .into_iter()
        .collect();
    let debug_text = |fields: &DatumMap| format!("{fields:?}");
    assert_eq!(debug_text(&fields), r#"{"keel": Int(4), "mast": Int(2), "oar": Int(5)}"#);
    assert_eq!(fields.insert("keel".into(), Datum::Int(6)), Some(Datum::Int(4)));
    assert_eq!(fields.insert("helm".into(), Datum::Int(7)), None);
    assert_eq!(fields.remove("mast"), Some(Datum::Int(2)));
    assert_eq!(fields.remove("mast"), None);
    assert_eq!(debug_text(&fields), r#"{"helm": Int(7), "keel": Int(6), "oar": Int(5)}"#);
    assert_eq!((fields.get("oar"), fields.get("sail")), (Some(&Datum::Int(5)), None));
    assert!(fields.contains_key("helm") && fields.len() == 3 && !fields.is_empty());
}
