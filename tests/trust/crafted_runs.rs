//! Files crafted to delay a start: they are read in pieces, and only as far as needed.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::Value;
use mods::ModSet;
use protocol::Input;
use save::{DataDir, Disk, JournalEntry, LockHandle, ReadExtent, RealDisk};
use session::RunContent;

use crate::support::memory_runs::{begin_run, choose};

/// The disk of this machine, with a count of the bytes read.
#[derive(Clone, Default)]
struct CountingDisk(Arc<AtomicU64>);

struct CountingReader<R>(R, Arc<AtomicU64>);

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read_count = self.0.read(buffer)?;
        self.1.fetch_add(read_count as u64, Ordering::Relaxed);
        Ok(read_count)
    }
}

impl Disk for CountingDisk {
    fn read_file(&self, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
        let bytes = RealDisk.read_file(path, max_bytes)?;
        self.0.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(bytes)
    }
    fn open_reader(&self, path: &Path, start: u64) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(CountingReader(
            fs::File::open(path).and_then(|mut file| {
                io::Seek::seek(&mut file, io::SeekFrom::Start(start)).map(|_| file)
            })?,
            self.0.clone(),
        )))
    }
    fn file_length(&self, path: &Path) -> io::Result<u64> {
        RealDisk.file_length(path)
    }
    fn write_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.write_file(path, bytes)
    }
    fn append_to_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.append_to_file(path, bytes)
    }
    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        RealDisk.truncate_file(path, length)
    }
    fn sync_file(&self, path: &Path) -> io::Result<()> {
        RealDisk.sync_file(path)
    }
    fn rename(&self, start: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(start, to)
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        RealDisk.sync_folder(path)
    }
    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>> {
        RealDisk.list_folder(path)
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        RealDisk.exists(path)
    }
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        RealDisk.create_folder(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Option<LockHandle>> {
        RealDisk.lock(path)
    }
}

const DIG_SCRIPT: &str = r#"
start(function() state.dug = 0 go "shaft" end)
scene "shaft" {
  prompt = function() return { text = "Dig?", choices = { { id = "dig", label = "Dig" } } } end,
  on = { dig = function() state.dug += roll("d6", "dirt") say "Earth." end },
}
"#;

fn dig_content() -> RunContent {
    let mods: ModSet = crate::support::game_from_files(&[("main.luau", DIG_SCRIPT)]);
    RunContent { mods, settings: Value::map() }
}

const RUN_ID: &str = "ada-0001";

/// A run of two steps on a counting disk.
fn write_dig_run() -> (tempfile::TempDir, CountingDisk, DataDir) {
    let (folder, disk) = (tempfile::tempdir().unwrap(), CountingDisk::default());
    let data_dir = DataDir::with_disk(Arc::new(disk.clone()), folder.path());
    let mut locked_profile = data_dir.lock_profile("Ada").unwrap().0;
    let mut active_run = begin_run(&mut locked_profile, dig_content(), 7);
    choose(&mut active_run.session, "dig");
    choose(&mut active_run.session, "dig");
    drop((active_run, locked_profile));
    (folder, disk, data_dir)
}

/// The bytes that a start reads to lock the profile and find the run.
fn bytes_read_at_start(disk: &CountingDisk, data_dir: &DataDir) -> u64 {
    let before = disk.0.load(Ordering::Relaxed);
    let (locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    assert_eq!(locked_profile.newest_unfinished_original_run("another").unwrap(), None);
    let _ = locked_profile.newest_unfinished_original_run(crate::support::GAME_MANIFEST).unwrap();
    disk.0.load(Ordering::Relaxed) - before
}

#[test]
fn trailing_zeros_are_not_read_to_their_end() {
    for has_checkpoint in [true, false] {
        let (_folder, disk, data_dir) = write_dig_run();
        let path = data_dir.journal_path(RUN_ID).unwrap();
        let original = fs::read(&path).unwrap();
        if has_checkpoint {
            let mut active_run = session::resume_run(&data_dir, RUN_ID, None).unwrap();
            for _ in 0..16 {
                choose(&mut active_run.session, "dig");
            }
        }
        let valid_length = fs::metadata(&path).unwrap().len();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(6 << 30).unwrap();
        // A line may be 16 MiB long; each read of the run may have to find out that this is none.
        let bytes_read = bytes_read_at_start(&disk, &data_dir);
        assert!(bytes_read < 256 << 20, "{bytes_read} bytes, with a checkpoint: {has_checkpoint}");
        let opened_run = data_dir.open_run(RUN_ID, ReadExtent::AfterCheckpoint).unwrap();
        let damage = opened_run.damage.expect("no crash leaves six gibibytes");
        assert_eq!(damage.last_valid_step, Some(if has_checkpoint { 18 } else { 2 }));
        // A repair works, and the stored copy takes as little space.
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(64 << 20).unwrap();
        let backups = data_dir.repair_run(RUN_ID).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), valid_length);
        assert_eq!(fs::metadata(&backups[0]).unwrap().len(), 64 << 20);
        #[cfg(unix)]
        assert!(
            std::os::unix::fs::MetadataExt::blocks(&fs::metadata(&backups[0]).unwrap()) < 10_000
        );
        assert!(fs::read(&path).unwrap().starts_with(&original));
        let resumed = session::resume_run(&data_dir, RUN_ID, None).unwrap();
        assert_eq!(resumed.session.step_number(), if has_checkpoint { 18 } else { 2 });
    }
}

