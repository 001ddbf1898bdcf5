//! Cases that are declared in Luau, `case "name" { … }`, in the `tests/` of a mod. They are
//! definitions, so a line of Lua can call their functions by the id of the case.

use std::path::Path;

use super::found_case::{CaseBody, FoundCase};
use super::function_case::{CaseVm, FunctionCase};
use super::vm_pool::load_case_content;
use crate::CommandContext;
use crate::case::Case;
use crate::case_places::case_field;
use base::problem_code::describe_unknown_code;
use base::{Code, Problem, Value};
use content::{Datum, Definition};

/// The field of a case that is a function.
const RUN_FIELD: &str = "run";

/// The cases that the test scripts of a mod declare, or the problems with them.
pub(super) fn declared_cases(
    context: &CommandContext,
    owner: &str,
    folder: &Path,
) -> Vec<FoundCase> {
    let script = |name: &str, place, unread_sentence, case| FoundCase {
        path: folder.join(format!("{name}.toml")),
        case,
        unread_sentence,
        place,
        is_declared_in_script: true,
    };
    let loaded = load_case_content(context, owner, &[], true).and_then(|content| {
        let vm = content.load_strict_vm()?;
        Ok((content, vm))
    });
    let (content, vm) = match loaded {
        Ok(loaded) => loaded,
        Err(problems) => return vec![script("scripts", None, String::new(), Err(problems))],
    };
    let registry = vm.shared_registry();
    let case_vm = CaseVm::new(content, vm);
    let read_body = |case: &Definition| match (case.get(RUN_FIELD), read_case(case, owner)) {
        (_, Err(problem)) => Err(vec![problem]),
        (None, Ok(read)) => Ok(CaseBody::ScriptedRun(Box::new(read))),
        (Some(_), Ok(read)) if read.is_function_only() => Ok(CaseBody::Function(FunctionCase {
            vm: case_vm.clone(),
            owner: owner.to_owned(),
            id: case.id.to_string(),
            sentence: read.sentence,
            seed: read.seed,
        })),
        (Some(_), Ok(_)) => Err(vec![
            Problem::error(
                Code::BadCase,
                "a case has both a function and fields of a scripted run",
            )
            .at(case.place.clone())
            .expected(
                "either a function alone, or fields such as `answers` and `expect` without `run`",
            ),
        ]),
    };
    let own = registry.active_definitions("case").filter(|case| case.id.mod_id() == owner);
    let read = own.map(|case| {
        script(case.id.name(), Some(case.place.clone()), read_sentence(case), read_body(case))
    });
    read.collect()
}

/// What a case says that it shows.
fn read_sentence(declared: &Definition) -> String {
    declared.get("about").and_then(Datum::as_text).unwrap_or_default().to_owned()
}

impl Case {
    /// Whether it has no field that only a scripted run has.
    fn is_function_only(&self) -> bool {
        let has_no_run_fields = self.options.is_empty()
            && self.dice.is_empty()
            && self.setup_lines.is_empty()
            && self.answers.is_empty();
        has_no_run_fields
            && self.expected_outcome.is_none()
            && self.expected_texts.is_empty()
            && self.expected_problem.is_none()
    }
}

/// Reads a definition as a case.
pub(crate) fn read_case(declared: &Definition, owner: &str) -> Result<Case, Problem> {
    let text = |name: &str| declared.get(name).and_then(Datum::as_text).map(str::to_owned);
    let texts = |name: &str| -> Vec<String> {
        text_list(declared, name).iter().filter_map(Datum::as_text).map(str::to_owned).collect()
    };
    let map = |name: &str| {
        let value = declared.get(name).and_then(Datum::to_value);
        value.filter(|value| value.as_map().is_some()).unwrap_or_else(Value::map)
    };
    let seed = declared.get("seed").and_then(Datum::to_value).and_then(|seed| seed.as_int());
    let seed = seed.and_then(|seed| u64::try_from(seed).ok()).ok_or_else(|| {
        Problem::error(Code::BadCase, "the seed of a case is negative")
            .at(case_field("seed", 0))
            .expected("a whole number, 0 or more")
    })?;
    let problem = text("problem").map(|code| {
        Code::parse_code(&code).ok_or_else(|| {
            Problem::error(Code::BadCase, describe_unknown_code(&code)).at(case_field("problem", 0))
        })
    });
    let dice = map("dice");
    let dice = dice.as_map().into_iter().flatten().map(|(name, numbers)| {
        let numbers = numbers.as_list().into_iter().flatten().map(|number| {
            number.as_int().and_then(|number| u32::try_from(number).ok()).ok_or_else(|| {
                Problem::error(Code::BadCase, "a die of a case is negative or too large")
                    .at(case_field(&format!("dice.{name}"), 0))
                    .expected("a face of the die")
            })
        });
        Ok((name.to_string(), numbers.collect::<Result<Vec<u32>, Problem>>()?))
    });
    let id = declared.id.as_str();
    let called = |at: String| format!("case[\"{id}\"].{at}()");
    let answers = text_list(declared, "answers").iter().enumerate().map(|(index, answer)| {
        let line = || format!(":{}", called(format!("answers[{}]", index + 1)));
        answer.as_text().map_or_else(line, str::to_owned)
    });
    let options = map("options");
    let options = options.as_map().into_iter().flatten();
    Ok(Case {
        sentence: read_sentence(declared),
        seed,
        game: String::new(),
        mods: texts("mods"),
        options: options.map(|(name, value)| (name.to_string(), value.clone())).collect(),
        profile: map("profile"),
        settings: map("settings"),
        dice: dice.collect::<Result<_, Problem>>()?,
        setup_lines: declared
            .get("setup")
            .map(|_| called("setup".to_owned()))
            .into_iter()
            .collect(),
        answers: answers.collect(),
        expected_outcome: text("outcome"),
        expected_texts: texts("expect"),
        expected_problem: problem.transpose()?,
        owner: owner.to_owned(),
    })
}

fn text_list<'d>(declared: &'d Definition, name: &str) -> &'d [Datum] {
    match declared.get(name) {
        Some(Datum::List(list)) => list,
        _ => &[],
    }
}
