//! The front ends: transcripts of the plain front end and frames of the full screen.

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
pub mod sample;

#[path = "ui/plain.rs"]
mod plain;

#[path = "ui/full_screen.rs"]
mod full_screen;

#[path = "ui/decoder.rs"]
pub mod decoder;
#[path = "ui/number_prompt.rs"]
mod number_prompt;

#[path = "ui/fields.rs"]
mod fields;

#[path = "ui/palettes.rs"]
mod palettes;

#[path = "ui/keys.rs"]
mod keys;

#[path = "ui/keypress_count.rs"]
mod keypress_count;

#[path = "ui/lasting_keys.rs"]
mod lasting_keys;

#[path = "ui/log_after_resume.rs"]
mod log_after_resume;

#[path = "ui/bundled_screens.rs"]
mod bundled_screens;

#[path = "ui/edge_crossings.rs"]
mod edge_crossings;

#[path = "ui/groups.rs"]
mod groups;

#[path = "ui/map.rs"]
mod map;

#[path = "ui/auto_travel.rs"]
mod auto_travel;

#[path = "ui/forms.rs"]
mod forms;

#[path = "ui/maps_and_forms.rs"]
mod maps_and_forms;

#[path = "ui/paint.rs"]
mod paint;

#[path = "ui/picture.rs"]
mod picture;

#[path = "ui/frontends.rs"]
mod frontends;

#[path = "ui/random_keys.rs"]
mod random_keys;

#[path = "ui/screens.rs"]
pub mod screens;

#[path = "ui/ergonomics.rs"]
mod ergonomics;

#[path = "ui/casebook.rs"]
mod casebook;

#[path = "ui/few_keys.rs"]
mod few_keys;

#[path = "ui/menu_labels.rs"]
mod menu_labels;

#[path = "ui/long_sessions.rs"]
mod long_sessions;

#[test]
fn day_numbers_convert_to_dates() {
    let expected_dates = [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29")];
    for (days, date) in expected_dates.into_iter().chain([(20_778, "2026-11-21")]) {
        assert_eq!(ui::daily_seed::day_number_to_date(days), date);
    }
}