#[test]
fn a_journal_of_many_lines_is_read_line_by_line() {
    let (_folder, disk, data_dir) = write_dig_run();
    let expected_run = session::resume_run(&data_dir, RUN_ID, None).unwrap();
    let digest = expected_run.session.digest();
    drop(expected_run);
    let mut writer = save::open_run_for_writing(&data_dir, RUN_ID, ReadExtent::AfterCheckpoint)
        .unwrap()
        .writer
        .unwrap();
    let mark = JournalEntry::NoAwardReason { reason: "x".to_owned() };
    for _ in 0..25 {
        writer.append_all(&vec![mark.clone(); 1_000], false).unwrap();
    }
    writer.sync().unwrap();
    drop(writer);
    let length = fs::metadata(data_dir.journal_path(RUN_ID).unwrap()).unwrap().len();
    let bytes_read = bytes_read_at_start(&disk, &data_dir);
    assert!(bytes_read < 6 * length, "{bytes_read} bytes of {length}");
    let opened_run = data_dir.open_run(RUN_ID, ReadExtent::AfterCheckpoint).unwrap();
    assert!(opened_run.damage.is_none());
    // Its entries are not in memory.
    let held_bytes = format!("{opened_run:?}").len();
    assert!(held_bytes < 8_000, "{held_bytes} of {length}");
    assert_eq!(data_dir.open_run(RUN_ID, ReadExtent::All).unwrap().entries().count(), 25_005);
    let mut active_run = session::resume_run(&data_dir, RUN_ID, None).unwrap();
    assert_eq!((active_run.session.step_number(), active_run.session.digest()), (2, digest));
    active_run.session.answer_prompt(&Input::Choice("dig".to_owned())).unwrap();
    assert_eq!(active_run.session.step_number(), 3);
}

#[test]
fn the_last_part_of_a_story_is_read_from_the_file_end() {
    let (_folder, disk, data_dir) = write_dig_run();
    let mut writer = save::open_run_for_writing(&data_dir, RUN_ID, ReadExtent::AfterCheckpoint)
        .unwrap()
        .writer
        .unwrap();
    for step in 3..15 {
        let input = Input::Choice("dig".to_owned());
        let intent =
            JournalEntry::Intent { step, input, answer_text: format!("Answer {step}"), odds: None };
        let events = vec![protocol::StoryEvent::Say { text: "o".repeat(900_000) }.into()];
        let changes = Default::default();
        writer.append_all(&[intent, JournalEntry::Result { step, events, changes }], true).unwrap();
    }
    drop(writer);
    let before = disk.0.load(Ordering::Relaxed);
    let story = data_dir.read_recent_story(RUN_ID, &Default::default()).unwrap();
    assert!(disk.0.load(Ordering::Relaxed) - before < 5 << 20);
    assert_eq!(
        story,
        data_dir
            .open_run(RUN_ID, ReadExtent::All)
            .unwrap()
            .recent_story(&Default::default())
            .unwrap()
    );
    assert!(story.len() > 6, "{}", story.len());
}

#[test]
fn an_oversized_header_does_not_delay_a_start() {
    let (folder, _, data_dir) = write_dig_run();
    let locked_profile = data_dir.lock_profile("Ada").unwrap().0;
    let header = data_dir.open_run(RUN_ID, ReadExtent::AfterCheckpoint).unwrap().header;
    drop(locked_profile);
    // More values than any profile has: the run cannot be read, and that is reported.
    let oversized_list = Value::List(vec![Value::List(vec![Value::Int(0); 1_000]); 401]);
    let text = serde_json::to_string(&oversized_list).unwrap();
    assert!(serde_json::from_str::<Value>(&text).unwrap_err().to_string().contains("more values"));
    let largest_list = Value::List(vec![Value::List(vec![Value::Int(0); 1_000]); 390]);
    assert_eq!(
        serde_json::from_str::<Value>(&serde_json::to_string(&largest_list).unwrap()).unwrap(),
        largest_list
    );
    // The same mod over and over, and many unknown mods.
    let repeated_mods = vec![header.mods[0].clone(); 100_000];
    assert_eq!(data_dir.load_stored_mods(&repeated_mods).unwrap_err()[0].code, "journal-damaged");
    let unknown_mods = (0..1_000_u32).map(|number| save::ModVersion {
        digest: base::Digest::hash_bytes(&number.to_le_bytes()),
        ..header.mods[0].clone()
    });
    let problems = data_dir.load_stored_mods(&unknown_mods.collect::<Vec<_>>()).unwrap_err();
    assert_eq!(problems.len(), 20);
    drop(folder);
}

