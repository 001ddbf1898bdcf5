//! Effects of words and skills beside their numbers (SR-2.9, SR-3.3, SR-3.4): each once, in a fight
//! built by hand.

use base::Value;

use super::harness::{GameSession, begin_at_first_door, load_test_vm};
use super::scene::{
    DYE_WORKS, SIXTH_STANDING_EXPERIENCE, events_text, find_choice, is_choice_enabled,
    retry_until_outcome, scene_name, text_list, worn_stat_bonus,
};

/// A long fight: both sides have enough vigour, and the word is known. The mp are below the maximum
/// of INT 14, so that regained mp are visible.
fn fight_with_word<'a>(vm: &'a script::Vm, seed: u64, word: &str) -> GameSession<'a> {
    let mut session =
        begin_at_first_door(vm, seed, DYE_WORKS, "4/7/5/12", 10 * SIXTH_STANDING_EXPERIENCE);
    session.set("hero.words", text_list(&[&format!("sub_rosa:{word}")]));
    session.set("hero.stats.INT", Value::Int(14));
    session.set("hero.mp", Value::Int(3));
    session.set("hero.vigour", Value::Int(40));
    session.set("hero.satchel", text_list(&[]));
    session.enter_room("wringing_shed");
    session.set("run.rooms.wringing_shed.foe.vigour", Value::Int(60));
    session.set("run.rooms.wringing_shed.foe.max", Value::Int(60));
    session
}

fn fight_after_cast<'a>(vm: &'a script::Vm, word: &str) -> GameSession<'a> {
    let mut session = fight_with_word(vm, 3, word);
    session.choose(&format!("cast:{word}"));
    session
}

fn foe_vigour(session: &GameSession<'_>) -> i64 {
    session.int("run.rooms.wringing_shed.foe.vigour")
}

fn choice_note(session: &mut GameSession<'_>, id: &str) -> String {
    find_choice(session, id).map(|choice| choice.note).unwrap_or_default()
}

/// SR-3.4: three heavy layers, a fire for four rounds, a blow that is returned.
#[test]
fn defense_words_leave_lasting_effects() {
    let vm = load_test_vm();
    let mut felt_session = fight_after_cast(&vm, "felt");
    assert_eq!(
        felt_session.int("fight.lasting.felt"),
        2,
        "the answer of its own round was the first"
    );
    assert!(!is_choice_enabled(&mut felt_session, "cast:felt"), "thick enough");
    let banked_fire_session = fight_after_cast(&vm, "banked_fire");
    assert_eq!(banked_fire_session.int("fight.lasting.banked_fire"), 3);
    let mut pane_session = fight_with_word(&vm, 3, "pane");
    let before = pane_session.int("hero.vigour");
    pane_session.choose("cast:pane");
    let damage = before - pane_session.int("hero.vigour");
    assert!(damage > 0);
    assert_eq!(foe_vigour(&pane_session), 60 - damage, "it loses as much");
    let lamp_session = fight_after_cast(&vm, "lamp_in_a_window");
    assert_eq!(lamp_session.int("fight.marks"), 2);
    let curfew_session = fight_after_cast(&vm, "curfew");
    assert_eq!(curfew_session.int("fight.waits"), 1, "this round, and the next");
    let linen_session = fight_after_cast(&vm, "fresh_linen");
    assert_eq!(linen_session.state_value("hero.steadied"), Value::Bool(true));
}

/// Half of the missing vigour comes back before the answer; a circle drawn three times holds for
/// three.
#[test]
fn defense_words_with_immediate_effects() {
    let vm = load_test_vm();
    let mut moiety_session = fight_with_word(&vm, 3, "moiety");
    let max_vigour: i64 = 20
        + 2 * (moiety_session.int("hero.stats.DEF"))
        + 2 * (moiety_session.int("hero.standing") - 1);
    moiety_session.set("hero.vigour", Value::Int(10));
    let output = events_text(&moiety_session.choose("cast:moiety"));
    let vigour_gain = (max_vigour - 10) / 2;
    // Starting gear may add a point or two of DEF.
    let is_expected_gain = (vigour_gain..=vigour_gain + 3)
        .any(|vigour_gain| output.contains(&format!("\"{vigour_gain} vigour back")));
    assert!(is_expected_gain, "half of {max_vigour} less 10: {output}");
    let cloister_session = fight_after_cast(&vm, "cloister");
    assert_eq!(cloister_session.int("fight.ward"), 2);
    let mut fast_session = fight_with_word(&vm, 3, "lean_fast");
    fast_session.set("hero.mp", Value::Int(1));
    fast_session.choose("cast:lean_fast");
    assert_eq!(fast_session.int("hero.mp"), 3, "what it cost, and 3");
}

