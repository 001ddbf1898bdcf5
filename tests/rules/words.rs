//! Effects of words and skills beside their numbers (SR-2.9, SR-3.3, SR-3.4): each once, in a fight
//! built by hand.

use engine::base::Value;

use super::harness::{GameSession, first_door, vm};
use super::scene::{SIXTH, WORKS, choice, list, open, said, scene, until, worn};

/// A long fight: both sides have enough vigour, and the word is known. The mp are below the maximum
/// of INT 14, so that regained mp are visible.
fn with_word<'a>(vm: &'a engine::script::Vm, seed: u64, word: &str) -> GameSession<'a> {
    let mut table = first_door(vm, seed, WORKS, "4/7/5/12", 10 * SIXTH);
    table.set("hero.words", list(&[&format!("sub_rosa:{word}")]));
    table.set("hero.stats.INT", Value::Int(14));
    table.set("hero.mp", Value::Int(3));
    table.set("hero.vigour", Value::Int(40));
    table.set("hero.satchel", list(&[]));
    table.enter_room("wringing_shed");
    table.set("run.rooms.wringing_shed.foe.vigour", Value::Int(60));
    table.set("run.rooms.wringing_shed.foe.max", Value::Int(60));
    table
}

fn cast<'a>(vm: &'a engine::script::Vm, word: &str) -> GameSession<'a> {
    let mut table = with_word(vm, 3, word);
    table.choose(&format!("cast:{word}"));
    table
}

fn foe(table: &GameSession<'_>) -> i64 {
    table.int("run.rooms.wringing_shed.foe.vigour")
}

fn note(table: &mut GameSession<'_>, id: &str) -> String {
    choice(table, id).map(|choice| choice.note).unwrap_or_default()
}

/// SR-3.4: three heavy layers, a fire for four rounds, a blow that is returned.
#[test]
fn defense_words_leave_something_behind() {
    let vm = vm();
    let mut felt = cast(&vm, "felt");
    assert_eq!(felt.int("fight.lasting.felt"), 2, "the answer of its own round was the first");
    assert!(!open(&mut felt, "cast:felt"), "thick enough");
    let banked = cast(&vm, "banked_fire");
    assert_eq!(banked.int("fight.lasting.banked_fire"), 3);
    let mut pane = with_word(&vm, 3, "pane");
    let before = pane.int("hero.vigour");
    pane.choose("cast:pane");
    let taken = before - pane.int("hero.vigour");
    assert!(taken > 0);
    assert_eq!(foe(&pane), 60 - taken, "it loses as much");
    let lamp = cast(&vm, "lamp_in_a_window");
    assert_eq!(lamp.int("fight.marks"), 2);
    let curfew = cast(&vm, "curfew");
    assert_eq!(curfew.int("fight.waits"), 1, "this round, and the next");
    let linen = cast(&vm, "fresh_linen");
    assert_eq!(linen.state_value("hero.steadied"), Value::Bool(true));
}

/// Half of the missing vigour comes back before the answer; a circle drawn three times holds for
/// three.
#[test]
fn defense_words_that_only_work_at_once() {
    let vm = vm();
    let mut moiety = with_word(&vm, 3, "moiety");
    let most: i64 = 20 + 2 * (moiety.int("hero.stats.DEF")) + 2 * (moiety.int("hero.standing") - 1);
    moiety.set("hero.vigour", Value::Int(10));
    let told = said(&moiety.choose("cast:moiety"));
    let back = (most - 10) / 2;
    // Starting gear may add a point or two of DEF.
    let near = (back..=back + 3).any(|back| told.contains(&format!("\"{back} vigour back")));
    assert!(near, "half of {most} less 10: {told}");
    let cloister = cast(&vm, "cloister");
    assert_eq!(cloister.int("fight.ward"), 2);
    let mut fast = with_word(&vm, 3, "lean_fast");
    fast.set("hero.mp", Value::Int(1));
    fast.choose("cast:lean_fast");
    assert_eq!(fast.int("hero.mp"), 3, "what it cost, and 3");
}

