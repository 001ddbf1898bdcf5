//! Each numbered formula over its whole range, against figures worked out here by other means.

use engine::kit::Value;
use engine::script::Vm;

use super::table::vm;

fn call(vm: &Vm, rule: &str, arguments: &[Value]) -> Option<Value> {
    vm.call_rule(&format!("sub_rosa:{rule}"), arguments)
        .unwrap_or_else(|problem| panic!("{problem}"))
}

fn int(vm: &Vm, rule: &str, arguments: &[i64]) -> i64 {
    let arguments: Vec<Value> = arguments.iter().map(|number| Value::Int(*number)).collect();
    call(vm, rule, &arguments).and_then(|value| value.as_int()).expect("a whole number")
}

/// Calls a rule with some texts and a number or flag after them.
fn int_of(vm: &Vm, rule: &str, arguments: &[Value]) -> i64 {
    call(vm, rule, arguments).and_then(|value| value.as_int()).expect("a whole number")
}

fn word(text: &str) -> Value {
    Value::text(text)
}

const OUTCOMES: [&str; 4] = ["full", "partial", "failure", "guttering"];
const SIZES: [&str; 4] = ["small", "medium", "large", "epic"];

/// SR-1.2: of all builds of 0..14, exactly those that may enter do.
#[test]
fn entry_builds() {
    let vm = vm();
    let mut whole = 0;
    for (atk, def) in (0..15).flat_map(|atk| (0..15).map(move |def| (atk, def))) {
        for (car, int) in (0..15).flat_map(|car| (0..15).map(move |int| (car, int))) {
            // Only those near the total need to be asked; the others fail by the sum alone.
            if (27..=29).contains(&(atk + def + car + int)) {
                let stats = [("ATK", atk), ("DEF", def), ("CAR", car), ("INT", int)];
                let build = Value::of(stats.map(|(name, value)| (name, Value::Int(value))));
                let fault = call(&vm, "build_fault", &[build]);
                let bounded = stats.iter().all(|(_, value)| (1..=13).contains(value));
                let fits = bounded && atk + def + car + int == 28;
                assert_eq!(fault.is_none(), fits, "{stats:?}: {fault:?}");
                whole += i64::from(fits);
            }
        }
    }
    // 24 points over four pillars of 0..12, by inclusion and exclusion.
    let choose = |n: i64| n * (n - 1) * (n - 2) / 6;
    assert_eq!(whole, choose(27) - 4 * choose(14));
}

/// SR-1.3, SR-1.4, SR-1.5: thresholds grow, levels stop at ten, standing is the level that is kept.
#[test]
fn levels_and_standing() {
    let vm = vm();
    let mut threshold = 0;
    for (nth, step) in (1..=10).zip((20..).step_by(5)) {
        threshold += step;
        assert_eq!(int(&vm, "level_threshold", &[nth]), threshold);
        assert_eq!(int(&vm, "levels_gained", &[threshold]), nth);
        assert_eq!(int(&vm, "levels_gained", &[threshold - 1]), nth - 1);
    }
    assert_eq!(int(&vm, "levels_gained", &[1_000_000]), 10);
    assert_eq!(int(&vm, "standing", &[0]), 1);
    let mut reached = 0;
    for standing in 2..=40 {
        reached += 60 * (standing - 1);
        assert_eq!(int(&vm, "standing", &[reached]), standing);
        assert_eq!(int(&vm, "standing", &[reached - 1]), standing - 1);
    }
    for (standing, gained) in (1..20).flat_map(|s| (0..=10).map(move |g| (s, g))) {
        assert_eq!(int(&vm, "level", &[standing, gained]), standing + gained);
    }
}

/// SR-2.1
#[test]
fn difficulty() {
    let vm = vm();
    for (tier, bonus) in [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)] {
        assert_eq!(int(&vm, "tier_bonus", &[tier]), bonus);
        for level in 1..=60_i64 {
            let thirds = (1..=level).filter(|passed| passed % 3 == 0).count() as i64;
            for shift in -3..=3 {
                let dc = int(&vm, "difficulty", &[tier, level, shift]);
                assert_eq!(dc, 10 + bonus + thirds + shift, "tier {tier}, level {level}");
            }
            assert_eq!(int(&vm, "difficulty", &[tier, level]), 10 + bonus + thirds);
        }
    }
}