#[test]
fn a_profile_with_too_many_values_is_refused_unread() {
    let (_folder, _, data_dir) = write_dig_run();
    // A previous profile exists.
    data_dir.lock_profile("Ada").unwrap().0.update_profile(|_| {}).unwrap();
    let path = data_dir.profile_path("ada").unwrap();
    let toml = fs::read_to_string(&path).unwrap();
    let toml_body = toml.split("\n# digest ").next().unwrap().replace("format = 2", "format = 1");
    let keys: String = (0..500_000).map(|number| format!("k{number} = {number}\n")).collect();
    let oversized_pages = [
        toml_body.replace("[preferences]\n", &format!("[preferences]\n{keys}")),
        toml_body
            .replace("settled = []", &format!("settled = [{}]", "\"ada-0009\",".repeat(500_000))),
    ];
    for toml in oversized_pages {
        fs::write(&path, toml).unwrap();
        let (locked_profile, notes) = data_dir.lock_profile("Ada").unwrap();
        assert_eq!(notes[0].code, "profile-damaged", "{}", notes[0]);
        assert!(notes[0].message.contains("lines and values"), "{}", notes[0]);
        assert_eq!(
            locked_profile.profile().last_run_number,
            1,
            "the one before it, and what the journal knows"
        );
    }
}

/// The parser would make a table for each name. Dots in texts and comments are no names.
#[test]
fn a_profile_with_a_key_of_very_many_names_is_refused_unread() {
    let (_folder, _, data_dir) = write_dig_run();
    data_dir.lock_profile("Ada").unwrap().0.update_profile(|_| {}).unwrap();
    let path = data_dir.profile_path("ada").unwrap();
    let toml = fs::read_to_string(&path).unwrap();
    let toml_body = toml.split("\n# digest ").next().unwrap().replace("format = 2", "format = 1");
    let names = vec!["a"; 1_000_000].join(".");
    let dots = ".".repeat(1_000);
    let texts = format!("# {dots}\nt = \"\\\"{dots}\"\nu = '{dots}'\nv = \"\"\"\n\"{dots}\"\"\"\n");
    for (added, is_refused) in [
        (format!("{names} = 1\n"), true),
        (format!("{texts}x = {{ {names} = 1 }}\n"), true),
        (texts, false),
    ] {
        let page = toml_body.replace("[preferences]\n", &format!("[preferences]\n{added}"));
        assert_ne!(page, toml_body);
        fs::write(&path, page).unwrap();
        let (_, notes) = data_dir.lock_profile("Ada").unwrap();
        let is_told = notes.iter().any(|note| note.message.contains("names with dots"));
        assert_eq!(is_told, is_refused, "{notes:?}");
        assert!(is_refused || notes.iter().all(|note| note.code != "profile-damaged"), "{notes:?}");
    }
}

#[test]
fn a_profile_with_too_many_games_is_refused() {
    let (_folder, _, data_dir) = write_dig_run();
    data_dir.lock_profile("Ada").unwrap().0.update_profile(|_| {}).unwrap();
    let path = data_dir.profile_path("ada").unwrap();
    let toml = fs::read_to_string(&path).unwrap();
    let toml_body = toml.split("\n# digest ").next().unwrap().replace("format = 2", "format = 1");
    let games: String = (0..10_000).map(|number| format!("[games.g{number}]\n")).collect();
    fs::write(&path, format!("{toml_body}\n{games}")).unwrap();
    let (locked_profile, notes) = data_dir.lock_profile("Ada").unwrap();
    assert_eq!(notes[0].code, "profile-damaged", "{}", notes[0]);
    assert!(notes[0].message.contains("it has 10001 games"), "{}", notes[0]);
    assert_eq!(locked_profile.profile().last_run_number, 1, "the version before it is used");
}

#[test]
fn a_checkpoint_without_its_journal_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("runs/ada-0001");
    fs::create_dir_all(&run).unwrap();
    let start_notes = || DataDir::new(folder.path()).lock_profile("Ada").unwrap().1;
    assert!(start_notes().is_empty(), "a run that never started");
    fs::write(run.join("checkpoint.json"), b"{}\n").unwrap();
    let notes = start_notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].message.contains("the journal of a run is gone"), "{}", notes[0]);
}

/// A start shows a few damaged runs and counts the rest.
#[test]
fn further_damaged_runs_are_counted_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=40 {
        let run = folder.path().join(format!("runs/ada-{number:04}"));
        fs::create_dir_all(&run).unwrap();
        fs::write(run.join("journal.jsonl"), b"no journal\n").unwrap();
    }
    let (_, notes) = DataDir::new(folder.path()).lock_profile("Ada").unwrap();
    assert_eq!(notes.len(), 9, "{notes:?}");
    assert!(notes[8].message.contains("32"), "{}", notes[8]);
}
