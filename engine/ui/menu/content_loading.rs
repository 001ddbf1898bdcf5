//! The content of a start, as requested by the command line and the player's profile.

use super::MenuSetup;
use crate::preferences::{OWN_LANGUAGE, Preferences};
use base::problem::limit_problems;
use save::Profile;
use script::Vm;
use session::{LoadedStart, RunContent, StartError, StartPlan, StartRequest, plan_start};

/// Finds the content for a start.
pub(super) fn plan_content(setup: &MenuSetup, profile: &Profile) -> Result<StartPlan, StartError> {
    let game = setup.game.as_deref();
    let language = chosen_language(setup, profile);
    let request = StartRequest {
        search_paths: &setup.search_paths,
        game,
        extra_mods: &setup.enabled_mods,
        language: language.as_deref(),
        command_flags: &setup.mods_command_flags(&profile.name),
    };
    let plan = plan_start(request, profile);
    // Further Problems are only counted.
    match plan {
        Ok(plan) => Ok(StartPlan { warnings: limit_problems(plan.warnings, MAX_PROBLEMS), ..plan }),
        Err(StartError::Usage(problems)) => {
            Err(StartError::Usage(limit_problems(problems, MAX_PROBLEMS)))
        }
        Err(StartError::ModProblems(problems)) => {
            Err(StartError::ModProblems(limit_problems(problems, MAX_PROBLEMS)))
        }
    }
}

/// The language of this start or of the profile; `None` for the game's own.
pub(super) fn chosen_language(setup: &MenuSetup, profile: &Profile) -> Option<String> {
    let preferences =
        setup.preferences.with_fallback(&Preferences::from_profile(&profile.preferences));
    preferences.language.filter(|language| !language.is_empty() && language != OWN_LANGUAGE)
}

/// The most Problems that a start shows.
const MAX_PROBLEMS: usize = 50;

/// Finds the content for a start and loads it into a VM.
pub(super) fn load_content(
    setup: &MenuSetup,
    profile: &Profile,
) -> Result<LoadedStart, StartError> {
    plan_content(setup, profile)?.load()
}

/// The existing VM, or a new one for content that was loaded before.
pub(super) fn ensure_vm<'v>(vm: &'v mut Option<Vm>, content: &RunContent) -> &'v Vm {
    if vm.as_ref().is_none_or(|vm| !vm.is_usable()) {
        *vm = Some(content.load_vm().expect("content that loaded once loads again"));
    }
    vm.as_ref().expect("it was just put there")
}
