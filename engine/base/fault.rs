//! Faults that tests plant, to see that a promise's test notices them: each is one wrong turn
//! somewhere in the engine, chosen by name when a test is run. Without the feature `faults`, which
//! only tests are built with, there are none, and every question for one is answered while compiling.

/// Whether this fault is planted.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub const fn planted(_: &str) -> bool {
    false
}

/// A number that no two processes and no two calls have in common, for faults of chance.
pub fn odd_number() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static CALLS: AtomicU32 = AtomicU32::new(0);
    std::process::id().wrapping_add(CALLS.fetch_add(1, Ordering::Relaxed))
}

/// Where this fault is planted, the work never comes to an end.
pub fn linger(name: &str) {
    while planted(name) {
        std::thread::yield_now();
    }
}

#[cfg(feature = "faults")]
pub use armed::{Planted, plant, planted};

#[cfg(feature = "faults")]
mod armed {
    use std::cell::RefCell;
    use std::sync::OnceLock;

    /// The variable that plants faults in a whole process: names with commas between.
    const VARIABLE: &str = "SUB_ROSA_FAULT";

    thread_local! {
        static HERE: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    }

    fn everywhere() -> &'static [String] {
        static NAMES: OnceLock<Vec<String>> = OnceLock::new();
        NAMES.get_or_init(|| {
            #[allow(clippy::disallowed_methods)] // only tests are built with this
            let named = std::env::var(VARIABLE).unwrap_or_default();
            named.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
        })
    }

    /// Whether this fault is planted, in this process or on this thread.
    pub fn planted(name: &str) -> bool {
        everywhere().iter().any(|one| one == name) || HERE.with_borrow(|here| here.contains(&name))
    }

    /// A fault on this thread until it is dropped.
    pub struct Planted(&'static str);

    /// Plants a fault on this thread.
    pub fn plant(name: &'static str) -> Planted {
        HERE.with_borrow_mut(|here| here.push(name));
        Planted(name)
    }

    impl Drop for Planted {
        fn drop(&mut self) {
            HERE.with_borrow_mut(|here| here.retain(|one| *one != self.0));
        }
    }
}
