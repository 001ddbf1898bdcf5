//! Lines of handlers, each with a hint that is true for it or would be false.

/// A case in which a hint is true, with its text; and one in which it would be false.
pub type HintCasePair =
    ((&'static str, &'static str, &'static str), (&'static str, &'static str, &'static str));

const HERO_SCHEMA: &str =
    "schema 'hero' { doc = 'h', vigour = field.int { doc = 'v', optional = true } }";

pub const RUNTIME_HINT_CASES: &[HintCasePair] = &[
    (
        ("", "local who note('x' .. who)", "`who` is nil here"),
        ("", "local who, what = 'a', {} note(who .. what)", "`who` is"),
    ),
    (
        ("", "local n if n < 4 then note 'x' end", "`n` is nil here"),
        ("", "if '3' < 4 then note 'x' end", "`4` is"),
    ),
    (
        ("", "if '3' < 4 then note 'x' end", "`'3'` is a text here"),
        ("", "local a, b = 3, '4' if a > b then note 'x' end", "`a` is"),
    ),
    (
        ("", "local n state.n = n + 1", "`n` is nil here"),
        ("", "local t, n = '3' state.n = t + n", "`t` is"),
    ),
    (
        ("", "local n state.n = 1 + n", "`n` is nil here"),
        ("", "local a, b, c = 1, 2 state.n = a + b + c", "`b` is"),
    ),
    (
        ("", "local n state.n = math.max(n, 1)", "`n` is nil here"),
        ("", "state.n = math.clamp(1, 3, 2)", "is nil"),
    ),
    (
        ("", "local list for _ in pairs(list) do end", "`list` is nil here"),
        (
            "",
            "local n local function my_max(a) return a end state.n = my_max(1) + math.max(n)",
            "`1` is",
        ),
    ),
    (
        ("", "local who note(who)", "`who` is nil here"),
        ("", "local who note('a') note(who)", "`'a'` is"),
    ),
    (
        ("", "local who note('{who}', { who = who })", "`who` is nil here"),
        ("", "local other, mine = { who = state.x }, {} note('{who}', mine)", "is nil here"),
    ),
    (
        ("", "local who note('{who}', { who = who })", "`who` is nil here"),
        ("", "note('{who}', { who = nil })", "is nil here"),
    ),
    (
        (
            HERO_SCHEMA,
            "state.hero = {} state.n = state.hero.vigor + 1",
            "no field `vigor` is declared",
        ),
        (
            "schema 'hero' { doc = 'h', vigar = field.int { doc = 'v', optional = true } }\nlocal box = require 'lib/box'",
            "state.hero = {} state.n = box.vigr.n + state.hero.vigar",
            "no field `vigr` is declared",
        ),
    ),
    (
        ("local box = require 'lib/box'", "state.n = box.fit()", "has no `fit`"),
        ("local box = require 'lib/box'", "local none state.n = box.fits() + none()", "has no"),
    ),
    (
        (
            "kind 'piece' { rarity = field.one_of { 'common', open = true } }\npiece 'a' { rarity = 'common' }",
            "local weights, rarity = { rare = { 1 } }, 'common' state.n = weights[rarity][1]",
            "",
        ),
        ("", "local none state.n = none.rarity[1]", "adds"),
    ),
    (
        (
            "schema 'list' { doc = 'l', at = field.int { doc = 'a', optional = true } }",
            "state.list = {} state.n = state.list.ad + 1",
            "no field `ad` is declared: did you mean `at`",
        ),
        (
            "schema 'list' { doc = 'l', at = field.any { doc = 'a', optional = true } }",
            "state.list = {} state.n = state.list.at.ad",
            "did you mean",
        ),
    ),
    (
        ("", "local box state.n = box.at", "`box` is nil here"),
        ("", "assert(false, \"attempt to index nil with 'at'\")", "nil"),
    ),
    (
        ("", "local box = { at = {} } state.n = box.at.by.on", "`box.at.by` is nil here"),
        ("", "local a, b = { on = 1 } state.n = a.on + b.on", "`a` is"),
    ),
    (
        ("", "local box = {} state.n = box['at'].by", "`box['at']` is nil here"),
        ("", "local a, b = { 1 } state.n = a[1] + b[1]", "`a` is"),
    ),
    (
        ("", "local n = 4 state.n = n.at", "`n` is a number here"),
        ("", "local n = 4 local m = { at = 1 } state.n = m.at + n.at", "`m` is"),
    ),
    (
        ("", "local list state.n = #list", "`list` is nil here"),
        ("", "local a, b = {} state.n = #a + #b", "`a` is"),
    ),
    (("", "state.n = #4", "`4` is a number here"), ("", "state.n = #{} + #4", "`{}` is")),
    (
        ("", "local list for _ in list do end", "`list` is nil here"),
        ("", "local list = {} for _ in list.none do end", "`list` is"),
    ),
    (("", "local f f()", "`f` is nil here"), ("", "local f, g = function() end f() g()", "`f` is")),
    (
        ("", "local t = {} note('a') t.go()", "`t.go` is nil here"),
        ("", "local t = {} t.go()", "`t` is"),
    ),
    (("", "local t = {} t()", "`t` is a table here"), ("", "local n = 4 n()", "a table")),
    (
        ("", "local t = {} t:go()", "`t` has no function `go`"),
        ("", "local t, u = { go = function() end }, {} t:go() u:go()", "`t` has"),
    ),
    (
        ("", "local n state.n = -n", "`n` is nil here"),
        ("", "local a, b = 1 state.n = -a - b", "`a` is"),
    ),
    (
        ("", "local list note(table.concat(list))", "`list` is nil here"),
        ("", "local list note(table.concat(list))", "ipairs"),
    ),
    (
        ("", "local who note('x' .. who)", "`who` is nil here"),
        ("", "local who = 'a' .. 'b' error('attempt to concatenate string with nil')", "is nil"),
    ),
    (
        ("", "note 'She said 'hello''", "the text ends before `hello`"),
        ("", "local t = { ['hello'] = 1 } note 'a' hello()", "the text ends"),
    ),
    (
        ("", "state.bag = {} setmetatable(state.bag, {})", "`setmetatable` takes only plain ones"),
        ("", "state.bag = {} setmetatable(1, {})", "plain ones"),
    ),
    (("", "state.n = null", "write `nil`"), ("", "state.n = nulls", "write `nil`")),
];
