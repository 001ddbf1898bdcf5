//! The default glyph set comes from the locale.

use super::{DESCENT_FLAGS, Terminal};

/// Whether the drawing is ASCII from the title to a prompt with its sheet and map. Player names do
/// not depend on the glyph set.
fn is_output_ascii(environment: &[(&str, &str)], flags: &[&str]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let flags = [flags, DESCENT_FLAGS.as_slice()].concat();
    let mut terminal = Terminal::open_with_env(folder.path(), &flags, environment);
    terminal = terminal.pass_title("New game");
    terminal.assert_reads_keys();
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.output_bytes.lock().unwrap().is_ascii()
}

#[test]
fn a_locale_without_utf_8_is_drawn_in_ascii() {
    for environment in [
        &[][..],
        &[("LC_ALL", "POSIX")],
        &[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")],
        &[("LC_CTYPE", "de_DE.ISO-8859-1"), ("LANG", "de_DE.UTF-8")],
        &[("LANG", "ru_RU.KOI8-R")],
    ] {
        assert!(is_output_ascii(environment, &[]), "{environment:?}");
    }
    for environment in [
        &[("LC_ALL", "C.UTF-8")][..],
        &[("LC_ALL", "en_US.utf8"), ("LANG", "C")],
        &[("LC_ALL", ""), ("LC_CTYPE", "UTF-8"), ("LANG", "C")],
        &[("LANG", "nb_NO.UTF-8@bokmaal")],
    ] {
        assert!(!is_output_ascii(environment, &[]), "{environment:?}");
    }
    assert!(is_output_ascii(&[("LC_ALL", "C.UTF-8")], &["--ascii"]));
}

/// A choice in the settings overrides the locale, and the settings name the glyphs in use.
#[test]
fn the_settings_show_and_change_the_glyph_set() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open_with_env(folder.path(), &[], &[("LC_ALL", "POSIX")]);
    terminal.wait_for("New game");
    terminal.send_keys("8");
    terminal.wait_for("Characters: ASCII only");
    assert!(terminal.output_bytes.lock().unwrap().is_ascii());
    terminal.send_keys("2");
    terminal.wait_for("Characters: all");
    terminal.wait_until("drawn rule", |screen_text| !screen_text.is_ascii());
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    let mut terminal = Terminal::open_with_env(folder.path(), &[], &[("LC_ALL", "POSIX")]);
    terminal.wait_for("New game");
    terminal.assert_reads_keys();
    assert!(!terminal.output_bytes.lock().unwrap().is_ascii());
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
}
