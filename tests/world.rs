//! The world: one transaction over state, dice and events; scenes, awards, the end.

use engine::base::digest::Hasher;
use engine::base::value::Map;
use engine::base::{Digest, Value, limits};
use engine::protocol::award::pay_award;
use engine::protocol::{StoryEvent, World, WorldSnapshot};
use engine::state::Slot;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

fn say(text: &str) -> StoryEvent {
    StoryEvent::Say { text: text.to_owned() }
}

fn map(json: &str) -> Map {
    match serde_json::from_str(json).unwrap() {
        Value::Map(map) => map,
        other => panic!("{other:?} is no table"),
    }
}

/// One change of any kind, which may be refused.
fn change(world: &mut World, whim: &mut ChaCha8Rng) {
    let number = i64::from(whim.next_u32() % 9);
    let game = world.game_table();
    match whim.next_u32() % 9 {
        0 => world.replace_top_scene(&format!("sample:s{number}")).unwrap(),
        1 => {
            let _ = world.push_scene(&format!("sample:s{number}"));
        }
        2 => {
            let _ = world.pop_scene();
        }
        3 => {
            let _ = world.add_award(&map(r#"{"experience":5,"kept":["rope"]}"#));
        }
        4 => {
            let _ = world.record_outcome(Value::Int(number));
        }
        5 => world.emit_story(say("The rose turns its head.")).unwrap(),
        6 => {
            let _ = world.dice.draw("sample:combat", 20);
        }
        7 => {
            let _ = world.dice.draw("sample:loot", 6);
        }
        _ => world.state.set_text(game, &format!("k{number}"), Some(Value::Num(0.1))).unwrap(),
    }
}

#[test]
fn a_step_taken_back_leaves_no_trace_and_the_dice_fall_the_same_again() {
    for seed in 0..200 {
        let mut whim = ChaCha8Rng::seed_from_u64(seed);
        let mut world = World::new(seed);
        for _ in 0..20 {
            change(&mut world, &mut whim);
        }
        let before = (world.snapshot(), world.events.clone(), world.digest());
        let mark = world.mark();
        for _ in 0..20 {
            change(&mut world, &mut whim);
        }
        let face = world.dice.draw("sample:fresh", 1_000);
        world.rollback(mark);
        assert_eq!((world.snapshot(), world.events.clone(), world.digest()), before, "seed {seed}");
        let mark = world.mark();
        assert_eq!(world.dice.draw("sample:fresh", 1_000), face);
        world.commit(mark);
        assert_ne!(world.digest(), before.2, "seed {seed}");
    }
}

#[test]
fn a_snapshot_on_paper_is_the_same_world() {
    for seed in 0..100 {
        let mut whim = ChaCha8Rng::seed_from_u64(seed);
        let mut world = World::new(u64::MAX - seed);
        for _ in 0..30 {
            change(&mut world, &mut whim);
        }
        let paper = serde_json::to_string(&world.snapshot()).unwrap();
        let read: WorldSnapshot = serde_json::from_str(&paper).unwrap();
        let mut restored = World::restore(read).unwrap();
        assert_eq!(restored.digest(), world.digest(), "seed {seed}");
        assert_eq!(restored.scenes(), world.scenes());
        assert_eq!(restored.awards(), world.awards());
        assert_eq!(restored.run_outcome(), world.run_outcome());
        for stream in ["sample:combat", "sample:loot", "sample:new"] {
            assert_eq!(restored.dice.draw(stream, 1_000), world.dice.draw(stream, 1_000));
        }
        let later = (restored.digest(), world.digest());
        assert_eq!(later.0, later.1, "seed {seed}");
    }
}

#[test]
fn events_of_every_kind_are_read_as_they_are_written_and_others_are_refused() {
    let text = "a \"b\" \u{e9}\n".to_owned();
    let roll = r#"{"event":"roll","label":"strike","notation":"2d6","stream":"game:loot",
        "dice":[{"sides":6,"face":2,"kept":true},{"sides":6,"face":5,"kept":false}],"dice_total":2,
        "modifiers":[{"label":"ATK","value":-3}],"total":-1,"against":7,"outcome":"full","by":"a:1"}"#;
    let roll: StoryEvent = serde_json::from_str(roll).unwrap();
    assert!(matches!(&roll, StoryEvent::Roll(roll) if roll.dice.len() == 2 && roll.total == -1));
    for event in [
        StoryEvent::Say { text: text.clone() },
        StoryEvent::Heading { text: text.clone() },
        StoryEvent::Note { text: text.clone() },
        StoryEvent::Gain { text: text.clone() },
        StoryEvent::Loss { text },
        roll,
    ] {
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<StoryEvent>(&json).unwrap(), event, "{json}");
    }
    for odd in [
        "{}",
        "[]",
        r#"{"event":"sing","text":"la"}"#,
        r#"{"event":"say"}"#,
        r#"{"text":"no kind"}"#,
        r#"{"event":"roll","text":"no dice"}"#,
    ] {
        assert!(serde_json::from_str::<StoryEvent>(odd).is_err(), "{odd}");
    }
}

