//! One call repeated over and over, for every function that a step may call, with the largest and
//! oddest arguments. Every call is charged. Generated programs (`grammar.rs`) seldom repeat a call
//! often.

use super::grammar::random_source_for;
use super::inn::{InnSession, inn_content};
use super::program_generator::run_program;
use crate::support::{RandomSource, count_from_env, is_thread_time_checked, sample_number};

/// Arguments of a call are created once before the loop, and charged there.
const ARGUMENT_DEFINITIONS: [(&str, &str); 23] = [
    ("long", "local long = ('x'):rep(60000)"),
    ("digits", "local digits = ('7'):rep(60000)"),
    ("blank", "local blank = (' '):rep(60000)"),
    ("letters", "local letters = ('é'):rep(20000)"),
    ("marks", "local marks = ('{a}'):rep(9000)"),
    ("stars", "local stars = ('*a* '):rep(9000)"),
    ("name", "local name = ('n'):rep(200)"),
    ("lines", "local lines = ('a b\\n'):rep(9000)"),
    ("numbers", "local numbers = table.create(20000, 0)"),
    ("texts", "local texts = {} for at = 1, 1500 do texts[at] = 'word ' .. at end"),
    ("pairs_of", "local pairs_of = {} for at = 1, 1500 do pairs_of['key ' .. at] = at end"),
    (
        "choices",
        "local choices = {} for at = 1, 300 do choices[at] = { id = 'one_' .. at, label = 'One' } end",
    ),
    ("deep", "local deep = {} for _ = 1, 60 do deep = { deep } end"),
    (
        "chain",
        "local chain = {} for _ = 1, 60 do chain = setmetatable({}, { __index = chain }) end",
    ),
    ("about", "local about = { good = 4, wild = 20 }"),
    ("same", "local function same(...) return ... end"),
    ("less", "local function less(x, y) return x < y end"),
    ("never", "local function never() error('never') end"),
    ("odd", ODD_VALUES),
    (
        "kept",
        "local kept = {} for at = 1, 1500 do kept[at] = 'word ' .. at end state.list = kept kept = state.list",
    ),
    (
        "map",
        "local map = {} for at = 1, 1500 do map['key ' .. at] = at end state.map = map map = state.map",
    ),
    (
        "held",
        "local _, held = roll('1000d1000', 'dice', { open = true, silent = true }) held = held.open",
    ),
    ("one", "local one = 0"),
];

const ODD_VALUES: &str = "local much = ('x'):rep(60000) local odd = setmetatable({}, {
  __lt = function() return true end,
  __eq = function() return true end,
  __concat = function() return much end,
  __call = function(_, ...) return ... end,
  __len = function() return 1e9 end,
  __tostring = function() return much end,
})";

const ARGUMENT_VALUES: [&str; 54] = [
    "nil",
    "true",
    "0",
    "1",
    "-1",
    "2.5",
    "1e300",
    "0/0",
    "1/0",
    "9007199254740991",
    "1000",
    "''",
    "'a'",
    "'salt'",
    "'%g%d%s'",
    "'(.-)x$'",
    "'[^x]*y'",
    "'%b()'",
    "'.'",
    "'6d6'",
    "'60d60'",
    "'12d20k4'",
    "'d300*d300'",
    "'1000d1000'",
    "'100d20e20'",
    "'knock'",
    "'seated'",
    "'inn'",
    "'brass'",
    "long",
    "digits",
    "blank",
    "letters",
    "marks",
    "stars",
    "name",
    "lines",
    "numbers",
    "texts",
    "pairs_of",
    "choices",
    "deep",
    "chain",
    "odd",
    "about",
    "same",
    "less",
    "never",
    "state",
    "kept",
    "map",
    "profile",
    "lantern",
    "rules",
];

