//! `serve`: who is refused, a page that goes away in the middle, and a run that goes on in another
//! frontend.
#![cfg(feature = "serve")]

#[path = "serve/client.rs"]
mod client;
#[path = "serve/designer.rs"]
mod designer;
#[path = "serve/page_words.rs"]
mod page_words;

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::ferry_runs::{FERRY_ARGUMENTS, assert_same_run_in_terminal, simplest_answer};
use client::Server;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or("none")
}

#[test]
fn only_the_page_with_the_token_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &FERRY_ARGUMENTS);
    let (host, token, own) = (&server.host, &server.token, server.own_headers());
    let host_header = format!("Host: {host}\r\n");
    let page = server.get(&format!("/?token={token}"), &host_header);
    assert_eq!(status(&page), "200", "{page}");
    for header in [
        "Content-Security-Policy: default-src 'none'; script-src 'self';",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "HttpOnly; SameSite=Strict",
    ] {
        assert!(page.contains(header), "{header} is missing: {page}");
    }
    assert_eq!(status(&server.get("/page.js", &own)), "200");
    assert_eq!(status(&server.get("/nothing", &own)), "404");
    assert_eq!(status(&server.post("/nothing", &own, "{}")), "404");
    assert_eq!(status(&server.post("/why", &own, "\"ferry\"")), "404", "that needs --dev");
    assert_eq!(status(&server.get("/work", &own)), "404", "that needs --dev");
    assert_eq!(status(&server.post("/work", &own, "{}")), "404", "that needs --dev");

    let wrong_token = format!("/?token={}", "0".repeat(32));
    let port = host.rsplit_once(':').unwrap().1;
    let cookie = format!("Cookie: sub_rosa_{port}={token}\r\n");
    let foreign_origin = format!("{host_header}Origin: http://evil.example\r\n{cookie}");
    let null_origin = format!("{host_header}Origin: null\r\n{cookie}");
    let foreign_host = format!("Host: evil.example:{port}\r\n{cookie}");
    let other_port = format!("Host: 127.0.0.1:1\r\n{cookie}");
    let two_hosts = format!("{host_header}Host: evil.example\r\n{cookie}");
    for (path, headers) in [
        ("/", &host_header),
        ("/events", &host_header),
        ("/page.js", &host_header),
        (&wrong_token, &host_header),
        ("/events?token=x", &host_header),
        ("/events", &foreign_origin),
        ("/events", &null_origin),
        ("/", &foreign_host),
        ("/", &other_port),
        ("/", &two_hosts),
        ("/", &cookie),
    ] {
        assert_eq!(status(&server.get(path, headers)), "403", "{path} {headers}");
    }
    let no_origin = format!("{host_header}{cookie}");
    for headers in [&no_origin, &foreign_origin, &null_origin, &host_header] {
        let response = server.post("/answer?page=1&question=1", headers, "{}");
        assert_eq!(status(&response), "403", "{headers}");
    }
    let form = format!(
        "POST /answer HTTP/1.1\r\n{own}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{{}}"
    );
    assert_eq!(status(&server.exchange(&form)), "415");
}

#[test]
fn requests_that_are_too_long_or_broken_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &FERRY_ARGUMENTS);
    let own = server.own_headers();
    let body = |length: usize| server.post("/answer?page=9&question=9", &own, &"x".repeat(length));
    assert_eq!(status(&body(64 * 1024)), "409", "it is no answer to the question");
    assert_eq!(status(&body(64 * 1024 + 1)), "413");
    let long_header = format!("{own}X-Long: {}\r\n", "x".repeat(10_000));
    assert_eq!(status(&server.get("/", &long_header)), "431");
    let many_headers = own.clone() + &"X-Many: x\r\n".repeat(80);
    assert_eq!(status(&server.get("/", &many_headers)), "431");
    let chunked = "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(status(&server.exchange(&format!("POST / HTTP/1.1\r\n{own}{chunked}"))), "411");
    for length in ["-1", "+2", "2x", "99999999999999999999999"] {
        let request = format!("POST / HTTP/1.1\r\n{own}Content-Length: {length}\r\n\r\nxx");
        assert!(["400", "413"].contains(&status(&server.exchange(&request))), "{length}");
    }
    assert_eq!(status(&server.exchange("\u{1}\u{2}\r\n\r\n")), "400");
    assert_eq!(status(&server.get("/", &own)), "200", "it still answers");
}

#[test]
fn too_many_requests_are_refused_and_strangers_do_not_shut_out_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &FERRY_ARGUMENTS);
    let stranger = format!("Host: {}\r\n", server.host);
    let refused = (0..2_000).find(|_| status(&server.get("/", &stranger)) == "429");
    assert!(refused.is_some(), "2,000 requests were all read");
    assert_eq!(status(&server.get("/page.js", &server.own_headers())), "200");
    let refused =
        (0..2_000).find(|_| status(&server.get("/nothing", &server.own_headers())) == "429");
    assert!(refused.is_some(), "2,000 requests of the page were all answered");
    // Connections that say nothing.
    let silent: Vec<TcpStream> =
        (0..64).map(|_| TcpStream::connect(&server.host).unwrap()).collect();
    let response = server.get("/", &server.own_headers());
    assert_eq!(status(&response), "503", "{response}");
    drop(silent);
}

