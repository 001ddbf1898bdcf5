//! `simulate`: many runs by a bot, with statistics. It is used to balance a game.

mod arguments;
mod figures;
pub(super) mod grid;
mod report;
mod seek;
mod shards;
mod versus;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

pub(super) use arguments::HELP;
use arguments::Shard;
pub use arguments::SimulateArguments;
pub(super) use grid::Group;
use report::{Record, Report};
use shards::{Head, Merged};
use versus::Versus;
pub use versus::reach;

use super::case::{Case, beside_the_game};
use super::crowd::{Hands, crowd, threads_here};
use super::mods::Refused;
use super::playing::{End, Looks, play};
use super::watch::Watch;
use super::{Bench, Done, Outcome, told};
use crate::content::Registry;
use crate::kit::problem::nearest;
use crate::kit::{Problem, Value};
use crate::mods::read_folder;
use crate::run::{Bot, RANDOM, Startup, Terms, parameters, parted, written};
use crate::workshop::Out;

/// Runs the simulation.
pub fn simulate(bench: &Bench, asked: &SimulateArguments, out: &mut dyn Out) -> Done {
    let json = asked.around.json;
    let outcome = match () {
        () if !asked.merge.is_empty() => merged(asked, out),
        () if asked.optimize.is_some() => {
            seek::seek(bench, asked, asked.optimize.as_deref().unwrap_or_default(), out)
        }
        () if !asked.vs.is_empty() || !asked.vs_mods.is_empty() => compared(bench, asked, out),
        () => plainly(bench, asked, out),
    };
    match outcome {
        Ok(done) => done,
        Err((outcome, problems)) => told::refuse(out, json, outcome, &problems),
    }
}

/// Plays the runs of one set of mods, and reports or prints them.
fn plainly(bench: &Bench, asked: &SimulateArguments, out: &mut dyn Out) -> Result<Done, Refused> {
    let side = Side::start_up(bench, asked)?;
    let (answers, records): (Vec<_>, Vec<_>) = side.runs(asked)?.into_iter().unzip();
    let (first_seed, wanted) = (asked.seed, asked.runs);
    let (groups, records) = (&side.groups[..], &records[..]);
    if let Some(shard) = asked.shard {
        let head = Head::new(&side, asked, shard);
        return Ok(shards::write(out, &head, records).map(|()| sound(records)));
    }
    let report = Report { bot: &side.bot, first_seed, wanted, groups, records };
    let done = report_as(&report, asked, out);
    if let Some(folder) = &asked.record {
        let runs = records.iter().zip(answers);
        let case = |(record, answers): (&Record, Vec<String>)| {
            let group = &groups[record.group];
            let start = (group, &side.profile);
            case(&side.startup, &side.bot, (record, answers), start)
        };
        let cases =
            runs.map(case).filter(|case| asked.outcome.is_none() || case.ends == asked.outcome);
        write_firsts(folder, cases).map_err(|problem| (Outcome::Problems, vec![problem]))?;
    }
    Ok(done)
}

/// Merges shards and reports.
fn merged(asked: &SimulateArguments, out: &mut dyn Out) -> Result<Done, Refused> {
    let merged = shards::read(&asked.merge).map_err(|problem| (Outcome::Usage, vec![problem]))?;
    let Merged { head, records, .. } = &merged;
    let (bot, groups, records) = (&head.bot[..], &head.groups[..], &records[..]);
    let report = Report { bot, first_seed: head.seed, wanted: head.runs, groups, records };
    Ok(report_as(&report, asked, out))
}