const CALLED_FUNCTIONS: [&str; 132] = [
    "odds",
    "roll",
    "open_roll",
    "amend_roll",
    "tell_roll",
    "chance",
    "pick",
    "shuffle",
    "lend_stream",
    "emit",
    "preview",
    "say",
    "heading",
    "note",
    "gain",
    "loss",
    "fill",
    "copy",
    "all",
    "go",
    "push",
    "pop",
    "award",
    "finish",
    "ask",
    "queue_stage",
    "has_pending",
    "greet",
    "rules.price",
    "assert",
    "error",
    "getmetatable",
    "ipairs",
    "next",
    "pairs",
    "pcall",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "select",
    "setmetatable",
    "tonumber",
    "tostring",
    "type",
    "typeof",
    "unpack",
    "xpcall",
    "bit32.band",
    "bit32.bor",
    "bit32.bxor",
    "bit32.btest",
    "bit32.extract",
    "bit32.lshift",
    "bit32.countlz",
    "debug.traceback",
    "math.abs",
    "math.ceil",
    "math.clamp",
    "math.floor",
    "math.fmod",
    "math.max",
    "math.min",
    "math.modf",
    "math.round",
    "math.sign",
    "math.sqrt",
    "string.byte",
    "string.char",
    "string.find",
    "string.format",
    "string.gmatch",
    "string.gsub",
    "string.len",
    "string.lower",
    "string.match",
    "string.rep",
    "string.reverse",
    "string.split",
    "string.sub",
    "string.upper",
    "table.clear",
    "table.clone",
    "table.concat",
    "table.create",
    "table.find",
    "table.freeze",
    "table.insert",
    "table.isfrozen",
    "table.move",
    "table.pack",
    "table.remove",
    "table.sort",
    "table.unpack",
    "utf8.char",
    "utf8.codepoint",
    "utf8.codes",
    "utf8.len",
    "utf8.offset",
    "table.insert(kept, 1, 1) same",
    "table.remove(kept, 1) same",
    "table.insert(kept, 'x') same",
    "table.insert(numbers, 1, 1) same",
    "table.remove(numbers, 1) same",
    "table.sort(kept) same",
    "table.concat(kept, ' ') same",
    "string.format('%s %s', long, long) same",
    "string.format('%99d', 1) same",
    "kept[#kept + 1] = 1 same",
    "rules.nobody",
    "lantern.nobody",
    "state.nobody.at_all",
    "require",
    "copy(map) same",
    "copy(kept) same",
    "copy(state) same",
    "table.clone(kept) same",
    "table.clear(kept) same",
    "next(map) same",
    "table.unpack(kept) same",
    "table.find(kept, 1) same",
    "preview('knock', { force = 1, tags = numbers }) same",
    "pick(numbers, 's') same",
    "pick(kept, 's') same",
    "shuffle(kept, 's') same",
    "shuffle(numbers, 's') same",
    "roll('1000d1000', 's') same",
    "roll('100d20e20', 's') same",
    "roll('60d60k30', 's', { label = long }) same",
    "award(pairs_of) same",
    "ask('inn', pairs_of) same",
    "queue_stage('inn', pairs_of) same",
];

const OPERATORS: [&str; 13] =
    ["+", "-", "*", "/", "//", "%", "..", "==", "~=", "<", "<=", "and", "or"];

/// A call that is repeated.
fn random_call(random: &mut RandomSource) -> String {
    let mut random_value = || ARGUMENT_VALUES[random.next_index(ARGUMENT_VALUES.len())];
    let (a, b, c, d) = (random_value(), random_value(), random_value(), random_value());
    match random.next_below(24) {
        0 => format!("one = {a} {} {b}", OPERATORS[random.next_index(OPERATORS.len())]),
        1 => format!("one = ({a})[{b}]"),
        2 => format!("({a})[{b}] = {c}"),
        3 => format!("kept[{a}] = {b}"),
        4 => format!("state.x = {a}"),
        5 => format!("map[{a}] = {b}"),
        6 => format!("one = #{a}"),
        7 => format!("for _ in {a} do break end"),
        8 => format!("for _ in pairs({a}) do break end"),
        9 => format!("one = `{{{a}}} {{{b}}} {{{c}}}`"),
        10 => format!("one = {{ {a}, {b}, [{c}] = {d} }}"),
        11 => format!(
            "emit('{}', {{ force = {a}, tags = {b}, more = {c} }})",
            ["knock", "other"][random.next_index(2)]
        ),
        12 => format!("fill({a}, {{ a = {b}, [{c}] = {d} }})"),
        13 => format!("odds({a}, {b}, {{ modifiers = {{ {{ label = {c}, value = {d} }} }} }})"),
        _ => {
            let function = CALLED_FUNCTIONS[random.next_index(CALLED_FUNCTIONS.len())];
            // A call that is a statement already, with a suffix.
            match (function.strip_suffix(" same"), random.next_below(5)) {
                (Some(statement), _) => statement.to_owned(),
                (None, 0) => format!("{function}()"),
                (None, 1) => format!("{function}({a})"),
                (None, 2) => format!("{function}({a}, {b})"),
                (None, 3) => format!("{function}({a}, {b}, {c})"),
                (None, _) => format!("{function}({a}, {b}, {c}, {d})"),
            }
        }
    }
}

/// A hook that repeats a call until it is stopped.
fn repeating_hook(call: &str) -> String {
    let identifiers: Vec<&str> =
        call.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
    let definitions = ARGUMENT_DEFINITIONS
        .iter()
        .filter(|(name, _)| identifiers.contains(name))
        .map(|(_, made)| *made);
    format!(
        "scene 'den' {{ prompt = function() return {{ text = '' }} end }}\nafter('knock', function()\nif state.in_it then return end\nstate.in_it = true\n{}\n\
         while true do\n  pcall(function()\n    {call}\n  end)\nend\nend)",
        definitions.collect::<Vec<_>>().join("\n")
    )
}