#[test]
fn a_digest_is_the_same_in_whatever_pieces_it_is_fed_and_however_long() {
    let bytes: Vec<u8> = (0..2_000).map(|at: u32| (at * at % 251) as u8).collect();
    for length in (0..40).chain(480..530).chain([1_023, 1_024, 1_025, 2_000]) {
        let fed = &bytes[..length];
        let plain = Digest::of(&[&7_u64.to_le_bytes(), &b"purpose"[..], fed].concat());
        for piece in [1, 7, 64, 500, 2_000] {
            let mut hasher = Hasher::new("purpose");
            for piece in fed.chunks(piece) {
                hasher.feed_bytes(piece);
            }
            assert_eq!(hasher.finish(), plain, "{length} bytes in pieces of {piece}");
            let more = [&7_u64.to_le_bytes(), &b"purpose"[..], fed, &[1]].concat();
            assert_eq!(hasher.clone().feed_tag(1).finish(), Digest::of(&more));
        }
    }
}

#[test]
fn the_digest_knows_every_part_of_the_world() {
    let mut digests = vec![World::new(1).digest(), World::new(2).digest()];
    let changes: [&dyn Fn(&mut World); 5] = [
        &|world| world.replace_top_scene("sample:start").unwrap(),
        &|world| world.add_award(&map(r#"{"experience":1}"#)).unwrap(),
        &|world| world.record_outcome(Value::map()).unwrap(),
        &|world| {
            let _ = world.dice.draw("sample:combat", 20);
        },
        &|world| {
            let _ = world.dice.draw("sample:loot", 20);
        },
    ];
    for change in changes {
        let mut world = World::new(1);
        change(&mut world);
        digests.push(world.digest());
    }
    let all = digests.len();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), all);
    // Output is not part of it: the journal stores it separately.
    let mut world = World::new(1);
    world.emit_story(say("x")).unwrap();
    assert_eq!(world.digest(), World::new(1).digest());
}

#[test]
fn scenes_lie_on_top_of_each_other() {
    let mut world = World::new(1);
    assert_eq!(world.scene(), None);
    assert!(world.pop_scene().is_err());
    world.replace_top_scene("sample:hall").unwrap();
    world.push_scene("sample:bag").unwrap();
    world.replace_top_scene("sample:map").unwrap();
    assert_eq!(world.scenes(), ["sample:hall", "sample:map"]);
    world.pop_scene().unwrap();
    assert_eq!(world.scene().as_deref(), Some("sample:hall"));
    assert_eq!(world.pop_scene().unwrap_err(), "there is no scene below this one to go back to");
    for _ in 1..limits::SCENE_DEPTH {
        world.push_scene("sample:bag").unwrap();
    }
    assert_eq!(
        world.push_scene("sample:bag").unwrap_err(),
        "more than 32 scenes on top of each other"
    );
    assert_eq!(world.scenes().len(), limits::SCENE_DEPTH);
}

