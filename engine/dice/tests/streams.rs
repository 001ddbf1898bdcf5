//! Streams: frozen output, independence of each other, and rollback.

use dice::{RandomStreams, shuffled_indices};

fn draw_many(dice: &mut RandomStreams, stream: &str, sides: u32, count: usize) -> Vec<u32> {
    (0..count).map(|_| dice.draw(stream, sides)).collect()
}

#[test]
fn stream_output_matches_the_snapshot() {
    let mut dice = RandomStreams::new(28);
    let drawn_by_case = [
        ("d20", draw_many(&mut dice, "sample:combat", 20, 12)),
        ("another stream", draw_many(&mut dice, "sample:loot", 20, 12)),
        ("the first goes on, as d6", draw_many(&mut dice, "sample:combat", 6, 12)),
        ("one side", draw_many(&mut dice, "sample:combat", 1, 3)),
        ("d1000000", draw_many(&mut dice, "sample:combat", 1_000_000, 4)),
        ("where a third of words is refused", draw_many(&mut dice, "sample:map", 3_000_000_000, 4)),
    ];
    let mut text: String = drawn_by_case
        .iter()
        .map(|(case_name, drawn_faces)| format!("{case_name}: {drawn_faces:?}\n"))
        .collect();
    text += &format!("positions: {:?}\ndigest: {}\n", dice.stream_positions(), dice.digest());
    let other_seed = draw_many(&mut RandomStreams::new(29), "sample:combat", 20, 12);
    text += &format!("seed 29: {other_seed:?}\n");
    let mut largest_seed_dice = RandomStreams::new(u64::MAX);
    let order = shuffled_indices(10, &mut |sides| largest_seed_dice.draw("sample:map", sides));
    text += &format!("a shuffle, seed 2^64-1: {order:?}");
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!(text);
    });
}

#[test]
fn every_face_of_every_small_die_occurs() {
    let mut dice = RandomStreams::new(3);
    for sides in 1..=20 {
        let mut face_counts = vec![0; sides as usize];
        for face in draw_many(&mut dice, "sample:faces", sides, 2_000) {
            face_counts[face as usize - 1] += 1;
        }
        let expected_count = 2_000 / sides;
        assert!(
            face_counts
                .iter()
                .all(|count| *count > expected_count / 2 && *count <= expected_count * 2),
            "d{sides} {face_counts:?}"
        );
    }
}

#[test]
fn an_extra_roll_in_one_stream_changes_no_other() {
    for seed in 0..200 {
        let mut undisturbed_dice = RandomStreams::new(seed);
        let mut disturbed_dice = RandomStreams::new(seed);
        let expected = draw_many(&mut undisturbed_dice, "sample:combat", 20, 10);
        let mut drawn_faces = Vec::new();
        for _ in 0..10 {
            disturbed_dice.draw("other:combat", 6);
            drawn_faces.push(disturbed_dice.draw("sample:combat", 20));
        }
        assert_eq!(drawn_faces, expected, "seed {seed}");
    }
}

#[test]
fn an_unreachable_position_is_not_restored() {
    let restore = |position| RandomStreams::restore(7, [("sample:a".to_owned(), position)].into());
    assert!(restore(u64::MAX).unwrap_err().contains("\"sample:a\""));
    assert!(restore((1 << 53) + 1).is_err());
    let mut last_position_dice = restore(1 << 53).unwrap();
    assert!((1..=20).contains(&last_position_dice.draw("sample:a", 20)));
}

#[test]
fn rollback_and_restore_continue_the_same_dice() {
    for seed in 0..200 {
        let mut dice = RandomStreams::new(seed);
        draw_many(&mut dice, "sample:a", 20, (seed % 70) as usize);
        let mark = dice.savepoint();
        let position_and_digest = (dice.stream_positions(), dice.digest());
        let mut restored_dice =
            RandomStreams::restore(seed, position_and_digest.0.clone()).unwrap();
        let drawn_faces: Vec<u32> =
            (0..90).map(|index| dice.draw(["sample:a", "sample:b"][index % 2], 20)).collect();
        assert!(!dice.streams_drawn_since(&mark).is_empty());
        assert_ne!(dice.digest(), position_and_digest.1);
        dice.rollback_to(&mark);
        assert!(dice.streams_drawn_since(&mark).is_empty());
        assert_eq!((dice.stream_positions(), dice.digest()), position_and_digest, "seed {seed}");
        assert_eq!(restored_dice.digest(), position_and_digest.1, "seed {seed}");
        for (index, expected) in drawn_faces.into_iter().enumerate() {
            let stream = ["sample:a", "sample:b"][index % 2];
            assert_eq!(dice.draw(stream, 20), expected, "seed {seed}");
            assert_eq!(restored_dice.draw(stream, 20), expected, "seed {seed}");
        }
    }
}

#[test]
fn a_run_has_a_bounded_number_of_streams() {
    let mut dice = RandomStreams::new(1);
    for number in 0..base::limits::MAX_STREAMS {
        let name = format!("sample:s{number}");
        dice.check_stream_available(&name).unwrap();
        dice.draw(&name, 6);
    }
    dice.check_stream_available("sample:s0").unwrap();
    insta::assert_snapshot!(dice.check_stream_available("sample:one_more").unwrap_err(),
        @r#""sample:one_more" would be stream number 257; a run has at most 256"#);
}

#[test]
fn a_shuffle_is_a_permutation() {
    let mut dice = RandomStreams::new(5);
    for count in 0..50 {
        let mut order = shuffled_indices(count, &mut |sides| dice.draw("sample:map", sides));
        order.sort_unstable();
        assert_eq!(order, (0..count).collect::<Vec<_>>());
    }
}
