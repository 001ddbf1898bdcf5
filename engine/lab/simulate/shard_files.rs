//! Shards: parts of a simulation that are played anywhere and merged. A shard is one line of JSON
//! that describes the simulation, then one line for each run. A tool that spreads shards only needs
//! to start programs and collect their output.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SimulationSide;
use super::arguments::{Shard, SimulateArguments};
use super::option_grid::RunGroup;
use super::report::RunRecord;
use base::{Code, Problem, SourceLocation, Value, text};

/// The description of a simulation: the same for all its shards, except the shard number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ShardHeader {
    /// The format of these lines.
    format: u32,
    /// The version of the program.
    #[serde(rename = "engine")]
    engine_version: String,
    /// The mods, each with its version and digest.
    mods: Vec<(String, String, String)>,
    /// The settings of the mods.
    settings: Value,
    /// The bot.
    pub(super) bot: String,
    /// The seed of the first run of the whole simulation.
    pub(super) seed: u64,
    /// Runs of each group in the whole simulation.
    pub(super) runs: usize,
    /// The number of steps after which a run counts as endless.
    steps: u64,
    /// The groups of runs.
    pub(super) groups: Vec<RunGroup>,
    /// The profile at the start of the runs.
    profile: Value,
    /// The number of this shard.
    shard: Shard,
}

/// The current format.
const SHARD_FORMAT: u32 = 1;

impl ShardHeader {
    /// Describes one shard of a simulation.
    pub(super) fn new(side: &SimulationSide, arguments: &SimulateArguments, shard: Shard) -> Self {
        let content = &side.startup.content;
        let mods = content.mods.mods.iter().map(|one| {
            (one.id().to_owned(), one.manifest.version.to_string(), one.digest.to_string())
        });
        Self {
            format: SHARD_FORMAT,
            engine_version: env!("CARGO_PKG_VERSION").to_owned(),
            mods: mods.collect(),
            settings: content.settings.clone(),
            bot: side.bot.clone(),
            seed: arguments.seed,
            runs: arguments.runs,
            steps: arguments.steps,
            groups: side.groups.clone(),
            profile: side.profile.clone(),
            shard,
        }
    }
}

/// Writes one shard.
pub(super) fn write_shard(
    out: &mut dyn Write,
    head: &ShardHeader,
    records: &[RunRecord],
) -> io::Result<()> {
    let line = |value: serde_json::Result<String>| value.map_err(io::Error::other);
    writeln!(out, "{}", line(serde_json::to_string(head))?)?;
    for record in records {
        writeln!(out, "{}", line(serde_json::to_string(record))?)?;
    }
    Ok(())
}

/// Merged shards.
pub(super) struct MergedShards {
    /// The description of the simulation.
    pub(super) header: ShardHeader,
    /// The results of all runs, by group and then by seed.
    pub(super) records: Vec<RunRecord>,
}

/// Reads and merges shards. Shards of different simulations, and a shard that occurs twice, are
/// errors. A missing or interrupted shard leaves fewer runs, and the report says so.
pub(super) fn merge_shards(paths: &[PathBuf]) -> Result<MergedShards, Problem> {
    let mut common_header: Option<ShardHeader> = None;
    let mut seen = BTreeMap::new();
    let mut records = Vec::new();
    for path in paths {
        let bytes =
            fs::read(path).map_err(|why| unreadable_shard_problem(path, 0, &why.to_string()))?;
        let text = decode_text(bytes).map_err(|why| unreadable_shard_problem(path, 0, &why))?;
        let mut lines = text::strip_byte_order_mark(&text).lines();
        let first = lines.next().unwrap_or_default();
        let head: ShardHeader = serde_json::from_str(first)
            .map_err(|why| unreadable_shard_problem(path, 1, &why.to_string()))?;
        let common_header = common_header.get_or_insert_with(|| head.clone());
        if let Some(what) = header_difference(common_header, &head) {
            let found = format!("{} is of another simulation: {what} differs", path.display());
            return Err(Problem::error(Code::NotOneSimulation, found)
                .expected("parts that differ only in --shard"));
        }
        if let Some(other) = seen.insert(head.shard, path) {
            let Shard { number: part, shard_count: of } = head.shard;
            let (one, other) = (other.display(), path.display());
            let found = format!("part {part}/{of} occurs twice: {one} and {other}");
            return Err(Problem::error(Code::PartTwice, found).hint("leave one of them out"));
        }
        for (at, line) in lines.enumerate() {
            let record: RunRecord = serde_json::from_str(line)
                .map_err(|why| unreadable_shard_problem(path, at + 2, &why.to_string()))?;
            if record.group_index >= head.groups.len() {
                return Err(unreadable_shard_problem(path, at + 2, "no such group"));
            }
            records.push(record);
        }
    }
    let head = common_header.ok_or_else(|| {
        Problem::error(Code::NoParts, "--merge got no files")
            .expected("files that `simulate --shard` wrote")
            .hint("name them: `sub-rosa simulate --merge part*.jsonl`")
    })?;
    records.sort_by_key(|record| (record.group_index, record.seed));
    Ok(MergedShards { header: head, records })
}

/// Decodes the text of a shard. UTF-16, which some shells write, is an error that says so.
fn decode_text(bytes: Vec<u8>) -> Result<String, String> {
    let utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    String::from_utf8(bytes).map_err(|_| match utf_16 {
        true => "it is UTF-16, as some shells write with `>`; write it as UTF-8".to_owned(),
        false => "it is not UTF-8".to_owned(),
    })
}

/// The first difference between the descriptions of two shards.
fn header_difference(one: &ShardHeader, other: &ShardHeader) -> Option<&'static str> {
    let same = [
        ("the format", one.format == other.format),
        ("the version of the program", one.engine_version == other.engine_version),
        ("the mods", one.mods == other.mods),
        ("the settings of the mods", one.settings == other.settings),
        ("the bot", one.bot == other.bot),
        ("the first seed", one.seed == other.seed),
        ("the number of runs", one.runs == other.runs),
        ("the maximum number of steps", one.steps == other.steps),
        ("the options", one.groups == other.groups),
        ("the profile", one.profile == other.profile),
        ("the number of parts", one.shard.shard_count == other.shard.shard_count),
    ];
    same.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
}

fn unreadable_shard_problem(path: &Path, line: usize, why: &str) -> Problem {
    let place =
        SourceLocation::new("", path.display().to_string(), u32::try_from(line).unwrap_or(0));
    Problem::error(Code::BadPart, format!("this part cannot be read: {why}"))
        .at(place)
        .expected("a file that `sub-rosa simulate --shard K/N` wrote")
}
