//! The server: listens, and gives each connection a thread of a limited number.

use std::io::{self, BufReader};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::access::AccessRules;
use crate::connection::serve_connection;
use crate::designer_tools::DesignerTools;
use crate::http_response::HttpResponse;
use crate::message_log::{MessageLog, MessageWriter, ReceivedLines};
use crate::page_words::page_words;
use crate::rate_limit::RateLimit;
use crate::shutdown::end_input_at_signal;
use ui::full_screen::Keymap;
use ui::json_lines::JsonLines;
use ui::plain_text::LineReader;

/// The port if none is asked for, so that the browser keeps the page's settings; a free one if
/// another program has it.
const USUAL_PORT: u16 = 7340;
/// The most connections at once. Further ones are refused.
const MAX_CONNECTIONS: usize = 16;

/// Where a server listens, and what it offers.
pub struct ServerOptions {
    /// The address; `None` for this machine alone.
    pub address: Option<IpAddr>,
    /// The port; `None` for the usual one, or else a free one.
    pub port: Option<u16>,
    /// Random numbers for the token.
    pub token_parts: [u64; 2],
    /// What a designer asks for, with `--dev`.
    pub designer_tools: Option<DesignerTools>,
}

/// The frontend of a run whose player uses the page.
pub type PageFrontend = JsonLines<BufReader<ReceivedLines>, MessageWriter>;

/// What all threads share.
pub(crate) struct ServerState {
    pub(crate) log: Arc<MessageLog>,
    pub(crate) access: AccessRules,
    pub(crate) page_limit: RateLimit,
    pub(crate) stranger_limit: RateLimit,
    pub(crate) designer_tools: Option<DesignerTools>,
    connections: AtomicUsize,
}

/// A running server. It ends with the program.
pub struct PageServer {
    log: Arc<MessageLog>,
    /// The address of the page, with its token.
    pub address: String,
}

impl PageServer {
    /// Starts a server; returns it with the frontend that its page plays. With `is_dev`, changes of
    /// mods interrupt the wait for an answer.
    pub fn start(
        options: ServerOptions,
        keymap: Keymap,
        is_dev: bool,
    ) -> io::Result<(Self, PageFrontend)> {
        let address = options.address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let bind = |port| TcpListener::bind(SocketAddr::new(address, port));
        let listener = match options.port {
            Some(port) => bind(port),
            None => bind(USUAL_PORT).or_else(|_| bind(0)),
        }?;
        let local_address = listener.local_addr()?;
        let token: String = options.token_parts.iter().map(|part| format!("{part:016x}")).collect();
        let (log, lines) = MessageLog::new();
        let port = local_address.port();
        let state = Arc::new(ServerState {
            log: log.clone(),
            access: AccessRules::new(token.clone(), port, options.address.is_some()),
            page_limit: RateLimit::new(),
            stranger_limit: RateLimit::new(),
            designer_tools: options.designer_tools,
            connections: AtomicUsize::new(0),
        });
        end_input_at_signal(&log)?;
        let refilled = state.clone();
        thread::Builder::new().spawn(move || {
            RateLimit::refill_forever(&[&refilled.page_limit, &refilled.stranger_limit]);
        })?;
        thread::Builder::new().spawn(move || accept_connections(&state, &listener))?;
        let output = MessageWriter { log: log.clone(), line: Vec::new() };
        let lines = LineReader::from_pipe(lines).read_in_background_if(is_dev);
        let frontend = JsonLines::new(lines, output)?.for_person(keymap, page_words());
        let host = match local_address.ip() {
            ip if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port),
            ip => SocketAddr::new(ip, port),
        };
        Ok((Self { log, address: format!("http://{host}/?token={token}") }, frontend))
    }

    /// Ends the messages; the page has a moment to read the last ones.
    pub fn close(self) {
        self.log.close();
    }
}

fn accept_connections(state: &Arc<ServerState>, listener: &TcpListener) {
    for stream in listener.incoming() {
        // A connection that failed before it was accepted stops no other one.
        let Ok(stream) = stream else { continue };
        let slot = ConnectionSlot::take(state);
        if state.connections.load(Ordering::Relaxed) > MAX_CONNECTIONS {
            refuse_connection(stream);
            continue;
        }
        let serve = move || {
            // A client that is gone needs no answer.
            let _ = serve_connection(&slot.0, stream);
        };
        // Without a thread, the connection is closed.
        let _ = thread::Builder::new().spawn(serve);
    }
}

/// Refuses a connection without reading its request.
fn refuse_connection(mut stream: TcpStream) {
    let response = HttpResponse::from_text(503, "too many connections");
    let _ = stream.set_nonblocking(true).and_then(|()| response.write_to(&mut stream));
}

/// A connection that counts until it is dropped.
struct ConnectionSlot(Arc<ServerState>);

impl ConnectionSlot {
    fn take(state: &Arc<ServerState>) -> Self {
        state.connections.fetch_add(1, Ordering::Relaxed);
        Self(state.clone())
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
