//! The kinds that every game has because the host itself looks at them: what is asked, what is
//! shown, what a run is started with. Their definitions are content like any other.

use super::datum::Datum;
use super::fields::Fields;
use super::schema::{Field, FieldType, Kind};
use super::sentence;
use crate::kit::limits;

use FieldType::{Any, Bool, Either, Fn, Int, Line, Record, Ref, Text};

/// The kind that exports are kept under, so that they can be changed as definitions are. No script reads
/// it: who calls an export calls its name.
pub const EXPORT: &str = "export";

/// The kinds of the host's own.
pub(super) fn kinds() -> Vec<Kind> {
    vec![
        scene(),
        stage(),
        group(),
        view(),
        fact(),
        rule(),
        export(),
        option(),
        bot(),
        sample(),
        case(),
        achievement(),
        page(),
        title(),
    ]
}

fn scene() -> Kind {
    Kind::of_host("scene", "a named state of play: what is asked, and who answers", None).with(vec![
        Field::new("prompt", Fn)
            .doc("a function that returns what is asked; of a question from `ask` it is given what that is about"),
        Field::new("on", FieldType::map(Fn))
            .default(Datum::of([]))
            .doc("the handlers of the choices, by name"),
        Field::new("view", Ref("view".to_owned()))
            .optional()
            .doc("the view shown in this scene; without one that of the scene below, or the game's first"),
        Field::new("choices", FieldType::list(Record(extra_choice())))
            .default(Datum::List(Vec::new()))
            .doc("further choices, put after those of the prompt"),
    ])
}

fn stage() -> Kind {
    let doc = "a part of play that is done by itself, once what was asked before it is answered";
    Kind::of_host("stage", doc, Some("run")).with(vec![
        Field::new("run", Fn).doc("a function of what it was put off with"),
        Field::new("doc", Text).optional().doc("what is done in it"),
    ])
}

/// A choice that stands in a scene's definition, so that a mod can add one.
fn extra_choice() -> Vec<Field> {
    let line = |columns| Either(vec![Line(columns), Fn]);
    vec![
        Field::new("id", Text).doc("the choice's id, unique in its prompt"),
        Field::new("label", line(limits::LABEL_COLUMNS))
            .doc("what it says, or a function that returns it"),
        Field::new("note", line(limits::LINE_COLUMNS)).optional().doc("a line beside it"),
        Field::new("cost", line(limits::COST_COLUMNS)).optional().doc("what it costs"),
        Field::new("closed", line(limits::LINE_COLUMNS))
            .optional()
            .doc("why it cannot be taken now"),
        Field::new("gains", line(limits::LINE_COLUMNS)).optional().doc("what it may gain"),
        Field::new("group", Ref("group".to_owned())).optional().doc("what it belongs to"),
        Field::new("key", Text).optional().doc("the key that it wishes for: a letter or a digit"),
        Field::new("page", Bool)
            .default(Datum::Bool(false))
            .doc("whether it stands on its group's page even where the others do not"),
        Field::new("dear", line(limits::LINE_COLUMNS)).optional().doc(
            "what is said before it is taken, once more being asked: for what cannot be taken back",
        ),
        Field::new("odds", Fn).optional().doc("a function that returns the odds"),
        Field::new("when", Fn).optional().doc("a function that says whether it is offered"),
        Field::new("on", Fn).doc("the function that takes it"),
        Field::new("with", Any).optional().doc("plain data handed to the function"),
        Field::new("hint", Any).optional().doc("plain data for bots"),
    ]
}

fn group() -> Kind {
    let doc = "what belongs together among the choices of prompts: `group = \"name\"` in a choice";
    Kind::of_host("group", doc, None).with(vec![
        Field::new("name", Line(limits::LABEL_COLUMNS)).doc("what stands above its page"),
        Field::new("order", Int { min: Some(0), max: None })
            .default(Datum::Int(50))
            .doc("where it stands among groups, the least first; choices without a group come before"),
        Field::new("page", Bool).default(Datum::Bool(false)).doc(
            "whether its choices stand on a page of their own, behind one key: what one does not decide between",
        ),
        Field::new("folds", Bool).default(Datum::Bool(false)).doc(
            "whether they do where a question would put more than seven in sight: those that are closed first",
        ),
        Field::new("key", Text)
            .optional()
            .doc("the key that its page wishes for: a letter or a digit"),
    ])
}