/// SR-3.6: words from scrolls: one leaves by a door of its own, one blocks the last blow.
#[test]
fn scrolls_sell_what_nothing_else_does() {
    let vm = vm();
    let mut postern = with_word(&vm, 3, "postern");
    let before = postern.int("hero.vigour");
    postern.choose("cast:postern");
    assert_eq!(scene(&mut postern), "room");
    assert_eq!(postern.int("hero.vigour"), before, "it does not answer");
    let mut abide = cast(&vm, "abide");
    abide.set("hero.vigour", Value::Int(2));
    abide.set("hero.stats.DEF", Value::Int(1));
    while abide.int("hero.vigour") > 1 {
        abide.choose("speak");
    }
    assert_eq!(abide.int("hero.vigour"), 1);
    assert!(said(&abide.told.clone()).contains("You had been told to abide"));
    let (mut unpick, _) = until("full", |seed| with_word(&vm, seed, "unpick"), "cast:unpick");
    assert_eq!(unpick.int("fight.eased"), 1);
    assert!(choice(&mut unpick, "strike").unwrap().odds.is_some());
    let (tallow, _) = until("partial", |seed| with_word(&vm, seed, "tallow"), "cast:tallow");
    assert!(said(&tallow.told.clone()).contains("4 vigour lost") || foe(&tallow) <= 0);
    let (_, told) = until("full", |seed| with_word(&vm, seed, "wager"), "cast:wager");
    assert!(said(&told).contains("fire again"));
}

/// SR-3.3: a third of INT plus 2, before a word's own value.
fn plain(table: &GameSession<'_>) -> i64 {
    (14 + worn(table, "INT")) / 3 + 2
}

/// SR-3.3: the note of an attack word names its base value, and the damage matches.
#[test]
fn attack_words_weigh_what_their_notes_say() {
    let vm = vm();
    let mut cinder = with_word(&vm, 3, "cinder");
    let of_card =
        format!("deals {}, and a d6 of fire in full; 1 more for each 3 of INT", plain(&cinder));
    let card = choice(&mut cinder, "cast:cinder").unwrap().card.unwrap();
    assert_eq!(card.lines, [of_card]);
    let mut testimony = with_word(&vm, 3, "testimony");
    let least = |table: &mut GameSession<'_>, word: &str| -> i64 {
        let note = note(table, &format!("cast:{word}"));
        let after = note.split("partial: ").nth(1).unwrap().to_owned();
        after.split(|sign: char| !sign.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    let light = least(&mut testimony, "testimony");
    testimony.set("run.fragments", list(&["dye_works:dye_works_1", "dye_works:dye_works_2"]));
    assert_eq!(least(&mut testimony, "testimony"), light + 2);
    let mut snuff = with_word(&vm, 3, "snuff");
    let light = least(&mut snuff, "snuff");
    snuff.set("run.rooms.wringing_shed.foe.vigour", Value::Int(20));
    assert_eq!(least(&mut snuff, "snuff"), light + 6);
    let mut smoulder = with_word(&vm, 3, "smoulder");
    smoulder.set("hero.vigour", Value::Int(1));
    let heaviest = plain(&smoulder) + 3 + 8;
    assert_eq!(least(&mut smoulder, "smoulder"), heaviest, "short of most of it");
    let mut all = with_word(&vm, 3, "evensong");
    let whole = plain(&all) + 4 + 2 * 2;
    assert_eq!(least(&mut all, "evensong"), whole);
    let (all, _) = until("partial", |seed| with_word(&vm, seed, "evensong"), "cast:evensong");
    assert_eq!(foe(&all), 60 - (plain(&all) + 4 + 2 * 2), "paid only once it is out");
    assert_eq!(all.int("hero.mp"), 0);
}

/// SR-3.3: what attack words return, and the effects they leave on the foe.
#[test]
fn attack_words_with_something_of_their_own() {
    let vm = vm();
    let (moth, _) = until("full", |seed| with_word(&vm, seed, "moth"), "cast:moth");
    assert_eq!(moth.int("hero.mp"), 3);
    let (_, told) = until("full", |seed| with_word(&vm, seed, "tithe"), "cast:tithe");
    assert!(said(&told).contains("vigour back"));
    let (mut splinter, _) =
        until("partial", |seed| with_word(&vm, seed, "splinter"), "cast:splinter");
    assert_eq!(splinter.int("fight.lasting.splinter"), 2);
    let before = foe(&splinter);
    splinter.clear_intent();
    splinter.choose("brace");
    assert_eq!(foe(&splinter), before - 2);
    let (undertow, _) = until("partial", |seed| with_word(&vm, seed, "undertow"), "cast:undertow");
    let spent = undertow.state_value("fight.lasting");
    assert!(spent.get("undertow").is_none(), "the delayed answer was shown");
}

fn with_skill<'a>(vm: &'a engine::script::Vm, skill: &str) -> GameSession<'a> {
    let mut table = with_word(vm, 5, "cinder");
    let kept = [("id", Value::text(format!("sub_rosa:{skill}"))), ("remaining", Value::Int(2))];
    table.set("hero.skills", Value::List(vec![Value::map_of(kept)]));
    table
}

