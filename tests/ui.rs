//! What a person sees and hears: transcripts of the plain voice and frames of the full screen.

/// Compares with a snapshot beside those of the other topics.
macro_rules! snapshot {
    ($name:expr, $text:expr) => {
        insta::with_settings!({ snapshot_path => "../snapshots", omit_expression => true }, {
            insta::assert_snapshot!($name, $text);
        });
    };
    ($text:expr) => {
        insta::with_settings!({ snapshot_path => "../snapshots", omit_expression => true }, {
            insta::assert_snapshot!($text);
        });
    };
}

#[path = "ui/sample.rs"]
mod sample;

#[path = "ui/plain.rs"]
mod plain;

#[path = "ui/full.rs"]
mod full;

#[path = "ui/decoder.rs"]
pub mod decoder;
#[path = "ui/number.rs"]
mod number;

#[path = "ui/fields.rs"]
mod fields;

#[path = "ui/palettes.rs"]
mod palettes;

#[path = "ui/keys.rs"]
mod keys;

#[path = "ui/economy.rs"]
mod economy;

#[path = "ui/remembered.rs"]
mod remembered;

#[path = "ui/bundled_screens.rs"]
mod bundled_screens;

#[path = "ui/crossings.rs"]
mod crossings;

#[path = "ui/groups.rs"]
mod groups;

#[path = "ui/map.rs"]
mod map;

#[path = "ui/errands.rs"]
mod errands;

#[path = "ui/forms.rs"]
mod forms;

#[path = "ui/maps_and_forms.rs"]
mod maps_and_forms;

#[path = "ui/paint.rs"]
mod paint;

#[path = "ui/picture.rs"]
mod picture;

#[path = "ui/voices.rs"]
mod voices;

#[path = "ui/fingers.rs"]
mod fingers;

#[path = "ui/screens.rs"]
mod screens;

#[path = "ui/seated.rs"]
mod seated;

#[path = "ui/casebook.rs"]
mod casebook;

#[path = "ui/few_keys.rs"]
mod few_keys;

#[path = "ui/long_sessions.rs"]
mod long_sessions;

#[test]
fn days_have_their_dates() {
    let known = [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29")];
    for (days, name) in known.into_iter().chain([(20_778, "2026-11-21")]) {
        assert_eq!(engine::ui::day::date(days), name);
    }
}
