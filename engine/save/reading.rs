//! Reading a journal. The chain is checked over all bytes; lines are parsed only past the
//! checkpoint, unless all are asked for. Needs no lock: a run that someone plays may be watched.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::chain::{Line, Stop, walk, walk_behind};
use super::checkpoint::{self, Checkpoint};
use super::damage::{Damage, tell};
use super::data_dir::DataDir;
use super::entry::{Entry, Header, ModMark};
use super::head::{self, HeadProblem, head, headless};
use super::journal::{Tail, digest_of};
use super::run_state::RunState;
use super::salvage::Salvage;
use super::sizes::READ_BYTES;
use super::trouble::{Telling, place};
use super::verified_prefix::VerifiedPrefix;
use crate::kit::digest::Hasher;
use crate::kit::fault::{linger, planted};
use crate::kit::fence::fenced;
use crate::kit::{Digest, Problem};
use crate::play::{Event, Past};

/// How much of a journal is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// What lies past the newest checkpoint: enough to go on.
    Tail,
    /// Everything, for whoever goes to and fro in it; the checkpoint is not used.
    All,
}

/// How far back the story of a run that is opened again is read: far enough for any run that a
/// person plays, short enough that a very long one opens as quickly.
pub(super) const STORY_BYTES: usize = 4 * 1024 * 1024;

/// A journal that was read.
#[derive(Debug)]
pub struct Opened {
    /// What the run was started with.
    pub header: Header,
    /// The newest checkpoint, if it can be used and less than everything was asked for.
    pub checkpoint: Option<Checkpoint>,
    /// The entries past the checkpoint with their lines from 1; without one, all but the header.
    pub entries: Vec<(u64, Entry)>,
    /// Where the run stands after the last good line.
    pub run_state: RunState,
    /// What a crash left of a last line. Only told: the run goes on without that line, which
    /// nobody was ever shown anything of.
    pub torn: Option<Problem>,
    /// Damage that no crash leaves. Such a run is not written to before it was mended.
    pub damage: Option<Damage>,
    /// What else there is to tell: a checkpoint that cannot be used.
    pub told: Vec<Problem>,
    pub(super) salvage: Option<Salvage>,
    pub(super) bytes: Vec<u8>,
    /// The file as it lies on disk, where the first line of `bytes` was made anew.
    pub(super) original: Option<Vec<u8>>,
    spans: Vec<Range<usize>>,
    pub(super) good_bytes: u64,
    pub(super) lines: u64,
    pub(super) chain: Digest,
    /// The digest of the good bytes, where it was worked out on the way.
    digest: Option<Hasher>,
}

impl Opened {
    /// What the run told and what was answered, oldest first, as far back as the last `STORY_BYTES` of the journal go:
    /// the log that a person reads. Steps that were taken back are not in it.
    pub fn story(&self) -> Vec<Past> {
        let from = self.bytes.len().saturating_sub(STORY_BYTES);
        let lately = self.spans.iter().filter(|span| span.start >= from);
        let mut told: Vec<(u64, Vec<Past>)> = Vec::new();
        let past = |events: Vec<Event>| events.into_iter().map(Past::Told).collect();
        for entry in
            lately.filter_map(|span| serde_json::from_slice(&self.bytes[span.clone()]).ok())
        {
            match entry {
                Entry::Intent { step, said, .. } if !said.is_empty() => {
                    told.push((step, vec![Past::Answered(said)]));
                }
                Entry::Result { step, events, .. } => told.push((step, past(events))),
                // What was refused was as if it had not been answered.
                Entry::Refusal { step, .. } => told.retain(|(of, _)| *of != step),
                Entry::Reload { events, .. } => {
                    let step = told.last().map_or(0, |(step, _)| *step);
                    told.push((step, past(events)));
                }
                Entry::Back { to, .. } => told.retain(|(step, _)| *step <= to),
                _ => {}
            }
        }
        told.into_iter().flat_map(|(_, events)| events).collect()
    }

    /// Whether steps were taken back after the checkpoint, perhaps to before it.
    pub fn went_back(&self) -> bool {
        self.entries.iter().any(|(_, entry)| matches!(entry, Entry::Back { .. }))
    }

    /// The mods that the run was made on, each version once.
    pub fn marks(&self) -> Vec<&ModMark> {
        let reloads = self.entries.iter().filter_map(|(_, entry)| match entry {
            Entry::Reload { mods, .. } => Some(mods),
            _ => None,
        });
        let all = std::iter::once(&self.header.mods).chain(reloads).flatten();
        let by_digest: BTreeMap<Digest, &ModMark> = all.map(|mark| (mark.digest, mark)).collect();
        by_digest.into_values().collect()
    }

