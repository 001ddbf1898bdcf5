//! Notation: the result for given dice, and the reports of mistakes.

use dice::{parse_roll, roll, shift_die_size};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A notation, the dice, and its result: total, natural, the dice with dropped ones in brackets.
type NotationCase = (&'static str, &'static [u32], i64, Option<i64>, &'static str);

/// A roll with the listed dice.
fn roll_with_faces(notation: &str, faces: &[u32]) -> (i64, Option<i64>, String) {
    let mut faces = faces.iter();
    let roll_result = roll(&parse_roll(notation).unwrap(), &mut |sides| {
        let face = *faces.next().expect("more dice thrown than listed");
        assert!(face <= sides, "{notation}: {face} drawn of {sides}");
        face
    });
    assert_eq!(faces.next(), None, "{notation}: fewer dice thrown than listed");
    let displayed_dice: Vec<String> = roll_result
        .dice
        .iter()
        .map(|die| if die.is_kept { die.face.to_string() } else { format!("({})", die.face) })
        .collect();
    (roll_result.total, roll_result.natural, displayed_dice.join(" "))
}

#[test]
fn rolls_follow_the_notation() {
    let cases: &[NotationCase] = &[
        ("3d6+2", &[1, 5, 6], 14, None, "1 5 6"),
        ("d20", &[17], 17, Some(17), "17"),
        ("1D20 - 1", &[1], 0, Some(1), "1"),
        ("d20+d4", &[9, 3], 12, Some(9), "9 3"),
        ("2d4+d20", &[2, 3, 20], 25, None, "2 3 20"),
        ("7", &[], 7, None, ""),
        ("-2", &[], -2, None, ""),
        ("-d6+10", &[4], 6, Some(4), "4"),
        ("2d6*10", &[3, 4], 70, None, "3 4"),
        ("(d6+1)*(d4-1)", &[5, 3], 12, Some(5), "5 3"),
        ("2+3*d6-1", &[2], 7, Some(2), "2"),
        ("d%", &[100], 100, Some(100), "100"),
        ("d{1, 2, 2, 40}", &[4], 40, Some(40), "40"),
        ("2d{0,5}", &[1, 2], 5, None, "0 5"),
        ("4d6kh3", &[1, 5, 6, 1], 12, None, "1 5 6 (1)"),
        ("4d6dl1", &[1, 5, 6, 1], 12, None, "1 5 6 (1)"),
        ("4d6kl1", &[3, 5, 2, 2], 2, Some(2), "(3) (5) 2 (2)"),
        ("4d6dh2", &[3, 5, 2, 2], 4, None, "(3) (5) 2 2"),
        ("3d6k", &[3, 5, 5], 5, Some(5), "(3) 5 (5)"),
        ("2d6dl0", &[3, 5], 8, None, "3 5"),
        ("d20adv", &[7, 12], 12, Some(12), "(7) 12"),
        ("d20adv3", &[7, 12, 3, 19], 19, Some(19), "(7) (12) (3) 19"),
        ("d20dis+3", &[7, 12], 10, Some(7), "7 (12)"),
        ("2d6adv1", &[6, 2, 5], 11, None, "6 (2) 5"),
        ("2d6dis2", &[6, 2, 5, 1], 3, None, "(6) 2 (5) 1"),
        ("d6!", &[5], 5, Some(5), "5"),
        ("d6!", &[6, 6, 2], 14, Some(6), "6 6 2"),
        ("d6!", &[6, 6, 6, 6], 24, Some(6), "6 6 6 6"),
        ("d6!1", &[6, 6], 12, Some(6), "6 6"),
        ("2d6!1kh1", &[6, 1, 5], 7, Some(6), "6 1 (5)"),
        ("2d4!1+1", &[4, 4, 2], 11, None, "4 4 2"),
        ("d6up2", &[10], 10, Some(10), "10"),
        ("d8up9", &[12], 12, Some(12), "12"),
        ("d6down!1", &[4, 1], 5, Some(4), "4 1"),
        ("2d12 down 1", &[], 0, None, ""),
    ];
    for (notation, faces, total, natural, displayed_dice) in cases {
        if parse_roll(notation).is_err() {
            assert_eq!(*notation, "2d12 down 1", "spaces stand between parts, not inside dice");
            continue;
        }
        assert_eq!(
            roll_with_faces(notation, faces),
            (*total, *natural, (*displayed_dice).to_owned()),
            "{notation}"
        );
    }
}

#[test]
fn die_steps_stop_at_d4_and_d12() {
    let stepped_sides: Vec<Option<u32>> = (-3..=3).map(|steps| shift_die_size(8, steps)).collect();
    assert_eq!(stepped_sides, [4, 4, 6, 8, 10, 12, 12].map(Some));
    assert_eq!(shift_die_size(20, 1), None);
    assert_eq!(shift_die_size(4, i64::MIN), Some(4));
    assert_eq!(shift_die_size(4, i64::MAX), Some(12));
}

#[test]
fn mistakes_in_notation_point_at_the_character() {
    let mistakes = [
        "",
        "   ",
        "d",
        "2d",
        "dx",
        "2d6+",
        "+2",
        "2d6 2",
        "2d6x",
        "2d6 x 3",
        "2d6kk1",
        "4d6kh5",
        "4d6kh0",
        "4d6dl4",
        "4d6kh3dl1",
        "d20adv0",
        "d20adv1000",
        "d20avd",
        "0d6",
        "d0",
        "1001d6",
        "600d6+600d6",
        "d1000001",
        "d99999999999",
        "2d6*",
        "(2d6",
        "2d6)",
        "(d6+1 d4)",
        "()",
        "d{}",
        "d{1,2",
        "d{1;2}",
        "d{1,-1}",
        "d{1,2000000}",
        "d1!",
        "d{3,3}!",
        "d6!0",
        "d6!!",
        "d6!2000",
        "300d6!5",
        "d7up1",
        "d{4,6}up1",
        "d6!up1",
        "d6kh1up1",
        "((((((((d6+1)+1)+1)+1)+1)+1)+1)+1)",
        "(((((((((d6+1)+1)+1)+1)+1)+1)+1)+1)+1)",
        "1000000000*1000000000",
        "2d6−1",
        "2w6",
        "dé",
        "灯d6",
        "2d6\u{202e}\n+1",
        "d6--1",
        "d6+-1+x",
    ];
    let mut report = String::new();
    for mistake in mistakes {
        match parse_roll(mistake) {
            Ok(expr) => report += &format!("{mistake} is fine: {expr}\n\n"),
            Err(error) => {
                assert!(error.char_index <= error.text.chars().count(), "{mistake}");
                report += &format!("{error}\n\n");
            }
        }
    }
    let long_notation = format!("d6{}", "+1".repeat(100));
    report += &parse_roll(&long_notation).unwrap_err().to_string();
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!(report);
    });
}

#[test]
fn random_texts_are_parsed_or_refused_without_panic() {
    let alphabet: Vec<char> = "d0123456789+-*()!{},% khladvisup\n灯é".chars().collect();
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut roll_count = 0;
    for _ in 0..60_000 {
        let length = random.next_u32() % 12;
        let text: String =
            (0..length).map(|_| alphabet[random.next_u32() as usize % alphabet.len()]).collect();
        match parse_roll(&text) {
            Ok(expr) => {
                roll_count += 1;
                assert_eq!(parse_roll(&expr.to_string()).as_ref(), Ok(&expr), "{text:?}");
            }
            Err(error) => assert!(error.char_index <= text.chars().count(), "{text:?}"),
        }
    }
    assert!(roll_count > 300, "only {roll_count} of these texts were rolls");
}
