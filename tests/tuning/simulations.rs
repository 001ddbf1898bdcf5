//! Simulations, a few runs per file: an interrupted simulation continues, and stored results are
//! read without playing.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::tally::RunTally;

/// Runs per file.
const FEW: u64 = 10;

/// The first reported seed: those below it are for tuning.
const FIRST_SEED: u64 = 20_000_000;

/// Runs with the same parameters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TuningGroup {
    pub bot: &'static str,
    pub how: &'static str,
    pub place: &'static str,
    pub hand: &'static str,
    pub standing: u32,
    pub ironman: bool,
}

impl TuningGroup {
    /// The prefix of its file names.
    fn name(&self) -> String {
        let Self { bot, how, place, hand, standing, ironman } = self;
        let bot = bot.replace('/', "+");
        let breath = if *ironman { "one_breath" } else { "breaths" };
        format!("{bot}.{how}.{place}.{hand}.{standing}.{breath}.")
    }

    fn arguments(&self, runs: u64, seed: u64) -> Vec<String> {
        let Self { bot, how, place, hand, standing, ironman } = self;
        let experience = 30 * (standing - 1) * standing;
        let mut all = vec!["--csv".to_owned(), "--bot".to_owned(), (*bot).to_owned()];
        let set = [
            format!("build={hand}"),
            format!("difficulty={how}"),
            format!("dungeon={place}"),
            format!("ironman={ironman}"),
        ];
        all.extend(set.into_iter().flat_map(|option| ["--set".to_owned(), option]));
        all.extend(["--profile-data".to_owned(), format!("experience={experience}")]);
        all.extend(["--runs".to_owned(), runs.to_string(), "--seed".to_owned(), seed.to_string()]);
        all
    }
}

/// Stored runs, and the program that plays them.
pub struct SimulationStore {
    folder: PathBuf,
    program: PathBuf,
    kept: BTreeMap<String, String>,
}

impl SimulationStore {
    /// The store of the current numbers; runs with other numbers are in other folders.
    pub fn open(folder: &Path) -> Self {
        let folder = folder.join(format!("{:016x}", of_the_game()));
        fs::create_dir_all(&folder).unwrap();
        let program = env::var_os("SUB_ROSA_TUNING_PROGRAM")
            .map_or_else(|| env!("CARGO_BIN_EXE_sub-rosa").into(), PathBuf::from);
        let mut kept = BTreeMap::new();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.extension().is_some_and(|ending| ending == "csv" || ending == "json") {
                kept.insert(name, fs::read_to_string(path).unwrap());
            }
        }
        Self { folder, program, kept }
    }

    /// The program's output, cached under a name.
    fn cached_output(&mut self, name: &str, arguments: &[String]) {
        if self.kept.contains_key(name) {
            return;
        }
        let mut command = Command::new(&self.program);
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        command.args(["simulate", "--mods", "base_game", "--game", "sub_rosa"]).args(arguments);
        let output = command.output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {told}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        // An interrupted run leaves no partial file.
        let unfinished = self.folder.join("unfinished");
        fs::write(&unfinished, &told).unwrap();
        fs::rename(unfinished, self.folder.join(name)).unwrap();
        self.kept.insert(name.to_owned(), told);
    }

    /// Plays this many runs of each group, a few of each before more of any.
    pub fn play(&mut self, groups: &[(TuningGroup, u64)]) {
        let most = groups.iter().map(|(_, runs)| runs.div_ceil(FEW)).max().unwrap_or(0);
        for turn in 0..most {
            for (group, runs) in groups.iter().filter(|(_, runs)| turn * FEW < *runs) {
                // Each build has its own seeds: a seed draws map and gear for all of them alike.
                let mut hasher = DefaultHasher::new();
                group.hand.hash(&mut hasher);
                let seed = FIRST_SEED + hasher.finish() % 1000 * 100_000 + turn * FEW;
                self.cached_output(
                    &format!("{}{turn:04}.csv", group.name()),
                    &group.arguments(FEW.min(*runs), seed),
                );
            }
        }
    }

    /// The stored runs of a group.
    pub fn of(&self, group: &TuningGroup) -> RunTally {
        let (mut sum, begins) = (RunTally::default(), group.name());
        for (_, text) in
            self.kept.range(begins.clone()..).take_while(|(name, _)| name.starts_with(&begins))
        {
            let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
            let columns = lines.next().unwrap_or_default();
            for cells in lines {
                let column = |name: &str| columns.iter().position(|is| *is == name);
                sum.add(&RunTally::run(&|name: &str| column(name).map_or("", |at| cells[at])));
            }
        }
        sum
    }

    /// Searches, and stores the result.
    pub fn search(
        &mut self,
        name: &str,
        arguments: &[String],
        runs: u64,
    ) -> Option<serde_json::Value> {
        let name = format!("{name}.json");
        if runs > 0 {
            let mut all =
                ["--optimize", "victory,peace", "--json", "--runs"].map(str::to_owned).to_vec();
            all.extend([runs.to_string(), "--seed".to_owned(), (FIRST_SEED - 100_000).to_string()]);
            all.extend(arguments.iter().cloned());
            self.cached_output(&name, &all);
        }
        serde_json::from_str(self.kept.get(&name)?).ok()
    }
}

/// A digest of everything that can change the result of a run.
fn of_the_game() -> u64 {
    fn walk(folder: &Path, hasher: &mut DefaultHasher) {
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|one| one.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            match path.is_dir() {
                true if path.ends_with("tests") => {}
                true => walk(&path, hasher),
                false => (path.file_name(), fs::read(&path).unwrap()).hash(hasher),
            }
        }
    }
    let mut hasher = DefaultHasher::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    walk(&root.join("base_game"), &mut hasher);
    walk(&root.join("mods/parts"), &mut hasher);
    hasher.finish()
}
