//! Reads one request from a connection. Its head, its body and the number of reads are limited, so
//! that a client can hold a connection only for a short time.

use std::io::Read;

/// The most bytes of a request's first line and headers.
const MAX_HEAD_BYTES: usize = 8 * 1024;
/// The most headers.
const MAX_HEADERS: usize = 64;
/// The most bytes of a body.
pub(crate) const MAX_BODY_BYTES: usize = 64 * 1024;
/// The most reads of a request: one that comes byte by byte is refused.
const MAX_READS: usize = 64;

/// A request.
pub(crate) struct HttpRequest {
    /// The method, such as `GET`.
    pub(crate) method: String,
    /// The path without the query.
    pub(crate) path: String,
    /// The query, without `?`.
    query: String,
    headers: Vec<(String, String)>,
    /// The body; text.
    pub(crate) body: String,
}

/// Why a request cannot be read.
pub(crate) enum RequestError {
    /// The client has closed the connection.
    ClientGone,
    /// The status of the response, and the reason for a person.
    Refused(u16, &'static str),
}

impl HttpRequest {
    /// Reads a request.
    pub(crate) fn read_from(stream: &mut impl Read) -> Result<Self, RequestError> {
        let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
        let mut reads = 0;
        let mut read_more = |bytes: &mut Vec<u8>| -> Result<(), RequestError> {
            reads += 1;
            match stream.read(&mut buffer) {
                _ if reads > MAX_READS => {
                    Err(RequestError::Refused(408, "the request came too slowly"))
                }
                Ok(0) => Err(RequestError::ClientGone),
                Ok(count) => {
                    bytes.extend_from_slice(&buffer[..count]);
                    Ok(())
                }
                Err(_) => Err(RequestError::Refused(408, "the request came too slowly")),
            }
        };
        let (mut request, head_length) = loop {
            if let Some(parsed) = parse_head(&bytes)? {
                break parsed;
            }
            if bytes.len() > MAX_HEAD_BYTES {
                return Err(RequestError::Refused(431, "the head of the request is too long"));
            }
            read_more(&mut bytes)?;
        };
        if request.header("transfer-encoding").is_some() {
            return Err(RequestError::Refused(411, "a body needs a content length"));
        }
        let length = match request.single_header("content-length") {
            Ok(None) => 0,
            Ok(Some(length))
                if !length.is_empty() && length.bytes().all(|b| b.is_ascii_digit()) =>
            {
                length.parse::<usize>().unwrap_or(usize::MAX)
            }
            _ => return Err(RequestError::Refused(400, "the content length is no number")),
        };
        if length > MAX_BODY_BYTES {
            return Err(RequestError::Refused(413, "the body is too long"));
        }
        while bytes.len() < head_length + length {
            read_more(&mut bytes)?;
        }
        request.body = String::from_utf8(bytes[head_length..head_length + length].to_vec())
            .map_err(|_| RequestError::Refused(400, "the body is not UTF-8"))?;
        Ok(request)
    }

    /// The first header of a name, in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(of, _)| of == name).map(|(_, value)| &**value)
    }

    /// The only header of a name; an error if there are several.
    pub(crate) fn single_header(&self, name: &str) -> Result<Option<&str>, ()> {
        match self.headers.iter().filter(|(of, _)| of == name).count() {
            0 | 1 => Ok(self.header(name)),
            _ => Err(()),
        }
    }

    /// A parameter of the query as it is written; numbers and tokens need no decoding.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(of, _)| *of == name).map(|(_, value)| value).next()
    }

    /// A cookie.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        let pairs =
            self.header("cookie")?.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(of, _)| *of == name).map(|(_, value)| value).next()
    }
}

/// The request of a complete head, and the length of the head; none while it is incomplete.
fn parse_head(bytes: &[u8]) -> Result<Option<(HttpRequest, usize)>, RequestError> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let length = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(length)) if length <= MAX_HEAD_BYTES => length,
        Ok(httparse::Status::Complete(_)) | Err(httparse::Error::TooManyHeaders) => {
            return Err(RequestError::Refused(431, "the head of the request is too long"));
        }
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(RequestError::Refused(400, "this is no request")),
    };
    let target = parsed.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers = parsed.headers.iter().map(|header| {
        let value = String::from_utf8_lossy(header.value).trim().to_owned();
        (header.name.to_ascii_lowercase(), value)
    });
    let request = HttpRequest {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: headers.collect(),
        body: String::new(),
    };
    Ok(Some((request, length)))
}
