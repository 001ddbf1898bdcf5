//! Lines and checkpoints crafted to take much memory or work: they are refused with the reason, the
//! file is kept, and other runs are not affected.

use base::Digest;
use protocol::StoryEntry;
use save::{ConsoleCommand, JournalEntry, ReadExtent};
use serde_json::{Value as Json, json};

use super::crafted_run_builder::{CraftedRun, RUN_ID};
use super::memory_growth::{MAX_LEFT_KIB, MemoryGrowth, run_in_own_process};

const LINE_BYTES: usize = 16 * 1024 * 1024;

/// The entries of step 3 with these events and changes.
fn step_entries(events: &str, changes: &str) -> Vec<String> {
    let intent = r#"{"intent":{"step":3,"input":{"choice":"dig"}}}"#.to_owned();
    let result =
        format!(r#"{{"result":{{"step":3,"events":[{events}],"changes":{{{changes}}}}}}}"#);
    vec![intent, result]
}

fn repeat_joined(item: &str, count: usize) -> String {
    vec![item; count].join(",")
}

/// Different texts as JSON, of so many bytes together.
fn distinct_texts(count: usize, bytes: usize) -> String {
    let width = bytes / count - 3;
    (0..count).map(|number| format!("\"{number:0width$x}\"")).collect::<Vec<_>>().join(",")
}

#[test]
fn a_line_of_too_many_parts_is_refused_unparsed() {
    for changes in [
        format!(r#""state":[{}]"#, repeat_joined(r#"{"path":[]}"#, 260_000)),
        format!(r#""state":[{{"path":["game"],"removed":[{}]}}]"#, repeat_joined(r#""""#, 800_000)),
    ] {
        let mut run = CraftedRun::new();
        run.add(&step_entries("", &changes));
        let problem = run.resume_problem();
        assert_eq!(problem.code, "journal-damaged");
        assert!(problem.message.contains("at most 25165824 are read"), "{problem}");
    }
    // Brackets and commas in texts are no parts.
    let mut run = CraftedRun::new();
    let text = r#"{[,\"{[,\\"#.repeat(60_000);
    run.add(&step_entries(&format!(r#"{{"event":"say","text":"{text}"}}"#), ""));
    assert_eq!(session::resume_run(&run.data_dir, RUN_ID, None).unwrap().session.step_number(), 3);
}

/// Each value of a line has less than the limit.
#[test]
fn the_values_of_a_line_have_one_count() {
    let lists = format!("[{}]", repeat_joined("0", 90_000));
    let set = |count: usize| {
        let names = (0..count).map(|number| format!("\"a{number}\":{lists}"));
        names.collect::<Vec<_>>().join(",")
    };
    for (count, expected) in
        [(4, "more values than plain data has"), (2, "larger than 120000 entries")]
    {
        let mut run = CraftedRun::new();
        let changes = format!(r#""state":[{{"path":["game"],"set":{{{}}}}}]"#, set(count));
        run.add(&step_entries("", &changes));
        let problem = run.resume_problem();
        assert!(problem.message.contains(expected), "{problem}");
    }
}

#[test]
fn a_line_of_too_many_dice_streams_is_refused() {
    let streams = |count| {
        let names = (0..count).map(|number| format!("\"s{number}\":1"));
        format!("\"dice\":{{{}}}", names.collect::<Vec<_>>().join(","))
    };
    let mut run = CraftedRun::new();
    run.add(&step_entries("", &streams(257)));
    let problem = run.resume_problem();
    assert!(problem.message.contains("at most 256 streams"), "{problem}");
    // With the stream in use there is one too many.
    let mut run = CraftedRun::new();
    run.add(&step_entries("", &streams(256)));
    let problem = run.resume_problem();
    assert!(problem.message.contains("at most 256"), "{problem}");
    let mut run = CraftedRun::new();
    run.add(&step_entries("", &streams(255)));
    assert_eq!(session::resume_run(&run.data_dir, RUN_ID, None).unwrap().session.step_number(), 3);
}

/// What a session copies often: each list of a run has a limit.
#[test]
fn what_a_run_has_beside_its_world_is_limited() {
    let names = |count| distinct_texts(count, count * 10);
    let ending = |award: &str, achieved: &str| {
        format!(
            r#"{{"ended":{{"outcome":{{}},"award":{award},"abandoned":false,"achieved":[{achieved}]}}}}"#
        )
    };
    let mods = |count: u32| {
        let version = |number| {
            let digest = Digest::hash_bytes(&u32::to_le_bytes(number));
            format!(r#"{{"id":"m{number}","version":"1","digest":"{digest}"}}"#)
        };
        (0..count).map(version).collect::<Vec<_>>().join(",")
    };
    let reasons = (0..70).map(|number| format!(r#"{{"mark":{{"reason":"m{number}"}}}}"#));
    let disabled = r#"{"set_aside":{"owner":"m","why":"x"}}"#.to_owned();
    for (entries, expected) in [
        (reasons.collect(), "65 reasons for no award; a run has at most 64"),
        (vec![disabled; 12_000], "disabled hooks and mods of 4194"),
        (
            vec![format!(r#"{{"intent":{{"step":3,"input":{{"many":[{}]}}}}}}"#, names(32_000))],
            "choices of",
        ),
        (
            vec![format!(
                r#"{{"console":{{"step":3,"command":{{"lua":"{}"}}}}}}"#,
                "x".repeat(5 << 20)
            )],
            "a console command of",
        ),
        (vec![ending("{}", &names(32_000))], "achievements of"),
        (
            vec![ending(&format!(r#"{{"a":[{}]}}"#, repeat_joined("[]", 20_000)), "")],
            "an award of 180018 values",
        ),
        (vec![format!(r#"{{"reload":{{"mods":[{}],"events":[]}}}}"#, mods(17_000))], "mods of"),
    ] {
        let mut run = CraftedRun::new();
        run.add(&entries);
        let problem = run.resume_problem();
        assert_eq!(problem.code, "journal-damaged");
        assert!(problem.message.contains(expected), "{problem}");
        assert!(problem.message.contains("a run has at most"), "{problem}");
    }
}

#[test]
fn a_header_that_a_session_could_not_copy_is_refused() {
    let tables = json!(vec![json!({ "": 0 }); 20_000]);
    let mods: Vec<Json> = (0..17_000_u32)
        .map(|number| {
            let digest = Digest::hash_bytes(&number.to_le_bytes());
            json!({ "id": format!("m{number}"), "version": "1", "digest": digest })
        })
        .collect();
    for (key, value, expected) in [
        ("profile", json!({ "a": tables }), "more values than plain data has"),
        ("engine", json!("x".repeat(5 << 20)), "names of"),
        ("mods", json!(mods), "mods of"),
    ] {
        let mut run = CraftedRun::new();
        run.edit_header(|header| header[key] = value);
        let problem = run.resume_problem();
        assert_eq!(problem.code, "journal-damaged");
        assert!(problem.message.contains(expected), "{problem}");
    }
}

/// A checkpoint that is too large is passed over: the journal has the run.
#[test]
fn a_crafted_checkpoint_is_passed_over() {
    let positions: serde_json::Map<String, Json> =
        (0..300).map(|number| (format!("s{number}"), json!(1))).collect();
    type Edit = Box<dyn FnOnce(&mut Json)>;
    let edits: [(Edit, &str); 4] = [
        (
            Box::new(|found| found["snapshot"]["positions"] = positions.into()),
            "at most 256 streams",
        ),
        (
            Box::new(|found| {
                found["snapshot"]["state"]["game"] = json!({"a": vec![json!({"": 0}); 40_000]});
            }),
            "more values than plain data has",
        ),
        (
            Box::new(|found| {
                let marks: Vec<String> = (0..65).map(|number| number.to_string()).collect();
                found["standing"]["marks"] = json!(marks);
            }),
            "65 reasons",
        ),
        (
            Box::new(|found| {
                found["snapshot"]["state"]["x"] = json!("x".repeat(LINE_BYTES + 2_000))
            }),
            "larger than any file the game writes",
        ),
    ];
    for (edit, expected) in edits {
        let run = CraftedRun::new();
        run.write_checkpoint(edit);
        let active_run = session::resume_run(&run.data_dir, RUN_ID, None).unwrap();
        assert_eq!(active_run.session.step_number(), 2);
        let notes = format!("{:?}", active_run.notes);
        assert!(notes.contains(expected), "{notes}");
        assert!(run.journal.with_file_name("checkpoint.damaged-1.json").exists(), "it is kept");
    }
    let run = CraftedRun::new();
    run.write_checkpoint(|_| {});
    let active_run = session::resume_run(&run.data_dir, RUN_ID, None).unwrap();
    assert!(active_run.notes.is_empty(), "{:?}", active_run.notes);
}

/// What a writer is asked to write has the same limits.
#[test]
fn a_console_line_that_could_not_be_read_again_is_not_written() {
    let run = CraftedRun::new();
    let mut active_run = session::resume_run(&run.data_dir, RUN_ID, None).unwrap();
    let before = run.entries();
    let long_line = ConsoleCommand::Lua(format!("-- {}", "x".repeat(5 << 20)));
    let Err(problem) = active_run.session.run_console_step(long_line) else {
        panic!("the line was written");
    };
    assert_eq!(problem.code, "entry-too-large", "{problem}");
    assert_eq!(run.entries(), before);
    active_run.session.run_console_step(ConsoleCommand::Lua("say 'Hm.'".to_owned())).unwrap();
}

/// A reload loads all mods, so a replay runs only so many again. The run can be continued.
#[test]
fn a_replay_runs_a_limited_number_of_reloads() {
    let mut run = CraftedRun::new();
    let opened = run.data_dir.open_run(RUN_ID, ReadExtent::All).unwrap();
    let (mods, events, changes) = (opened.header.mods.clone(), Vec::new(), Default::default());
    let reload = serde_json::to_string(&JournalEntry::Reload { mods, events, changes }).unwrap();
    run.add(&vec![reload; 2_001]);
    let problem = session::replay_and_verify(&run.data_dir, RUN_ID, &mut |_, _| {}).unwrap_err();
    assert_eq!(problem.code, "too-large", "{problem}");
    assert!(problem.message.contains("more than 2000 times"), "{problem}");
    assert!(problem.place.is_some() && problem.expected.is_some() && problem.hint.is_some());
    assert_eq!(session::resume_run(&run.data_dir, RUN_ID, None).unwrap().session.step_number(), 2);
}

/// An answer that was refused is at the end of the story so far.
#[test]
fn refused_and_undone_steps_leave_the_story() {
    let mut run = CraftedRun::new();
    let before = run.data_dir.read_recent_story(RUN_ID, &Default::default()).unwrap();
    let intent = |step| {
        format!(r#"{{"intent":{{"step":{step},"input":{{"choice":"dig"}},"answer_text":"No"}}}}"#)
    };
    let refusal =
        r#"{"refusal":{"step":3,"problem":{"severity":"error","code":"unknown","message":"x"}}}"#;
    let result = r#"{"result":{"step":4,"events":[{"event":"say","text":"Deep."}]}}"#;
    let undo = r#"{"back":{"to":2}}"#;
    run.add(&[intent(3), refusal.to_owned()]);
    assert_eq!(run.data_dir.read_recent_story(RUN_ID, &Default::default()).unwrap(), before);
    run.add(&[intent(4), result.to_owned()]);
    assert_eq!(
        run.data_dir.read_recent_story(RUN_ID, &Default::default()).unwrap().len(),
        before.len() + 2
    );
    run.add(&[undo.to_owned()]);
    assert_eq!(run.data_dir.read_recent_story(RUN_ID, &Default::default()).unwrap(), before);
}

/// The largest lines that are read, of the kinds that take most.
#[test]
fn crafted_lines_do_not_grow_the_process() {
    run_in_own_process("trust::crafted_lines::crafted_lines_do_not_grow_the_process", || {
        let text = |bytes| format!(r#"{{"event":"say","text":"{}"}}"#, "x".repeat(bytes));
        let tables = format!("[{}]", repeat_joined(r#"{"":0}"#, 9_500));
        let (keys, bytes) = (250_000, LINE_BYTES - 100_000);
        let cases: [(&str, Vec<String>); 5] = [
            ("a long text", step_entries(&text(bytes), "")),
            (
                "tables",
                step_entries(
                    &text(bytes - 300_000),
                    &format!(
                        r#""state":[{{"path":["game"],"set":{{"a":{tables},"b":{tables},"c":{tables}}}}}]"#
                    ),
                ),
            ),
            (
                "removed keys",
                step_entries(
                    "",
                    &format!(
                        r#""state":[{{"path":["game"],"removed":[{}]}}]"#,
                        distinct_texts(keys, bytes)
                    ),
                ),
            ),
            (
                "a path",
                step_entries(
                    "",
                    &format!(r#""state":[{{"path":[{}]}}]"#, distinct_texts(keys, bytes)),
                ),
            ),
            (
                "achievements",
                vec![format!(
                    r#"{{"ended":{{"outcome":{{}},"award":{{}},"abandoned":false,"achieved":[{}]}}}}"#,
                    distinct_texts(keys, bytes)
                )],
            ),
        ];
        let run_of = |entries: &[String]| {
            let mut run = CraftedRun::new();
            run.add(entries);
            run
        };
        let mut runs: Vec<(&str, CraftedRun)> =
            cases.iter().map(|(name, entries)| (*name, run_of(entries))).collect();
        drop(cases);
        let mut run = CraftedRun::new();
        run.edit_header(|header| {
            let texts = vec!["x".repeat(60_000); 260];
            header["profile"] = json!({ "texts": texts, "tables": vec![json!({"": 0}); 15_000] });
        });
        runs.push(("a profile", run));
        let mut growth = MemoryGrowth::start();
        for (name, run) in &runs {
            growth.measure(name, || {
                let _ = run.data_dir.lock_profile("Ada").unwrap();
                let _ = session::resume_run(&run.data_dir, RUN_ID, None);
            });
            growth.measure(&format!("{name}, verified"), || {
                let _ = session::replay_and_verify(&run.data_dir, RUN_ID, &mut |_, _| {});
            });
        }
        growth.assert_within_limits("crafted_lines", MAX_LEFT_KIB);
    });
}

/// Events with more marks, values and text than a step can output: they are shown as far as a
/// step's output may go, and then as they are written.
#[test]
fn crafted_events_are_filled_within_the_limits_of_a_step() {
    let mut run = CraftedRun::new();
    let result = |step: u64, events: &[String]| {
        let events = events.join(",");
        format!(r#"{{"result":{{"step":{step},"events":[{events}]}}}}"#)
    };
    let say = |text: &str, values: &str| {
        format!(r#"{{"event":"say","text":"{text}","values":{{{values}}}}}"#)
    };
    let many_marks: String = (0..100_000).map(|number| format!("{{m{number}}}")).collect();
    let many_values: Vec<String> = (0..100_000).map(|number| format!(r#""m{number}":1"#)).collect();
    let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let repeated = say(&"{a}".repeat(250), &format!(r#""a":"{}""#, "x".repeat(250)));
    let events = [
        say("{a} {b}", r#""b":2"#),
        say("{a} {b", r#""a":"{b}","b":[1,true,"x"]"#),
        say(&"{a}".repeat(20_000), &format!(r#""a":{nested}"#)),
        say(&many_marks, r#""a":1"#),
        say(&"{a}".repeat(100_000), r#""a":"xyz""#),
    ];
    run.add(&[result(3, &events), result(4, &vec![repeated; 100])]);
    run.add(&[result(5, &[say(&many_marks, &many_values.join(","))])]);
    let story = run.data_dir.read_recent_story(RUN_ID, &Default::default()).unwrap();
    let texts: Vec<&str> = story
        .iter()
        .filter_map(|entry| match entry {
            StoryEntry::Event(event) => event.text(),
            StoryEntry::Answer(_) => None,
        })
        .skip(2)
        .collect();
    assert_eq!(texts.len(), 106);
    assert_eq!(texts[..2], ["{a} {b}", "\\{b\\} 1, yes, x"]);
    assert_eq!(texts[2], "");
    assert_eq!(texts[3], many_marks);
    assert_eq!(texts[4].len(), 300_000);
    let filled_texts = texts.iter().filter(|text| text.starts_with("xx"));
    let filled_bytes: usize = filled_texts.map(|text| text.len()).sum();
    assert!(filled_bytes > 1_000_000 && filled_bytes < 1_200_000, "{filled_bytes} bytes");
}
