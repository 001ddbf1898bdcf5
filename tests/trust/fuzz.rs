//! Fuzzes the readers of files and lines with mutated corpus texts (`tests/fuzz/corpus/`,
//! `tests/fixtures/`): bits flipped, pieces cut, doubled, swapped and inserted from other texts. It
//! runs on any toolchain, by default a few thousand texts each, otherwise for the given number of
//! seconds. No reader may panic, hang, or accept what it did not write.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use super::readers;
use crate::support::{RandomSource, count_from_env, sample};

/// The default number of texts for each reader.
const FEW: u64 = 1_500;

/// Words with a meaning for readers.
const WORDS: [&str; 22] = [
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

fn random_range(chance: &mut RandomSource, length: usize) -> Range<usize> {
    let from = chance.index(length + 1);
    from..from + chance.index((length - from).min(64) + 1)
}

fn mutate(corpus: &[Vec<u8>], chance: &mut RandomSource) -> Vec<u8> {
    let mut text = corpus[chance.index(corpus.len())].clone();
    for _ in 0..1 + chance.index(4) {
        let at = chance.index(text.len() + 1);
        match chance.index(7) {
            0 if at < text.len() => text[at] ^= 1 << chance.index(8),
            1 if at < text.len() => text[at] = u8::try_from(chance.index(256)).unwrap(),
            2 => drop(text.drain(random_range(chance, text.len()))),
            3 => {
                let piece = text[random_range(chance, text.len())].to_vec();
                text.splice(at..at, piece);
            }
            4 => {
                let other = &corpus[chance.index(corpus.len())];
                let piece = other[random_range(chance, other.len())].to_vec();
                text.splice(at..at, piece);
            }
            5 => {
                let word = WORDS[chance.index(WORDS.len())].as_bytes().to_vec();
                text.splice(at..at, word);
            }
            _ => text.truncate(at),
        }
    }
    text
}

/// The maximum processor time of a reader for one text.
const SLOW: Duration = Duration::from_secs(5);

/// The processor time of this thread, on systems that report it.
fn on_processor() -> Option<Duration> {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(spent.split_whitespace().next()?.parse().ok()?))
}

/// The time of a reader on a text that took `first` by the clock. A long time may be due to other
/// processes, so the text is read again.
fn processor_time(first: Duration, read: &dyn Fn()) -> Duration {
    if first < Duration::from_millis(20) {
        return first;
    }
    let before = on_processor();
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    match (before, on_processor()) {
        (Some(before), Some(after)) => first.min(after.saturating_sub(before)),
        _ => first,
    }
}

/// Feeds a reader; a text that causes a panic is written to a file.
#[allow(clippy::disallowed_methods)] // it runs for as long as it is asked to
fn feed(name: &str, corpus: &[Vec<u8>], read: &dyn Fn(&[u8])) {
    let seconds = count_from_env("SUB_ROSA_FUZZ", 0);
    let begun = Instant::now();
    let from = count_from_env("SUB_ROSA_FUZZ_SEED", 1 + sample());
    let mut chance = RandomSource::of(from);
    corpus.iter().for_each(|text| read(text));
    let (mut texts, mut slowest, mut slowest_text) = (0_u64, Duration::ZERO, Vec::new());
    while texts < FEW || begun.elapsed() < Duration::from_secs(seconds) {
        let text = mutate(corpus, &mut chance);
        let at = Instant::now();
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read(&text)));
        let took = processor_time(at.elapsed(), &|| read(&text));
        if took > slowest {
            (slowest, slowest_text) = (took, text.clone());
        }
        if done.is_err() {
            let path = std::env::temp_dir().join(format!("found-{name}-{texts}"));
            std::fs::write(&path, &text).unwrap();
            panic!(
                "{name}: text {texts} is in {}: {:?}",
                path.display(),
                String::from_utf8_lossy(&text)
            );
        }
        texts += 1;
    }
    let slowest_text = String::from_utf8_lossy(&slowest_text);
    assert!(slowest < SLOW, "{name}: one text took {slowest:?}: {slowest_text:?}");
    let seconds = begun.elapsed().as_secs();
    super::figure(
        &format!("fuzz_{name}"),
        &format!(
            "{texts} texts in {seconds} s, slowest {slowest:?} over {:?}",
            slowest_text.chars().take(60).collect::<String>()
        ),
    );
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(name);
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn fixture(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format_1").join(path))
        .unwrap()
}

#[test]
fn dice_notation() {
    feed("notation", &corpus("notation"), &*readers::notation());
}

#[test]
fn manifests_of_mods() {
    feed("manifest", &corpus("manifest"), &*readers::manifest());
}

#[test]
fn key_files() {
    feed("keys", &corpus("keys"), &*readers::keys());
}

#[test]
fn journals() {
    let texts = [readers::JOURNAL.to_vec(), fixture("runs/ada-0001/journal.jsonl")];
    feed("journal", &texts, &*readers::journal());
}

#[test]
fn checkpoints() {
    let texts = [readers::CHECKPOINT.to_vec(), fixture("runs/ada-0001/checkpoint.json")];
    feed("checkpoint", &texts, &*readers::checkpoint());
}

#[test]
fn profiles() {
    let (sealed, reader) = readers::profile();
    feed("profile", &[sealed, fixture("profiles/ada.toml")], &*reader);
}

#[test]
fn scripts_of_answers() {
    feed("script", &corpus("script"), &*readers::script());
}