    /// The first line was damaged and is made anew: that is damage too, and the first there is.
    fn made_anew(&mut self, original: Vec<u8>, from: &str, path: &Path) {
        let what = format!("it can be made anew from {from}");
        let further =
            self.damage.take().map(|damage| format!("; line {}: {}", damage.line, damage.what));
        let what = format!("{what}{}", further.unwrap_or_default());
        let mut damage = Damage::of(1, what, &self.run_state, self.salvage.as_ref());
        damage.problem.place = Some(place(path, 1));
        self.damage = Some(damage);
        self.torn = None;
        self.original = Some(original);
    }

    /// The file as it lies on disk.
    pub(super) fn on_disk(&self) -> &[u8] {
        self.original.as_ref().unwrap_or(&self.bytes)
    }

    pub(super) fn tail(&self) -> Tail {
        let good = || &self.bytes[..usize::try_from(self.good_bytes).unwrap_or(usize::MAX)];
        Tail {
            header: self.header.clone(),
            run_state: self.run_state.clone(),
            chain: self.chain,
            digest: self.digest.clone().unwrap_or_else(|| digest_of(good())),
            lines: self.lines,
            bytes: self.good_bytes,
        }
    }
}

impl DataDir {
    /// Reads a run. A Problem says that there is no such run, or that not even its first line
    /// can be read and made anew. Whatever lies in its folder does nothing worse.
    pub fn open(&self, run_id: &str, reach: Reach) -> Result<Opened, Problem> {
        let path = self.journal(run_id)?;
        fenced("read a run's files", || self.open_bare(run_id, reach, &path)).map_err(|problem| {
            if problem.place.is_some() { problem } else { problem.at(place(&path, 0)) }
        })
    }

    /// The same; `None` where the folder holds no journal: such a run never began.
    pub(super) fn open_if_there(
        &self,
        run_id: &str,
        reach: Reach,
    ) -> Result<Option<Opened>, Problem> {
        let path = self.journal(run_id)?;
        match self.disk().exists(&path).telling("look for a run", &path)? {
            true => self.open(run_id, reach).map(Some),
            false => Ok(None),
        }
    }

    fn open_bare(&self, run_id: &str, reach: Reach, path: &Path) -> Result<Opened, Problem> {
        linger("busy_reading");
        assert!(!planted("panic_while_reading_ada") || !run_id.starts_with("ada"), "planted");
        let mut told = Vec::new();
        let checkpoint = |told: &mut Vec<Problem>| {
            checkpoint::read(self, run_id).unwrap_or_else(|problem| {
                told.push(problem);
                None
            })
        };
        let mut found = match reach {
            Reach::All => None,
            Reach::Tail => checkpoint(&mut told),
        };
        // After the checkpoint, so that a run being played has no shorter journal than it says.
        let mut bytes =
            self.disk().read(path, READ_BYTES).telling("read the run's journal", path)?;
        let mut made = None;
        if !head::is_whole(&bytes) {
            let kept = match reach {
                Reach::All => checkpoint(&mut Vec::new()),
                Reach::Tail => None,
            };
            if let Some((whole, from)) = head::anew(&bytes, found.as_ref().or(kept.as_ref())) {
                made = Some((std::mem::replace(&mut bytes, whole), from));
            }
        }
        let mut opened = read_at(path, bytes, found.take(), told)?;
        in_its_place(&opened.header, run_id, path)?;
        if let Some((original, from)) = made {
            opened.made_anew(original, from, path);
        }
        Ok(opened)
    }

    /// Reads all of a journal that may lie anywhere, under any name.
    pub fn open_file(&self, path: &Path) -> Result<Opened, Problem> {
        fenced("read a journal", || {
            let bytes = self.disk().read(path, READ_BYTES).telling("read the journal", path)?;
            read_at(path, bytes, None, Vec::new())
        })
    }
}

/// Reads a journal; what is wrong with it is told with its place.
fn read_at(
    path: &Path,
    bytes: Vec<u8>,
    checkpoint: Option<Checkpoint>,
    told: Vec<Problem>,
) -> Result<Opened, Problem> {
    let mut opened = read(bytes, checkpoint, told).map_err(|why| headless(path, why))?;
    let at = |problem: &mut Problem, line| problem.place = Some(place(path, line));
    if let Some(damage) = &mut opened.damage {
        at(&mut damage.problem, damage.line);
    }
    if let Some(torn) = &mut opened.torn {
        at(torn, opened.lines + 1);
    }
    for problem in opened.told.iter_mut().filter(|problem| problem.place.is_none()) {
        at(problem, 0);
    }
    Ok(opened)
}

/// Whether a journal is that of the run in whose folder it lies.
pub(super) fn in_its_place(header: &Header, run_id: &str, path: &Path) -> Result<(), Problem> {
    if header.run_id == run_id {
        return Ok(());
    }
    let what = format!("this is the journal of the run \"{}\"", header.run_id);
    Err(Problem::error("journal-misplaced", what)
        .at(place(path, 1))
        .expected(format!("the journal of \"{run_id}\""))
        .hint("move it back to the folder of its own name"))
}

