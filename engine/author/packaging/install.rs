//! `mods install`: installs a mod from a zip file or a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::install_target::InstallTarget;
use super::{
    ConfirmFn, ExistingMod, check_mod_loads, command_failure, disk_path, existing_mod,
    location_text, player_mods_folder, unfinished_run_messages, usage_error, write_error_failure,
};
use crate::CommandOutput;
use crate::progress::Progress;
use crate::switch_mods::{CommandFailure, FoundMods, read_profile};
use crate::{CommandContext, CommandOutcome, CommandResult, output};
use base::{Code, Problem, SourceLocation, text};
use mods::{ModOrigin, ModPackage, ModSource, read_folder, read_package, unread_file_warnings};

/// The arguments of `mods install`.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    /// The zip file or the folder of a mod.
    pub package_path: PathBuf,
    /// Whether to replace an installed mod without asking.
    pub replace: bool,
    /// The data folder, if it was named; suggested commands repeat it.
    pub data: Option<PathBuf>,
    /// Whether to print JSON.
    pub json: bool,
}

impl InstallRequest {
    /// The arguments that a suggested command repeats.
    fn arguments_for_suggested_commands(&self, context: &CommandContext) -> String {
        let data = self.data.iter().map(|data| text::quote_shell_flag("--data", data));
        let player = Some(&context.profile_name).filter(|name| *name != "Player");
        let player = player.map(|name| text::quote_shell_flag("--profile", name));
        data.chain(player).map(|flag| format!(" {flag}")).collect()
    }
}

/// Installs a mod.
pub fn install_mod(
    context: &CommandContext,
    request: &InstallRequest,
    ask: &mut ConfirmFn<'_>,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    match plan_and_install(context, request, ask)? {
        Ok(done) if request.json => {
            let page = serde_json::json!({
                "id": done.id, "version": done.version, "folder": done.folder, "messages": done.messages,
            });
            output::write_json(out, &page)?;
        }
        Ok(done) => done.messages.iter().try_for_each(|line| output::write_line(out, line))?,
        Err((outcome, problems)) => {
            output::report_failure(out, request.json, outcome, &problems)?;
            let says_unchanged =
                |problem: &Problem| problem.to_string().contains("nothing was changed");
            if !request.json && !problems.iter().any(says_unchanged) {
                output::write_line(out.error_output(), "nothing was changed")?;
            }
            return Ok(outcome);
        }
    }
    Ok(CommandOutcome::Ok)
}

struct InstalledMod {
    id: String,
    version: String,
    folder: String,
    messages: Vec<String>,
}

fn plan_and_install(
    context: &CommandContext,
    request: &InstallRequest,
    ask: &mut ConfirmFn<'_>,
) -> io::Result<Result<InstalledMod, CommandFailure>> {
    let plan = match InstallPlan::new(context, request) {
        Ok(plan) => plan,
        Err(refused) => return Ok(Err(refused)),
    };
    if plan.is_unchanged() {
        let messages = vec![format!(
            "{} {} is already installed, with the same files",
            plan.id(),
            plan.source.manifest.version
        )];
        return Ok(Ok(plan.to_installed_mod(messages)));
    }
    if let Some(question) = plan.replace_question(context)
        && !request.replace
        && !ask(&question)?
    {
        let found = format!("{} was not replaced; nothing was changed", plan.id());
        let problem =
            Problem::error(Code::NotReplaced, found).expected(format!("yes to: {question}"));
        let problem = problem.hint("answer yes, or pass --replace");
        return Ok(Err(command_failure(problem)));
    }
    Ok(plan.apply_plan(context).map(|said| plan.to_installed_mod(said)))
}

/// The planned changes, before anything is changed.
struct InstallPlan {
    install_target: InstallTarget,
    package: ModPackage,
    source: ModSource,
    /// The mod that is installed under this id.
    existing_mod: Option<ExistingMod>,
    /// Another mod with this id that is found first, or that the program contains.
    other_with_same_id: Option<ModSource>,
    /// The arguments that a suggested command repeats.
    arguments_for_suggested_commands: String,
}

