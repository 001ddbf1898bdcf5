//! How Luau's compiler is set for every file, when the program runs and when it is built (`build.rs`
//! compiles the base game with it).

use mlua::chunk::Compiler;

/// Fast paths of the compiler that would go past what we put in place of the library, or reach
/// what we took away. That of `table.insert` may stay: it only puts one more at the end of a plain
/// table, which we would let pass, and leaves everything else to ours. Each name with its library.
const DISABLED: &[(&str, &str)] = &[
    ("", "select setmetatable tonumber tostring unpack"),
    ("string", "byte char len sub"),
    ("table", "unpack"),
    (
        "math",
        "acos asin atan atan2 cos cosh deg exp fmod frexp isfinite isinf isnan ldexp lerp log",
    ),
    ("math", "log10 map noise pow rad sin sinh tan tanh"),
    ("bit32", "arshift band bnot bor btest bxor byteswap countlz countrz extract lrotate lshift"),
    ("bit32", "replace rrotate rshift"),
    ("vector", "abs ceil clamp create cross dot floor lerp magnitude max min normalize sign"),
    ("buffer", "readf32 readf64 readi16 readi32 readi8 readu16 readu32 readu8"),
    ("buffer", "writef32 writef64 writei16 writei32 writei8 writeu16 writeu32 writeu8"),
];

/// Names whose fields Luau is not to look up when it takes a file in: there is nothing in them yet, and
/// whoever found nothing then asks for both names anew each time.
const FILLED_LATER: [&str; 3] = ["profile", "rules", "state"];

/// How every file is compiled. Part of what makes fuel count the same: changing it is a change of
/// the format.
pub(crate) fn compiler() -> Compiler {
    let each = |(library, names): &(&str, &str)| {
        let dot = if library.is_empty() { "" } else { "." };
        names.split(' ').map(|name| format!("{library}{dot}{name}")).collect::<Vec<_>>()
    };
    Compiler::new()
        .set_optimization_level(1)
        .set_debug_level(1)
        .set_disabled_builtins(DISABLED.iter().flat_map(each))
        .set_mutable_globals(FILLED_LATER)
}
