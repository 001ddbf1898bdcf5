//! How Luau's compiler is set for every file, when the program runs and when it is built (`build.rs`
//! compiles the base game with it).

use mlua::chunk::Compiler;

/// Fast paths of the compiler that would go past what we put in place of the library, or reach
/// what we took away. That of `table.insert` may stay: it only puts one more at the end of a plain
/// table, which we would let pass, and leaves everything else to ours.
const DISABLED: &[&str] = &[
    "select",
    "setmetatable",
    "tonumber",
    "tostring",
    "unpack",
    "string.byte",
    "string.len",
    "string.sub",
    "table.unpack",
    "math.acos",
    "math.asin",
    "math.atan",
    "math.atan2",
    "math.cos",
    "math.cosh",
    "math.deg",
    "math.exp",
    "math.fmod",
    "math.frexp",
    "math.ldexp",
    "math.lerp",
    "math.log",
    "math.log10",
    "math.map",
    "math.noise",
    "math.pow",
    "math.rad",
    "math.sin",
    "math.sinh",
    "math.tan",
    "math.tanh",
    "math.isnan",
    "math.isinf",
    "math.isfinite",
    "bit32.arshift",
    "bit32.band",
    "bit32.bnot",
    "bit32.bor",
    "bit32.bxor",
    "bit32.btest",
    "bit32.extract",
    "bit32.lrotate",
    "bit32.lshift",
    "bit32.replace",
    "bit32.rrotate",
    "bit32.rshift",
    "bit32.countlz",
    "bit32.countrz",
    "bit32.byteswap",
    "string.char",
    "vector.create",
    "vector.magnitude",
    "vector.normalize",
    "vector.cross",
    "vector.dot",
    "vector.floor",
    "vector.ceil",
    "vector.abs",
    "vector.sign",
    "vector.clamp",
    "vector.min",
    "vector.max",
    "vector.lerp",
    "buffer.readi8",
    "buffer.readu8",
    "buffer.writei8",
    "buffer.writeu8",
    "buffer.readi16",
    "buffer.readu16",
    "buffer.writei16",
    "buffer.writeu16",
    "buffer.readi32",
    "buffer.readu32",
    "buffer.writei32",
    "buffer.writeu32",
    "buffer.readf32",
    "buffer.writef32",
    "buffer.readf64",
    "buffer.writef64",
];

/// How every file is compiled. Part of what makes fuel count the same: changing it is a change of
/// the format.
pub(crate) fn compiler() -> Compiler {
    Compiler::new()
        .set_optimization_level(1)
        .set_debug_level(1)
        .set_disabled_builtins(DISABLED.iter().copied())
}
