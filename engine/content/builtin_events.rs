//! The host's own events, which exist in every game because the host emits them.

use super::schema::{Field, FieldType, Kind};

/// The event that the host emits when a step has ended.
pub const STEP_ENDED_EVENT: &str = "step_ended";

/// Returns the host's own events.
pub fn builtin_events() -> Vec<Kind> {
    let doc = "a step has ended: the start of a run, or an answer with all that followed from it; \
               the host emits it once in each step: what its hooks queue causes no second one";
    vec![Kind::new_builtin(STEP_ENDED_EVENT, doc, None).with_fields(vec![
        Field::new("answered", FieldType::Text)
            .with_doc("the scene or question that was answered; `\"\"` at the start of a run"),
        Field::new("scene", FieldType::Text)
            .with_doc("the scene or question that is next; `\"\"` when the run is over"),
    ])]
}