fn read(
    bytes: Vec<u8>,
    checkpoint: Option<Checkpoint>,
    mut told: Vec<Problem>,
) -> Result<Opened, HeadProblem> {
    let verified_prefix =
        checkpoint.as_ref().and_then(|checkpoint| VerifiedPrefix::before(checkpoint, &bytes));
    let (mut lines, mut stop) = match &verified_prefix {
        Some(verified_prefix) => walk_behind(&bytes, &verified_prefix.last),
        None => walk(&bytes, Digest::default()),
    };
    let mut spans = Vec::new();
    let digest = verified_prefix.map(|verified_prefix| {
        spans = verified_prefix.spans;
        lines.splice(0..0, [verified_prefix.head, verified_prefix.last]);
        verified_prefix.digest
    });
    let header = head(lines.first().map(|line| &bytes[line.entry.clone()]), &mut stop)?;
    let first = &lines[0];
    let (checkpoint, salvage) = usable(checkpoint, &lines, bytes.len(), &mut stop, &mut told);
    let mut run_state =
        checkpoint.as_ref().map_or_else(|| RunState::new(&header), |c| c.run_state.clone());
    let from = checkpoint.as_ref().map_or(first.end as u64, |c| c.journal_bytes);
    let (mut entries, mut last) = (Vec::new(), first);
    for line in lines.iter().skip(1) {
        if line.end as u64 > from {
            match parse(&bytes[line.entry.clone()], &mut run_state) {
                Ok(entry) => entries.push((line.number, entry)),
                Err(what) => {
                    stop = Some(Stop { line: line.number, what, torn: false });
                    break;
                }
            }
        }
        last = line;
    }
    let (good_bytes, count, chain) = (last.end as u64, last.number, last.chain);
    let salvage = salvage.and_then(|checkpoint| Salvage::behind(checkpoint, &bytes, &run_state));
    let (torn, damage) = tell(stop, &run_state, salvage.as_ref());
    let good = lines.iter().take_while(|line| line.end as u64 <= good_bytes);
    spans.extend(good.skip(1).map(|line| line.entry.clone()).filter(|entry| !entry.is_empty()));
    let known_bytes = checkpoint.as_ref().map_or(0, |found| found.journal_bytes) as usize;
    let digest = digest.map(|mut digest| {
        digest.bytes(&bytes[known_bytes..good_bytes as usize]);
        digest
    });
    Ok(Opened {
        header,
        checkpoint,
        entries,
        run_state,
        torn,
        damage,
        told,
        salvage,
        bytes,
        original: None,
        spans,
        good_bytes,
        lines: count,
        chain,
        digest,
    })
}

/// The checkpoint, if it was taken along this journal: first one that can be used, then one that
/// lies behind damage.
fn usable(
    checkpoint: Option<Checkpoint>,
    lines: &[Line],
    bytes: usize,
    stop: &mut Option<Stop>,
    told: &mut Vec<Problem>,
) -> (Option<Checkpoint>, Option<Checkpoint>) {
    let Some(checkpoint) = checkpoint else { return (None, None) };
    match match_up(&checkpoint, lines, bytes) {
        Ok(()) => (Some(checkpoint), None),
        Err(Mismatch::Short(what)) => {
            // No crash takes away what was synced before the checkpoint was written.
            let line = lines.last().map_or(1, |line| line.number + 1);
            *stop = Some(match stop.take() {
                Some(stop) => Stop { torn: false, ..stop },
                None => Stop { line, what, torn: false },
            });
            (None, Some(checkpoint))
        }
        Err(Mismatch::Other(what)) => {
            told.push(
                Problem::warning("checkpoint-foreign", what)
                    .hint("nothing is lost: the run is played again from its journal"),
            );
            (None, None)
        }
    }
}

/// Reads the entry of a line that is whole.
pub(super) fn parse(entry: &[u8], run_state: &mut RunState) -> Result<Entry, String> {
    let entry: Entry = serde_json::from_slice(entry)
        .map_err(|error| format!("it is whole, but cannot be understood: {error}"))?;
    run_state.follow(&entry).map_err(|why| format!("it is whole, but out of order: {why}"))?;
    Ok(entry)
}

enum Mismatch {
    /// The journal's good part is shorter than it was when the checkpoint was taken.
    Short(String),
    /// It is another journal's.
    Other(String),
}

fn match_up(checkpoint: &Checkpoint, lines: &[Line], bytes: usize) -> Result<(), Mismatch> {
    let at = checkpoint.journal_bytes;
    let good = lines.last().map_or(0, |line| line.end as u64);
    if good < at {
        return Err(Mismatch::Short(format!(
            "the file ends after {bytes} bytes; it had {at} at its checkpoint after step {}",
            checkpoint.step
        )));
    }
    let fits = lines.iter().any(|line| {
        line.end as u64 == at
            && line.chain == checkpoint.journal_chain
            && line.number == checkpoint.journal_lines
    });
    if fits {
        return Ok(());
    }
    Err(Mismatch::Other("the checkpoint was not taken along this journal".to_owned()))
}
