//! The host's own kinds, which exist in every game because the host reads them: scenes, views,
//! options, cases and the like. Their definitions are content like any other.

use std::sync::Arc;

use super::case_name;
use super::datum::Datum;
use super::datum_map::DatumMap;
use super::schema::{Field, FieldType, Kind};
use base::limits;

use FieldType::{Any, Bool, Either, Fn, Int, Record, Ref, SingleLineText, Text};

/// The kind under which exports are stored, so that mods can change them like definitions. Scripts
/// do not read it: they call an export by its name.
pub const EXPORT_KIND: &str = "export";

/// Returns the host's own kinds.
pub(super) fn builtin_kinds() -> Vec<Kind> {
    vec![
        scene_kind(),
        stage_kind(),
        group_kind(),
        view_kind(),
        fact_kind(),
        rule_kind(),
        export_kind(),
        option_kind(),
        bot_kind(),
        sample_kind(),
        case_kind(),
        achievement_kind(),
        page_kind(),
        title_kind(),
    ]
}

fn scene_kind() -> Kind {
    Kind::new_builtin("scene", "a named state of the game: its prompt, view and answer handlers", None).with_fields(vec![
        Field::new("prompt", Fn)
            .with_doc("a function that returns the prompt; for a question queued by `ask` it receives the data of that question"),
        Field::new("on", FieldType::map(Fn))
            .with_default(Datum::map_of([]))
            .with_doc("the handlers of the choices, by choice id"),
        Field::new("view", Ref("view".to_owned()))
            .into_optional()
            .with_doc("the view shown in this scene; default: the view of the scene below, or the first view of the game"),
        Field::new("choices", FieldType::list(Record(scene_choice_fields().into())))
            .with_default(Datum::List(Vec::new()))
            .with_doc("extra choices, listed after those of the prompt"),
    ])
}

fn stage_kind() -> Kind {
    let doc = "a queued step of the game that runs when the questions before it are answered";
    Kind::new_builtin("stage", doc, Some("run")).with_fields(vec![
        Field::new("run", Fn).with_doc("a function that receives the data it was queued with"),
        Field::new("doc", Text).into_optional().with_doc("a description of what it does"),
    ])
}

/// A choice in the definition of a scene, so that a mod can add one.
fn scene_choice_fields() -> Vec<Field> {
    let line_or_function = |columns| Either(vec![SingleLineText(columns), Fn].into());
    vec![
        Field::new("id", Text).with_doc("the choice's id, unique in its prompt"),
        Field::new("label", line_or_function(limits::MAX_LABEL_COLUMNS))
            .with_doc("its label, or a function that returns it"),
        Field::new("note", line_or_function(limits::MAX_LINE_COLUMNS)).into_optional().with_doc("a line shown beside it"),
        Field::new("cost", line_or_function(limits::MAX_COST_COLUMNS)).into_optional().with_doc("what it costs"),
        Field::new("disabled_because", line_or_function(limits::MAX_LINE_COLUMNS))
            .into_optional()
            .with_doc("why it is disabled"),
        Field::new("gains", line_or_function(limits::MAX_LINE_COLUMNS)).into_optional().with_doc("what the player may gain"),
        Field::new("group", Ref("group".to_owned())).into_optional().with_doc("its group"),
        Field::new("key", Text).into_optional().with_doc("its preferred key: a letter or a digit"),
        Field::new("in_submenu", Bool)
            .with_default(Datum::Bool(false))
            .with_doc("whether it is in the submenu of its group even if the other choices are not"),
        Field::new("confirm", line_or_function(limits::MAX_LINE_COLUMNS)).into_optional().with_doc(
            "the text of a confirmation that is shown before the choice is taken; use it for what cannot be undone",
        ),
        Field::new("odds", Fn).into_optional().with_doc("a function that returns the odds"),
        Field::new("when", Fn).into_optional().with_doc("a function that returns whether it is offered"),
        Field::new("on", Fn).with_doc("the handler: a function that runs when it is taken"),
        Field::new("with", Any).into_optional().with_doc("plain data passed to the handler"),
        Field::new("hint", Any).into_optional().with_doc("plain data for bots"),
    ]
}

fn group_kind() -> Kind {
    let doc = "a group of related choices; a choice joins it with `group = \"name\"`";
    Kind::new_builtin("group", doc, None).with_fields(vec![
        Field::new("name", SingleLineText(limits::MAX_LABEL_COLUMNS)).with_doc("the title of its submenu"),
        Field::new("order", Int { min: Some(0), max: None })
            .with_default(Datum::Int(50))
            .with_doc("its position among groups, lowest first; choices without a group come before all groups"),
        Field::new("submenu", Bool).with_default(Datum::Bool(false)).with_doc(
            "whether its choices are always in a submenu behind one key",
        ),
        Field::new("collapses", Bool).with_default(Datum::Bool(false)).with_doc(
            "whether its choices move into a submenu when more than 7 choices are visible; disabled ones move first",
        ),
        Field::new("key", Text)
            .into_optional()
            .with_doc("the preferred key of its submenu: a letter or a digit"),
    ])
}

