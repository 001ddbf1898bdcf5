//! Programs of a small grammar over the whole library, with hostile values, metamethods, closures
//! and deep tables. Each is accepted or refused by a count and not by a clock, and gives the same
//! in a new VM and in a replay.

use std::fmt::Write;

use super::inn::{InnSession, inn_content};
use crate::support::{RandomSource, thread_time_ms};

const LUA_VALUES: [&str; 24] = [
    "nil",
    "true",
    "0",
    "-1",
    "1",
    "2.5",
    "1e300",
    "0/0",
    "1/0",
    "''",
    "'12'",
    "'salt'",
    "('x'):rep(60000)",
    "('0'):rep(200)",
    "(' '):rep(3000)",
    "{}",
    "{1, 2, 3}",
    "{a = 1, [2.5] = 2, [true] = 3}",
    "{[{}] = 1}",
    "table.create(50000, 0)",
    "function(...) return ... end",
    "function(x, y) return x < y end",
    "function() error('x') end",
    "state",
];

const LUA_FUNCTIONS: [&str; 44] = [
    "string.rep",
    "string.sub",
    "string.byte",
    "string.char",
    "string.find",
    "string.match",
    "string.gsub",
    "string.format",
    "string.split",
    "string.upper",
    "string.reverse",
    "table.insert",
    "table.remove",
    "table.concat",
    "table.sort",
    "table.unpack",
    "table.move",
    "table.create",
    "table.find",
    "table.clone",
    "table.clear",
    "table.pack",
    "table.freeze",
    "math.max",
    "math.floor",
    "math.clamp",
    "math.sqrt",
    "bit32.band",
    "bit32.lshift",
    "utf8.char",
    "utf8.codepoint",
    "utf8.len",
    "utf8.offset",
    "tonumber",
    "tostring",
    "select",
    "next",
    "rawset",
    "rawget",
    "rawequal",
    "setmetatable",
    "getmetatable",
    "type",
    "pcall",
];

const OPERATORS: [&str; 13] =
    ["+", "-", "*", "/", "//", "%", "..", "==", "~=", "<", "<=", "and", "or"];
const METAMETHODS: [&str; 11] = [
    "__index",
    "__newindex",
    "__call",
    "__add",
    "__concat",
    "__lt",
    "__le",
    "__eq",
    "__len",
    "__iter",
    "__tostring",
];
const VARIABLE_NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Writes a program.
struct ProgramWriter {
    random: RandomSource,
    text: String,
}

impl ProgramWriter {
    fn pick_one<'a>(&mut self, options: &[&'a str]) -> &'a str {
        options[self.random.next_index(options.len())]
    }

    /// A value of at most this depth.
    fn random_value(&mut self, max_depth: u32) -> String {
        if max_depth == 0 {
            let list: &[&str] =
                if self.random.next_below(2) == 0 { &VARIABLE_NAMES } else { &LUA_VALUES };
            return self.pick_one(list).to_owned();
        }
        let depth = max_depth - 1;
        match self.random.next_below(9) {
            0 | 1 => self.random_value(0),
            2 | 3 => {
                let function = self.pick_one(&LUA_FUNCTIONS);
                let arguments: Vec<_> =
                    (0..self.random.next_below(4)).map(|_| self.random_value(depth)).collect();
                format!("{function}({})", arguments.join(", "))
            }
            4 => format!(
                "({} {} {})",
                self.random_value(depth),
                self.pick_one(&OPERATORS),
                self.random_value(depth)
            ),
            5 => format!("({})[{}]", self.random_value(depth), self.random_value(depth)),
            6 => {
                let (value, metamethod, metamethod_value) = (
                    self.random_value(depth),
                    self.pick_one(&METAMETHODS),
                    self.random_value(depth),
                );
                format!("setmetatable({{ {value} }}, {{ {metamethod} = {metamethod_value} }})")
            }
            7 => format!("(function(...) return {} end)", self.random_value(depth)),
            _ => format!("`{{({})}} {{({})}}`", self.random_value(depth), self.random_value(depth)),
        }
    }

    /// Statements of at most this depth.
    fn write_block(&mut self, max_depth: u32) {
        for _ in 0..=self.random.next_below(3) {
            self.write_statement(max_depth);
        }
    }

    fn write_enclosed_block(&mut self, first_line: &str, max_depth: u32, last_line: &str) {
        writeln!(self.text, "{first_line}").unwrap();
        self.write_block(max_depth);
        writeln!(self.text, "{last_line}").unwrap();
    }

    /// A statement; most that may fail are guarded, so that a program continues after them.
    fn write_statement(&mut self, max_depth: u32) {
        let is_guarded = self.random.next_below(3) > 0;
        if is_guarded {
            self.text.push_str("pcall(function()\n");
        }
        self.write_unguarded_statement(max_depth);
        if is_guarded {
            self.text.push_str("end)\n");
        }
    }

    fn write_unguarded_statement(&mut self, max_depth: u32) {
        let kind_count = if max_depth == 0 { 4 } else { 11 };
        let (name, value) = (self.pick_one(&VARIABLE_NAMES), self.random_value(2));
        let inner_depth = max_depth.saturating_sub(1);
        match self.random.next_below(kind_count) {
            0 | 1 => writeln!(self.text, "{name} = {value}").unwrap(),
            2 => {
                let (key, assigned_value) = (self.random_value(1), self.random_value(1));
                writeln!(
                    self.text,
                    "if type({name}) == 'table' then {name}[{key}] = {assigned_value} end"
                )
                .unwrap();
            }
            3 => {
                let repeat_count = [20, 200, 1000][self.random.next_index(3)];
                let operator = self.pick_one(&OPERATORS);
                let repeated_text = format!(
                    "{name} = {} {operator} {} ",
                    self.pick_one(&VARIABLE_NAMES),
                    self.random_value(0)
                );
                writeln!(self.text, "{}", repeated_text.repeat(repeat_count)).unwrap();
            }
            4 => {
                let turn_count = [3, 50, 3000][self.random.next_index(3)];
                self.write_enclosed_block(
                    &format!("for turn = 1, {turn_count} do"),
                    inner_depth,
                    "end",
                );
            }
            5 => self.write_enclosed_block("while true do", inner_depth, "end"),
            6 => self.write_enclosed_block(
                &format!("for k, v in {value} do {name} = v"),
                inner_depth,
                "end",
            ),
            7 => self.write_enclosed_block(
                &format!("for k, v in pairs({value}) do {name} = k"),
                inner_depth,
                "end",
            ),
            8 => self.write_enclosed_block("pcall(function()", inner_depth, "end)"),
            9 => {
                self.write_enclosed_block(
                    &format!("{name} = function(...) local b, c = ..."),
                    inner_depth,
                    "return b end",
                );
                writeln!(self.text, "{name} = {name}({value})").unwrap();
            }
            _ => self.write_enclosed_block(&format!("if {value} then"), inner_depth, "end"),
        }
    }
}

