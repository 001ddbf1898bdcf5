//! A picture of a widget in plain text, for documentation.

use super::super::display_text;
use super::super::form::{Form, split_off_form};
use protocol::view::{PlacedWidget, Widget};
use protocol::{Prompt, View};

/// The lines that plain text prints for a widget. A form is printed with the choices of the prompt.
pub fn widget_picture(placed: &PlacedWidget, prompt: &Prompt) -> Vec<String> {
    if !matches!(placed.widget, Widget::Form { .. }) {
        return display_text::widget_lines(&placed.widget);
    }
    let view = View { widgets: vec![placed.clone()], ..View::default() };
    split_off_form(prompt, &view).1.iter().flat_map(Form::describe_rows).collect()
}