fn view_kind() -> Kind {
    Kind::new_builtin("view", "the widgets that the screen shows beside the story", Some("show"))
        .with_fields(vec![
            Field::new("show", Fn).with_doc("a function that returns the title and the widgets"),
            Field::new("widgets", FieldType::list(Fn))
                .with_default(Datum::List(Vec::new()))
                .with_doc(
                    "extra widgets: functions that return one widget, a list of them, or nil",
                ),
        ])
}

fn fact_kind() -> Kind {
    Kind::new_builtin(
        "fact",
        "a fact about the present state of a run, for the bots that request it",
        Some("tell"),
    )
    .with_fields(vec![
        Field::new("tell", Fn).with_doc("a function that returns plain data, or nil"),
        Field::new("doc", Text).into_optional().with_doc("what it describes, and when it is nil"),
    ])
}

fn rule_kind() -> Kind {
    Kind::new_builtin("rule", "a named pure function of a game", Some("run")).with_fields(vec![
        Field::new("run", Fn).with_doc("the function"),
        Field::new("doc", Text).into_optional().with_doc("a description of what it computes"),
    ])
}

fn export_kind() -> Kind {
    Kind::new_builtin(EXPORT_KIND, "a function that a mod offers to other mods", Some("run"))
        .with_fields(vec![Field::new("run", Fn).with_doc("the function")])
}

fn option_kind() -> Kind {
    let types = ["ref", "bool", "int", "text", "one_of"].map(str::to_owned).to_vec();
    Kind::new_builtin("option", "a setting that a run is started with", None).with_fields(vec![
        Field::new("type", FieldType::one_of(types)).with_doc("the type of its value"),
        Field::new("kind", Text).into_optional().with_doc("for a ref: the kind of the definition that it refers to"),
        Field::new("values", FieldType::list(Text)).into_optional().with_doc("for one_of: the allowed texts; for a text: suggested texts; `simulate --set 'NAME=*'` plays each of them"),
        Field::new("min", FieldType::INT).into_optional().with_doc("for an int: the smallest value"),
        Field::new("max", FieldType::INT).into_optional().with_doc("for an int: the largest value"),
        Field::new("default", Any).into_optional().with_doc("the value where none is chosen"),
        Field::new("daily", FieldType::list(Any)).into_optional().with_doc("the values of a daily run, of which the date draws one for everybody; without them it has the default"),
        Field::new("label", SingleLineText(limits::MAX_LABEL_COLUMNS)).into_optional().with_doc("the name shown to players"),
        Field::new("doc", Text).into_optional().with_doc("a description shown to players"),
        Field::new("ask", Bool).with_default(Datum::Bool(false)).with_doc("whether the player is asked for it"),
        Field::new("choices", Fn)
            .into_optional()
            .with_doc("a function of the profile and of the options chosen so far that returns the choices, each with `id` and `label`. Without `ask` the player is not asked: a single choice is taken. It is not taken if the player chose the seed. Several only name the values"),
        Field::new("refuses", Fn)
            .into_optional()
            .with_doc("for a text: a function of the text that returns why it is refused; nil where it is valid"),
    ])
}

fn bot_kind() -> Kind {
    let shown = ["view", "events"];
    let all = Datum::List(shown.map(Datum::text).to_vec());
    let observable_part = FieldType::one_of(shown.map(str::to_owned).to_vec());
    let value = FieldType::Either(vec![Text, FieldType::INT, Bool].into());
    Kind::new_builtin("bot", "a scripted player, for testing and measuring a game", None).with_fields(vec![
        Field::new("choose", Fn).with_doc("a function of the observation and the bot's memory that returns the input"),
        Field::new("facts", FieldType::list(Ref("fact".to_owned())))
            .with_default(Datum::List(Vec::new()))
            .with_doc("the facts that it receives as `seen.facts.name`"),
        Field::new("observes", FieldType::list(observable_part))
            .with_default(all)
            .with_doc("what it observes besides the prompt; parts that it omits are not computed"),
        Field::new("parameters", FieldType::Map(Box::new(FieldType::list(value))))
            .with_default(Datum::Map(DatumMap::new()))
            .with_doc("its parameters: for each name the possible values, the first of them being the default; it receives them as `seen.parameters.name`"),
        Field::new("doc", Text).into_optional().with_doc("a description of its strategy"),
    ])
}

fn sample_kind() -> Kind {
    Kind::new_builtin("sample", "a start of a run that `explore` begins from", None).with_fields(
        vec![
            Field::new("doc", Text).into_optional().with_doc("what the start represents"),
            Field::new("options", Any)
                .into_optional()
                .with_doc("the options of the run: a table by name"),
            Field::new("profile", Any)
                .into_optional()
                .with_doc("the data of the game in the profile; of a mod under `[\"@mod\"]`"),
        ],
    )
}

