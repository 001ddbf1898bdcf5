//! Fuzzes the readers of files and lines with mutated corpus texts (`tests/fuzz/corpus/`,
//! `tests/fixtures/`): bits flipped, pieces cut, doubled, swapped and inserted from other texts. It
//! runs on any toolchain, by default a few thousand texts each, otherwise for the given number of
//! seconds. No reader may panic, hang, or accept what it did not write.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use super::readers;
use crate::support::{RandomSource, count_from_env, sample_number};

/// The default number of texts for each reader.
const MIN_TEXTS: u64 = 1_500;

/// Words with a meaning for readers.
const READER_WORDS: [&str; 22] = [
    "d",
    "!",
    "kh",
    "99999999999999999999",
    "-",
    "0",
    "\n",
    "\r\n",
    "\u{0}",
    "\u{1b}]0;x\u{7}",
    "\u{202e}",
    "[[",
    "{",
    "}",
    "\"",
    "=",
    "nan",
    "1e999",
    "format = 1",
    "\"step\":0",
    "#",
    "\u{feff}",
];

fn random_range(random: &mut RandomSource, length: usize) -> Range<usize> {
    let start = random.next_index(length + 1);
    start..start + random.next_index((length - start).min(64) + 1)
}

fn mutate(corpus: &[Vec<u8>], random: &mut RandomSource) -> Vec<u8> {
    let mut text = corpus[random.next_index(corpus.len())].clone();
    for _ in 0..1 + random.next_index(4) {
        let position = random.next_index(text.len() + 1);
        match random.next_index(7) {
            0 if position < text.len() => text[position] ^= 1 << random.next_index(8),
            1 if position < text.len() => {
                text[position] = u8::try_from(random.next_index(256)).unwrap()
            }
            2 => drop(text.drain(random_range(random, text.len()))),
            3 => {
                let piece = text[random_range(random, text.len())].to_vec();
                text.splice(position..position, piece);
            }
            4 => {
                let other_text = &corpus[random.next_index(corpus.len())];
                let piece = other_text[random_range(random, other_text.len())].to_vec();
                text.splice(position..position, piece);
            }
            5 => {
                let word = READER_WORDS[random.next_index(READER_WORDS.len())].as_bytes().to_vec();
                text.splice(position..position, word);
            }
            _ => text.truncate(position),
        }
    }
    text
}

/// The maximum processor time of a reader for one text.
const MAX_READ_TIME: Duration = Duration::from_secs(5);

/// The processor time of this thread, on systems that report it.
fn thread_processor_time() -> Option<Duration> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(statistics.split_whitespace().next()?.parse().ok()?))
}

/// The time of a reader on a text that took `wall_time` by the clock. A long time may be due to
/// other processes, so the text is read again.
fn processor_time(wall_time: Duration, read_text: &dyn Fn()) -> Duration {
    if wall_time < Duration::from_millis(20) {
        return wall_time;
    }
    let before = thread_processor_time();
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read_text));
    match (before, thread_processor_time()) {
        (Some(before), Some(after)) => wall_time.min(after.saturating_sub(before)),
        _ => wall_time,
    }
}

/// Feeds a reader; a text that causes a panic is written to a file.
#[allow(clippy::disallowed_methods)] // it runs for as long as it is asked to
fn fuzz_reader(name: &str, corpus: &[Vec<u8>], read_text: &dyn Fn(&[u8])) {
    let seconds = count_from_env("SUB_ROSA_FUZZ", 0);
    let fuzz_start = Instant::now();
    let first_seed = count_from_env("SUB_ROSA_FUZZ_SEED", 1 + sample_number());
    let mut random = RandomSource::from_seed(first_seed);
    corpus.iter().for_each(|text| read_text(text));
    let (mut text_count, mut slowest, mut slowest_text) = (0_u64, Duration::ZERO, Vec::new());
    while text_count < MIN_TEXTS || fuzz_start.elapsed() < Duration::from_secs(seconds) {
        let text = mutate(corpus, &mut random);
        let read_start = Instant::now();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read_text(&text)));
        let read_time = processor_time(read_start.elapsed(), &|| read_text(&text));
        if read_time > slowest {
            (slowest, slowest_text) = (read_time, text.clone());
        }
        if result.is_err() {
            let path = std::env::temp_dir().join(format!("found-{name}-{text_count}"));
            std::fs::write(&path, &text).unwrap();
            panic!(
                "{name}: text {text_count} is in {}: {:?}",
                path.display(),
                String::from_utf8_lossy(&text)
            );
        }
        text_count += 1;
    }
    let slowest_text = String::from_utf8_lossy(&slowest_text);
    assert!(slowest < MAX_READ_TIME, "{name}: one text took {slowest:?}: {slowest_text:?}");
    let seconds = fuzz_start.elapsed().as_secs();
    super::record_figure(
        &format!("fuzz_{name}"),
        &format!(
            "{text_count} texts in {seconds} s, slowest {slowest:?} over {:?}",
            slowest_text.chars().take(60).collect::<String>()
        ),
    );
}

fn load_corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(name);
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn read_fixture(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(super::FIXTURE_PATH).join(path)).unwrap()
}

#[test]
fn dice_notation() {
    fuzz_reader("notation", &load_corpus("notation"), &*readers::notation_target());
}

#[test]
fn manifests_of_mods() {
    fuzz_reader("manifest", &load_corpus("manifest"), &*readers::manifest_target());
}

#[test]
fn key_files() {
    fuzz_reader("keys", &load_corpus("keys"), &*readers::key_file_target());
}

#[test]
fn journals() {
    let text_count = [readers::JOURNAL.to_vec(), read_fixture("runs/ada-0001/journal.jsonl")];
    fuzz_reader("journal", &text_count, &*readers::journal_target());
}

#[test]
fn checkpoints() {
    let text_count = [readers::CHECKPOINT.to_vec(), read_fixture("runs/ada-0001/checkpoint.json")];
    fuzz_reader("checkpoint", &text_count, &*readers::checkpoint_target());
}

#[test]
fn profiles() {
    let (sealed_profile, reader) = readers::profile_target();
    fuzz_reader("profile", &[sealed_profile, read_fixture("profiles/ada.toml")], &*reader);
}

#[test]
fn scripts_of_answers() {
    fuzz_reader("script", &load_corpus("script"), &*readers::script_target());
}