fn view() -> Kind {
    Kind::of_host("view", "what the screen shows beside the story", Some("show")).with(vec![
        Field::new("show", Fn).doc("a function that returns the title and the widgets"),
        Field::new("widgets", FieldType::list(Fn))
            .default(Datum::List(Vec::new()))
            .doc("further widgets: functions that return one, a list of them, or nothing"),
    ])
}

fn fact() -> Kind {
    Kind::of_host("fact", "what is so where a run stands, for the bots that ask", Some("tell"))
        .with(vec![
            Field::new("tell", Fn).doc("a function that returns plain data, or nothing"),
            Field::new("doc", Text)
                .optional()
                .doc("what it says, and when there is nothing to say"),
        ])
}

fn rule() -> Kind {
    Kind::of_host("rule", "a named pure function of a game", Some("run")).with(vec![
        Field::new("run", Fn).doc("the function"),
        Field::new("doc", Text).optional().doc("what it decides"),
    ])
}

fn export() -> Kind {
    Kind::of_host(EXPORT, "a function that a mod gives to others", Some("run"))
        .with(vec![Field::new("run", Fn).doc("the function")])
}

fn option() -> Kind {
    let types = ["ref", "bool", "int", "text", "one_of"].map(str::to_owned).to_vec();
    Kind::of_host("option", "something that a run is started with", None).with(vec![
        Field::new("type", FieldType::OneOf(types.into())).doc("what it holds"),
        Field::new("kind", Text).optional().doc("for a ref: the kind it refers to"),
        Field::new("values", FieldType::list(Text)).optional().doc("for one_of: the texts; for a text: those that there are ready, which `*` stands for"),
        Field::new("min", FieldType::INT).optional().doc("for an int: the least"),
        Field::new("max", FieldType::INT).optional().doc("for an int: the most"),
        Field::new("default", Any).optional().doc("what it is if nothing is said"),
        Field::new("label", Line(limits::LABEL_COLUMNS)).optional().doc("its name for people"),
        Field::new("doc", Text).optional().doc("what it does"),
        Field::new("ask", Bool).default(Datum::Bool(false)).doc("whether a person is asked for it"),
        Field::new("choices", Fn)
            .optional()
            .doc("a function of the profile, and of the options chosen already, that returns what may be chosen; the first is taken where nobody is asked, on a seed that nobody named"),
        Field::new("refuses", Fn)
            .optional()
            .doc("for a text: a function of one that returns why it cannot be that; nothing where it can"),
    ])
}

fn bot() -> Kind {
    let shown = ["view", "events"];
    let all = Datum::List(shown.map(Datum::text).to_vec());
    let one = FieldType::OneOf(shown.map(str::to_owned).to_vec().into());
    let value = FieldType::Either(vec![Text, FieldType::INT, Bool]);
    Kind::of_host("bot", "a player made of rules, for trying a game out", None).with(vec![
        Field::new("choose", Fn).doc("a function of what is seen and its memory: the input"),
        Field::new("facts", FieldType::list(Ref("fact".to_owned())))
            .default(Datum::List(Vec::new()))
            .doc("what it is told of the run: `seen.facts.name`"),
        Field::new("sees", FieldType::list(one))
            .default(all)
            .doc("what it is shown beside the prompt; what it leaves out is not made for it"),
        Field::new("parameters", FieldType::Map(Box::new(FieldType::list(value))))
            .default(Datum::Map(Fields::new()))
            .doc("in which ways it can play: for each name the values there are, the first of them where nothing is said; `seen.parameters.name`"),
        Field::new("doc", Text).optional().doc("how it plays"),
    ])
}

fn sample() -> Kind {
    Kind::of_host("sample", "a start that the game is to be tried from: who explores it does", None)
        .with(vec![
            Field::new("doc", Text).optional().doc("whose start it is"),
            Field::new("options", Any).optional().doc("options that are set: a table by name"),
            Field::new("profile", Any).optional().doc("what the profile holds of the game"),
        ])
}

