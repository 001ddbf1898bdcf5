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
    /// Whether a signal has asked the program to end.
    program_end_requested: AtomicBool,
    /// The number of that signal; 0 for none.
    ending_signal: AtomicI32,
    /// Whether the main thread waits for a key or is leaving, so that it handles the signal itself.
    is_waiting: AtomicBool,
    /// Whether the program shall suspend.
    suspend_requested: AtomicBool,
    /// Whether to ignore the next suspend signal, because the program sends it to its own process
    /// group.
    #[cfg(unix)]
    ignores_next_suspend: AtomicBool,
    /// Whether it was continued.
    was_continued: AtomicBool,
    /// Whether the window was resized.
    was_resized: AtomicBool,
}

impl SignalState {
    /// Starts listening. A signal wakes a thread that waits for keys.
    #[cfg(unix)]
    pub(super) fn start_listener(
        restore_terminal: fn(),
        reenter_full_screen: fn() -> io::Result<()>,
        waker: UnixStream,
    ) -> io::Result<Arc<Self>> {
        let signal_state = Arc::new(Self::default());
        spawn_listener(&signal_state, restore_terminal, reenter_full_screen, waker)?;
        Ok(signal_state)
    }

    #[cfg(not(unix))]
    pub(super) fn start_listener(_: fn()) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self::default()))
    }

    /// Whether a signal has asked the program to end.
    pub(super) fn is_program_end_requested(&self) -> bool {
        self.program_end_requested.load(Ordering::Relaxed)
    }

    /// The number of the signal that ends the program.
    pub(super) fn ending_signal(&self) -> Option<i32> {
        Some(self.ending_signal.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }

    /// Tells the program to end.
    pub(super) fn request_program_end(&self) {
        self.program_end_requested.store(true, Ordering::Relaxed);
    }

    /// Sets whether the main thread waits for a key or is leaving.
    pub(super) fn set_waiting(&self, is_waiting: bool) {
        self.is_waiting.store(is_waiting, Ordering::Relaxed);
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
    pub(super) fn take_continued_flag(&self) -> bool {
        self.was_continued.swap(false, Ordering::Relaxed)
    }

    /// Whether the window was resized since the last call.
    pub(super) fn take_resized_flag(&self) -> bool {
        self.was_resized.swap(false, Ordering::Relaxed)
    }

    /// The program is back from a suspension and owns the terminal.
    pub(super) fn clear_suspend_flags(&self) {
        self.suspend_requested.store(false, Ordering::Relaxed);
        self.was_continued.store(false, Ordering::Relaxed);
    }
}

#[cfg(unix)]
fn spawn_listener(
    signal_state: &Arc<SignalState>,
    restore_terminal: fn(),
    reenter_full_screen: fn() -> io::Result<()>,
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

    /// How often the listener checks whether the main thread waits.
    const POLL_INTERVAL: Duration = Duration::from_millis(50);
    /// Checks until a busy program is ended.
    const MAX_BUSY_POLLS: u32 = 8;
    /// Checks until a program that is leaving but does not finish is ended.
    const MAX_POLLS: u32 = 60;
    /// How long restoring the terminal may take; a stopped terminal accepts no output.
    const RESTORE_TIMEOUT: Duration = Duration::from_millis(250);

    /// All that end a program by default and that a program may handle: none leaves the terminal
    /// in raw mode.
    const ENDING_SIGNALS: [i32; 14] = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGALRM, SIGPROF, SIGSYS, SIGTRAP, SIGUSR1,
        SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    ];
    let mut signals = Signals::new(ENDING_SIGNALS.iter().chain(&[SIGTSTP, SIGCONT, SIGWINCH]))?;
    let signal_state = Arc::clone(signal_state);
    spawn(move || {
        for signal in signals.forever() {
            let flag = match signal {
                SIGTSTP if signal_state.ignores_next_suspend.swap(false, Ordering::Relaxed) => {
                    continue;
                }
                SIGTSTP => &signal_state.suspend_requested,
                SIGCONT => &signal_state.was_continued,
                SIGWINCH => &signal_state.was_resized,
                _ => {
                    signal_state.ending_signal.store(signal, Ordering::Relaxed);
                    &signal_state.program_end_requested
                }
            };
            flag.store(true, Ordering::Relaxed);
            // An unread byte wakes as well, so a full pipe is fine.
            let _ = waker.write(&[0]);
            if matches!(signal, SIGCONT | SIGWINCH) {
                continue;
            }
            let is_suspend = signal == SIGTSTP;
            let suspend_was_handled =
                || is_suspend && !signal_state.suspend_requested.load(Ordering::Relaxed);
            // After a hangup no key can come, so there is nothing to wait for.
            let (mut busy_polls, mut polls) = (0, 0);
            while signal != SIGHUP
                && busy_polls < MAX_BUSY_POLLS
                && polls < MAX_POLLS
                && !suspend_was_handled()
            {
                sleep(POLL_INTERVAL);
                polls += 1;
                busy_polls += u32::from(!signal_state.is_waiting.load(Ordering::Relaxed));
            }
            if is_suspend {
                if signal_state.take_suspend_request() {
                    // The lock keeps a busy main thread from drawing meanwhile.
                    let _out = io::stdout().lock();
                    restore_terminal();
                    let _ = emulate_default_handler(signal);
                    let _ = reenter_full_screen();
                    signal_state.was_continued.store(true, Ordering::Relaxed);
                }
                continue;
            }
            let restore_thread = spawn(move || {
                // The lock is never released, so a busy main thread cannot draw over the restored
                // terminal.
                std::mem::forget(io::stdout().lock());
                restore_terminal();
                let _ = super::terminal_modes::print_line(
                    "Stopped. Everything that was shown is saved.",
                );
            });
            let mut waited = Duration::ZERO;
            while !restore_thread.is_finished() && waited < RESTORE_TIMEOUT {
                sleep(POLL_INTERVAL / 10);
                waited += POLL_INTERVAL / 10;
            }
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}
