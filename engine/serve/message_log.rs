//! The messages between the run and its page. The run writes lines and waits for lines; the page
//! reads from any message on, so that it may be closed and opened again.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;

/// The most bytes of messages that are kept for a page that opens later. The oldest go first.
const MAX_KEPT_BYTES: usize = 4 * 1024 * 1024;
/// The types of messages of which only the last counts, whatever the story is.
const LASTING_TYPES: [&str; 4] = ["words", "keymap", "terms", "state"];
/// How long a page is given to read the last messages when the program ends.
const LAST_MESSAGES_TIMEOUT: Duration = Duration::from_secs(1);

/// A message with its number, counted from 1.
#[derive(Clone)]
pub(crate) struct NumberedMessage {
    pub(crate) number: u64,
    pub(crate) text: Arc<str>,
}

/// What a page that waits gets.
pub(crate) enum PageEvent {
    Messages(Vec<NumberedMessage>),
    /// Nothing came.
    Timeout,
    /// Another page has taken over.
    Replaced,
    /// There will be no more messages.
    End,
}

/// Why an answer was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AnswerRefusal {
    /// Another page plays.
    OtherPage,
    /// The question is not the newest one, or was answered already.
    OldQuestion,
}

/// The messages of a run, shared by all threads.
#[derive(Default)]
pub(crate) struct MessageLog {
    state: Mutex<LogState>,
    changed: Condvar,
}

#[derive(Default)]
struct LogState {
    messages: VecDeque<NumberedMessage>,
    kept_bytes: usize,
    last_number: u64,
    /// The last message of each of [`LASTING_TYPES`].
    lasting_messages: [Option<NumberedMessage>; LASTING_TYPES.len()],
    /// Whether the last message waits for an answer.
    is_waiting: bool,
    /// Where answers go; none if the program ends.
    answers: Option<Sender<String>>,
    /// The number of the page that plays, and its connection.
    page_number: u64,
    page_stream: Option<TcpStream>,
    readers: usize,
    is_over: bool,
}

/// The part of a message that is needed here.
#[derive(Deserialize)]
struct MessageHead<'a> {
    #[serde(rename = "type", borrow)]
    message_type: &'a str,
}

impl LogState {
    /// Keeps a message; what a page has of an earlier story is over when another begins.
    fn keep_message(&mut self, message: NumberedMessage, begins_story: bool) {
        if begins_story {
            self.messages.clear();
            self.kept_bytes = 0;
        }
        self.kept_bytes += message.text.len();
        self.messages.push_back(message);
        while self.kept_bytes > MAX_KEPT_BYTES && self.messages.len() > 1 {
            let oldest = self.messages.pop_front();
            self.kept_bytes -= oldest.map_or(0, |message| message.text.len());
        }
    }
}

impl MessageLog {
    /// A log, and the lines that are answered to it.
    pub(crate) fn new() -> (Arc<Self>, BufReader<ReceivedLines>) {
        let (sender, receiver) = channel();
        let state = LogState { answers: Some(sender), ..LogState::default() };
        let log = Self { state: Mutex::new(state), changed: Condvar::new() };
        (Arc::new(log), BufReader::new(ReceivedLines { receiver, line: VecDeque::new() }))
    }

    fn lock(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, text: &str) {
        let head: Option<MessageHead<'_>> = serde_json::from_str(text).ok();
        let message_type = head.map_or("", |head| head.message_type);
        let mut state = self.lock();
        state.last_number += 1;
        let message = NumberedMessage { number: state.last_number, text: text.into() };
        state.is_waiting = matches!(message_type, "prompt" | "refused");
        match LASTING_TYPES.iter().position(|lasting| *lasting == message_type) {
            Some(at) => state.lasting_messages[at] = Some(message),
            None => state.keep_message(message, message_type == "story"),
        }
        self.changed.notify_all();
    }