#[test]
fn repeated_calls_are_stopped_by_fuel_or_memory() {
    let call_count = count_from_env("SUB_ROSA_LOOPS", 60);
    let first_number = count_from_env("SUB_ROSA_LOOPS_FROM", sample_number());
    let mut refusal_counts = std::collections::BTreeMap::<String, u32>::new();
    let mut step_times = Vec::new();
    for number in first_number..first_number + call_count {
        let call = random_call(&mut random_source_for(number));
        let outcome = run_program(&format!("ask {number}"), &repeating_hook(&call));
        step_times.push((outcome.step_ms, number, call));
        *refusal_counts
            .entry(outcome.refusal_code.unwrap_or_else(|| "taken".to_owned()))
            .or_default() += 1;
    }
    step_times.sort();
    let (ms, number, _) = step_times.last().expect("there are some");
    let summary =
        format!("{call_count} asks: {refusal_counts:?}; the longest step {ms} ms (ask {number})");
    super::record_figure("loops", &summary);
    assert!(!refusal_counts.contains_key("taken"), "none ends by itself: {summary}");
    step_times.retain(|(ms, ..)| *ms > crate::sandbox::MAX_THREAD_MS);
    assert!(!is_thread_time_checked() || step_times.is_empty(), "{summary}\n{step_times:#?}");
}

/// Known cases, a few times each: charged, they exceed the fuel of a hook.
#[test]
fn formerly_uncharged_calls_exceed_the_fuel_of_a_hook() {
    let calls = [
        ("fill(letters)", 220),
        ("note(letters)", 220),
        ("odds(1, about, { modifiers = { { label = letters, value = 1 } } })", 420),
        ("tell_roll(1, numbers)", 30),
        ("table.clone(map)", 300),
        ("emit('knock', { force = 1, tags = numbers })", 300),
        ("one = ('salt')[stars]", 600),
        ("map[lines] = 1", 600),
        ("go(stars)", 600),
        ("state.x = pairs_of", 400),
        ("copy(map)", 300),
        ("award(pairs_of)", 300),
        ("roll('1000d1000', 'dice')", 2500),
        ("open_roll(held)", 600),
        ("amend_roll(held, 1)", 600),
        ("ask('den', pairs_of)", 600),
    ];
    for (call, repeat_count) in calls {
        let hook =
            repeating_hook(call).replace("while true do", &format!("for _ = 1, {repeat_count} do"));
        let refusal_code = run_program(call, &hook).refusal_code;

        assert_eq!(refusal_code.as_deref(), Some("out-of-fuel"), "{call}, {repeat_count} times");
        let hook = repeating_hook(call).replace("while true do", "for _ = 1, 3 do");
        assert_ne!(
            run_program(call, &hook).refusal_code.as_deref(),
            Some("out-of-fuel"),
            "{call}, three times"
        );
    }
}

/// A step shows its prompt and its view: one long text may appear everywhere in them.
#[test]
fn long_texts_in_prompts_and_views_are_charged() {
    let refusal_of_screen = |prompt: &str, widgets: &str| {
        let texts = "local long, marks = ('x'):rep(60000), ('{a}'):rep(9000)";
        let mod_text = format!(
            "local function choices(label)
               local all = {{}}
               for at = 1, 200 do all[at] = {{ id = 'c_' .. at, label = label, note = label, cost = label }} end
               return all
             end
             local function lists(often)
               local item = {{ label = '{{a}}', note = '{{a}}' }}
               local one = {{ widget = 'list', label = 'All', items = table.create(300, item) }}
               return table.create(often, one)
             end
             view 'wall' (function() {texts} return {{ title = 'Wall', widgets = {widgets}, values = {{ a = long }} }} end)
             scene 'den' {{ view = 'wall', prompt = function() {texts} return {prompt} end }}
             after('knock', function() push 'den' end)"
        );
        let mut inn_session = InnSession::begin(&inn_content("0.1.0", &mod_text)).unwrap();
        inn_session.choose("knock").map(|problem| problem.code.to_string())
    };
    let small_prompt = "{ text = '', choices = { { id = 'a', label = 'A' } } }";
    let expected_code = |code: &str| Some(code.to_owned());
    assert_eq!(
        refusal_of_screen("{ text = '', choices = choices(long) }", "{}"),
        expected_code("not-plain")
    );
    let large_prompt = "{ text = '', choices = choices('{a}'), values = { a = long } }";
    assert_eq!(refusal_of_screen(large_prompt, "{}"), expected_code("out-of-memory"));
    assert_eq!(refusal_of_screen(&large_prompt.replace("long", "long:sub(1, 10000)"), "{}"), None);
    assert_eq!(
        refusal_of_screen("{ text = marks, values = { a = long } }", "{}"),
        expected_code("bad-text")
    );
    assert_eq!(
        refusal_of_screen("{ text = '{a}', values = { a = table.create(20, long) } }", "{}"),
        expected_code("bad-text")
    );
    assert_eq!(refusal_of_screen(small_prompt, "lists(1)"), expected_code("out-of-memory"));
    assert_eq!(
        refusal_of_screen(
            small_prompt,
            "{ { widget = 'list', label = 'All', items = { '{a}', '{a}' } } }"
        ),
        None
    );
    assert_eq!(
        refusal_of_screen(small_prompt, "{ { widget = 'text', text = marks } }"),
        expected_code("bad-text")
    );
}