/// SR-3.6: words from scrolls: one leaves by a door of its own, one blocks the last blow.
#[test]
fn scroll_words_have_unique_effects() {
    let vm = load_test_vm();
    let mut postern_session = fight_with_word(&vm, 3, "postern");
    let before = postern_session.int("hero.vigour");
    postern_session.choose("cast:postern");
    assert_eq!(scene_name(&mut postern_session), "room");
    assert_eq!(postern_session.int("hero.vigour"), before, "it does not answer");
    let mut abide_session = fight_after_cast(&vm, "abide");
    abide_session.set("hero.vigour", Value::Int(2));
    abide_session.set("hero.stats.DEF", Value::Int(1));
    while abide_session.int("hero.vigour") > 1 {
        abide_session.choose("speak");
    }
    assert_eq!(abide_session.int("hero.vigour"), 1);
    assert!(events_text(&abide_session.events.clone()).contains("You had been told to abide"));
    let (mut unpick_session, _) =
        retry_until_outcome("full", |seed| fight_with_word(&vm, seed, "unpick"), "cast:unpick");
    assert_eq!(unpick_session.int("fight.eased"), 1);
    assert!(find_choice(&mut unpick_session, "strike").unwrap().odds.is_some());
    let (tallow_session, _) =
        retry_until_outcome("partial", |seed| fight_with_word(&vm, seed, "tallow"), "cast:tallow");
    assert!(
        events_text(&tallow_session.events.clone()).contains("4 vigour lost")
            || foe_vigour(&tallow_session) <= 0
    );
    let (_, events) =
        retry_until_outcome("full", |seed| fight_with_word(&vm, seed, "wager"), "cast:wager");
    assert!(events_text(&events).contains("fire again"));
}

/// SR-3.3: a third of INT plus 2, before a word's own value.
fn base_word_damage(session: &GameSession<'_>) -> i64 {
    (14 + worn_stat_bonus(session, "INT")) / 3 + 2
}

/// SR-3.3: the note of an attack word names its base value, and the damage matches.
#[test]
fn attack_words_deal_the_damage_of_their_notes() {
    let vm = load_test_vm();
    let mut cinder_session = fight_with_word(&vm, 3, "cinder");
    let card_line = format!(
        "deals {} at INT {}: a third of it and 2; full: a d6 of fire more",
        base_word_damage(&cinder_session),
        14 + worn_stat_bonus(&cinder_session, "INT")
    );
    let card = find_choice(&mut cinder_session, "cast:cinder").unwrap().card.unwrap();
    assert_eq!(card.lines, [card_line]);
    let mut testimony_session = fight_with_word(&vm, 3, "testimony");
    let min_damage = |session: &mut GameSession<'_>, word: &str| -> i64 {
        let note = choice_note(session, &format!("cast:{word}"));
        let text_after = note.split("partial: ").nth(1).unwrap().to_owned();
        text_after.split(|sign: char| !sign.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    let damage_before = min_damage(&mut testimony_session, "testimony");
    testimony_session
        .set("run.fragments", text_list(&["dye_works:dye_works_1", "dye_works:dye_works_2"]));
    assert_eq!(min_damage(&mut testimony_session, "testimony"), damage_before + 2);
    let mut snuff_session = fight_with_word(&vm, 3, "snuff");
    let damage_before = min_damage(&mut snuff_session, "snuff");
    snuff_session.set("run.rooms.wringing_shed.foe.vigour", Value::Int(20));
    assert_eq!(min_damage(&mut snuff_session, "snuff"), damage_before + 6);
    let mut smoulder_session = fight_with_word(&vm, 3, "smoulder");
    smoulder_session.set("hero.vigour", Value::Int(1));
    let max_damage = base_word_damage(&smoulder_session) + 3 + 8;
    assert_eq!(min_damage(&mut smoulder_session, "smoulder"), max_damage, "short of most of it");
    let mut evensong_session = fight_with_word(&vm, 3, "evensong");
    let expected_damage = base_word_damage(&evensong_session) + 4 + 2 * 2;
    assert_eq!(min_damage(&mut evensong_session, "evensong"), expected_damage);
    let (evensong_session, _) = retry_until_outcome(
        "partial",
        |seed| fight_with_word(&vm, seed, "evensong"),
        "cast:evensong",
    );
    assert_eq!(
        foe_vigour(&evensong_session),
        60 - (base_word_damage(&evensong_session) + 4 + 2 * 2),
        "paid only once it is out"
    );
    assert_eq!(evensong_session.int("hero.mp"), 0);
}

/// SR-3.3: what attack words return, and the effects they leave on the foe.
#[test]
fn attack_words_with_special_effects() {
    let vm = load_test_vm();
    let (moth_session, _) =
        retry_until_outcome("full", |seed| fight_with_word(&vm, seed, "moth"), "cast:moth");
    assert_eq!(moth_session.int("hero.mp"), 3);
    let (_, events) =
        retry_until_outcome("full", |seed| fight_with_word(&vm, seed, "tithe"), "cast:tithe");
    assert!(events_text(&events).contains("vigour back"));
    let (mut splinter_session, _) = retry_until_outcome(
        "partial",
        |seed| fight_with_word(&vm, seed, "splinter"),
        "cast:splinter",
    );
    assert_eq!(splinter_session.int("fight.lasting.splinter"), 2);
    let before = foe_vigour(&splinter_session);
    splinter_session.clear_intent();
    splinter_session.choose("brace");
    assert_eq!(foe_vigour(&splinter_session), before - 2);
    let (undertow_session, _) = retry_until_outcome(
        "partial",
        |seed| fight_with_word(&vm, seed, "undertow"),
        "cast:undertow",
    );
    let lasting_effects = undertow_session.state_value("fight.lasting");
    assert!(lasting_effects.get("undertow").is_none(), "the delayed answer was shown");
}

fn fight_with_skill<'a>(vm: &'a script::Vm, skill: &str) -> GameSession<'a> {
    let mut session = fight_with_word(vm, 5, "cinder");
    let skill_fields =
        [("id", Value::text(format!("sub_rosa:{skill}"))), ("remaining", Value::Int(2))];
    session.set("hero.skills", Value::List(vec![Value::map_of(skill_fields)]));
    session
}