/// A scripted run that is declared in Lua, so that it can look at the state on its way.
fn case() -> Kind {
    let texts = || FieldType::list(Text);
    Kind::of_host(
        "case",
        "what must hold, for a file in a mod's tests/: the command test asks it. Named by a sentence; \
         either a function that asks the rules, or a table, which is a scripted run",
        Some(sentence::BODY),
    ).with(vec![
        Field::new("about", Text)
            .optional()
            .doc("what it shows; without it the sentence that it is named by"),
        Field::new(sentence::BODY, Fn).optional().doc(
            "a function that asks the rules, with `equals`, `holds` and `refuses`; there is no run",
        ),
        Field::new("seed", FieldType::INT).default(Datum::Int(1)).doc("the seed of all dice"),
        Field::new("mods", texts())
            .default(Datum::List(Vec::new()))
            .doc("ids of further mods that are on"),
        Field::new("settings", Any).optional().doc("what is set for mods: tables by mod and name"),
        Field::new("options", Any).optional().doc("options that are set: a table by name"),
        Field::new("profile", Any).optional().doc("what the profile holds of the game"),
        Field::new("given", Fn).optional().doc(
            "runs as a step before the first answer: brings state and scene to where it begins",
        ),
        Field::new("answers", FieldType::list(Either(vec![Text, Fn])))
            .default(Datum::List(Vec::new()))
            .doc(
                "the answers as they would be typed; a function among them runs as a step, to look",
            ),
        Field::new("ends", Text).optional().doc("the outcome that it must end with"),
        Field::new("expect", texts())
            .default(Datum::List(Vec::new()))
            .doc("texts that must be told, in this order"),
        Field::new("problem", Text)
            .optional()
            .doc("the code of the Problem that the last answer must be refused with"),
    ])
}

fn achievement() -> Kind {
    Kind::of_host("achievement", "something worth having done", None).with(vec![
        Field::new("name", Line(limits::LABEL_COLUMNS)).doc("its name for people"),
        Field::new("text", Text).doc("what was done"),
        Field::new("hidden", Bool)
            .default(Datum::Bool(false))
            .doc("whether it is kept secret until it is done"),
        Field::new("when", Fn).optional().doc("a function that says whether it is done"),
    ])
}

fn page() -> Kind {
    Kind::of_host("page", "something to read, offered in the menu", None).with(vec![
        Field::new("title", Line(limits::LABEL_COLUMNS))
            .doc("what stands above it and in the menu"),
        Field::new("text", Text).optional().doc("what it says"),
        Field::new("show", Fn).optional().doc("a function of the profile that returns a view"),
        Field::new("menu", Int { min: Some(0), max: None })
            .optional()
            .doc("its place in the menu; without one it is not offered there"),
    ])
}

fn title() -> Kind {
    let mut kind = Kind::of_host("title", "the words of the first screen", None);
    kind.fields = vec![
        Field::new("name", Line(limits::LABEL_COLUMNS)).doc("the name of the game"),
        Field::new("text", Text).default(Datum::text("")).doc("a line or two under the name"),
        Field::new("art", Text).optional().doc("a picture made of characters"),
        Field::new("apart", FieldType::list(Text))
            .default(Datum::List(Vec::new()))
            .doc("what tells runs that are over apart, by its names in the table that ended them or in the options: they are listed by it, and the best of each is told"),
        Field::new("score", Text)
            .optional()
            .doc("the name of the number in the table that ends a run by which the best is told"),
    ];
    let words = [
        ("new", "begin"),
        ("resume", "go on"),
        ("abandon", "give up what is unfinished"),
        ("profile", "look at what is kept"),
        ("history", "look at what was played"),
        ("settings", "set things"),
        ("quit", "leave"),
    ];
    for (name, does) in words {
        let doc = format!("the game's words for: {does}");
        kind.fields.push(Field::new(name, Line(limits::LABEL_COLUMNS)).optional().doc(&doc));
    }
    kind
}
