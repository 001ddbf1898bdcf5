//! The designer's side of the page, with `--dev`.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Page, Server};
use super::status;

/// A game, and a mod that changes its event.
const FILES: [(&str, &str); 4] = [
    (
        "trial/mod.toml",
        "id = \"trial\"\nname = \"Trial\"\nversion = \"0.1.0\"\nengine = \"0.1\"\ngame = true\n",
    ),
    (
        "trial/ring.luau",
        r#"schema "life"(field.int)
schema "bag"(field.list { field.text })
schema "scars"(field.int)
event "blow" { wounds = field.int, kind = field.text }
start(function()
  state.life, state.scars, state.bag = 9, 0, { "rope", "bread" }
  go "ring"
end)
scene "ring" {
  view = "place",
  prompt = function()
    return {
      text = "They wait.",
      choices = { { id = "strike", label = "Strike" }, { id = "stop", label = "Stop" } },
    }
  end,
  on = {
    strike = function()
      emit("blow", { wounds = 3, kind = "blunt" }, function(blow)
        state.life -= blow.wounds
      end)
      table.remove(state.bag, 1)
    end,
    stop = function()
      finish { outcome = if state.life > 5 then "well" else "hurt", life = state.life }
    end,
  },
}
view "place"(function()
  return {
    title = "The ring",
    widgets = {
      {
        widget = "map",
        label = "Ground",
        nodes = {
          { id = "ring", label = "Ring", here = true, visited = true },
          { id = "cell", label = "<b>Cell</b>" },
        },
        edges = { { from = "ring", to = "cell" } },
      },
    },
  }
end)
"#,
    ),
    (
        "meddler/mod.toml",
        "id = \"meddler\"\nname = \"Meddler\"\nversion = \"0.1.0\"\nengine = \"0.1\"\n[needs]\ntrial = \"0.1\"\n",
    ),
    (
        "meddler/armour.luau",
        r#"before("blow", function(blow)
  blow.wounds -= 1
end)
after("blow", function()
  state.scars += 1
end)
"#,
    ),
];

