//! The designer's side of the page, with `--dev`.

use std::fs;
use std::path::Path;

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