impl InstallPlan {
    fn new(context: &CommandContext, request: &InstallRequest) -> Result<Self, CommandFailure> {
        let package = read_package_to_install(&request.package_path)?;
        let mods = player_mods_folder(context)?;
        let wrong = |problems| (CommandOutcome::Problems, problems);
        let source = package
            .read_with_origin(ModOrigin::Folder(request.package_path.clone()))
            .map_err(wrong)?;
        let install_target = InstallTarget::open(&mods, source.id())
            .map_err(|why| write_error_failure(&mods, &why))?;
        let existing = existing_mod(context, source.id())?;
        if existing.as_ref().is_some_and(|there| is_same_path(&there.path, &request.package_path)) {
            let found = format!(
                "{} is already in a folder that is searched for mods",
                request.package_path.display()
            );
            return Err(usage_error(
                Problem::error(Code::ThereAlready, found).hint("it needs no install"),
            ));
        }
        let found = FoundMods::discover(context);
        check_mod_loads(context, &found, &source).map_err(|mut problems| {
            let not_installed = format!(
                "{} does not load, so it was not installed; nothing was changed",
                source.id()
            );
            problems.push(Problem::error(Code::NotInstalled, not_installed));
            wrong(problems)
        })?;
        let elsewhere = |other: &&ModSource| match (disk_path(other), &existing) {
            (Some(path), Some(there)) => path != there.path,
            _ => true,
        };
        let other = found.get(source.id()).filter(elsewhere).cloned();
        Ok(Self {
            install_target,
            package,
            source,
            existing_mod: existing,
            other_with_same_id: other,
            arguments_for_suggested_commands: request.arguments_for_suggested_commands(context),
        })
    }

    fn id(&self) -> &str {
        self.source.id()
    }

    fn is_unchanged(&self) -> bool {
        let existing_package =
            self.existing_mod.as_ref().and_then(|there| read_package(&there.path).ok());
        existing_package.is_some_and(|there| there.files() == self.package.files())
    }

    /// The question to ask before something is replaced.
    fn replace_question(&self, context: &CommandContext) -> Option<String> {
        let (id, new) = (self.id(), &self.source.manifest.version);
        let mut reasons = Vec::new();
        match (&self.existing_mod, &self.other_with_same_id) {
            (Some(there), _) => reasons.push(match &there.source {
                None => format!("the installed {id} cannot be read; {new} would replace it"),
                Some(old) => {
                    let old = &old.manifest.version;
                    match new.cmp(old) {
                        std::cmp::Ordering::Greater => {
                            format!("{id} {old} is installed; {new} is newer and would replace it")
                        }
                        std::cmp::Ordering::Less => {
                            format!("{id} {old} is installed and newer; {new} would replace it")
                        }
                        std::cmp::Ordering::Equal => format!(
                            "{id} {old} is installed with other files; this one would replace it"
                        ),
                    }
                }
            }),
            (None, Some(other)) if disk_path(other).is_none() => {
                let old = &other.manifest.version;
                reasons
                    .push(format!("the program contains {id} {old}; {new} would be used instead"));
            }
            (None, _) => return None,
        }
        reasons.extend(self.mods_needing_other_version(context));
        reasons.extend(unfinished_run_messages(context, id));
        Some(format!("{}. Replace it?", reasons.join("; ")))
    }

    /// Mods that need another version.
    fn mods_needing_other_version(&self, context: &CommandContext) -> Vec<String> {
        let (id, new) = (self.id(), &self.source.manifest.version);
        let found = FoundMods::discover(context);
        let needing = found.mods.iter().filter_map(|one| {
            let range = one.manifest.needed_mods.get(id)?;
            (!range.matches(new)).then(|| format!("{} needs {id} {range}", one.id()))
        });
        needing.collect()
    }

