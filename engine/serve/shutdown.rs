//! Ends the run at an interrupt, as the end of a pipe would: nothing is to be saved. A second
//! interrupt ends the program at once.

use std::io;
use std::sync::Arc;

use crate::message_log::MessageLog;

#[cfg(unix)]
pub(crate) fn end_input_at_signal(log: &Arc<MessageLog>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::register_conditional_default;
    use signal_hook::iterator::Signals;
    use std::sync::atomic::{AtomicBool, Ordering};

    let (log, was_interrupted) = (log.clone(), Arc::new(AtomicBool::new(false)));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        register_conditional_default(signal, was_interrupted.clone())?;
    }
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::Builder::new().spawn(move || {
        for _ in signals.forever() {
            was_interrupted.store(true, Ordering::Relaxed);
            log.end_input();
        }
    })?;
    Ok(())
}

/// Elsewhere an interrupt ends the program at once: every answer is saved already.
#[cfg(not(unix))]
pub(crate) fn end_input_at_signal(_: &Arc<MessageLog>) -> io::Result<()> {
    Ok(())
}