fn use_of<'a>(vm: &'a engine::script::Vm, skill: &str) -> (GameSession<'a>, String) {
    let mut table = with_skill(vm, skill);
    let told = said(&table.choose(&format!("skill:{skill}")));
    (table, told)
}

/// SR-2.9: the effects, gains and costs of skills.
#[test]
fn skills_with_something_of_their_own() {
    let vm = vm();
    let (table, told) = use_of(&vm, "light_fingers");
    let carried = table.state_value("hero.satchel").as_list().unwrap().len();
    assert_eq!(carried, 1, "{told}");
    let (table, told) = use_of(&vm, "hard_bargain");
    assert!(told.contains("5 vigour lost"), "{told}");
    assert_eq!(foe(&table), 60 - (4 + 10 + worn_attack(&table)));
    let mut table = with_skill(&vm, "struck_spark");
    table.set("hero.mp", Value::Int(1));
    table.choose("skill:struck_spark");
    assert_eq!(table.int("hero.mp"), 3);
    let (mut table, _) = use_of(&vm, "loose_hinge");
    assert_eq!(table.int("fight.eased"), 1);
    table.choose("skill:loose_hinge");
    assert_eq!(table.int("fight.eased"), 2, "and no lower");
    let (mut table, told) = use_of(&vm, "hem");
    assert!(told.contains("3 more from"), "{told}");
    let before = foe(&table);
    table.clear_intent();
    table.choose("brace");
    assert_eq!(foe(&table), before - 3);
    let (table, _) = use_of(&vm, "turned_key");
    assert_eq!(table.int("fight.waits"), 1);
    let (table, _) = use_of(&vm, "steady_taper");
    assert_eq!(table.state_value("hero.steadied"), Value::Bool(true));
    let (_, told) = use_of(&vm, "closed_circle");
    assert!(!told.contains("vigour lost"), "{told}");
    let (table, _) = use_of(&vm, "afterstroke");
    assert_eq!(foe(&table), 60 - (4 + 3 + worn_attack(&table)) - 7);
    let (table, told) = use_of(&vm, "thorn_and_petal");
    assert_eq!(table.int("fight.marks"), 2);
    assert!(!told.contains("vigour lost"), "it waits: {told}");
    let bare = lost(&use_of(&vm, "half_moon").1);
    assert!(lost(&use_of(&vm, "shoulder").1) < bare, "halved, on the same die");
}

/// An effect at the end of a round can defeat a foe.
#[test]
fn an_afterstroke_can_be_the_last() {
    let vm = vm();
    let mut table = with_skill(&vm, "afterstroke");
    table.set("run.rooms.wringing_shed.foe.vigour", Value::Int(12));
    let told = said(&table.choose("skill:afterstroke"));
    assert!(told.contains("It arrives.") && told.contains("experience"), "{told}");
    assert_eq!(table.state_value("run.rooms.wringing_shed.foe.beaten"), Value::Bool(true));
}

fn worn_attack(table: &GameSession<'_>) -> i64 {
    super::scene::worn(table, "ATK")
}

fn lost(told: &str) -> i64 {
    let before = told.split(" vigour lost").next().unwrap();
    before.rsplit('"').next().unwrap().parse().unwrap()
}
