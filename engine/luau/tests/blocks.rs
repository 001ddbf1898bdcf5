//! Blocks of Luau that are watched while they live.

use std::cell::Cell;

use luau::AllocationObserver;
use mlua::Lua;

/// Watches everything that is reported.
struct Observer;

thread_local! {
    static FREED_PARTS: Cell<usize> = const { Cell::new(0) };
}

impl AllocationObserver for Observer {
    const MIN_REPORTED_TEXT_BYTES: usize = 48;

    fn on_text_allocated(_: usize) {}

    fn on_string_created(_: u32) {}

    fn on_table_part_allocated(_: usize) -> bool {
        true
    }

    fn inspect_freed_table_part(words: &[Cell<u32>]) {
        assert!(words.len() >= 256);
        FREED_PARTS.set(FREED_PARTS.get() + 1);
    }
}

impl luau::InterruptHandler for Observer {
    fn charge_unit(_: i32, _: luau::StackIndex) -> bool {
        true
    }

    fn check_limits(_: i32, _: luau::InterruptedCall<'_>) -> Result<(), &'static str> {
        Ok(())
    }
}

fn watched_text_lengths() -> Vec<usize> {
    let mut lengths = Vec::new();
    luau::inspect_watched_texts(|text| lengths.push(text.len()));
    lengths
}

#[test]
fn freed_blocks_are_forgotten() {
    let lua = Lua::new();
    lua.gc_stop();
    luau::install_callbacks::<Observer, Observer>(&lua).unwrap();
    lua.load("for size = 100, 120 do kept = string.rep('x', size) end").exec().unwrap();
    assert_eq!(watched_text_lengths(), Vec::from_iter(100..=120));
    assert!(!luau::has_watched_texts());

    lua.load("for size = 100, 120 do kept = string.rep('y', size) end").exec().unwrap();
    lua.load("for i = 1, 5000 do local t = {} for j = 1, 50 do t['k' .. j] = j end end")
        .exec()
        .unwrap();
    let part_count = luau::watched_table_part_count();
    assert!(part_count >= 5000, "{part_count}");
    luau::suspend_watched_blocks();
    assert_eq!((luau::watched_table_part_count(), luau::has_watched_texts()), (0, false));
    luau::collect_garbage(&lua).unwrap();
    luau::resume_watched_blocks();
    assert!(luau::watched_table_part_count() < 10);
    assert_eq!(watched_text_lengths(), [120]);

    lua.load("grown = {} for j = 1, 1000 do grown['k' .. j] = j end").exec().unwrap();
    assert!(FREED_PARTS.get() > 0);
    drop(lua);
    let mut words_read = 0;
    luau::retain_watched_table_parts(0, |words| {
        words_read += words.len();
        true
    });
    assert_eq!((words_read, luau::watched_table_part_count()), (0, 0));
    luau::resume_watched_blocks();
    assert!(!luau::has_watched_texts());
}
