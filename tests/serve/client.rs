//! A program that serves a page, and a page that talks to it, without a browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A program that serves a page.
pub(super) struct Server {
    program: Child,
    pub(super) host: String,
    pub(super) token: String,
}

/// A page: the messages that come.
pub(super) struct Page {
    pub(super) events: BufReader<TcpStream>,
    pub(super) number: u64,
    pub(super) last_message: u64,
}

impl Server {
    pub(super) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_sub-rosa"))
            .args(["serve", "--port", "0", "--seed", "7", "--data"])
            .arg(folder)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let address =
            lines.find_map(|line| line.unwrap().strip_prefix("http://").map(str::to_owned));
        let address = address.expect("the address is printed");
        let (host, token) = address.split_once("/?token=").unwrap();
        assert!(host.starts_with("127.0.0.1:"), "{host}: only this machine");
        assert_eq!(token.len(), 32);
        Self { host: host.to_owned(), token: token.to_owned(), program }
    }

    /// Sends bytes and returns all that comes back.
    pub(super) fn exchange(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // A refused body may be cut off while it is sent.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The headers of a browser's own page.
    pub(super) fn own_headers(&self) -> String {
        let (host, token) = (&self.host, &self.token);
        let port = host.rsplit_once(':').unwrap().1;
        format!("Host: {host}\r\nOrigin: http://{host}\r\nCookie: sub_rosa_{port}={token}\r\n")
    }

    pub(super) fn get(&self, path: &str, headers: &str) -> String {
        self.exchange(&format!("GET {path} HTTP/1.1\r\n{headers}\r\n"))
    }

    pub(super) fn post(&self, path: &str, headers: &str, body: &str) -> String {
        let length = body.len();
        self.exchange(&format!(
            "POST {path} HTTP/1.1\r\n{headers}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    }

    pub(super) fn open_page(&self, query: &str) -> Page {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET /events{query} HTTP/1.1\r\n{}\r\n", self.own_headers()).unwrap();
        let mut page = Page { events: BufReader::new(stream), number: 0, last_message: 0 };
        let (name, data) = page.next_event();
        if name == "page" {
            page.number = data["page"].as_u64().unwrap();
        }
        page
    }

    pub(super) fn answer(&self, page: &Page, answer: &Value) -> String {
        let path = format!("/answer?page={}&question={}", page.number, page.last_message);
        self.post(&path, &self.own_headers(), &answer.to_string())
    }

    /// Ends the program as Ctrl-C does.
    pub(super) fn interrupt(mut self) {
        let interrupted =
            Command::new("kill").args(["-INT", &self.program.id().to_string()]).status();
        assert!(interrupted.unwrap().success());
        assert!(self.program.wait().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

impl Page {
    pub(super) fn next_event(&mut self) -> (String, Value) {
        let (mut name, mut data) = (String::new(), Value::Null);
        let mut line = String::new();
        while self.events.read_line(&mut line).unwrap() > 0 {
            if let Some(of) = line.strip_prefix("event: ") {
                name = of.trim().to_owned();
            } else if let Some(id) = line.strip_prefix("id: ") {
                self.last_message = id.trim().parse().unwrap();
            } else if let Some(text) = line.strip_prefix("data: ") {
                data = serde_json::from_str(text).unwrap();
            } else if line == "\n" && !name.is_empty() {
                return (name, data);
            }
            line.clear();
        }
        panic!("the events have ended after {name}");
    }

    pub(super) fn read_until(&mut self, message_type: &str) -> Value {
        loop {
            let (_, message) = self.next_event();
            assert!(message["type"] != "refused" || message_type == "refused", "{message}");
            if message["type"] == message_type {
                return message;
            }
        }
    }
}