#[test]
fn awards_add_up_grow_and_merge() {
    let mut world = World::new(1);
    assert_eq!(world.awards(), Value::map());
    let awards = [
        r#"{"experience":40,"best":"hall","kept":["rope"],"met":{"clerk":1}}"#,
        r#"{"experience":2,"best":"vault","kept":["salt","ash"],"met":{"clerk":1,"abbot":1}}"#,
        r#"{"kept":[],"met":{},"fresh":{},"half":0.5}"#,
        r#"{"kept":{},"fresh":["a"],"half":0.25,"experience":-1}"#,
    ];
    for award in awards {
        world.add_award(&map(award)).unwrap();
    }
    assert_eq!(
        world.awards().to_json(),
        r#"{"best":"vault","experience":41,"fresh":["a"],"half":0.25,"kept":["rope","salt","ash"],"met":{"abbot":1,"clerk":2}}"#
    );
    let before = world.awards();
    let most = map(r#"{"best":"x","met":{"clerk":9007199254740992}}"#);
    let refused = world.add_award(&most).unwrap_err();
    assert_eq!(refused.reason, "award.met.clerk would come to more than 2^53");
    let kept = vec![Value::from("salt"); 100_000];
    let kept = Map::from([("kept".into(), Value::List(kept))]);
    let refused = world.add_award(&kept).unwrap_err();
    let size = "would take 6800068 bytes in a profile; at most 1048576 are allowed for one game";
    assert_eq!(refused.reason, format!("the award of this run {size}"));
    let mut there = map(r#"{"kept":["rope"]}"#);
    let refused = pay_award(&mut there, &kept).unwrap_err();
    assert_eq!(refused, "award.kept would come to more than 100000 entries");
    assert_eq!(world.awards(), before, "a refused award pays nothing");
    let mut profile = map(r#"{"best":"hall","met":{"clerk":1}}"#);
    assert!(pay_award(&mut profile, &most).is_err());
    assert_eq!(profile, map(r#"{"best":"hall","met":{"clerk":1}}"#));
    pay_award(&mut profile, &map(r#"{"met":{"clerk":2},"kept":["rope"]}"#)).unwrap();
    assert_eq!(profile, map(r#"{"best":"hall","met":{"clerk":3},"kept":["rope"]}"#));
}

#[test]
fn a_run_ends_with_what_is_told_of_it() {
    let mut world = World::new(1);
    assert_eq!(world.run_outcome(), None);
    world.record_outcome(Value::map_of([("outcome", Value::text("peace"))])).unwrap();
    assert_eq!(world.run_outcome().unwrap().to_json(), r#"{"outcome":"peace"}"#);
    let mut world = World::new(1);
    world.record_outcome(Value::map()).unwrap();
    assert!(world.run_outcome().is_some(), "an end without a text is an end");
}

#[test]
fn a_step_can_only_tell_so_much() {
    let mut world = World::new(1);
    for _ in 0..limits::STORY_EVENTS_PER_STEP {
        world.emit_story(say("x")).unwrap();
    }
    assert_eq!(world.emit_story(say("x")).unwrap_err(), "more than 2000 story events in one step");
    assert_eq!(world.take_events().len(), limits::STORY_EVENTS_PER_STEP);
    let long = "x".repeat(limits::TEXT_BYTES);
    for _ in 0..limits::STORY_BYTES_PER_STEP / limits::TEXT_BYTES {
        world.emit_story(say(&long)).unwrap();
    }
    assert_eq!(
        world.emit_story(say("x")).unwrap_err(),
        "more than 1048576 bytes of story text in one step"
    );
    world.take_events();
    let mark = world.mark();
    for _ in 0..10 {
        world.emit_story(say(&long)).unwrap();
    }
    world.rollback(mark);
    assert_eq!(world.events, []);
    for _ in 0..16 {
        world.emit_story(say(&long)).unwrap();
    }
}

#[test]
fn a_snapshot_that_is_no_world_is_a_problem() {
    for state in
        ["[]", "3", r#"{"game":{}}"#, r#"{"game":{},"host":[1]}"#, r#"{"game":1,"host":{}}"#]
    {
        let state: Value = serde_json::from_str(state).unwrap();
        let snapshot = WorldSnapshot { state, seed: 1, positions: Default::default() };
        let problem = World::restore(snapshot).err().unwrap();
        assert_eq!(problem.code, "bad-snapshot");
    }
    let odd = r#"{"game":{},"host":{"scenes":5,"award":"x"}}"#;
    let snapshot = WorldSnapshot {
        state: serde_json::from_str(odd).unwrap(),
        seed: 1,
        positions: Default::default(),
    };
    let mut world = World::restore(snapshot).unwrap();
    assert_eq!(world.scenes(), Vec::<String>::new());
    world.add_award(&map(r#"{"experience":1}"#)).unwrap();
    assert_eq!(world.awards().to_json(), r#"{"experience":1}"#);
    let host = world.state.get_text(world.state.root(), "host").unwrap();
    assert!(matches!(host, Slot::Node(_)));
}
