//! Being told to end at any moment, whatever is being done: a thread of its own hears the signals. Whoever
//! waits for a key sees it and leaves as ever. Where Lua or a long file keeps the program busy, the
//! terminal is given back and the program ends all the same: every step that was shown is on disk,
//! and one that was not is taken up when the run is gone on with.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the thread that hears and the one that works know of each other.
#[derive(Default)]
pub(super) struct Interrupt {
    /// Whether the program was told to end.
    asked: AtomicBool,
    /// Whether somebody waits for a key, or leaves already: then it ends by itself.
    awake: AtomicBool,
}

impl Interrupt {
    /// Hears the signals from now on.
    pub(super) fn watch(give_back: fn()) -> io::Result<Arc<Self>> {
        let interrupt = Arc::new(Self::default());
        hear(&interrupt, give_back)?;
        Ok(interrupt)
    }

    /// Whether the program was told to end.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The program is to end.
    pub(super) fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Says whether somebody waits for a key, or leaves.
    pub(super) fn awake(&self, awake: bool) {
        self.awake.store(awake, Ordering::Relaxed);
    }
}

#[cfg(unix)]
fn hear(interrupt: &Arc<Interrupt>, give_back: fn()) -> io::Result<()> {
    use std::thread::{sleep, spawn};
    use std::time::Duration;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use crate::kit::fault::planted;

    /// How often it is looked whether somebody is awake to leave.
    const LOOK: Duration = Duration::from_millis(50);
    /// Looks until a program that works is ended.
    const BUSY_LOOKS: u32 = 8;
    /// Looks until one that leaves by itself and does not come to an end is ended.
    const AWAKE_LOOKS: u32 = 60;
    /// How long a terminal may take to be given back: one that is held up takes nothing more.
    const GIVING_BACK: Duration = Duration::from_millis(250);

    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let interrupt = Arc::clone(interrupt);
    spawn(move || {
        for signal in signals.forever() {
            interrupt.ask();
            if planted("busy_is_not_interrupted") {
                continue;
            }
            // Who hung up waits for nobody, and there is no key to come any more.
            let (mut busy, mut looks) = (0, 0);
            while signal != SIGHUP && busy < BUSY_LOOKS && looks < AWAKE_LOOKS {
                sleep(LOOK);
                looks += 1;
                busy += u32::from(!interrupt.awake.load(Ordering::Relaxed));
            }
            let giving = spawn(move || {
                // Whoever still works draws no more: what is given back stays so.
                std::mem::forget(io::stdout().lock());
                give_back();
                let _ = super::terminal::say("Stopped. Everything that was shown is saved.");
            });
            let mut waited = Duration::ZERO;
            while !giving.is_finished() && waited < GIVING_BACK {
                sleep(LOOK / 10);
                waited += LOOK / 10;
            }
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn hear(_: &Arc<Interrupt>, _: fn()) -> io::Result<()> {
    Ok(())
}
