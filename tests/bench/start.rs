//! From nothing to the first prompt: the embedded game read, loaded, checked, begun.

use mlua::Lua;

use super::descent::{begin, content};
use super::table::{Table, median, timed};

/// Start to first prompt, beside bare Luau compiling the same scripts.
pub fn rows(table: &mut Table, rounds: usize) {
    let (mut whole, mut loading, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        whole.push(timed(|| begin(&content(), content().load().unwrap(), 1)).0);
        let content = content();
        loading.push(timed(|| content.load().unwrap()).0);
        let sources: Vec<_> = content.mods.mods.iter().flat_map(|one| one.scripts()).collect();
        bare.push(
            timed(|| {
                let lua = Lua::new();
                for (path, text) in &sources {
                    lua.load(&***text).set_name(*path).into_function().unwrap();
                }
            })
            .0,
        );
    }
    let bare = median(&mut bare);
    let beside = "bare mlua compiles the scripts";
    table.row("start to first prompt, bundled game", median(&mut whole), beside, bare);
    table.row("  of it: a VM loaded and checked", median(&mut loading), beside, bare);
}
