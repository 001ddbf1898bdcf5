//! Instruction counts for benchmarks (a) to (d). A busy machine does not change them, so a
//! regression stands out from noise. This program runs each piece of work under callgrind N times
//! and 2N times. The difference is the cost of the work without the start.

use std::process::Command;

use engine::base::Value;
use engine::protocol::Input;
use engine::session::{Content, Session, ViewPolicy, complete_options, option_specs};
use mlua::Function;

use super::bare_host::{BareHost, compiler};
use super::calls::PLAIN;
use super::descent::{answers, begin, content, folder};
use super::report::BenchReport;

/// The counted work: the row, the work, its repetitions, its pieces per repetition, and the work it
/// is compared with, in as many pieces.
const ROWS: [(&str, &str, &str, u64, u64); 10] = [
    ("(a) an after-hook called by the engine", "hooked - bare", "plain hook", 20, 1_000),
    ("(a) a before-hook called by the engine", "weighed - bare", "plain weigh", 20, 1_000),
    ("(b) a field of the state read", "read - nothing", "plain read - plain nothing", 40, 1_000),
    (
        "(b) a field of the state written",
        "write - nothing",
        "plain write - plain nothing",
        40,
        1_000,
    ),
    ("(c) a step of a duel", "duel", "bare duel", 1_000, 1),
    ("    the same, where nobody looks", "unseen duel", "blind duel", 1_000, 1),
    ("(d) a small descent", "descent", "bare descent", 1, 1),
    ("    the same, where nobody looks", "unseen descent", "blind descent", 1, 1),
    ("(d) a small descent of today's game", "descent of today", "descent", 1, 1),
    ("    the same, where nobody looks", "unseen of today", "unseen descent", 1, 1),
];

/// The notes of counted instructions.
pub fn rows(table: &mut BenchReport) {
    if Command::new("valgrind").arg("--version").output().is_err() {
        table.note("(a)-(d) there is no valgrind here to count instructions with");
        return;
    }
    table.note("instructions, counted by callgrind, the same however busy the machine is:");
    for (row, work, beside, times, pieces) in ROWS {
        let each = |names: &str| -> Option<f64> {
            let mut names = names.split(" - ");
            let one = counted(names.next()?, times)?;
            let less = names.next().map_or(Some(0), |name| counted(name, times))?;
            Some(one.saturating_sub(less) as f64 / (times * pieces) as f64)
        };
        let line = match (each(work), each(beside)) {
            (Some(one), Some(other)) => {
                format!("  {row:42} {one:>14.0}  {beside:28} {other:>12.0}  {:>7.2}x", one / other)
            }
            _ => format!("  {row:42} could not be counted"),
        };
        table.note(&line);
    }
}

/// Instructions of N repetitions of some work.
fn counted(work: &str, times: u64) -> Option<u64> {
    let once = under_callgrind(work, times)?;
    let twice = under_callgrind(work, 2 * times)?;
    Some(twice.saturating_sub(once))
}

fn under_callgrind(work: &str, times: u64) -> Option<u64> {
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args(["--work", work, &times.to_string()])
        .output()
        .ok()?;
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    let counted = told.lines().find_map(|line| line.split("Collected :").nth(1))?;
    done.status.success().then(|| counted.trim().parse().ok())?
}

/// Repeats some work for a counter outside this process.
pub fn work(name: &str, times: u64) {
    match name.split_once(' ') {
        Some(("unseen", "duel")) => duel(times, ViewPolicy::OnRequest),
        Some(("unseen", "descent")) => descents(&content(), times, ViewPolicy::OnRequest),
        Some(("unseen", "of today")) => descents(&content(), times, ViewPolicy::OnRequest),
        Some((host, "duel")) => {
            let content = folder("duel");
            let bare = BareHost::load(&content, content.load().unwrap().registry());
            bare.begin(1, &Value::map(), host == "bare");
            steps(times, |input| drop(bare.submit(input, host == "bare")));
        }
        Some(("descent", _)) => descents(&content(), times, ViewPolicy::Required),
        Some((host, "descent")) => {
            let content = content();
            let vm = content.load().unwrap();
            let bare = BareHost::load(&content, vm.registry());
            let options = complete_options(&option_specs(vm.registry()), &Default::default());
            let (options, answers) = (options.unwrap(), answers(&content, 1));
            for _ in 0..times {
                bare.begin(1, &options, host == "bare");
                answers.iter().for_each(|input| drop(bare.submit(input, host == "bare")));
            }
        }
        Some((_, plain)) => plainly(plain, times),
        None if name == "duel" => duel(times, ViewPolicy::Required),
        None if name == "descent" => descents(&content(), times, ViewPolicy::Required),
        None => {
            let content = folder("probe");
            let mut session: Session = begin(&content, content.load().unwrap(), 1);
            let input = Input::Choice(name.to_owned());
            (0..times).for_each(|_| drop(session.answer(&input).unwrap()));
        }
    }
}

fn duel(times: u64, views: ViewPolicy) {
    let content = folder("duel");
    let mut session = begin(&content, content.load().unwrap(), 1);
    session.set_view_policy(views);
    steps(times, |input| drop(session.answer(input).unwrap()));
}

fn descents(content: &Content, times: u64, views: ViewPolicy) {
    let (answers, mut vm) = (answers(content, 1), content.load().unwrap());
    for _ in 0..times {
        let mut session = begin(content, vm, 1);
        session.set_view_policy(views);
        answers.iter().for_each(|input| drop(session.answer(input).unwrap()));
        vm = session.into_vm();
    }
}

/// Work on plain tables without an engine: a thousand iterations each time.
fn plainly(name: &str, times: u64) {
    let lua = mlua::Lua::new();
    let plain: mlua::Table = lua.load(PLAIN).set_compiler(compiler()).eval().unwrap();
    let work: Function = plain.get(name).unwrap();
    let event = lua.create_table().unwrap();
    event.set("damage", 4).unwrap();
    for _ in 0..times {
        match name {
            "hook" | "weigh" => (0..1_000).for_each(|_| work.call::<()>(&event).unwrap()),
            _ => work.call::<()>(()).unwrap(),
        }
    }
}

fn steps(times: u64, mut take: impl FnMut(&Input)) {
    let inputs = ["strike", "guard"].map(|id| Input::Choice(id.to_owned()));
    (0..times as usize).for_each(|at| take(&inputs[at % 2]));
}
