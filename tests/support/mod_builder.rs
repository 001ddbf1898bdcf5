//! Builds mods from a few lines.

use mods::ModSource;

/// The manifest of a minimal game.
pub const GAME_MANIFEST: &str =
    "id = \"game\"\nname = \"Game\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";

/// A mod from a manifest and files.
pub fn mod_from_text(manifest: &str, files: &[(&str, &str)]) -> ModSource {
    let files: serde_json::Map<String, serde_json::Value> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).into())).collect();
    let stored_json = serde_json::json!({ "manifest": manifest, "files": files });
    ModSource::deserialize_from_store(&stored_json.to_string()).unwrap()
}

/// The manifest of a mod that needs the test's game and further mods.
pub fn manifest_needing(id: &str, needs: &[&str]) -> String {
    let needs: Vec<String> = needs.iter().map(|id| format!("{id} = \"*\"")).collect();
    format!(
        "id = \"{id}\"\nname = \"{id}\"\nversion = \"0.1.0\"\nengine = \"*\"\nneeds = {{ {} }}\n",
        needs.join(", ")
    )
}