    /// Opens a page, which gets its own number and the number of the last message. `None` if another
    /// page plays and `takes_over` is false.
    pub(crate) fn open_page(&self, stream: &TcpStream, takes_over: bool) -> Option<(u64, u64)> {
        let mut state = self.lock();
        if !takes_over && state.page_stream.as_ref().is_some_and(is_open) {
            return None;
        }
        state.page_number += 1;
        state.page_stream = stream.try_clone().ok();
        self.changed.notify_all();
        Some((state.page_number, state.last_number))
    }

    /// The messages after a number; waits for them.
    pub(crate) fn wait_for_messages(&self, page: u64, after: u64, timeout: Duration) -> PageEvent {
        let state = self.lock();
        let has_none = |state: &mut LogState| {
            state.page_number == page && state.last_number <= after && !state.is_over
        };
        let waited = self.changed.wait_timeout_while(state, timeout, has_none);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.page_number != page {
            return PageEvent::Replaced;
        }
        let lasting = state.lasting_messages.iter().flatten();
        let is_new = |message: &&NumberedMessage| message.number > after;
        let mut messages: Vec<NumberedMessage> =
            lasting.chain(&state.messages).filter(is_new).cloned().collect();
        messages.sort_by_key(|message| message.number);
        match messages.is_empty() {
            false => PageEvent::Messages(messages),
            true if state.is_over => PageEvent::End,
            true => PageEvent::Timeout,
        }
    }

    /// Gives an answer to a message of that number.
    pub(crate) fn give_answer(
        &self,
        page: u64,
        number: u64,
        line: &str,
    ) -> Result<(), AnswerRefusal> {
        let mut state = self.lock();
        if page != state.page_number {
            return Err(AnswerRefusal::OtherPage);
        }
        if !state.is_waiting || number != state.last_number {
            return Err(AnswerRefusal::OldQuestion);
        }
        state.is_waiting = false;
        let line = line.replace(['\n', '\r'], " ");
        let sent = state.answers.as_ref().map(|answers| answers.send(line + "\n"));
        sent.and_then(Result::ok).ok_or(AnswerRefusal::OldQuestion)
    }

    /// Ends the input: the run is left as at the end of a pipe.
    #[cfg(unix)]
    pub(crate) fn end_input(&self) {
        self.lock().answers = None;
    }

    /// Ends the messages, and waits a little until the page has read them.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_over = true;
        self.changed.notify_all();
        let has_readers = |state: &mut LogState| state.readers > 0;
        drop(self.changed.wait_timeout_while(state, LAST_MESSAGES_TIMEOUT, has_readers));
    }

    /// Counts a page that reads, until the result is dropped.
    pub(crate) fn add_reader(&self) -> ReaderGuard<'_> {
        self.lock().readers += 1;
        ReaderGuard(self)
    }
}

/// A page that reads.
pub(crate) struct ReaderGuard<'a>(&'a MessageLog);

impl Drop for ReaderGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().readers -= 1;
        self.0.changed.notify_all();
    }
}

/// Whether the other side of a connection has not closed it.
fn is_open(stream: &TcpStream) -> bool {
    let wait = stream.set_read_timeout(Some(Duration::from_millis(1)));
    wait.is_ok() && !matches!(stream.peek(&mut [0]), Ok(0))
}

/// Takes the lines of the run as messages.
pub struct MessageWriter {
    pub(crate) log: Arc<MessageLog>,
    pub(crate) line: Vec<u8>,
}

impl Write for MessageWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.line);
        String::from_utf8_lossy(&bytes).lines().for_each(|line| self.log.push(line));
        Ok(())
    }
}

/// The lines that pages have answered, as an input.
pub struct ReceivedLines {
    receiver: Receiver<String>,
    line: VecDeque<u8>,
}

impl Read for ReceivedLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.line.is_empty() {
            // The end of the input if there is no sender any more.
            self.line = self.receiver.recv().unwrap_or_default().into_bytes().into();
        }
        self.line.read(buffer)
    }
}
