//! Settings of Luau's compiler for every file, at run time and at build time (`build.rs` compiles
//! the base game with them).

use mlua::chunk::Compiler;

/// Builtin fast paths that would bypass our library or reach what we removed, each with its
/// library. The fast path of `table.insert` stays: it only appends to a plain table, which we
/// allow, and leaves everything else to our function.
const DISABLED_BUILTINS: &[(&str, &str)] = &[
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

/// Globals whose fields Luau must not resolve at load time: the fields are still missing then, and
/// a failed resolution is repeated at each use.
const MUTABLE_GLOBALS: [&str; 4] = ["options", "profile", "rules", "state"];

/// The compiler for every file. Fuel counts depend on these settings: a change of them is a change
/// of the save format.
pub(crate) fn create_compiler() -> Compiler {
    let qualified_names = |(library, names): &(&str, &str)| {
        let separator = if library.is_empty() { "" } else { "." };
        names.split(' ').map(|name| format!("{library}{separator}{name}")).collect::<Vec<_>>()
    };
    Compiler::new()
        .set_optimization_level(1)
        .set_debug_level(1)
        .set_disabled_builtins(DISABLED_BUILTINS.iter().flat_map(qualified_names))
        .set_mutable_globals(MUTABLE_GLOBALS)
}