/// A scripted run that is declared in Lua, so that it can inspect the state between answers.
fn case_kind() -> Kind {
    let texts = || FieldType::list(Text);
    Kind::new_builtin(
        "case",
        "a test in a file of a mod's tests/ folder; the command `test` runs it. It is named by a sentence; \
         its body is either a function that checks rules, or a table, which is a scripted run",
        Some(case_name::BODY_FIELD),
    ).with_fields(vec![
        Field::new("about", Text)
            .into_optional()
            .with_doc("what it verifies; default: the sentence that names it"),
        Field::new(case_name::BODY_FIELD, Fn).into_optional().with_doc(
            "a function that checks rules with `equals`, `holds` and `refuses`; no run is started",
        ),
        Field::new("seed", FieldType::INT).with_default(Datum::Int(1)).with_doc("the seed of the run"),
        Field::new("mods", texts())
            .with_default(Datum::List(Vec::new()))
            .with_doc("ids of additional mods to enable"),
        Field::new("settings", Any).into_optional().with_doc("settings of mods: a table by mod, then by name"),
        Field::new("options", Any).into_optional().with_doc("the options of the run: a table by name"),
        Field::new("profile", Any).into_optional().with_doc("the data of the game in the profile; of a mod under `[\"@mod\"]`"),
        Field::new("dice", FieldType::Map(Box::new(FieldType::list(FieldType::INT))))
            .into_optional()
            .with_doc("the first draws of streams, in place of the seed's: `dice = { loot = { 3, 1 } }`"),
        Field::new("setup", Fn).into_optional().with_doc(
            "a function that runs as a step before the first answer and sets up state and scene",
        ),
        Field::new("answers", FieldType::list(Either(vec![Text, Fn].into())))
            .with_default(Datum::List(Vec::new()))
            .with_doc(
                "the answers as they would be typed; a function among them runs as a step, to inspect the state",
            ),
        Field::new("outcome", Text).into_optional().with_doc("the expected outcome of the run"),
        Field::new("expect", texts())
            .with_default(Datum::List(Vec::new()))
            .with_doc("texts that must appear in the story, in this order"),
        Field::new("problem", Text)
            .into_optional()
            .with_doc("the code of the Problem with which the last answer must be refused"),
    ])
}

fn achievement_kind() -> Kind {
    Kind::new_builtin("achievement", "an achievement of the player", None).with_fields(vec![
        Field::new("name", SingleLineText(limits::MAX_LABEL_COLUMNS))
            .with_doc("the name shown to players"),
        Field::new("text", Text).with_doc("what the player did"),
        Field::new("hidden", Bool)
            .with_default(Datum::Bool(false))
            .with_doc("whether it is hidden until it is unlocked"),
        Field::new("when", Fn)
            .into_optional()
            .with_doc("a function that returns whether it is unlocked"),
    ])
}

fn page_kind() -> Kind {
    Kind::new_builtin("page", "a page of text or widgets, listed in the menu", None).with_fields(
        vec![
        Field::new("title", SingleLineText(limits::MAX_LABEL_COLUMNS))
            .with_doc("its heading, also its label in the menu"),
        Field::new("text", Text).into_optional().with_doc("its text"),
        Field::new("show", Fn)
            .into_optional()
            .with_doc("a function of the profile that returns a view"),
        Field::new("menu", Int { min: Some(0), max: None })
            .into_optional()
            .with_doc("its position in the menu; without one it is not listed"),
        Field::new("explains_terms", Bool).with_default(Datum::Bool(false)).with_doc(
            "whether the lines `*term*: meaning` of its cards explain the terms that help leads to",
        ),
    ],
    )
}

fn title_kind() -> Kind {
    let mut kind = Kind::new_builtin("title", "the texts of the title screen", None);
    kind.fields = vec![
        Field::new("name", SingleLineText(limits::MAX_LABEL_COLUMNS)).with_doc("the name of the game"),
        Field::new("text", Text).with_default(Datum::text("")).with_doc("a line or two under the name"),
        Field::new("art", Text).into_optional().with_doc("a picture in text characters"),
        Field::new("history_columns", FieldType::list(Text))
            .with_default(Datum::List(Vec::new()))
            .with_doc("names of outcome fields or options that group the finished runs: the history lists runs by them and marks the best of each group"),
        Field::new("score", Text)
            .into_optional()
            .with_doc("the name of the outcome field, a number, that decides which run is best"),
        Field::new("recorded_state", FieldType::Map(Box::new(Text)))
            .with_default(Datum::Map(DatumMap::new()))
            .with_doc("what the history shows of a run that is given up: fields of the outcome, each with its path in the state, such as `difficulty = \"run.difficulty\"`"),
        Field::new("daily_profile", Any)
            .into_optional()
            .with_doc("the profile with which everybody begins a daily run, a table; without it an empty one"),
    ]
    .into();
    let words = [
        ("new", "start a run"),
        ("resume", "resume a run"),
        ("abandon", "abandon the unfinished run"),
        ("daily", "play the run of the day"),
        ("profile", "show the profile"),
        ("history", "show the finished runs"),
        ("settings", "change settings"),
        ("quit", "quit the program"),
    ];
    for (name, action) in words {
        let doc = format!("the label of the menu entry: {action}");
        Arc::make_mut(&mut kind.fields).push(
            Field::new(name, SingleLineText(limits::MAX_LABEL_COLUMNS))
                .into_optional()
                .with_doc(&doc),
        );
    }
    kind
}
