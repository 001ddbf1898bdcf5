//! Numbers on the command line that fit no integer, and the largest that do.

use crate::cli;

#[test]
fn numbers_of_any_size_come_to_a_message_or_to_an_end() {
    let most = u64::MAX.to_string();
    for (refused, arguments) in [
        (true, &["simulate", "--runs", &most][..]),
        (true, &["simulate", "--runs", "10000001"]),
        (true, &["simulate", "--runs", "18446744073709551616"]),
        (true, &["simulate", "--runs", "-1"]),
        (true, &["simulate", "--runs", "2", "--threads", &most]),
        (true, &["simulate", "--runs", &most, "--shard", "1/16"]),
        (true, &["explore", "--runs", &most]),
        (true, &["explore", "--runs", "2", "--threads", &most]),
        (false, &["simulate", "--runs", "3", "--seed", &most]),
        (false, &["simulate", "--runs", "3", "--seed", "18446744073709551614", "--csv"]),
        (false, &["simulate", "--runs", "2", "--threads", "4096", "--steps", &most]),
        (false, &["explore", "--runs", "2", "--seed", &most, "--steps", &most]),
    ] {
        let whole = [arguments, &["--mods", cli::GAMES, "--game", "ferry"]].concat();
        let done = cli::run(cli::program(&whole), "");
        let said = cli::text(&done.stderr);
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        assert_eq!(done.status.code() == Some(2), refused, "{arguments:?}: {said}");
    }
}