/// The program of these choices.
pub fn generate_program(random: RandomSource) -> String {
    let mut writer = ProgramWriter { random, text: String::new() };
    writer
        .text
        .push_str("after('knock', function()\nlocal a, b, c, d, e = 'salt', { 1 }, 3, {}, nil\n");
    writer.write_block(3);
    writer.write_block(3);
    writer
        .text
        .push_str("state.stranger = { tostring(a), tostring(b), tostring(c), tostring(d) }\nend)");
    writer.text
}

/// The outcome of a program.
pub struct ProgramOutcome {
    /// The code of its Problem, if it was refused.
    pub refusal_code: Option<String>,
    /// The processor time of its step, in milliseconds.
    #[allow(dead_code)] // a guided fuzzer has a limit of its own
    pub step_ms: u64,
}

/// Plays a program in the VM that loaded it and in a new one, and replays the run.
pub fn run_program(label: &str, text: &str) -> ProgramOutcome {
    let description = || format!("{label}:\n{text}");
    let content = inn_content("0.1.0", text);
    let mut inn_session = match InnSession::begin(&content) {
        Ok(inn_session) => inn_session,
        // A function of very many lines cannot be bounded, and is refused before the game starts.
        Err(problem) if problem.code == "too-large" => {
            return ProgramOutcome { refusal_code: Some(problem.code.to_string()), step_ms: 0 };
        }
        Err(problem) => panic!("{}\n{problem}", description()),
    };
    let mut rebuilt_session = InnSession::begin(&content).unwrap();
    rebuilt_session.session.rebuild_vm().unwrap();
    let digest_before = inn_session.session.digest();
    let start_ms = thread_time_ms();
    let refusal = inn_session.choose("knock");
    let elapsed_ms = thread_time_ms().saturating_sub(start_ms);
    let rebuilt_refusal = rebuilt_session.choose("knock");
    let problem_text = |problem: &Option<base::Problem>| problem.as_ref().map(ToString::to_string);
    assert_eq!(
        problem_text(&refusal),
        problem_text(&rebuilt_refusal),
        "in a new VM, {}",
        description()
    );
    assert_eq!(
        inn_session.session.digest(),
        rebuilt_session.session.digest(),
        "in a new VM, {}",
        description()
    );
    if let Some(problem) = &refusal {
        assert_ne!(problem.code, "too-slow", "{}", description());
        assert!(!problem.to_string().contains("0x"), "{problem} {}", description());
        assert_eq!(inn_session.session.digest(), digest_before, "{}", description());
    }
    inn_session.assert_neighbour_works("the step after it");
    inn_session.assert_replays(&description());
    ProgramOutcome {
        refusal_code: refusal.map(|problem| problem.code.to_string()),
        step_ms: elapsed_ms,
    }
}
