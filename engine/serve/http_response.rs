//! Writes responses. All have the same headers, which forbid everything that the page does not
//! need; each connection has one response.

use std::io::{self, Write};

/// Nothing but the page's own files may be loaded, run or reached.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// A response.
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: String,
    /// A cookie to set.
    pub(crate) cookie: Option<String>,
}

impl HttpResponse {
    /// A short text for a person or a program.
    pub(crate) fn from_text(status: u16, text: &str) -> Self {
        let body = format!("{text}\n");
        Self { status, content_type: "text/plain; charset=utf-8", body, cookie: None }
    }

    /// A file of the page.
    pub(crate) fn from_file(content_type: &'static str, text: &str) -> Self {
        Self { status: 200, content_type, body: text.to_owned(), cookie: None }
    }

    pub(crate) fn write_to(&self, stream: &mut impl Write) -> io::Result<()> {
        let cookie = self.cookie.as_ref().map(|cookie| format!("Set-Cookie: {cookie}\r\n"));
        let head = response_head(self.status, self.content_type, &cookie.unwrap_or_default());
        let length = self.body.len();
        write!(stream, "{head}Content-Length: {length}\r\n\r\n{}", self.body)?;
        stream.flush()
    }
}

/// The head of a response of unknown length, such as a stream of events.
pub(crate) fn write_stream_head(stream: &mut impl Write) -> io::Result<()> {
    write!(stream, "{}\r\n", response_head(200, "text/event-stream; charset=utf-8", ""))?;
    stream.flush()
}

fn response_head(status: u16, content_type: &str, further_headers: &str) -> String {
    format!(
        "HTTP/1.1 {status} {}\r\n\
         Content-Type: {content_type}\r\n\
         Content-Security-Policy: {CONTENT_SECURITY_POLICY}\r\n\
         X-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\n\
         Referrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         Cache-Control: no-store\r\n\
         Connection: close\r\n\
         {further_headers}",
        reason_phrase(status)
    )
}

fn reason_phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Error",
    }
}
