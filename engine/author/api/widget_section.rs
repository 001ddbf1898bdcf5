//! The section about widgets: an example of each, and what both front ends draw for it. The examples
//! are one small game, which is loaded and drawn.

use super::examples::statement_at;
use base::{Problem, Value};
use mods::{ModSource, sort_into_load_order};
use session::{RunContent, RunParameters, Session, StepRecorder};
use ui::{full_screen, plain_text};

/// The game with the examples.
const EXAMPLES_SCRIPT: &str = include_str!("widget_examples.luau.in");
const EXAMPLES_MANIFEST: &str = "\
id = \"widget_examples\"
name = \"Widget examples\"
version = \"0.1.0\"
engine = \"0.1\"
game = true
";
/// The columns of a picture.
const PICTURE_COLUMNS: u16 = 56;
/// What each line of an example is indented by.
const EXAMPLE_INDENT: &str = "      ";

/// Renders the section.
pub(super) fn write_widgets(page: &mut String) -> Result<(), Vec<Problem>> {
    page.push_str(
        "\n## Widgets\n\nWhat a view or a page shows. `slot` is `\"top\"` (one short line), `\"sheet\"` or `\"more\"`. The types of all\nfields: [`Widget`](#luau-types). First what the full screen draws, then what plain text prints.\n",
    );
    for widget in widget_examples()? {
        let WidgetExample { name, doc, code, full_screen, plain_text } = widget;
        page.push_str(&format!("\n### Widget {name}\n\n{doc}\n\n```lua\n{code}\n```\n"));
        for lines in [full_screen, plain_text] {
            page.push_str(&format!("\n```text\n{}\n```\n", lines.join("\n")));
        }
    }
    Ok(())
}

/// An example of a widget, and its pictures.
struct WidgetExample {
    /// The name of the widget.
    name: String,
    /// What it is for.
    doc: String,
    /// The table that describes it.
    code: String,
    /// What the full screen draws.
    full_screen: Vec<String>,
    /// What plain text prints.
    plain_text: Vec<String>,
}

/// All widgets.
fn widget_examples() -> Result<Vec<WidgetExample>, Vec<Problem>> {
    let stored = serde_json::json!({
        "manifest": EXAMPLES_MANIFEST,
        "files": { "play.luau": EXAMPLES_SCRIPT },
    });
    let source = ModSource::deserialize_from_store(&stored.to_string())?;
    let content = RunContent { mods: sort_into_load_order(vec![source])?, settings: Value::map() };
    let vm = content.load_strict_vm()?;
    let parameters = RunParameters { seed: 1, options: Value::map(), profile: Value::map() };
    let (mut session, _) =
        Session::start(content, vm, &parameters, StepRecorder::without_journal())
            .map_err(|problem| vec![problem])?;
    let prompt = session.prompt().clone();
    let view = session.compute_view_if_needed().map_err(|problem| vec![problem])?;
    let examples = example_texts().zip(&view.widgets).map(|((doc, code), placed)| WidgetExample {
        name: widget_name(&code),
        doc,
        code,
        full_screen: full_screen::widget_picture(placed, &prompt, PICTURE_COLUMNS),
        plain_text: plain_text::widget_picture(placed, &prompt),
    });
    Ok(examples.collect())
}

/// The comment and the code of each example.
fn example_texts() -> impl Iterator<Item = (String, String)> {
    let (mut doc, mut code_end) = (String::new(), 0);
    EXAMPLES_SCRIPT.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.strip_prefix(EXAMPLE_INDENT).filter(|_| index >= code_end)?;
        if let Some(comment) = line.strip_prefix("--") {
            doc.push_str(comment.strip_prefix(' ').unwrap_or(comment));
            doc.push('\n');
        }
        if !line.starts_with('{') || doc.is_empty() {
            return None;
        }
        let code = statement_at(EXAMPLES_SCRIPT, index + 1)?;
        code_end = index + code.lines().count();
        Some((
            std::mem::take(&mut doc).trim_end().to_owned(),
            code.trim_end_matches(',').to_owned(),
        ))
    })
}

/// The widget that an example describes.
fn widget_name(code: &str) -> String {
    let name = code.split("widget = \"").nth(1).and_then(|rest| rest.split('"').next());
    name.unwrap_or_default().to_owned()
}
