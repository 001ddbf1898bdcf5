//! The world: one transaction over state, dice and events; scenes, awards, the end.

use base::digest::Hasher;
use base::value::ValueMap;
use base::{Digest, Value, limits};
use protocol::award::pay_award;
use protocol::{AwardTarget, RecordedEvent, StoryEvent, WorldSnapshot, WorldState};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use state::StoredValue;

fn say_event(text: &str) -> StoryEvent {
    StoryEvent::Say { text: text.to_owned() }
}

fn parse_map(json: &str) -> ValueMap {
    match serde_json::from_str(json).unwrap() {
        Value::Map(map) => map,
        other => panic!("{other:?} is no table"),
    }
}

/// One change of any kind, which may be refused.
fn apply_random_change(world: &mut WorldState, random: &mut ChaCha8Rng) {
    let number = i64::from(random.next_u32() % 9);
    let game = world.game_table();
    match random.next_u32() % 9 {
        0 => world.replace_top_scene(&format!("sample:s{number}")).unwrap(),
        1 => {
            let _ = world.push_scene(&format!("sample:s{number}"));
        }
        2 => {
            let _ = world.pop_scene();
        }
        3 => {
            let _ = world.add_award(
                AwardTarget::GAME_SUM,
                &parse_map(r#"{"experience":5,"kept":["rope"]}"#),
            );
        }
        4 => {
            let _ = world.record_outcome(Value::Int(number));
        }
        5 => world.emit_story_event(say_event("The rose turns its head.")).unwrap(),
        6 => {
            let _ = world.dice.draw("sample:combat", 20);
        }
        7 => {
            let _ = world.dice.draw("sample:loot", 6);
        }
        _ => {
            world.state.set_by_text_key(game, &format!("k{number}"), Some(Value::Num(0.1))).unwrap()
        }
    }
}

#[test]
fn rollback_restores_the_world_and_the_dice() {
    for seed in 0..200 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut world = WorldState::new(seed);
        for _ in 0..20 {
            apply_random_change(&mut world, &mut random);
        }
        let state_before = (world.snapshot(), world.story_events.clone(), world.digest());
        let mark = world.open_savepoint();
        for _ in 0..20 {
            apply_random_change(&mut world, &mut random);
        }
        let face = world.dice.draw("sample:fresh", 1_000);
        world.rollback_to(mark);
        assert_eq!(
            (world.snapshot(), world.story_events.clone(), world.digest()),
            state_before,
            "seed {seed}"
        );
        let mark = world.open_savepoint();
        assert_eq!(world.dice.draw("sample:fresh", 1_000), face);
        world.commit_savepoint(mark);
        assert_ne!(world.digest(), state_before.2, "seed {seed}");
    }
}

#[test]
fn a_serialized_snapshot_restores_the_same_world() {
    for seed in 0..100 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut world = WorldState::new(u64::MAX - seed);
        for _ in 0..30 {
            apply_random_change(&mut world, &mut random);
        }
        let json = serde_json::to_string(&world.snapshot()).unwrap();
        let read_snapshot: WorldSnapshot = serde_json::from_str(&json).unwrap();
        let mut restored = WorldState::restore(read_snapshot).unwrap();
        assert_eq!(restored.digest(), world.digest(), "seed {seed}");
        assert_eq!(restored.open_scenes(), world.open_scenes());
        assert_eq!(restored.award_so_far(), world.award_so_far());
        assert_eq!(restored.run_outcome(), world.run_outcome());
        for stream in ["sample:combat", "sample:loot", "sample:new"] {
            assert_eq!(restored.dice.draw(stream, 1_000), world.dice.draw(stream, 1_000));
        }
        let later_digests = (restored.digest(), world.digest());
        assert_eq!(later_digests.0, later_digests.1, "seed {seed}");
    }
}

#[test]
fn story_events_round_trip_through_json_and_others_are_refused() {
    let text = "a \"b\" \u{e9}\n".to_owned();
    let roll = r#"{"event":"roll","label":"strike","notation":"2d6","stream":"game:loot",
        "dice":[{"sides":6,"face":2,"kept":true},{"sides":6,"face":5,"kept":false}],"dice_total":2,
        "modifiers":[{"label":"ATK","value":-3}],"total":-1,"against":7,"outcome":"full","by":"a:1"}"#;
    let roll: RecordedEvent = serde_json::from_str(roll).unwrap();
    assert!(
        matches!(&roll.event, StoryEvent::Roll(roll) if roll.dice.len() == 2 && roll.total == -1)
    );
    for event in [
        StoryEvent::Say { text: text.clone() }.into(),
        StoryEvent::Heading { text: text.clone() }.into(),
        StoryEvent::Note { text: text.clone() }.into(),
        StoryEvent::Gain { text: text.clone() }.into(),
        StoryEvent::Loss { text: text.clone() }.into(),
        RecordedEvent {
            event: StoryEvent::Say { text },
            values: parse_map(r#"{"ally.name":"Ann","hp":3,"is_up":true}"#),
        },
        roll,
    ] {
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<RecordedEvent>(&json).unwrap(), event, "{json}");
    }
    for invalid_json in [
        "{}",
        "[]",
        r#"{"event":"sing","text":"la"}"#,
        r#"{"event":"say"}"#,
        r#"{"text":"no kind"}"#,
        r#"{"event":"roll","text":"no dice"}"#,
        r#"{"event":"say","text":"{a}","values":["a"]}"#,
    ] {
        assert!(serde_json::from_str::<RecordedEvent>(invalid_json).is_err(), "{invalid_json}");
    }
}

