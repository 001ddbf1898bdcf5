//! `simulate`: many runs by a bot, and what they come to. A game's numbers are tuned by it.

mod arguments;
mod figures;
pub(super) mod grid;
mod report;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

pub(super) use arguments::HELP;
pub use arguments::SimulateArguments;
pub(super) use grid::Group;
use report::{Record, Report};

use super::case::Case;
use super::crowd::{Hands, crowd, threads_here};
use super::playing::{End, play};
use super::watch::Watch;
use super::{Bench, Done, Outcome, told};
use crate::content::Registry;
use crate::kit::problem::nearest;
use crate::kit::{Problem, Value};
use crate::run::{Bot, Gathered, RANDOM, Terms, option_specs};

/// Simulates.
pub fn simulate(bench: &Bench, asked: &SimulateArguments, out: &mut dyn Write) -> Done {
    let json = asked.around.json;
    let gathered = match bench.gather() {
        Ok(gathered) => gathered,
        Err((outcome, problems)) => return told::refuse(out, json, outcome, &problems),
    };
    let registry = gathered.vm.registry();
    let specs = option_specs(registry);
    let prepared = bot_named(registry, asked.bot.as_deref())
        .and_then(|bot| Ok((bot, grid::groups(&specs, &asked.set, &BTreeMap::new())?)));
    let (bot, groups) = match prepared {
        Ok(prepared) => prepared,
        Err(problem) => return told::refuse(out, json, Outcome::Usage, &[problem]),
    };
    let profile = grid::profile(&Value::map(), &asked.profile_data);
    let runs = match runs(&gathered, asked, &bot, &groups, &profile) {
        Ok(runs) => runs,
        Err(problems) => return told::refuse(out, json, Outcome::Problems, &problems),
    };
    let (answers, records): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
    let (first_seed, wanted) = (asked.seed, asked.runs);
    let (groups, records) = (&groups[..], &records[..]);
    let report = Report { bot: &bot, first_seed, wanted, groups, records };
    match (json, asked.csv) {
        (true, _) => report.json(out)?,
        (_, true) => report.csv(out)?,
        _ => report.table(out)?,
    }
    if let Some(folder) = &asked.record {
        let runs = records.iter().zip(answers);
        let case = |(record, answers): (&Record, Vec<String>)| {
            let group = &groups[record.group];
            case(&gathered, bench, &bot, (record, answers), (group, &profile))
        };
        let cases =
            runs.map(case).filter(|case| asked.outcome.is_none() || case.ends == asked.outcome);
        if let Err(problem) = write_firsts(folder, cases) {
            return told::refuse(out, json, Outcome::Problems, &[problem]);
        }
    }
    Ok(if report.is_sound() { Outcome::Sound } else { Outcome::Problems })
}

fn runs(
    gathered: &Gathered,
    asked: &SimulateArguments,
    bot: &str,
    groups: &[Group],
    profile: &Value,
) -> Result<Vec<(Vec<String>, Record)>, Vec<Problem>> {
    let count = asked.runs * groups.len();
    let watch = Watch::new("simulating", count);
    let threads = asked.threads.unwrap_or_else(threads_here);
    let content = &gathered.content;
    let hands = Hands { threads, load: &|| content.load(), leave: &|_| {} };
    let records = crowd(&hands, 0..count, &watch, &|vm, index| {
        let (group, seed) = (index / asked.runs, asked.seed + (index % asked.runs) as u64);
        let options = groups[group].options.clone();
        let terms = Terms { seed, options, profile: profile.clone() };
        let mut bot = Bot::new(bot, seed);
        let mut player = |session: &_, told: &[_]| bot.choose(session, told).map(Some);
        let (played, vm) = play(content, vm, &terms, asked.steps, &mut player);
        let steps = played.tried.len() as u64;
        let answers = if asked.record.is_some() { played.answers } else { Vec::new() };
        ((answers, Record { group, seed, steps, end: played.end }), vm)
    })?;
    let records: Vec<_> = records.into_iter().flatten().collect();
    watch.finish(records.iter().map(|(_, record)| record.steps).sum());
    Ok(records)
}

/// The bot of that id or name; the game's first if none is named.
pub(super) fn bot_named(registry: &Registry, name: Option<&str>) -> Result<String, Problem> {
    let mut bots = registry.all("bot").map(|bot| bot.id.to_string());
    let Some(name) = name else {
        return Ok(bots.next().unwrap_or_else(|| RANDOM.to_owned()));
    };
    if name == RANDOM {
        return Ok(RANDOM.to_owned());
    }
    let short = |id: &String| id.split(':').next_back() == Some(name);
    if let Some(bot) = bots.find(|id| id == name || short(id)) {
        return Ok(bot);
    }
    let names: Vec<&str> = registry.all("bot").map(|bot| bot.id.name()).collect();
    let mut problem = Problem::error("no-such-bot", format!("there is no bot \"{name}\""));
    let others = names.iter().map(|name| format!(", {name}"));
    problem = problem.expected(format!("one of {RANDOM}{}", others.collect::<String>()));
    Err(match nearest(name, names) {
        Some(near) => problem.hint(format!("did you mean \"{near}\"?")),
        None => problem,
    })
}

fn case(
    gathered: &Gathered,
    bench: &Bench,
    bot: &str,
    (record, answers): (&Record, Vec<String>),
    (group, profile): (&Group, &Value),
) -> Case {
    let ends = match &record.end {
        End::Finished(_) => Some(record.end.word().to_owned()),
        _ => None,
    };
    let folders = bench.places.extra.iter().map(|folder| folder.to_string_lossy().into_owned());
    let problem = match &record.end {
        End::Problem(problem) => Some(problem.code.clone()),
        _ => None,
    };
    Case {
        about: format!("{bot}, seed {}: {}", record.seed, record.end.word()),
        seed: record.seed,
        game: gathered.content.mods.game().id().to_owned(),
        mods: folders.chain(bench.with.iter().cloned()).collect(),
        options: group.given.clone(),
        profile: profile.clone(),
        answers,
        ends,
        given: Vec::new(),
        settings: gathered.content.settings.clone(),
        owner: String::new(),
        expect: Vec::new(),
        problem,
    }
}

/// Writes the first case of each outcome.
fn write_firsts(folder: &Path, cases: impl Iterator<Item = Case>) -> Result<(), Problem> {
    let mut firsts = BTreeMap::new();
    for case in cases {
        let word = case.ends.clone().unwrap_or_else(|| "problem".to_owned());
        firsts.entry(word).or_insert(case);
    }
    for (word, case) in firsts {
        write_case(folder, &format!("{word}_{}", case.seed), &case)?;
    }
    Ok(())
}

/// Writes a case into a folder.
pub(super) fn write_case(folder: &Path, name: &str, case: &Case) -> Result<(), Problem> {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let path = folder.join(format!("{name}.toml"));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, case.to_text()));
    written.map_err(|error| {
        Problem::error("not-written", format!("{} cannot be written: {error}", path.display()))
            .hint("name a folder that can be written to")
    })
}
