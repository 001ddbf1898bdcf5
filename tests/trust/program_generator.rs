//! Programs of a small grammar over the whole library, with hostile values, metamethods, closures
//! and deep tables. Each is accepted or refused by a count and not by a clock, and gives the same
//! in a new VM and in a replay.

use std::fmt::Write;

use super::inn::{InnSession, inn};
use crate::support::{RandomSource, thread_ms};

const VALUES: [&str; 24] = [
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

const CALLS: [&str; 44] = [
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

const SIGNS: [&str; 13] = ["+", "-", "*", "/", "//", "%", "..", "==", "~=", "<", "<=", "and", "or"];
const RULES: [&str; 11] = [
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
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Writes a program.
struct ProgramWriter {
    chance: RandomSource,
    text: String,
}

impl ProgramWriter {
    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.chance.index(all.len())]
    }

    /// A value of at most this depth.
    fn value(&mut self, deep: u32) -> String {
        if deep == 0 {
            let list: &[&str] = if self.chance.below(2) == 0 { &NAMES } else { &VALUES };
            return self.one_of(list).to_owned();
        }
        let less = deep - 1;
        match self.chance.below(9) {
            0 | 1 => self.value(0),
            2 | 3 => {
                let call = self.one_of(&CALLS);
                let values: Vec<_> = (0..self.chance.below(4)).map(|_| self.value(less)).collect();
                format!("{call}({})", values.join(", "))
            }
            4 => format!("({} {} {})", self.value(less), self.one_of(&SIGNS), self.value(less)),
            5 => format!("({})[{}]", self.value(less), self.value(less)),
            6 => {
                let (value, rule, of) = (self.value(less), self.one_of(&RULES), self.value(less));
                format!("setmetatable({{ {value} }}, {{ {rule} = {of} }})")
            }
            7 => format!("(function(...) return {} end)", self.value(less)),
            _ => format!("`{{({})}} {{({})}}`", self.value(less), self.value(less)),
        }
    }

    /// Statements of at most this depth.
    fn block(&mut self, deep: u32) {
        for _ in 0..=self.chance.below(3) {
            self.statement(deep);
        }
    }

    fn inside(&mut self, head: &str, deep: u32, end: &str) {
        writeln!(self.text, "{head}").unwrap();
        self.block(deep);
        writeln!(self.text, "{end}").unwrap();
    }

    /// A statement; most that may fail are guarded, so that a program continues after them.
    fn statement(&mut self, deep: u32) {
        let guarded = self.chance.below(3) > 0;
        if guarded {
            self.text.push_str("pcall(function()\n");
        }
        self.bare_statement(deep);
        if guarded {
            self.text.push_str("end)\n");
        }
    }

    fn bare_statement(&mut self, deep: u32) {
        let kinds = if deep == 0 { 4 } else { 11 };
        let (name, value) = (self.one_of(&NAMES), self.value(2));
        let inner = deep.saturating_sub(1);
        match self.chance.below(kinds) {
            0 | 1 => writeln!(self.text, "{name} = {value}").unwrap(),
            2 => {
                let (key, of) = (self.value(1), self.value(1));
                writeln!(self.text, "if type({name}) == 'table' then {name}[{key}] = {of} end")
                    .unwrap();
            }
            3 => {
                let times = [20, 200, 1000][self.chance.index(3)];
                let sign = self.one_of(&SIGNS);
                let piece = format!("{name} = {} {sign} {} ", self.one_of(&NAMES), self.value(0));
                writeln!(self.text, "{}", piece.repeat(times)).unwrap();
            }
            4 => {
                let turns = [3, 50, 3000][self.chance.index(3)];
                self.inside(&format!("for turn = 1, {turns} do"), inner, "end");
            }
            5 => self.inside("while true do", inner, "end"),
            6 => self.inside(&format!("for k, v in {value} do {name} = v"), inner, "end"),
            7 => self.inside(&format!("for k, v in pairs({value}) do {name} = k"), inner, "end"),
            8 => self.inside("pcall(function()", inner, "end)"),
            9 => {
                self.inside(
                    &format!("{name} = function(...) local b, c = ..."),
                    inner,
                    "return b end",
                );
                writeln!(self.text, "{name} = {name}({value})").unwrap();
            }
            _ => self.inside(&format!("if {value} then"), inner, "end"),
        }
    }
}

/// The program of these choices.
pub fn program(chance: RandomSource) -> String {
    let mut writer = ProgramWriter { chance, text: String::new() };
    writer
        .text
        .push_str("after('knock', function()\nlocal a, b, c, d, e = 'salt', { 1 }, 3, {}, nil\n");
    writer.block(3);
    writer.block(3);
    writer
        .text
        .push_str("state.stranger = { tostring(a), tostring(b), tostring(c), tostring(d) }\nend)");
    writer.text
}

/// The outcome of a program.
pub struct ProgramOutcome {
    /// The code of its Problem, if it was refused.
    pub refused: Option<String>,
    /// The processor time of its step, in milliseconds.
    #[allow(dead_code)] // a guided fuzzer has a limit of its own
    pub ms: u64,
}

/// Plays a program in the VM that loaded it and in a new one, and replays the run.
pub fn play(what: &str, text: &str) -> ProgramOutcome {
    let what = || format!("{what}:\n{text}");
    let content = inn("0.1.0", text);
    let mut evening = match InnSession::begin(&content) {
        Ok(evening) => evening,
        // A function of very many lines cannot be bounded, and is refused before the game starts.
        Err(why) if why.code == "too-large" => {
            return ProgramOutcome { refused: Some(why.code.to_string()), ms: 0 };
        }
        Err(why) => panic!("{}\n{why}", what()),
    };
    let mut anew = InnSession::begin(&content).unwrap();
    anew.session.rebuild_vm().unwrap();
    let before = evening.session.digest();
    let begun = thread_ms();
    let refused = evening.choose("knock");
    let ms = thread_ms().saturating_sub(begun);
    let again = anew.choose("knock");
    let code = |problem: &Option<engine::base::Problem>| problem.as_ref().map(ToString::to_string);
    assert_eq!(code(&refused), code(&again), "in a new VM, {}", what());
    assert_eq!(evening.session.digest(), anew.session.digest(), "in a new VM, {}", what());
    if let Some(problem) = &refused {
        assert_ne!(problem.code, "too-slow", "{}", what());
        assert!(!problem.to_string().contains("0x"), "{problem} {}", what());
        assert_eq!(evening.session.digest(), before, "{}", what());
    }
    evening.assert_neighbour_works("the step after it");
    evening.check(&what());
    ProgramOutcome { refused: refused.map(|problem| problem.code.to_string()), ms }
}
