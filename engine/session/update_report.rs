//! Reports how the mods differ from those that a run or a profile was last played with, before
//! anything is opened. Also migrates the profile.

use std::collections::BTreeMap;

use semver::Version;

use super::run_content::RunContent;
use base::{Code, Problem};
use mods::ModSource;
use save::{DataDir, LockedProfile, ModVersion, Profile};
use script::{VersionBump, Vm};

/// How the mods differ from those that a run was last played with, one line each; empty if they are
/// the same. Opens nothing for writing.
pub fn describe_changes_since_run(
    data_dir: &DataDir,
    run_id: &str,
    current_content: &RunContent,
) -> Result<Vec<String>, Problem> {
    let Some(run_peek) = data_dir.peek_run(run_id)? else { return Ok(Vec::new()) };
    let run_mods = run_peek.run_state.mods;
    let run_mods_by_id: BTreeMap<&str, &ModVersion> =
        run_mods.iter().map(|mark| (mark.id.as_str(), mark)).collect();
    let mut lines = Vec::new();
    for source in &current_content.mods.mods {
        let version = source.manifest.version.to_string();
        match run_mods_by_id.get(source.id()) {
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
    let missing = run_mods.iter().filter(|mark| current_content.mods.get(&mark.id).is_none());
    lines.extend(missing.map(|mark| format!("missing: {} {}", mark.id, mark.version)));
    Ok(lines)
}

/// Migrates the data of a game in a profile to the current mod versions. A Problem leaves it
/// unchanged. Each migration runs once: the highest version of a mod is stored, and an older
/// current version is reported.
pub fn migrate_profile(
    locked_profile: &mut LockedProfile,
    content: &RunContent,
    vm: &Vm,
) -> Result<Vec<Problem>, Problem> {
    let game = content.mods.game().id().to_owned();
    let game_profile = locked_profile.profile().game_profile(&game);
    let mut versions = game_profile.migrated_mod_versions.clone();
    let (mut version_bumps, mut warnings) = (Vec::new(), Vec::new());
    for source in &content.mods.mods {
        let (id, to) = (source.id().to_owned(), source.manifest.version.clone());
        let highest = versions.get(&id).and_then(|version| Version::parse(version).ok());
        match highest {
            Some(from) if from > to => {
                warnings.push(older_version_warning(source, &from));
                continue;
            }
            Some(from) if from < to => {
                version_bumps.push(VersionBump { mod_id: id.clone(), from, to: to.clone() })
            }
            _ => {}
        }
        versions.insert(id, to.to_string());
    }
    if versions != game_profile.migrated_mod_versions {
        let data = vm.migrate_profile(&game_profile.award_data, &version_bumps)?;
        let is_data_unchanged = data == game_profile.award_data;
        let edit = |profile: &mut Profile| {
            let section = profile.game_profile_mut(&game);
            (section.award_data, section.migrated_mod_versions) = (data.clone(), versions.clone());
        };
        match is_data_unchanged {
            // The next start finds the versions again: a profile that cannot be written does not
            // block play.
            true => locked_profile.update_profile_best_effort(edit),
            false => locked_profile.update_profile(edit)?,
        }
    }
    Ok(warnings)
}

fn older_version_warning(source: &ModSource, stored_version: &Version) -> Problem {
    let (id, now) = (source.id(), &source.manifest.version);
    let found = format!("{id} is {now}, and this player has played with {stored_version}");
    Problem::warning(Code::OlderVersion, found)
        .at(source.manifest_location("version", "version"))
        .hint(format!(
            "the profile keeps what the migrations of {stored_version} changed; they do not run again when {stored_version} is installed again"
        ))
}
