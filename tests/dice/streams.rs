//! Streams: frozen output, independence of each other, and rollback.

use engine::dice::{Streams, shuffled_indices};

fn draws(dice: &mut Streams, stream: &str, sides: u32, count: usize) -> Vec<u32> {
    (0..count).map(|_| dice.draw(stream, sides)).collect()
}

#[test]
fn what_a_stream_gives_is_frozen() {
    let mut dice = Streams::new(28);
    let told = [
        ("d20", draws(&mut dice, "sample:combat", 20, 12)),
        ("another stream", draws(&mut dice, "sample:loot", 20, 12)),
        ("the first goes on, as d6", draws(&mut dice, "sample:combat", 6, 12)),
        ("one side", draws(&mut dice, "sample:combat", 1, 3)),
        ("d1000000", draws(&mut dice, "sample:combat", 1_000_000, 4)),
        ("where a third of words is refused", draws(&mut dice, "sample:map", 3_000_000_000, 4)),
    ];
    let mut text: String =
        told.iter().map(|(what, drawn)| format!("{what}: {drawn:?}\n")).collect();
    text += &format!("positions: {:?}\ndigest: {}\n", dice.positions(), dice.digest());
    let other_seed = draws(&mut Streams::new(29), "sample:combat", 20, 12);
    text += &format!("seed 29: {other_seed:?}\n");
    let mut largest = Streams::new(u64::MAX);
    let order = shuffled_indices(10, &mut |sides| largest.draw("sample:map", sides));
    text += &format!("a shuffle, seed 2^64-1: {order:?}");
    insta::with_settings!({ snapshot_path => "../snapshots", omit_expression => true }, {
        insta::assert_snapshot!(text);
    });
}

#[test]
fn every_face_of_every_small_die_comes_up_and_no_other() {
    let mut dice = Streams::new(3);
    for sides in 1..=20 {
        let mut seen = vec![0; sides as usize];
        for face in draws(&mut dice, "sample:faces", sides, 2_000) {
            seen[face as usize - 1] += 1;
        }
        let fair = 2_000 / sides;
        assert!(
            seen.iter().all(|count| *count > fair / 2 && *count <= fair * 2),
            "d{sides} {seen:?}"
        );
    }
}

#[test]
fn a_roll_more_in_one_stream_moves_no_other() {
    for seed in 0..200 {
        let mut quiet = Streams::new(seed);
        let mut busy = Streams::new(seed);
        let expected = draws(&mut quiet, "sample:combat", 20, 10);
        let mut found = Vec::new();
        for _ in 0..10 {
            busy.draw("other:combat", 6);
            found.push(busy.draw("sample:combat", 20));
        }
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn a_position_that_no_run_reaches_is_not_restored() {
    let restore = |position| Streams::restore(7, [("sample:a".to_owned(), position)].into());
    assert!(restore(u64::MAX).unwrap_err().contains("\"sample:a\""));
    assert!(restore((1 << 53) + 1).is_err());
    let mut last = restore(1 << 53).unwrap();
    assert!((1..=20).contains(&last.draw("sample:a", 20)));
}

#[test]
fn going_back_and_restoring_continue_the_same_dice() {
    for seed in 0..200 {
        let mut dice = Streams::new(seed);
        draws(&mut dice, "sample:a", 20, (seed % 70) as usize);
        let mark = dice.mark();
        let before = (dice.positions(), dice.digest());
        let mut restored = Streams::restore(seed, before.0.clone()).unwrap();
        let drawn: Vec<u32> =
            (0..90).map(|i| dice.draw(["sample:a", "sample:b"][i % 2], 20)).collect();
        assert!(!dice.drawn_since(&mark).is_empty());
        assert_ne!(dice.digest(), before.1);
        dice.rollback(&mark);
        assert!(dice.drawn_since(&mark).is_empty());
        assert_eq!((dice.positions(), dice.digest()), before, "seed {seed}");
        assert_eq!(restored.digest(), before.1, "seed {seed}");
        for (i, expected) in drawn.into_iter().enumerate() {
            let stream = ["sample:a", "sample:b"][i % 2];
            assert_eq!(dice.draw(stream, 20), expected, "seed {seed}");
            assert_eq!(restored.draw(stream, 20), expected, "seed {seed}");
        }
    }
}

#[test]
fn a_run_has_a_bounded_number_of_streams() {
    let mut dice = Streams::new(1);
    for number in 0..engine::base::limits::MAX_STREAMS {
        let name = format!("sample:s{number}");
        dice.check_stream_available(&name).unwrap();
        dice.draw(&name, 6);
    }
    dice.check_stream_available("sample:s0").unwrap();
    insta::assert_snapshot!(dice.check_stream_available("sample:one_more").unwrap_err(),
        @r#""sample:one_more" would be stream number 257; a run has at most 256"#);
}

#[test]
fn a_shuffle_is_a_change_of_places() {
    let mut dice = Streams::new(5);
    for count in 0..50 {
        let mut order = shuffled_indices(count, &mut |sides| dice.draw("sample:map", sides));
        order.sort_unstable();
        assert_eq!(order, (0..count).collect::<Vec<_>>());
    }
}
