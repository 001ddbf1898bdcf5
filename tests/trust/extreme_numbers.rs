//! Numbers on the command line that fit no integer, and the largest that do.

use crate::cli;

#[test]
fn numbers_of_any_size_are_refused_or_accepted() {
    let max_number = u64::MAX.to_string();
    for (is_refused, arguments) in [
        (true, &["simulate", "--runs", &max_number][..]),
        (true, &["simulate", "--runs", "10000001"]),
        (true, &["simulate", "--runs", "18446744073709551616"]),
        (true, &["simulate", "--runs", "-1"]),
        (true, &["simulate", "--runs", "2", "--threads", &max_number]),
        (true, &["simulate", "--runs", &max_number, "--shard", "1/16"]),
        (true, &["explore", "--runs", &max_number]),
        (true, &["explore", "--runs", "2", "--threads", &max_number]),
        (false, &["simulate", "--runs", "3", "--seed", &max_number]),
        (false, &["simulate", "--runs", "3", "--seed", "18446744073709551614", "--csv"]),
        (false, &["simulate", "--runs", "2", "--threads", "4096", "--steps", &max_number]),
        (false, &["explore", "--runs", "2", "--seed", &max_number, "--steps", &max_number]),
    ] {
        let all_arguments = [arguments, &["--mods", cli::FERRY_FOLDER, "--game", "ferry"]].concat();
        let output = cli::run_with_input(cli::program_command(&all_arguments), "");
        let stderr = cli::utf8_text(&output.stderr);
        assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
        assert_eq!(output.status.code() == Some(2), is_refused, "{arguments:?}: {stderr}");
    }
}
