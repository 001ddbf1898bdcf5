//! What is different about the mods since a run, or a profile, was last played with them: told
//! before anything is opened, and the profile brought up to date.

use std::collections::BTreeMap;

use semver::Version;

use super::content::Content;
use crate::kit::Problem;
use crate::save::{DataDir, LockedProfile, ModMark, Profile};
use crate::script::{Risen, Vm};

/// How the mods as they are now differ from those that a run was last played with; a line each,
/// none if they are the same. Opens nothing for writing.
pub fn mods_since(data_dir: &DataDir, run_id: &str, now: &Content) -> Result<Vec<String>, Problem> {
    let Some(glance) = data_dir.glance(run_id)? else { return Ok(Vec::new()) };
    let played = glance.run_state.mods;
    let then: BTreeMap<&str, &ModMark> =
        played.iter().map(|mark| (mark.id.as_str(), mark)).collect();
    let mut lines = Vec::new();
    for source in &now.mods.mods {
        let version = source.manifest.version.to_string();
        match then.get(source.id()) {
            None => lines.push(format!("added: {} {version}", source.id())),
            Some(mark) if mark.digest == source.digest => {}
            Some(mark) if mark.version == version => {
                lines.push(format!("changed: {} {version}", source.id()));
            }
            Some(mark) => {
                lines.push(format!("changed: {} {} → {version}", source.id(), mark.version));
            }
        }
    }
    let missing = played.iter().filter(|mark| now.mods.get(&mark.id).is_none());
    lines.extend(missing.map(|mark| format!("missing: {} {}", mark.id, mark.version)));
    Ok(lines)
}

/// Brings what a profile keeps of a game up to the versions of the mods. A Problem leaves it as
/// it was.
pub fn migrate_profile(
    held: &mut LockedProfile,
    content: &Content,
    vm: &Vm,
) -> Result<(), Problem> {
    let game = content.mods.game().id().to_owned();
    let kept = held.profile().game(&game);
    let mut versions = kept.versions.clone();
    let mut risen = Vec::new();
    for source in &content.mods.mods {
        let to = source.manifest.version.clone();
        let before = versions.insert(source.id().to_owned(), to.to_string());
        let from = before.and_then(|before| Version::parse(&before).ok());
        if let Some(from) = from.filter(|from| *from < to) {
            risen.push(Risen { id: source.id().to_owned(), from, to });
        }
    }
    if versions == kept.versions {
        return Ok(());
    }
    let data = vm.migrate_profile(&kept.data, &risen)?;
    let unchanged = data == kept.data;
    let edit = |profile: &mut Profile| {
        let section = profile.game_mut(&game);
        (section.data, section.versions) = (data.clone(), versions.clone());
    };
    match unchanged {
        // The next start finds the versions again: a profile that cannot be written keeps nobody from playing.
        true => held.change_at_least_here(edit),
        false => held.change(edit)?,
    }
    Ok(())
}