#[test]
fn a_page_that_goes_away_harms_nothing_and_the_run_goes_on_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &FERRY_ARGUMENTS);
    let mut page = server.open_page("");
    page.read_until("prompt");
    // Half an answer.
    let mut half = TcpStream::connect(&server.host).unwrap();
    let path = format!("/answer?page={}&question={}", page.number, page.last_message);
    let own = server.own_headers();
    write!(half, "POST {path} HTTP/1.1\r\n{own}Content-Type: application/json\r\nContent-Length: 17\r\n\r\n{{\"choi").unwrap();
    drop(half);
    // A whole one, whose page is gone before the response.
    let mut whole = TcpStream::connect(&server.host).unwrap();
    write!(whole, "POST {path} HTTP/1.1\r\n{own}Content-Type: application/json\r\nContent-Length: 17\r\n\r\n{{\"choice\": \"new\"}}").unwrap();
    drop(whole);
    drop(page);
    // A page that opens again sees all of it.
    let mut page = server.open_page("?take=1");
    let mut message = page.read_until("prompt");
    while message["prompt"]["scene"] == "host:title" {
        // This page may have taken over before the answer of the other was read.
        let _ = server.answer(&page, &json!({"choice": "new"}));
        message = page.read_until("prompt");
    }
    assert!(message["keys"]["choices"].is_object(), "{message}");
    let mut lines = Vec::new();
    for _ in 0..4 {
        let (answer, line) = simplest_answer(&message["prompt"]);
        lines.push(line);
        let question = page.last_message;
        assert_eq!(status(&server.answer(&page, &answer)), "200");
        page.last_message = question;
        assert_eq!(status(&server.answer(&page, &answer)), "409", "an answer counts once");
        message = page.read_until("prompt");
    }
    server.interrupt();
    let in_terminal = assert_same_run_in_terminal(folder.path(), &lines);

    // And the run of the terminal goes on in the page.
    let server = Server::start(in_terminal.path(), &FERRY_ARGUMENTS);
    let mut page = server.open_page("");
    page.read_until("prompt");
    assert_eq!(status(&server.answer(&page, &json!({"choice": "resume"}))), "200");
    let story = page.read_until("story");
    assert!(story["past"].as_array().unwrap().len() > 4, "{story}");
}

#[test]
fn a_second_page_is_told_and_may_take_over() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &FERRY_ARGUMENTS);
    let mut first = server.open_page("");
    first.read_until("prompt");
    assert_eq!(server.open_page("").number, 0, "a second page plays too");
    let mut second = server.open_page("?take=1");
    second.read_until("prompt");
    assert_eq!(first.next_event().0, "replaced");
    assert_eq!(status(&server.answer(&first, &json!({"choice": "new"}))), "409");
    assert_eq!(status(&server.answer(&second, &json!({"choice": "new"}))), "200");
}

#[test]
fn an_argument_of_another_frontend_is_refused() {
    for arguments in [&["--plain"][..], &["--json"], &["--script", "answers.txt"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_sub-rosa"))
            .arg("serve")
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(arguments[0]), "{message}");
    }
}

/// A save of a mod reaches the page with the state, and `why` answers.
#[test]
fn with_dev_a_save_is_shown_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("ferry");
    for part in ["kinds", "play"] {
        fs::create_dir_all(game.join(part)).unwrap();
    }
    for file in ["mod.toml", "kinds/state.luau", "play/crossing.luau"] {
        fs::copy(Path::new(ROOT).join("tests/games/ferry").join(file), game.join(file)).unwrap();
    }
    let data = folder.path().join("data");
    let server =
        Server::start(&data, &["--dev", "--game", "ferry", "--mods", game.to_str().unwrap()]);
    let mut page = server.open_page("");
    let mut message = page.read_until("prompt");
    while message["prompt"]["ask"].get("text").is_none() {
        let (answer, _) = match message["prompt"]["scene"].as_str() {
            Some("host:title") => (json!({"choice": "new"}), String::new()),
            _ => simplest_answer(&message["prompt"]),
        };
        assert_eq!(status(&server.answer(&page, &answer)), "200");
        message = page.read_until("prompt");
    }
    assert_eq!(status(&server.answer(&page, &json!({"text": "Ada"}))), "200");
    let state = page.read_until("state");
    assert_eq!(state["state"]["game"]["name"], "Ada", "{state}");
    let prompt = page.read_until("prompt");
    assert_eq!(prompt["prompt"]["choices"][0]["label"], "Row");

    let script = game.join("play/crossing.luau");
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, text.replace("label = \"Row\"", "label = \"Row hard\"")).unwrap();
    let events = page.read_until("events");
    assert!(events.to_string().contains("changed"), "{events}");
    let prompt = page.read_until("prompt");
    assert_eq!(prompt["prompt"]["choices"][0]["label"], "Row hard");

    fs::write(&script, text.replace("label = \"Row\"", "label = ")).unwrap();
    let problem = page.read_until("problem");
    assert!(problem["problem"]["place"].as_str().unwrap().contains("crossing.luau:"), "{problem}");
    let prompt = page.read_until("prompt");
    assert!(prompt["stale_reason"].as_str().unwrap().contains("crossing.luau"), "{prompt}");
    let why = server.post("/why", &server.own_headers(), "\"water\"");
    assert!(why.contains("crossing.luau"), "{why}");
}

/// The page makes nodes of texts in one way only, which cannot make markup of them.
#[test]
fn the_page_never_parses_a_text_as_markup() {
    let folder = Path::new(ROOT).join("engine/serve/page");
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let banned = [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "DOMParser",
            "createContextualFragment",
            "setHTML",
            "srcdoc",
            "javascript:",
            "style=",
            "onclick=",
            "http://www.",
            "https://",
        ];
        // The name of SVG's elements is no address that is loaded.
        let text = text.replace("http://www.w3.org/2000/svg", "");
        for word in banned {
            assert!(!text.contains(word), "{} has {word}", path.display());
        }
    }
}