/// SR-2.2: every face of the die, for every stat and difficulty that can meet.
#[test]
fn outcomes() {
    let vm = vm();
    for (natural, stat) in (1..=20).flat_map(|face| (0..=30).map(move |stat| (face, stat))) {
        for dc in 8..=32 {
            let total = natural + stat;
            let arguments = [natural, total, dc].map(Value::Int);
            let told = call(&vm, "outcome", &arguments).unwrap();
            let margin = total - dc;
            let expected = match (natural, margin) {
                (1, _) => "guttering",
                (20, _) | (_, 5..) => "full",
                (_, 0..=4) => "partial",
                _ => "failure",
            };
            assert_eq!(told.as_text(), Some(expected), "{natural} + {stat} against {dc}");
        }
    }
}

/// SR-2.4, SR-2.5, SR-2.6, SR-2.7, SR-2.9
#[test]
fn paths() {
    let vm = vm();
    for (stat, power) in (0..=30).flat_map(|stat| (0..=6).map(move |power| (stat, power))) {
        let whole = (0..=30).filter(|part| 3 * part <= 2 * stat).max().unwrap() + 1 + power;
        let dealt = OUTCOMES.map(|outcome| {
            int_of(&vm, "strike_damage", &[Value::Int(stat), Value::Int(power), word(outcome)])
        });
        assert_eq!(dealt, [whole, whole - whole / 2, 0, 0], "ATK {stat}, power {power}");
        assert_eq!(int(&vm, "skill_damage", &[stat, power]), stat + power);
        for taken in 0..=9 {
            let back = OUTCOMES.map(|outcome| {
                int_of(&vm, "brace_recovery", &[Value::Int(stat), word(outcome), Value::Int(taken)])
            });
            let full = (stat - stat % 4) / 4 + 1;
            assert_eq!(back, [full.min(taken), 1.min(taken), 0, 0], "DEF {stat}, taken {taken}");
        }
    }
    let by_outcome = |rule: &str| OUTCOMES.map(|outcome| int_of(&vm, rule, &[word(outcome)]));
    assert_eq!(by_outcome("speak_waits"), [2, 1, 0, 0]);
    assert_eq!(by_outcome("study_waits"), [1, 0, 0, 0]);
    assert_eq!(by_outcome("study_marks"), [2, 2, 0, 0]);
    for stat in 0..=30 {
        // Three for each four points over five, and one for each two.
        let over = (stat - 5).max(0);
        let eye = (0..=30).filter(|part| 4 * part <= 3 * over).max().unwrap();
        assert_eq!(int(&vm, "named_edge", &[stat]), eye, "SR-2.4: the eye's edge");
        let tongue = (0..=30).filter(|part| 2 * part <= over).max().unwrap();
        assert_eq!(int(&vm, "listening_edge", &[stat]), tongue, "SR-2.4: the tongue's");
    }
    for damage in 0..=60 {
        assert_eq!(int(&vm, "marked_damage", &[damage]), damage + damage / 2);
    }
}

/// SR-2.10: the order of a blow, worked out in exact halves by other means.
#[test]
fn blows() {
    let vm = vm();
    for (rolled, def) in (2..=16).flat_map(|rolled| (0..=24).map(move |def| (rolled, def))) {
        for (armor, flags) in (0..=4).flat_map(|armor| (0..8).map(move |flags| (armor, flags))) {
            let (guttering, braced, warded) = (flags & 1 > 0, flags & 2 > 0, flags & 4 > 0);
            let blow = Value::of([
                ("rolled", Value::Int(rolled)),
                ("def", Value::Int(def)),
                ("armor", Value::Int(armor)),
                ("guttering", Value::Bool(guttering)),
                ("braced", Value::Bool(braced)),
                ("warded", Value::Bool(warded)),
            ]);
            let mut expected = rolled as f64;
            if guttering {
                expected *= 1.5;
            }
            expected -= (def as f64 / 3.0).floor() + armor as f64;
            expected -= ((def as f64 - 12.0).max(0.0) / 3.0).floor();
            if braced {
                expected /= 2.0;
            }
            let expected = if warded { 0 } else { (expected.floor() as i64).max(1) };
            let damage = int_of(&vm, "blow_damage", std::slice::from_ref(&blow));
            assert_eq!(damage, expected, "{}", blow.to_json());
        }
    }
}

