//! One connection: reads its request, checks it, and answers it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::http_request::{HttpRequest, RequestError};
use crate::http_response::{HttpResponse, write_stream_head};
use crate::message_log::PageEvent;
use crate::routes::{Route, find_route};
use crate::server::ServerState;

/// How long one read or write may take.
const IO_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a page that waits is sent something, so that a closed one is noticed.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);
/// When a page whose connection broke tries again, in milliseconds.
const RETRY_MS: u32 = 500;
/// The most reads after a refused request, so that the client reads the answer.
const MAX_DISCARDED_READS: usize = 32;

/// Answers the only request of a connection.
pub(crate) fn serve_connection(server: &ServerState, mut stream: TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(IO_TIMEOUT))?;
    stream.set_write_timeout(Some(IO_TIMEOUT))?;
    stream.set_nodelay(true)?;
    let request = match HttpRequest::read_from(&mut stream) {
        Ok(request) => request,
        Err(RequestError::ClientGone) => return Ok(()),
        Err(RequestError::Refused(status, reason)) => {
            HttpResponse::from_text(status, reason).write_to(&mut stream)?;
            return discard_rest(stream);
        }
    };
    // Clients without the token cannot use up the permits of those with it.
    let refusal = server.access.refusal(&request);
    let limit = if refusal.is_none() { &server.page_limit } else { &server.stranger_limit };
    if !limit.take() {
        return HttpResponse::from_text(429, "too many requests").write_to(&mut stream);
    }
    if let Some(reason) = refusal {
        return HttpResponse::from_text(403, reason).write_to(&mut stream);
    }
    match find_route(server, &request) {
        Route::Response(response) => response.write_to(&mut stream),
        Route::Events { after, takes_over } => send_events(server, stream, after, takes_over),
    }
}

/// Sends messages as server-sent events until the page is closed or replaced.
fn send_events(
    server: &ServerState,
    mut stream: TcpStream,
    after: u64,
    takes_over: bool,
) -> io::Result<()> {
    write_stream_head(&mut stream)?;
    let Some((page, last)) = server.log.open_page(&stream, takes_over) else {
        return send_event(&mut stream, "busy", 0, "{}");
    };
    let _reader = server.log.add_reader();
    stream.write_all(format!("retry: {RETRY_MS}\n").as_bytes())?;
    send_event(&mut stream, "page", 0, &format!("{{\"page\": {page}, \"last\": {last}}}"))?;
    let mut after = after.min(last);
    loop {
        match server.log.wait_for_messages(page, after, HEARTBEAT_INTERVAL) {
            PageEvent::Messages(messages) => {
                for message in messages {
                    send_event(&mut stream, "message", message.number, &message.text)?;
                    after = after.max(message.number);
                }
            }
            PageEvent::Timeout => stream.write_all(b": \n\n")?,
            PageEvent::Replaced => return send_event(&mut stream, "replaced", 0, "{}"),
            PageEvent::End => return send_event(&mut stream, "over", 0, "{}"),
        }
    }
}

/// Sends one event. JSON on one line has no line break.
fn send_event(stream: &mut TcpStream, name: &str, number: u64, data: &str) -> io::Result<()> {
    let id = if number > 0 { format!("id: {number}\n") } else { String::new() };
    stream.write_all(format!("event: {name}\n{id}data: {data}\n\n").as_bytes())?;
    stream.flush()
}

/// Reads what a refused client still sends: a closed connection could discard the answer.
fn discard_rest(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let mut buffer = [0; 4096];
    for _ in 0..MAX_DISCARDED_READS {
        if stream.read(&mut buffer)? == 0 {
            break;
        }
    }
    Ok(())
}