/// Plays the same seeds with two sets of mods.
fn compared(bench: &Bench, asked: &SimulateArguments, out: &mut dyn Out) -> Result<Done, Refused> {
    let one = Side::start_up(bench, asked)?;
    let (mut places, mut with) = (bench.places.clone(), bench.with.clone());
    // A mod from `--vs-mods` replaces the mod with the same id that was named for both sides.
    let others: Vec<String> = asked.vs_mods.iter().filter_map(|folder| id_of(folder)).collect();
    places.extra.retain(|folder| id_of(folder).is_none_or(|id| !others.contains(&id)));
    places.extra.splice(0..0, asked.vs_mods.iter().cloned());
    with.extend(asked.vs.iter().cloned());
    let (game, data_dir, profile) =
        (bench.game.clone(), bench.data_dir.clone(), bench.profile.clone());
    let other = Side::start_up(&Bench { places, game, with, data_dir, profile }, asked)?;
    if other.groups != one.groups {
        let problem =
            Problem::error("not-comparable", "the two sets of mods have different options")
                .expected("options and values that both have")
                .hint("set the ones that differ with --set");
        return Err((Outcome::Usage, vec![problem]));
    }
    let records = |side: &Side| -> Result<Vec<Record>, Refused> {
        Ok(side.runs(asked)?.into_iter().map(|(_, record)| record).collect())
    };
    let (first, second) = (records(&one)?, records(&other)?);
    let versus = Versus { bot: &one.bot, groups: &one.groups, one: &first, other: &second };
    let names = [one.names(false), other.names(false)];
    let names = if names[0] == names[1] { [one.names(true), other.names(true)] } else { names };
    let done = match asked.around.json {
        true => versus.json(out, &names),
        false => versus.table(out, &names),
    };
    Ok(done.map(|()| match (sound(&first), sound(&second)) {
        (Outcome::Ok, Outcome::Ok) => Outcome::Ok,
        _ => Outcome::Problems,
    }))
}

/// The id of the mod in a folder; none if it is a folder of mods.
fn id_of(folder: &Path) -> Option<String> {
    Some(read_folder(folder).ok()?.id().to_owned())
}

fn report_as(report: &Report<'_>, asked: &SimulateArguments, out: &mut dyn Out) -> Done {
    match (asked.around.json, asked.csv) {
        (true, _) => report.json(out)?,
        (_, true) => report.csv(out)?,
        _ => report.table(out)?,
    }
    Ok(sound(report.records))
}

/// Problems if a run did not end by itself.
fn sound(records: &[Record]) -> Outcome {
    let ended = records.iter().all(|record| matches!(record.end, End::Finished(_)));
    if ended { Outcome::Ok } else { Outcome::Problems }
}

/// A set of mods, and how it is played.
struct Side {
    startup: Startup,
    bot: String,
    groups: Vec<Group>,
    profile: Value,
}

impl Side {
    fn start_up(bench: &Bench, asked: &SimulateArguments) -> Result<Self, Refused> {
        let startup = bench.start_up()?;
        let registry = startup.vm.registry();
        let prepared = bot_named(registry, asked.bot.as_deref())
            .and_then(|bot| Ok((bot, grid::groups(&startup.vm, &asked.set)?)));
        let (bot, groups) = prepared.map_err(|problem| (Outcome::Usage, vec![problem]))?;
        let profile = grid::profile(&Value::map(), &asked.profile_data);
        Ok(Self { startup, bot, groups, profile })
    }

    /// The mods as text: with versions, and with digests if versions are equal.
    fn names(&self, with_digest: bool) -> String {
        let mods = self.startup.content.mods.mods.iter();
        let named = mods.map(|one| match with_digest {
            true => format!("{} {} ({})", one.id(), one.manifest.version, one.digest),
            false => format!("{} {}", one.id(), one.manifest.version),
        });
        named.collect::<Vec<_>>().join(", ")
    }

    /// Plays the runs. Keeps the end of each run, and its answers if cases are recorded.
    fn runs(&self, asked: &SimulateArguments) -> Result<Vec<(Vec<String>, Record)>, Refused> {
        let range = asked.shard.unwrap_or(Shard::WHOLE).range(asked.runs);
        let (first, each) = (asked.seed.wrapping_add(range.start as u64), range.len());
        let count = each * self.groups.len();
        let watch = Watch::new("simulating", count);
        let threads = asked.threads.unwrap_or_else(threads_here);
        let Self { startup: Startup { content, .. }, bot, groups, profile } = self;
        let hands = Hands { threads, load: &|| content.load(), leave: &|_| {} };
        let records = crowd(&hands, 0..count, &watch, &|vm, index| {
            let (group, seed) = (index / each, first.wrapping_add((index % each) as u64));
            let options = groups[group].options.clone();
            let terms = Terms { seed, options, profile: profile.clone() };
            let mut bot = Bot::new(bot, seed);
            let mut player =
                |run: &mut _, told: &[_]| watch.thinking(|| bot.choose(run, told)).map(Some);
            let (played, vm) = play(content, vm, &terms, asked.steps, Looks::Seldom, &mut player);
            let steps = played.tried.len() as u64;
            let answers = if asked.record.is_some() { played.answers } else { Vec::new() };
            ((answers, Record { group, seed, steps, end: played.end }), vm)
        });
        let records = records.map_err(|problems| (Outcome::Problems, problems))?;
        let records: Vec<_> = records.into_iter().flatten().collect();
        watch.finish(records.iter().map(|(_, record)| record.steps).sum());
        Ok(records)
    }
}