/// SR-3.1, SR-3.2, SR-3.3, SR-3.4, SR-3.5, SR-4.1
#[test]
fn casting() {
    let vm = vm();
    let known = [(6, 1), (10, 5), (14, 9)];
    assert!(known.iter().all(|(stat, mp)| int(&vm, "mp_most", &[*stat]) == *mp));
    for stat in 1..=23 {
        let steps_over_five = (6..=stat).count() as i64;
        assert_eq!(int(&vm, "mp_most", &[stat]), steps_over_five);
        for standing in 1..=20 {
            let closed = call(&vm, "casting_closed", &[Value::Int(standing), Value::Int(stat)]);
            assert_eq!(closed.is_none(), standing >= 3 && stat >= 6, "{standing}, INT {stat}");
        }
        for (bonus, fire) in (0..=6).flat_map(|bonus| (1..=6).map(move |fire| (bonus, fire))) {
            let dealt = OUTCOMES.map(|outcome| {
                let numbers =
                    [Value::Int(stat), Value::Int(bonus), word(outcome), Value::Int(fire)];
                int_of(&vm, "cast_damage", &numbers)
            });
            let base = (stat - stat % 2) / 2 + 2 + bonus;
            assert_eq!(dealt, [base + fire, base, 0, 0]);
        }
        assert_eq!(int(&vm, "mend_amount", &[stat, 3]), (stat - stat % 2) / 2 + 3);
    }
    assert_eq!(int(&vm, "cast_cost", &[]), 1);
    let drawn = |rule: &str| (1..=20).map(|s| int(&vm, rule, &[s])).collect::<Vec<_>>();
    let (words, skills) = (drawn("words_drawn"), drawn("skills_drawn"));
    assert_eq!(words[..9], [0, 0, 1, 1, 1, 2, 2, 2, 3]);
    assert_eq!(skills[..11], [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3]);
    assert!(words.is_sorted() && skills.is_sorted());
}

/// SR-5.1, SR-5.4, SR-8.1, SR-8.6, SR-9.1, SR-9.2
#[test]
fn sizes() {
    let vm = vm();
    let by_size = |rule: &str| SIZES.map(|size| int_of(&vm, rule, &[word(size)]));
    assert_eq!(by_size("rooms"), [12, 18, 27, 36]);
    assert_eq!(by_size("revelatory_rooms"), [5, 6, 9, 12]);
    assert_eq!(by_size("relics_claimed"), [1, 1, 2, 3]);
    let no = Value::Bool(false);
    let breaths =
        |ironman: &Value| SIZES.map(|size| int_of(&vm, "breaths", &[word(size), ironman.clone()]));
    assert_eq!(breaths(&no), [1, 2, 3, 4]);
    assert_eq!(breaths(&Value::Bool(true)), [1; 4]);
    for (size, rooms) in SIZES.into_iter().zip([12, 18, 27, 36]) {
        let quota = call(&vm, "rooms_by_kind", &[word(size)]).unwrap();
        let counts = quota.as_map().unwrap().values().map(|count| count.as_int().unwrap());
        assert_eq!(counts.sum::<i64>(), rooms);
        assert!(quota.get("rest").unwrap().as_int().unwrap() >= rooms / 9);
        assert_eq!(quota.get("boss"), Some(&Value::Int(1)));
        let offered = call(&vm, "ironman_offered", &[word(size)]);
        assert_eq!(offered, Some(Value::Bool(size != "small")));
        let pays = |ending: &str, ironman: bool| {
            int_of(&vm, "completion", &[word(size), word(ending), Value::Bool(ironman)])
        };
        let whole = pays("victory", false);
        assert!(whole > 0);
        assert_eq!(pays("victory", true), whole * 3 / 2);
        assert_eq!(pays("peace", false), whole / 2);
        assert_eq!(pays("peace", true), whole * 3 / 4);
        assert_eq!([pays("failure", true), pays("abandoned", false)], [0, 0]);
    }
}

/// SR-6.3, SR-7.1, SR-7.2, SR-7.3
#[test]
fn relics() {
    let vm = vm();
    let rarities = ["common", "uncommon", "rare", "epic", "legendary"];
    let sockets = rarities.map(|rarity| int_of(&vm, "sockets", &[word(rarity)]));
    assert_eq!(sockets, [0, 1, 2, 3, 3]);
    assert_eq!(int(&vm, "relics_carried", &[]), 3);
    for bonus in 0..=12 {
        assert_eq!(int(&vm, "relic_stat", &[bonus]), (bonus - bonus % 2) / 2);
    }
    for (rarity, effect) in rarities.iter().flat_map(|r| [(*r, true), (*r, false)]) {
        for bonus in 0..=4 {
            let mut piece = vec![
                ("name", word("a thing")),
                ("rarity", word(rarity)),
                ("stats", Value::of([("ATK", Value::Int(bonus))])),
                ("power", Value::Int(2)),
            ];
            piece.extend(effect.then(|| ("effect", word("sub_rosa:quilted"))));
            let relic = call(&vm, "relic_of", &[Value::of(piece)]);
            let kept = rarity != "legendary" && (effect || bonus >= 2);
            assert_eq!(relic.is_some(), kept, "{rarity}, {bonus}, {effect}");
            let Some(relic) = relic else { continue };
            let half = relic.get("stats").and_then(|stats| stats.get("ATK")).cloned();
            assert_eq!(half, (bonus >= 2).then_some(Value::Int(bonus / 2)));
            assert_eq!(relic.get("effect").is_some(), effect);
            assert!(relic.get("power").is_none(), "power stays with the thing");
        }
    }
}