#[test]
fn a_digest_does_not_depend_on_the_chunks_it_is_fed() {
    let bytes: Vec<u8> = (0..2_000).map(|index: u32| (index * index % 251) as u8).collect();
    for length in (0..40).chain(480..530).chain([1_023, 1_024, 1_025, 2_000]) {
        let fed_bytes = &bytes[..length];
        let expected =
            Digest::hash_bytes(&[&7_u64.to_le_bytes(), &b"purpose"[..], fed_bytes].concat());
        for chunk_length in [1, 7, 64, 500, 2_000] {
            let mut hasher = Hasher::new("purpose");
            for chunk in fed_bytes.chunks(chunk_length) {
                hasher.feed_bytes(chunk);
            }
            assert_eq!(hasher.finish(), expected, "{length} bytes in pieces of {chunk_length}");
            let extended_bytes = [&7_u64.to_le_bytes(), &b"purpose"[..], fed_bytes, &[1]].concat();
            assert_eq!(hasher.clone().feed_tag(1).finish(), Digest::hash_bytes(&extended_bytes));
        }
    }
}

#[test]
fn the_digest_covers_every_part_of_the_world() {
    let mut digests = vec![WorldState::new(1).digest(), WorldState::new(2).digest()];
    let changes: [&dyn Fn(&mut WorldState); 5] = [
        &|world| world.replace_top_scene("sample:start").unwrap(),
        &|world| world.add_award(AwardTarget::GAME_SUM, &parse_map(r#"{"experience":1}"#)).unwrap(),
        &|world| world.record_outcome(Value::map()).unwrap(),
        &|world| {
            let _ = world.dice.draw("sample:combat", 20);
        },
        &|world| {
            let _ = world.dice.draw("sample:loot", 20);
        },
    ];
    for change in changes {
        let mut world = WorldState::new(1);
        change(&mut world);
        digests.push(world.digest());
    }
    let digest_count = digests.len();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), digest_count);
    // Output is not part of it: the journal stores it separately.
    let mut world = WorldState::new(1);
    world.emit_story_event(say_event("x")).unwrap();
    assert_eq!(world.digest(), WorldState::new(1).digest());
}

#[test]
fn scenes_form_a_stack() {
    let mut world = WorldState::new(1);
    assert_eq!(world.scene(), None);
    assert!(world.pop_scene().is_err());
    world.replace_top_scene("sample:hall").unwrap();
    world.push_scene("sample:bag").unwrap();
    world.replace_top_scene("sample:map").unwrap();
    assert_eq!(world.open_scenes(), ["sample:hall", "sample:map"]);
    world.pop_scene().unwrap();
    assert_eq!(world.scene().as_deref(), Some("sample:hall"));
    assert_eq!(world.pop_scene().unwrap_err(), "there is no scene below this one to go back to");
    for _ in 1..limits::MAX_OPEN_SCENES {
        world.push_scene("sample:bag").unwrap();
    }
    assert_eq!(
        world.push_scene("sample:bag").unwrap_err(),
        "more than 32 scenes on top of each other"
    );
    assert_eq!(world.open_scenes().len(), limits::MAX_OPEN_SCENES);
}

