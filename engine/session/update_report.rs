//! Reports how the mods differ from those that a run or a profile was last played with, before
//! anything is opened. Also migrates the profile.

use std::collections::BTreeMap;

use semver::Version;

use super::content::Content;
use crate::base::{Code, Problem};
use crate::mods::ModSource;
use crate::save::{DataDir, LockedProfile, ModVersion, Profile};
use crate::script::{VersionBump, Vm};

/// How the mods differ from those that a run was last played with, one line each; empty if they are
/// the same. Opens nothing for writing.
pub fn diff_since_run(
    data_dir: &DataDir,
    run_id: &str,
    now: &Content,
) -> Result<Vec<String>, Problem> {
    let Some(glance) = data_dir.peek(run_id)? else { return Ok(Vec::new()) };
    let played = glance.run_state.mods;
    let then: BTreeMap<&str, &ModVersion> =
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

/// Migrates the data of a game in a profile to the current mod versions. A Problem leaves it
/// unchanged. Each migration runs once: the highest version of a mod is stored, and an older
/// current version is reported.
pub fn migrate_profile(
    held: &mut LockedProfile,
    content: &Content,
    vm: &Vm,
) -> Result<Vec<Problem>, Problem> {
    let game = content.mods.game().id().to_owned();
    let kept = held.profile().game(&game);
    let mut versions = kept.versions.clone();
    let (mut risen, mut told) = (Vec::new(), Vec::new());
    for source in &content.mods.mods {
        let (id, to) = (source.id().to_owned(), source.manifest.version.clone());
        let highest = versions.get(&id).and_then(|version| Version::parse(version).ok());
        match highest {
            Some(from) if from > to => {
                told.push(older_version(source, &from));
                continue;
            }
            Some(from) if from < to => {
                risen.push(VersionBump { id: id.clone(), from, to: to.clone() })
            }
            _ => {}
        }
        versions.insert(id, to.to_string());
    }
    if versions != kept.versions {
        let data = vm.migrate_profile(&kept.data, &risen)?;
        let unchanged = data == kept.data;
        let edit = |profile: &mut Profile| {
            let section = profile.game_mut(&game);
            (section.data, section.versions) = (data.clone(), versions.clone());
        };
        match unchanged {
            // The next start finds the versions again: a profile that cannot be written does not
            // block play.
            true => held.change_in_memory(edit),
            false => held.update_profile(edit)?,
        }
    }
    Ok(told)
}

fn older_version(source: &ModSource, had: &Version) -> Problem {
    let (id, now) = (source.id(), &source.manifest.version);
    let found = format!("{id} is {now}, and this player has played with {had}");
    Problem::warning(Code::OlderVersion, found)
        .at(source.manifest_place("version", "version"))
        .hint(format!(
            "the changes of {had} stay, and are not repeated when {had} is installed again"
        ))
}
