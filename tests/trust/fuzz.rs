//! Readers of files and lines, fed with texts that were good once: bits flipped, pieces cut,
//! doubled, swapped and put in from others of the corpus (`tests/fuzz/`, `tests/fixtures/`). Runs on
//! any toolchain; a few thousand texts each by default, for as many seconds as are asked for else.
//! No reader may panic, hang, or take what it did not write.

use std::io::Cursor;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use engine::dice;
use engine::mods::Manifest;
use engine::play::{Choice, Prompt, View};
use engine::save::{DataDir, Disk, MemoryDisk, Reach};
use engine::ui::full::Keymap;
use engine::ui::plain::{Lines, Plain};
use engine::ui::{Answer, Front};

use crate::support::{Chance, asked_for};

/// Texts by default, each.
const FEW: u64 = 1_500;

/// Words that readers look at closely.
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

fn stretch(chance: &mut Chance, length: usize) -> Range<usize> {
    let from = chance.index(length + 1);
    from..from + chance.index((length - from).min(64) + 1)
}

fn mutate(corpus: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut text = corpus[chance.index(corpus.len())].clone();
    for _ in 0..1 + chance.index(4) {
        let at = chance.index(text.len() + 1);
        match chance.index(7) {
            0 if at < text.len() => text[at] ^= 1 << chance.index(8),
            1 if at < text.len() => text[at] = u8::try_from(chance.index(256)).unwrap(),
            2 => drop(text.drain(stretch(chance, text.len()))),
            3 => {
                let piece = text[stretch(chance, text.len())].to_vec();
                text.splice(at..at, piece);
            }
            4 => {
                let other = &corpus[chance.index(corpus.len())];
                let piece = other[stretch(chance, other.len())].to_vec();
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

/// Longest that a reader may have the processor for one text.
const SLOW: Duration = Duration::from_secs(5);

/// How long this thread has had the processor, on systems that tell it.
fn on_processor() -> Option<Duration> {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(spent.split_whitespace().next()?.parse().ok()?))
}

/// How long a reader takes over a text that took it `first` by the clock. Where that was long,
/// others may have had the processor meanwhile, and it is read once more.
fn alone(first: Duration, read: &dyn Fn()) -> Duration {
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

/// Feeds a reader; the text that made it panic is written where it can be kept.
#[allow(clippy::disallowed_methods)] // it runs for as long as it is asked to
fn feed(name: &str, corpus: &[Vec<u8>], read: &dyn Fn(&[u8])) {
    let seconds = asked_for("SUB_ROSA_FUZZ", 0);
    let begun = Instant::now();
    let from = asked_for("SUB_ROSA_FUZZ_SEED", 1);
    let mut chance = Chance::of(from);
    corpus.iter().for_each(|text| read(text));
    let (mut texts, mut slowest, mut slowest_text) = (0_u64, Duration::ZERO, Vec::new());
    while texts < FEW || begun.elapsed() < Duration::from_secs(seconds) {
        let text = mutate(corpus, &mut chance);
        let at = Instant::now();
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read(&text)));
        let took = alone(at.elapsed(), &|| read(&text));
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz").join(name);
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
    feed("notation", &corpus("notation"), &|bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(expr) = dice::parse(&text) {
            let again = dice::parse(&expr.to_string()).expect("what is written can be read");
            assert_eq!(again, expr, "and is the same");
            if let Ok(outcomes) = dice::outcomes(&expr) {
                assert!(!outcomes.is_empty());
            }
        }
    });
}

#[test]
fn manifests_of_mods() {
    feed("manifest", &corpus("manifest"), &|bytes| {
        let _ = Manifest::parse("odd", &String::from_utf8_lossy(bytes));
    });
}

#[test]
fn key_files() {
    feed("keys", &corpus("keys"), &|bytes| {
        let (_, problems) = Keymap::read(&String::from_utf8_lossy(bytes), "keys.toml");
        problems.iter().for_each(|problem| assert!(!problem.to_string().contains('\u{1b}')));
    });
}

/// A disk with what the first format wrote, but for one file.
fn disk() -> (MemoryDisk, DataDir) {
    let disk = MemoryDisk::new();
    let data_dir = DataDir::on(std::sync::Arc::new(disk.clone()), "data");
    disk.make_folder(&data_dir.root().join("runs/ada-0002")).unwrap();
    disk.make_folder(&data_dir.root().join("profiles")).unwrap();
    let run = data_dir.root().join("runs/ada-0002");
    for name in ["journal.jsonl", "checkpoint.json"] {
        disk.write(&run.join(name), &fixture(&format!("runs/ada-0002/{name}"))).unwrap();
    }
    (disk, data_dir)
}

#[test]
fn journals() {
    let (disk, data_dir) = disk();
    let path = data_dir.journal("ada-0002").unwrap();
    let first = fixture("runs/ada-0002/journal.jsonl");
    let texts = vec![first.clone(), fixture("runs/ada-0001/journal.jsonl")];
    feed("journal", &texts, &|bytes| {
        disk.write(&path, bytes).unwrap();
        for reach in [Reach::Tail, Reach::All] {
            let Ok(opened) = data_dir.open("ada-0002", reach) else { continue };
            let _ = opened.story();
            if bytes != first && opened.damage.is_none() && opened.torn.is_none() {
                assert!(first.starts_with(bytes), "a journal that nobody wrote was taken");
            }
            // A head that is made anew is for whoever goes on with the run; who walks it is told.
            let anew = opened.damage.as_ref().is_some_and(|damage| damage.line == 1);
            if reach == Reach::All && !anew {
                let whole = data_dir.open_whole("ada-0002").expect("it has its head");
                let entries = whole.entries().unwrap();
                assert!(!whole.goes_back() && entries.eq(opened.entries), "line by line");
            }
        }
    });
}

#[test]
fn checkpoints() {
    let (disk, data_dir) = disk();
    let path = data_dir.journal("ada-0002").unwrap().with_file_name("checkpoint.json");
    let first = fixture("runs/ada-0002/checkpoint.json");
    let texts = vec![first.clone(), fixture("runs/ada-0001/checkpoint.json")];
    feed("checkpoint", &texts, &|bytes| {
        disk.write(&path, bytes).unwrap();
        let opened = data_dir.open("ada-0002", Reach::Tail).expect("a checkpoint costs nothing");
        assert!(bytes == first || opened.checkpoint.is_none(), "one that nobody wrote was taken");
        assert!(opened.damage.is_none());
    });
}

#[test]
fn profiles() {
    let disk = MemoryDisk::new();
    let data_dir = DataDir::on(std::sync::Arc::new(disk.clone()), "data");
    let (mut held, _) = data_dir.lock_profile("Ada").unwrap();
    held.change(|profile| profile.last_run = 3).unwrap();
    let path = data_dir.profile("ada").unwrap();
    let sealed = disk.read(&path, u64::MAX).unwrap();
    drop(held);
    feed("profile", &[sealed.clone(), fixture("profiles/ada.toml")], &|bytes| {
        disk.write(&path, bytes).unwrap();
        let read = data_dir.read_profile("ada");
        let newer = bytes.windows(10).any(|ten| ten == b"format = 2");
        if let (Ok(profile), true) = (read, newer) {
            assert!(bytes == sealed || profile.format == 1, "one that nobody wrote was taken");
        }
    });
}

#[test]
fn scripts_of_answers() {
    let choice = |id: &str, closed: bool| Choice {
        id: id.to_owned(),
        label: format!("The {id}"),
        closed: closed.then(|| "not now".to_owned()),
        ..Choice::default()
    };
    let choices: Vec<Choice> = (0..9).map(|n| choice(&format!("way{n}"), n == 4)).collect();
    let asks = [
        engine::play::Ask::One,
        engine::play::Ask::Many { min: 0, max: 3 },
        engine::play::Ask::Number { min: -3, max: 900, default: 1 },
        engine::play::Ask::Text { max_length: 12, default: "nobody".to_owned() },
    ];
    feed("script", &corpus("script"), &|bytes| {
        let lines = Lines::scripted(Cursor::new(bytes.to_vec()), "odd.txt");
        let mut voice = Plain::new(lines, Vec::new(), 80);
        for turn in 0..40 {
            let ask = asks[turn % asks.len()].clone();
            let prompt = Prompt {
                scene: "odd:hall".to_owned(),
                text: "Which?".to_owned(),
                choices: match ask {
                    engine::play::Ask::One | engine::play::Ask::Many { .. } => choices.clone(),
                    _ => Vec::new(),
                },
                ask,
                rounds: false,
            };
            match voice.ask(&prompt, &View::default()) {
                Ok(Answer::Input(input)) => prompt.accepts(&input).expect("an answer that fits"),
                Ok(_) | Err(_) => break,
            }
        }
        let said = String::from_utf8(voice.into_output()).unwrap();
        assert!(said.chars().all(engine::kit::text::is_plain), "{said:?}");
    });
}