#[test]
fn awards_of_numbers_lists_and_maps_are_merged() {
    let mut world = WorldState::new(1);
    assert_eq!(world.award_so_far(), Value::map());
    let awards = [
        r#"{"experience":40,"best":"hall","kept":["rope"],"met":{"clerk":1}}"#,
        r#"{"experience":2,"best":"vault","kept":["salt","ash"],"met":{"clerk":1,"abbot":1}}"#,
        r#"{"kept":[],"met":{},"fresh":{},"half":0.5}"#,
        r#"{"kept":{},"fresh":["a"],"half":0.25,"experience":-1}"#,
    ];
    for award in awards {
        world.add_award(AwardTarget::GAME_SUM, &parse_map(award)).unwrap();
    }
    assert_eq!(
        world.award_so_far().to_json(),
        r#"{"best":"vault","experience":41,"fresh":["a"],"half":0.25,"kept":["rope","salt","ash"],"met":{"abbot":1,"clerk":2}}"#
    );
    let awards_before = world.award_so_far();
    let large_award = parse_map(r#"{"best":"x","met":{"clerk":9007199254740992}}"#);
    let error = world.add_award(AwardTarget::GAME_SUM, &large_award).unwrap_err();
    assert_eq!(error.reason, "award.met.clerk would come to more than 2^53");
    let items = vec![Value::from("salt"); 100_000];
    let item_award = ValueMap::from([("kept".into(), Value::List(items))]);
    let error = world.add_award(AwardTarget::GAME_SUM, &item_award).unwrap_err();
    let size_message =
        "would take 6800068 bytes in a profile; at most 1048576 are allowed for one game";
    assert_eq!(error.reason, format!("the award of this run {size_message}"));
    let mut profile_data = parse_map(r#"{"kept":["rope"]}"#);
    let error = pay_award(&mut profile_data, &item_award).unwrap_err();
    assert_eq!(error, "award.kept would come to more than 100000 entries");
    assert_eq!(world.award_so_far(), awards_before, "a refused award pays nothing");
    let mut profile = parse_map(r#"{"best":"hall","met":{"clerk":1}}"#);
    assert!(pay_award(&mut profile, &large_award).is_err());
    assert_eq!(profile, parse_map(r#"{"best":"hall","met":{"clerk":1}}"#));
    pay_award(&mut profile, &parse_map(r#"{"met":{"clerk":2},"kept":["rope"]}"#)).unwrap();
    assert_eq!(profile, parse_map(r#"{"best":"hall","met":{"clerk":3},"kept":["rope"]}"#));
}

#[test]
fn the_run_outcome_is_the_recorded_value() {
    let mut world = WorldState::new(1);
    assert_eq!(world.run_outcome(), None);
    world.record_outcome(Value::map_of([("outcome", Value::text("peace"))])).unwrap();
    assert_eq!(world.run_outcome().unwrap().to_json(), r#"{"outcome":"peace"}"#);
    let mut world = WorldState::new(1);
    world.record_outcome(Value::map()).unwrap();
    assert!(world.run_outcome().is_some(), "an end without a text is an end");
}

#[test]
fn story_output_of_a_step_is_limited() {
    let mut world = WorldState::new(1);
    for _ in 0..limits::MAX_STORY_EVENTS_PER_STEP {
        world.emit_story_event(say_event("x")).unwrap();
    }
    assert_eq!(
        world.emit_story_event(say_event("x")).unwrap_err(),
        "more than 2000 story events in one step"
    );
    assert_eq!(world.take_story_events().len(), limits::MAX_STORY_EVENTS_PER_STEP);
    let long_text = "x".repeat(limits::MAX_TEXT_BYTES);
    for _ in 0..limits::MAX_STORY_BYTES_PER_STEP / limits::MAX_TEXT_BYTES {
        world.emit_story_event(say_event(&long_text)).unwrap();
    }
    assert_eq!(
        world.emit_story_event(say_event("x")).unwrap_err(),
        "more than 1048576 bytes of story text in one step"
    );
    world.take_story_events();
    let mark = world.open_savepoint();
    for _ in 0..10 {
        world.emit_story_event(say_event(&long_text)).unwrap();
    }
    world.rollback_to(mark);
    assert_eq!(world.story_events, []);
    for _ in 0..16 {
        world.emit_story_event(say_event(&long_text)).unwrap();
    }
}

#[test]
fn an_invalid_snapshot_is_reported() {
    for state in
        ["[]", "3", r#"{"game":{}}"#, r#"{"game":{},"host":[1]}"#, r#"{"game":1,"host":{}}"#]
    {
        let state: Value = serde_json::from_str(state).unwrap();
        let snapshot = WorldSnapshot { state, seed: 1, positions: Default::default() };
        let problem = WorldState::restore(snapshot).err().unwrap();
        assert_eq!(problem.code, "bad-snapshot");
    }
    let odd_state = r#"{"game":{},"host":{"scenes":5,"award":"x"}}"#;
    let snapshot = WorldSnapshot {
        state: serde_json::from_str(odd_state).unwrap(),
        seed: 1,
        positions: Default::default(),
    };
    let mut world = WorldState::restore(snapshot).unwrap();
    assert_eq!(world.open_scenes(), Vec::<String>::new());
    world.add_award(AwardTarget::GAME_SUM, &parse_map(r#"{"experience":1}"#)).unwrap();
    assert_eq!(world.award_so_far().to_json(), r#"{"experience":1}"#);
    let host = world.state.get_by_text_key(world.state.root(), "host").unwrap();
    assert!(matches!(host, StoredValue::Table(_)));
}