    fn apply_plan(&self, context: &CommandContext) -> Result<Vec<String>, CommandFailure> {
        let install_target = &self.install_target;
        let wrong = |why: io::Error| write_error_failure(&install_target.mod_folder(), &why);
        let progress = Progress::new("installing", self.package.files().len());
        let write_result = install_target.write_staging_files(self.package.files(), &progress);
        let is_complete = write_result.as_ref().is_ok_and(|whole| *whole)
            && read_folder(&install_target.staging_folder())
                .is_ok_and(|laid| laid.digest == self.source.digest)
            && !progress.is_stopped();
        if !is_complete {
            install_target.remove_staging_files();
            return Err(match write_result {
                Err(why) => wrong(why),
                Ok(_) => {
                    let found =
                        format!("stopped before {} was installed; nothing was changed", self.id());
                    command_failure(Problem::error(Code::Stopped, found).hint("install it again"))
                }
            });
        }
        let old = self.existing_mod.as_ref().map(|there| there.path.as_path());
        install_target.replace_installed(old).map_err(|why| {
            install_target.remove_staging_files();
            wrong(why)
        })?;
        Ok(self.result_messages(context))
    }

    fn result_messages(&self, context: &CommandContext) -> Vec<String> {
        let (id, version) = (self.id(), &self.source.manifest.version);
        let place =
            text::strip_unprintable(&self.install_target.mod_folder().display().to_string());
        let mut messages = vec![match self.existing_mod.as_ref().map(|there| &there.source) {
            None => format!("{id} {version} is installed in {place}"),
            Some(None) => {
                format!("{id} {version} replaces files that could not be read, in {place}")
            }
            Some(Some(old)) => {
                format!("{id} {version} replaces {}, in {place}", old.manifest.version)
            }
        }];
        let left_out = self.package.excluded_files();
        if !left_out.is_empty() {
            messages.push(format!(
                "Not installed (backup files, or files outside the mod's folder): {}",
                left_out.join(", ")
            ));
        }
        let installed = read_folder(&self.install_target.mod_folder()).ok();
        let unread = installed.iter().flat_map(unread_file_warnings);
        messages.extend(unread.map(|problem| problem.message));
        if let Some(other) = &self.other_with_same_id
            && disk_path(other).is_some()
        {
            messages.push(format!(
                "It is not used: another {} is found first, in {}",
                id,
                location_text(other)
            ));
        }
        let on = read_profile(context).is_ok_and(|profile| {
            profile.games.values().any(|kept| kept.enabled_mods.iter().any(|on| on == id))
        });
        messages.push(match (self.source.manifest.is_game, on) {
            (true, _) => {
                format!("Play it: sub-rosa --game {id}{}", self.arguments_for_suggested_commands)
            }
            (false, true) => format!("{id} is still on"),
            (false, false) => {
                format!(
                    "Turn it on: sub-rosa mods on {id}{}",
                    self.arguments_for_suggested_commands
                )
            }
        });
        messages
    }

    fn to_installed_mod(&self, messages: Vec<String>) -> InstalledMod {
        let folder = self.install_target.mod_folder().display().to_string();
        let version = self.source.manifest.version.to_string();
        InstalledMod { id: self.id().to_owned(), version, folder, messages }
    }
}

/// Reads the mod to install, or says what the file is instead.
fn read_package_to_install(path: &Path) -> Result<ModPackage, CommandFailure> {
    let path_text = text::strip_unprintable(&path.display().to_string());
    let place = || SourceLocation::new("", path_text.clone(), 0);
    if let Err(why) = fs::metadata(path) {
        let found = format!("{path_text} cannot be read: {why}");
        let problem = Problem::error(Code::NoSuchFile, found).at(place());
        return Err(usage_error(problem.expected("a zip file of a mod, or its folder")));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_part = [".lua", ".luau", ".toml"].iter().any(|ending| name.ends_with(ending));
    if is_part && path.is_file() {
        let problem =
            Problem::error(Code::NotAMod, format!("{path_text} is one file of a mod")).at(place());
        let problem = problem.expected("the mod's folder, with its mod.toml, or a zip file of it");
        return Err(usage_error(
            problem.hint("a mod needs a mod.toml beside its scripts: `sub-rosa new` creates both"),
        ));
    }
    read_package(path).map_err(|problems| (CommandOutcome::Problems, problems))
}

fn is_same_path(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