/// Finds a bot by id or name, with its parameters; without a name, the first bot of the game.
pub(super) fn bot_named(registry: &Registry, name: Option<&str>) -> Result<String, Problem> {
    let mut bots = registry.all("bot").map(|bot| bot.id.to_string());
    let Some(written) = name else {
        return Ok(bots.next().unwrap_or_else(|| RANDOM.to_owned()));
    };
    let (name, said) = parted(written);
    if name == RANDOM {
        let wrong = said.iter().find_map(|one| no_such_way(name, &[], one));
        return wrong.map_or_else(|| Ok(RANDOM.to_owned()), Err);
    }
    let short = |id: &String| id.split(':').next_back() == Some(name);
    if let Some(bot) = bots.find(|id| id == name || short(id)) {
        let declared = parameters(registry, &bot);
        return match said.iter().find_map(|one| no_such_way(name, &declared, one)) {
            Some(problem) => Err(problem),
            None => Ok(format!("{bot}{}", &written[name.len()..])),
        };
    }
    let names: Vec<&str> = registry.all("bot").map(|bot| bot.id.name()).collect();
    let mut problem = Problem::error("no-such-bot", format!("there is no bot \"{name}\""));
    let others = names.iter().map(|name| format!(", {name}"));
    problem = problem.expected(format!("one of {RANDOM}{}", others.collect::<String>()));
    Err(problem.did_you_mean(nearest(name, names)))
}

/// The Problem of a wrong parameter of a bot.
fn no_such_way(
    bot: &str,
    declared: &[(Arc<str>, Vec<Value>)],
    (name, value): &(&str, &str),
) -> Option<Problem> {
    let found = declared.iter().find(|(of, _)| **of == **name);
    let values: Vec<String> =
        found.map_or(Vec::new(), |(_, values)| values.iter().map(written).collect());
    if values.iter().any(|one| one == value) {
        return None;
    }
    let (found, expected) = match found {
        Some(_) => (
            format!("the bot \"{bot}\" cannot play with {name}={value}"),
            values.iter().map(|value| format!("{name}={value}")).collect::<Vec<_>>().join(", "),
        ),
        None => (
            format!("the bot \"{bot}\" has no parameter \"{name}\""),
            match declared.iter().map(|(name, _)| &**name).collect::<Vec<_>>()[..] {
                [] => "the name alone: it has no parameters".to_owned(),
                ref names => format!("one of {}", names.join(", ")),
            },
        ),
    };
    Some(Problem::error("no-such-bot", found).expected(expected))
}

fn case(
    startup: &Startup,
    bot: &str,
    (record, answers): (&Record, Vec<String>),
    (group, profile): (&Group, &Value),
) -> Case {
    let ends = match &record.end {
        End::Finished(_) => Some(record.end.word().to_owned()),
        _ => None,
    };
    let problem = match &record.end {
        End::Problem(problem) => Some(problem.code.clone()),
        _ => None,
    };
    Case {
        about: format!("{bot}, seed {}: {}", record.seed, record.end.word()),
        seed: record.seed,
        game: startup.content.mods.game().id().to_owned(),
        mods: beside_the_game(&startup.content),
        options: group.given.clone(),
        profile: profile.clone(),
        answers,
        ends,
        given: Vec::new(),
        settings: startup.content.settings.clone(),
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

/// Writes a case to a folder.
pub(super) fn write_case(folder: &Path, name: &str, case: &Case) -> Result<(), Problem> {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let path = folder.join(format!("{name}.toml"));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, case.to_text()));
    written.map_err(|error| {
        Problem::error("not-written", format!("{} cannot be written: {error}", path.display()))
            .hint("choose a folder that can be written to")
    })
}
