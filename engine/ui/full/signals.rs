//! Signals that end or suspend the program. A thread listens for them at any time. If the main
//! thread waits for a key, it sees the flag and leaves normally. If Lua or a long file keeps it
//! busy, the listener restores the terminal and ends the program. This loses nothing: every step
//! that was shown is on disk, and an unfinished one is repeated on resume. Suspending and
//! continuing work the same way.

use std::io;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The state shared by the listener and the main thread.
#[derive(Default)]
pub(super) struct SignalState {
    /// Whether the program was told to end.
    end_requested: AtomicBool,
    /// The signal that told it; 0 for none.
    signal: AtomicI32,
    /// Whether the main thread waits for a key or is leaving, so that it handles the signal itself.
    is_waiting: AtomicBool,
    /// Whether the program shall suspend.
    suspend_requested: AtomicBool,
    /// Whether to ignore the next suspend signal, because the program sends it to its own process
    /// group.
    #[cfg(unix)]
    ignores_next_suspend: AtomicBool,
    /// Whether it was continued.
    continued: AtomicBool,
    /// Whether the window was resized.
    resized: AtomicBool,
}

impl SignalState {
    /// Starts listening. A signal wakes a thread that waits for keys.
    #[cfg(unix)]
    pub(super) fn listen(
        give_back: fn(),
        take_over: fn() -> io::Result<()>,
        waker: UnixStream,
    ) -> io::Result<Arc<Self>> {
        let interrupt = Arc::new(Self::default());
        spawn_listener(&interrupt, give_back, take_over, waker)?;
        Ok(interrupt)
    }

    #[cfg(not(unix))]
    pub(super) fn listen(_: fn()) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self::default()))
    }

    /// Whether the program was told to end.
    pub(super) fn is_end_requested(&self) -> bool {
        self.end_requested.load(Ordering::Relaxed)
    }

    /// The signal that told it to end.
    pub(super) fn signal(&self) -> Option<i32> {
        Some(self.signal.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }

    /// Tells the program to end.
    pub(super) fn request_end(&self) {
        self.end_requested.store(true, Ordering::Relaxed);
    }

    /// Sets whether the main thread waits for a key or is leaving.
    pub(super) fn set_waiting(&self, awake: bool) {
        self.is_waiting.store(awake, Ordering::Relaxed);
    }

    /// Whether the program shall suspend; the caller must do it.
    pub(super) fn take_suspend_request(&self) -> bool {
        self.suspend_requested.swap(false, Ordering::Relaxed)
    }

    /// The program suspends its process group and will receive that signal too.
    #[cfg(unix)]
    pub(super) fn ignore_next_suspend(&self) {
        self.ignores_next_suspend.store(true, Ordering::Relaxed);
    }

    /// Whether the program was continued since the last call.
    pub(super) fn take_continued(&self) -> bool {
        self.continued.swap(false, Ordering::Relaxed)
    }

    /// Whether the window was resized since the last call.
    pub(super) fn take_resized(&self) -> bool {
        self.resized.swap(false, Ordering::Relaxed)
    }

    /// The program is back from a suspension and owns the terminal.
    pub(super) fn clear_suspend(&self) {
        self.suspend_requested.store(false, Ordering::Relaxed);
        self.continued.store(false, Ordering::Relaxed);
    }
}

#[cfg(unix)]
fn spawn_listener(
    interrupt: &Arc<SignalState>,
    give_back: fn(),
    take_over: fn() -> io::Result<()>,
    mut waker: UnixStream,
) -> io::Result<()> {
    use std::io::Write;
    use std::thread::{sleep, spawn};
    use std::time::Duration;

    use signal_hook::consts::{
        SIGABRT, SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP,
        SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGWINCH, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use crate::base::fault::planted;

    /// How often the listener checks whether the main thread waits.
    const LOOK: Duration = Duration::from_millis(50);
    /// Checks until a busy program is ended.
    const BUSY_LOOKS: u32 = 8;
    /// Checks until a program that is leaving but does not finish is ended.
    const AWAKE_LOOKS: u32 = 60;
    /// How long restoring the terminal may take; a stopped terminal accepts no output.
    const GIVING_BACK: Duration = Duration::from_millis(250);

    /// All that end a program by default and that a program may handle: none leaves the terminal
    /// in raw mode.
    const ENDING: [i32; 14] = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGALRM, SIGPROF, SIGSYS, SIGTRAP, SIGUSR1,
        SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    ];
    let mut signals = Signals::new(ENDING.iter().chain(&[SIGTSTP, SIGCONT, SIGWINCH]))?;
    let interrupt = Arc::clone(interrupt);
    spawn(move || {
        for signal in signals.forever() {
            let flag = match signal {
                SIGTSTP if interrupt.ignores_next_suspend.swap(false, Ordering::Relaxed) => {
                    continue;
                }
                SIGTSTP => &interrupt.suspend_requested,
                SIGCONT => &interrupt.continued,
                SIGWINCH => &interrupt.resized,
                _ => {
                    interrupt.signal.store(signal, Ordering::Relaxed);
                    &interrupt.end_requested
                }
            };
            flag.store(true, Ordering::Relaxed);
            // An unread byte wakes as well, so a full pipe is fine.
            let _ = waker.write(&[0]);
            if matches!(signal, SIGCONT | SIGWINCH) || planted("busy_is_not_interrupted") {
                continue;
            }
            let stops = signal == SIGTSTP;
            let done = || stops && !interrupt.suspend_requested.load(Ordering::Relaxed);
            // After a hangup no key can come, so there is nothing to wait for.
            let (mut busy, mut looks) = (0, 0);
            while signal != SIGHUP && busy < BUSY_LOOKS && looks < AWAKE_LOOKS && !done() {
                sleep(LOOK);
                looks += 1;
                busy += u32::from(!interrupt.is_waiting.load(Ordering::Relaxed));
            }
            if stops {
                if interrupt.take_suspend_request() {
                    // The lock keeps a busy main thread from drawing meanwhile.
                    let _out = io::stdout().lock();
                    give_back();
                    let _ = emulate_default_handler(signal);
                    let _ = take_over();
                    interrupt.continued.store(true, Ordering::Relaxed);
                }
                continue;
            }
            let giving = spawn(move || {
                // The lock is never released, so a busy main thread cannot draw over the restored
                // terminal.
                std::mem::forget(io::stdout().lock());
                give_back();
                let _ = super::terminal_modes::print_line(
                    "Stopped. Everything that was shown is saved.",
                );
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