/// SR-8.4, SR-8.5, SR-8.6, SR-9.3, SR-9.6
#[test]
fn secret_and_foes() {
    let vm = vm();
    for known in 0..=12 {
        let opens = call(&vm, "secret_opens", &[Value::Int(known)]).unwrap();
        let opened = ["dialogue", "decisive", "peace"].map(|name| opens.get(name).cloned());
        assert_eq!(opened, [2, 3, 4].map(|needed| Some(Value::Bool(known >= needed))));
    }
    let open = SIZES.map(|size| int_of(&vm, "fragment_open", &[word(size)]));
    assert!(open.is_sorted_by(|one, other| one >= other) && open[3] == 0, "{open:?}");
    let kept = SIZES.map(|size| call(&vm, "fragment_put_away", &[word(size)]).unwrap());
    assert_eq!(kept, [false, false, true, true].map(Value::Bool));
    let by_outcome = |rule: &str| OUTCOMES.map(|outcome| int_of(&vm, rule, &[word(outcome)]));
    assert_eq!(by_outcome("dialogue_eases"), [1, 1, 0, 0]);
    assert_eq!(by_outcome("dialogue_waits"), [1, 0, 0, 0]);
    for whole in 30..=70 {
        let dealt = OUTCOMES
            .map(|outcome| int_of(&vm, "decisive_damage", &[Value::Int(whole), word(outcome)]));
        assert_eq!(dealt, [(whole - whole % 2) / 2, (whole - whole % 3) / 3, 0, 0]);
    }
    for (def, level) in (1..=23).flat_map(|def| (1..=30).map(move |level| (def, level))) {
        assert_eq!(int(&vm, "vigour_most", &[def, level]), 18 + 2 * (def + level));
    }
    for step in 0..=3 {
        let vigour = [1, 2, 3, 4, 5].map(|tier| int(&vm, "foe_vigour", &[tier, step]));
        assert_eq!(vigour, [10, 14, 20, 28, [36, 46, 56, 66][step as usize]]);
        let blow = [1, 2, 3, 4, 5].map(|tier| {
            let dice = call(&vm, "foe_blow", &[Value::Int(tier), Value::Int(step)]).unwrap();
            dice.as_text().unwrap().to_owned()
        });
        let boss = ["1d6+2", "1d6+3", "1d6+4", "1d6+5"][step as usize];
        assert_eq!(blow, ["1d4+1", "1d4+2", "1d6+3", "1d8+4", boss]);
    }
}

/// SR-9.6: in a grim descent everybody is heavier, those with numbers of their own as much as their tier; elsewhere
/// they are what they say.
#[test]
fn grim() {
    let vm = vm();
    let (yes, no) = (Value::Bool(true), Value::Bool(false));
    for tier in 1..=4 {
        let of = |grim: &Value| {
            let vigour =
                int_of(&vm, "foe_vigour", &[Value::Int(tier), Value::Int(1), grim.clone()]);
            let own = int_of(&vm, "own_vigour", &[Value::Int(20), Value::Int(tier), grim.clone()]);
            let blow = call(&vm, "own_blow", &[word("1d6+2"), Value::Int(tier), grim.clone()]);
            (vigour, own, blow.unwrap().as_text().unwrap().to_owned())
        };
        let ((plain, own, blow), (heavy, grown, blows)) = (of(&no), of(&yes));
        assert_eq!((own, &*blow), (20, "1d6+2"));
        assert_eq!(grown, 20 * heavy / plain, "tier {tier}");
        let weight: i64 = blows.trim_start_matches("1d6+").parse().unwrap();
        assert!(heavy > plain && weight > 2 + tier, "tier {tier}: {blows}");
    }
}
