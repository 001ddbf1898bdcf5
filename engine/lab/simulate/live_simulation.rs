//! A simulation whose report is read while the bots play.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use super::arguments::SimulateArguments;
use super::html_report::share_curve;
use super::option_grid::build_profile;
use super::report::{GroupResult, RunRecord, SimulationReport};
use super::{RunGroup, SimulationSide};
use crate::automatic_run::RunEnd;
use crate::live_work::{LiveOutput, live_thread_count};
use author::CommandContext;
use base::Problem;

/// Plays the runs and publishes the report as it grows.
pub(crate) fn simulate_live(
    context: &CommandContext,
    arguments: &SimulateArguments,
    output: &LiveOutput,
) -> Result<(), Vec<Problem>> {
    let arguments = &SimulateArguments { threads: Some(live_thread_count()), ..arguments.clone() };
    let startup = context.load_game().map_err(|(_, problems)| problems)?;
    let profile = build_profile(&[&startup.content.mods], &arguments.profile_data)
        .map_err(|(_, problems)| problems)?;
    let side =
        SimulationSide::new(startup, arguments, profile, &[]).map_err(|(_, problems)| problems)?;
    let planned = side.run_count(arguments);
    let (bot, groups) = (&side.bot[..], &side.groups[..]);
    let records = Mutex::new(BTreeMap::new());
    let publish = |records: &BTreeMap<usize, RunRecord>| {
        let records: Vec<RunRecord> = records.values().cloned().collect();
        let report = SimulationReport {
            bot,
            first_seed: arguments.seed,
            runs_per_group: arguments.runs,
            groups,
            records: &records,
        };
        output.publish(live_report(&report, planned));
    };
    publish(&BTreeMap::new());
    let on_end = |index: usize, record: &RunRecord| {
        if matches!(record.run_end, RunEnd::Stopped) {
            return;
        }
        let mut records = records.lock().unwrap_or_else(PoisonError::into_inner);
        records.insert(index, record.clone());
        if LiveOutput::is_due(records.len(), planned) {
            publish(&records);
        }
    };
    side.play_watched_runs(arguments, &output.progress(planned), &on_end)
        .map_err(|(_, problems)| problems)?;
    publish(&records.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(())
}

fn live_report(report: &SimulationReport<'_>, planned: usize) -> serde_json::Value {
    let describe_group = |(index, (group, result)): (usize, (&RunGroup, GroupResult))| {
        let records = report.records.iter().filter(|record| record.group_index == index);
        let records: Vec<&RunRecord> = records.collect();
        let curve = |name: &String| {
            let points = share_curve(name, &records).into_iter();
            let points = points.map(|(runs, share)| json!({ "runs": runs, "share": share }));
            (name.clone(), points.collect::<Vec<_>>())
        };
        let curves: BTreeMap<String, Vec<_>> = result.outcomes.keys().map(curve).collect();
        json!({ "label": group.label_text(), "result": result, "curves": curves })
    };
    let groups = report.groups.iter().zip(report.group_results()).enumerate().map(describe_group);
    json!({
        "kind": "simulate", "bot": report.bot, "runs": report.records.len(), "planned": planned,
        "groups": groups.collect::<Vec<_>>(),
    })
}
