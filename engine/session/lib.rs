//! A session: one run in progress. Runs each input as one step, and starts, resumes, replays and
//! pays runs. Knows nothing of terminals or rulesets.

mod attribution;
mod bot;
mod console;
mod content_diff;
mod daily_run;
mod host_prompt;
mod invalid_settings;
mod lifecycle;
mod migrate_content;
mod page;
mod player_account;
mod practice;
mod recorder;
mod reload;
mod replay;
mod replay_player;
mod restore;
mod run_content;
mod run_ending;
mod run_options;
mod run_source;
mod run_summary;
mod start_session;
mod startup;
mod step;
mod step_differences;
mod step_outcome;
mod step_trace;
mod task_runner;
mod text_overrides;
mod undo;
mod update_report;
mod view_policy;
mod wrong_writes;

pub use bot::{
    Bot, RANDOM_BOT_ID, declared_bot_parameters, format_bot_parameter, split_bot_parameters,
};
pub use content_diff::{DiffSide, diff_content};
pub use daily_run::daily_option_values;
pub use host_prompt::{
    DISABLE_HOOK_CHOICE_ID, DISABLE_MOD_CHOICE_ID, LEAVE_RUN_CHOICE_ID, REFUSE_STEP_CHOICE_ID,
    RETRY_CHOICE_ID,
};
pub use lifecycle::{
    ActiveRun, ReplayedJournal, RunRequest, abandon_run, abandon_unplayable_run, pay_run,
    replay_and_verify, resume_run, start_daily_run, start_run, start_run_in_vm,
    verify_run_with_content,
};
pub use player_account::PlayerAccount;
pub use practice::{fork_from_replay, no_award_reason, undo_step};
pub use recorder::StepRecorder;
pub use reload::{ReloadOutcome, adopt_folder_origins, reload_if_content_differs, reread_mods};
pub use replay_player::{ReplayFrame, ReplayPlayer};
pub use restore::{RestoredRun, restore_run};
pub use run_content::{RunContent, RunParameters};
pub use run_options::{
    OptionSpec, OptionType, complete_and_check_options, complete_options, option_specs,
};
pub use run_source::RunSource;
pub use run_summary::{OddsTally, RunSummary};
pub use script::TraceEntry;
pub use startup::{
    LoadedStart, StartError, StartPlan, StartRequest, find_start_game, is_problem_of_mod,
    missing_mod_problem, plan_start, prepare_start, reread_translation, translation_folders,
};
pub use step::Session;
pub use step_outcome::StepOutcome;
pub use undo::{fork_run, undo_to_step};
pub use update_report::{describe_changes_since_run, migrate_profile};
pub use view_policy::ViewPolicy;