/// A server of the game in developer mode, at its first question.
fn start_trial(folder: &Path) -> (Server, Page) {
    for (name, text) in FILES {
        let path = folder.join("mods").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mods = folder.join("mods");
    let server = Server::start(
        &folder.join("data"),
        &["--dev", "--game", "trial", "--with", "meddler", "--mods", mods.to_str().unwrap()],
    );
    let mut page = server.open_page("");
    while page.read_until("prompt")["prompt"]["scene"] != "trial:ring" {
        assert_eq!(status(&server.answer(&page, &json!({"choice": "new"}))), "200");
    }
    (server, page)
}

/// The tree knows which line wrote what, and each event which hooks changed it.
#[test]
fn a_step_is_shown_with_its_writers_events_and_hooks() {
    let folder = tempfile::tempdir().unwrap();
    let (server, mut page) = start_trial(folder.path());
    assert_eq!(status(&server.answer(&page, &json!({"choice": "strike"}))), "200");
    let message = page.read_until("state");
    assert_eq!(message["state"]["game"]["life"], 7, "{message}");
    let expected = json!([
        {"depth": 0, "place": "trial/ring.luau:19", "kind": "event", "name": "blow"},
        {"depth": 1, "place": "meddler/armour.luau:1", "kind": "before",
         "changes": [{"field": "wounds", "before": "3", "now": "2"}]},
        {"depth": 1, "place": "trial/ring.luau:20", "kind": "write", "path": ["life"]},
        {"depth": 1, "place": "meddler/armour.luau:4", "kind": "after"},
        {"depth": 2, "place": "meddler/armour.luau:5", "kind": "write", "path": ["scars"]},
        {"depth": 0, "place": "trial/ring.luau:22", "kind": "write", "path": ["bag"]},
    ]);
    assert_eq!(message["trace"], expected, "{message:#}");
}

/// The results of the work, as the page reads them.
fn work_results(server: &Server) -> Value {
    let response = server.get("/work", &server.own_headers());
    assert_eq!(status(&response), "200", "{response}");
    serde_json::from_str(response.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// Waits until the results of the work are as wanted.
fn wait_for_results(server: &Server, is_wanted: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..600 {
        let results = work_results(server);
        if is_wanted(&results) {
            return results;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("the work does not come so far: {}", work_results(server));
}

fn start_work(server: &Server, request: &Value) -> String {
    server.post("/work", &server.own_headers(), &request.to_string())
}

#[test]
fn explore_tells_the_page_what_it_reached() {
    let folder = tempfile::tempdir().unwrap();
    let (server, _page) = start_trial(folder.path());
    assert_eq!(work_results(&server), Value::Null);
    assert_eq!(status(&start_work(&server, &json!({"explore": {"runs": 30}}))), "200");
    let done = wait_for_results(&server, |results| results["is_over"] == true);
    let results = &done["results"];
    assert_eq!((&done["problem"], &results["runs"]), (&json!(""), &json!(30)), "{done}");
    assert_eq!(results["scenes"], json!(["trial:ring"]));
    let strike = results["choices"].as_array().unwrap().iter().find(|one| one["id"] == "strike");
    assert!(strike.unwrap()["taken"].as_u64() > Some(0), "{done}");
    let place = |id: &str| {
        let places = results["places"].as_array().unwrap();
        places.iter().find(|place| place["id"] == id).unwrap()
    };
    assert_eq!(place("ring")["entered"], 30, "{done}");
    assert_eq!((&place("cell")["seen"], &place("cell")["entered"]), (&json!(30), &json!(0)));
    assert_eq!(results["ways"], json!([["Ground", "ring", "cell"]]));
}

#[test]
fn a_simulation_grows_and_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (server, mut page) = start_trial(folder.path());
    let request = json!({"simulate": {"runs": 60, "bot": "random", "set": []}});
    assert_eq!(status(&start_work(&server, &request)), "200");
    let done = wait_for_results(&server, |results| results["is_over"] == true);
    let group = &done["results"]["groups"][0];
    assert_eq!(group["result"]["runs"], 60, "{done}");
    for outcome in ["well", "hurt"] {
        let share = &group["result"]["outcomes"][outcome];
        let [low, high] = [0, 1].map(|at| share["interval"][at].as_f64().unwrap());
        assert!(low < high && high <= 1.0, "{share}");
        assert_eq!(group["curves"][outcome].as_array().unwrap().last().unwrap()["share"], *share);
    }
    assert!(group["result"]["numbers"]["life"]["parts"].is_array(), "{done}");

    // The player plays on meanwhile, and a second one waits for the first to end.
    let request = json!({"simulate": {"runs": 5000, "bot": "random", "set": []}});
    assert_eq!(status(&start_work(&server, &request)), "200");
    assert_eq!(status(&start_work(&server, &request)), "400");
    wait_for_results(&server, |results| results["results"]["runs"].as_u64() > Some(0));
    assert_eq!(status(&server.answer(&page, &json!({"choice": "strike"}))), "200");
    page.read_until("prompt");
    assert_eq!(status(&server.post("/work/stop", &server.own_headers(), "{}")), "200");
    let stopped = wait_for_results(&server, |results| results["is_over"] == true);
    assert!(stopped["results"]["runs"].as_u64() < Some(5000), "{stopped}");
}

#[test]
fn work_that_is_too_much_or_not_known_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (server, _page) = start_trial(folder.path());
    for request in [
        json!({"explore": {"runs": 5001}}),
        json!({"explore": {"runs": 3, "record": "folder"}}),
        json!({"simulate": {"runs": 3, "bot": "", "set": ["x"]}}),
        json!({"mutate": {}}),
        json!("explore"),
    ] {
        assert_eq!(status(&start_work(&server, &request)), "400", "{request}");
    }
    let simple = format!("Host: {}\r\n", server.host);
    assert_eq!(status(&server.get("/work", &simple)), "403");
    assert_eq!(status(&server.post("/work", &simple, "{}")), "403");
}