fn fight_after_skill<'a>(vm: &'a script::Vm, skill: &str) -> (GameSession<'a>, String) {
    let mut session = fight_with_skill(vm, skill);
    let output = events_text(&session.choose(&format!("skill:{skill}")));
    (session, output)
}

/// SR-2.9: the effects, gains and costs of skills.
#[test]
fn skills_with_special_effects() {
    let vm = load_test_vm();
    let (session, output) = fight_after_skill(&vm, "light_fingers");
    let satchel_size = session.state_value("hero.satchel").as_list().unwrap().len();
    assert_eq!(satchel_size, 1, "{output}");
    let (session, output) = fight_after_skill(&vm, "hard_bargain");
    assert!(output.contains("5 vigour lost"), "{output}");
    assert_eq!(foe_vigour(&session), 60 - (4 + 10 + worn_attack_bonus(&session)));
    let mut session = fight_with_skill(&vm, "struck_spark");
    session.set("hero.mp", Value::Int(1));
    session.choose("skill:struck_spark");
    assert_eq!(session.int("hero.mp"), 3);
    let (mut session, _) = fight_after_skill(&vm, "loose_hinge");
    assert_eq!(session.int("fight.eased"), 1);
    session.choose("skill:loose_hinge");
    assert_eq!(session.int("fight.eased"), 2, "and no lower");
    let (mut session, output) = fight_after_skill(&vm, "hem");
    assert!(output.contains("3 more from"), "{output}");
    let before = foe_vigour(&session);
    session.clear_intent();
    session.choose("brace");
    assert_eq!(foe_vigour(&session), before - 3);
    let (session, _) = fight_after_skill(&vm, "turned_key");
    assert_eq!(session.int("fight.waits"), 1);
    let (session, _) = fight_after_skill(&vm, "steady_taper");
    assert_eq!(session.state_value("hero.steadied"), Value::Bool(true));
    let (_, output) = fight_after_skill(&vm, "closed_circle");
    assert!(!output.contains("vigour lost"), "{output}");
    let (session, _) = fight_after_skill(&vm, "afterstroke");
    assert_eq!(foe_vigour(&session), 60 - (4 + 3 + worn_attack_bonus(&session)) - 7);
    let (session, output) = fight_after_skill(&vm, "thorn_and_petal");
    assert_eq!(session.int("fight.marks"), 2);
    assert!(!output.contains("vigour lost"), "it waits: {output}");
    let vigour_lost = parse_vigour_lost(&fight_after_skill(&vm, "half_moon").1);
    assert!(
        parse_vigour_lost(&fight_after_skill(&vm, "shoulder").1) < vigour_lost,
        "halved, on the same die"
    );
}

/// An effect at the end of a round can defeat a foe.
#[test]
fn an_afterstroke_can_defeat_the_foe() {
    let vm = load_test_vm();
    let mut session = fight_with_skill(&vm, "afterstroke");
    session.set("run.rooms.wringing_shed.foe.vigour", Value::Int(12));
    let output = events_text(&session.choose("skill:afterstroke"));
    assert!(output.contains("It arrives.") && output.contains("experience"), "{output}");
    assert_eq!(session.state_value("run.rooms.wringing_shed.foe.beaten"), Value::Bool(true));
}

fn worn_attack_bonus(session: &GameSession<'_>) -> i64 {
    super::scene::worn_stat_bonus(session, "ATK")
}

fn parse_vigour_lost(output: &str) -> i64 {
    let text_before = output.split(" vigour lost").next().unwrap();
    text_before.rsplit('"').next().unwrap().parse().unwrap()
}
