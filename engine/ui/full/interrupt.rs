//! Being told to end at any moment, whatever is being done: a thread of its own hears the signals. Whoever
//! waits for a key sees it and leaves as ever. Where Lua or a long file keeps the program busy, the
//! terminal is given back and the program ends all the same: every step that was shown is on disk,
//! and one that was not is taken up when the run is gone on with. Being put aside and taken up again by
//! somebody else is heard in the same way.

use std::io;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// What the thread that hears and the one that works know of each other.
#[derive(Default)]
pub(super) struct Interrupt {
    /// Whether the program was told to end.
    asked: AtomicBool,
    /// By which signal; 0 for none.
    signal: AtomicI32,
    /// Whether somebody waits for a key, or leaves already: then it ends by itself.
    awake: AtomicBool,
    /// Whether the program is to be put aside.
    to_stop: AtomicBool,
    /// Whether the next signal to be put aside is the program's own, to those that it stands with.
    own_stop: AtomicBool,
    /// Whether it was taken up again.
    continued: AtomicBool,
    /// Whether the window has another size.
    resized: AtomicBool,
}

impl Interrupt {
    /// Hears the signals from now on. Whoever waits for keys is woken.
    #[cfg(unix)]
    pub(super) fn watch(
        give_back: fn(),
        take_over: fn() -> io::Result<()>,
        waker: UnixStream,
    ) -> io::Result<Arc<Self>> {
        let interrupt = Arc::new(Self::default());
        hear(&interrupt, give_back, take_over, waker)?;
        Ok(interrupt)
    }

    #[cfg(not(unix))]
    pub(super) fn watch(_: fn()) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self::default()))
    }

    /// Whether the program was told to end.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The signal that told it to end.
    pub(super) fn signal(&self) -> Option<i32> {
        Some(self.signal.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }

    /// The program is to end.
    pub(super) fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Says whether somebody waits for a key, or leaves.
    pub(super) fn awake(&self, awake: bool) {
        self.awake.store(awake, Ordering::Relaxed);
    }

    /// Whether the program is to be put aside; whoever asks does it.
    pub(super) fn is_to_stop(&self) -> bool {
        self.to_stop.swap(false, Ordering::Relaxed)
    }

    /// The program puts itself aside with all that it stands with, and hears of that too.
    pub(super) fn stops_itself(&self) {
        self.own_stop.store(true, Ordering::Relaxed);
    }

    /// Whether the program was taken up since this was last asked.
    pub(super) fn has_continued(&self) -> bool {
        self.continued.swap(false, Ordering::Relaxed)
    }

    /// Whether the window has another size than when this was last asked.
    pub(super) fn has_resized(&self) -> bool {
        self.resized.swap(false, Ordering::Relaxed)
    }

    /// The program was put aside and is back, and has the terminal again.
    pub(super) fn is_back(&self) {
        self.to_stop.store(false, Ordering::Relaxed);
        self.continued.store(false, Ordering::Relaxed);
    }
}

#[cfg(unix)]
fn hear(
    interrupt: &Arc<Interrupt>,
    give_back: fn(),
    take_over: fn() -> io::Result<()>,
    mut waker: UnixStream,
) -> io::Result<()> {
    use std::io::Write;
    use std::thread::{sleep, spawn};
    use std::time::Duration;

    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
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

    const HEARD: [i32; 7] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH];
    let mut signals = Signals::new(HEARD)?;
    let interrupt = Arc::clone(interrupt);
    spawn(move || {
        for signal in signals.forever() {
            let flag = match signal {
                SIGTSTP if interrupt.own_stop.swap(false, Ordering::Relaxed) => continue,
                SIGTSTP => &interrupt.to_stop,
                SIGCONT => &interrupt.continued,
                SIGWINCH => &interrupt.resized,
                _ => {
                    interrupt.signal.store(signal, Ordering::Relaxed);
                    &interrupt.asked
                }
            };
            flag.store(true, Ordering::Relaxed);
            // One that is not read yet wakes as well.
            let _ = waker.write(&[0]);
            if matches!(signal, SIGCONT | SIGWINCH) || planted("busy_is_not_interrupted") {
                continue;
            }
            let stops = signal == SIGTSTP;
            let done = || stops && !interrupt.to_stop.load(Ordering::Relaxed);
            // Who hung up waits for nobody, and there is no key to come any more.
            let (mut busy, mut looks) = (0, 0);
            while signal != SIGHUP && busy < BUSY_LOOKS && looks < AWAKE_LOOKS && !done() {
                sleep(LOOK);
                looks += 1;
                busy += u32::from(!interrupt.awake.load(Ordering::Relaxed));
            }
            if stops {
                if interrupt.is_to_stop() {
                    // Whoever still works draws nothing meanwhile.
                    let _out = io::stdout().lock();
                    give_back();
                    let _ = emulate_default_handler(signal);
                    let _ = take_over();
                    interrupt.continued.store(true, Ordering::Relaxed);
                }
                continue;
            }
            let giving = spawn(move || {
                // Whoever still works draws no more: what is given back stays so.
                std::mem::forget(io::stdout().lock());
                give_back();
                let _ = super::modes::say("Stopped. Everything that was shown is saved.");
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
