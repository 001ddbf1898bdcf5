//! Simulations, a few runs per file: an interrupted simulation continues, and stored results are
//! read without playing.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::tally::RunTally;

/// Runs per file.
const RUNS_PER_FILE: u64 = 10;

/// The first reported seed: those below it are for tuning.
const FIRST_SEED: u64 = 20_000_000;

/// Runs with the same parameters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TuningGroup {
    pub bot: &'static str,
    pub difficulty: &'static str,
    pub place: &'static str,
    pub build: &'static str,
    pub standing: u32,
    pub ironman: bool,
}

impl TuningGroup {
    /// The prefix of its file names.
    fn file_prefix(&self) -> String {
        let Self { bot, difficulty, place, build, standing, ironman } = self;
        let bot = bot.replace('/', "+");
        let breath_name = if *ironman { "one_breath" } else { "breaths" };
        format!("{bot}.{difficulty}.{place}.{build}.{standing}.{breath_name}.")
    }

    fn simulate_arguments(&self, runs: u64, seed: u64) -> Vec<String> {
        let Self { bot, difficulty, place, build, standing, ironman } = self;
        let experience = 30 * (standing - 1) * standing;
        let mut all_arguments = vec!["--csv".to_owned(), "--bot".to_owned(), (*bot).to_owned()];
        let options = [
            format!("build={build}"),
            format!("difficulty={difficulty}"),
            format!("dungeon={place}"),
            format!("ironman={ironman}"),
        ];
        all_arguments.extend(options.into_iter().flat_map(|option| ["--set".to_owned(), option]));
        all_arguments.extend(["--profile-data".to_owned(), format!("experience={experience}")]);
        all_arguments.extend([
            "--runs".to_owned(),
            runs.to_string(),
            "--seed".to_owned(),
            seed.to_string(),
        ]);
        all_arguments
    }
}

/// Stored runs, and the program that plays them.
pub struct SimulationStore {
    folder: PathBuf,
    program: PathBuf,
    outputs: BTreeMap<String, String>,
}

impl SimulationStore {
    /// The store of the current numbers; runs with other numbers are in other folders.
    pub fn open(folder: &Path) -> Self {
        let folder = folder.join(format!("{:016x}", game_digest()));
        fs::create_dir_all(&folder).unwrap();
        let program = env::var_os("SUB_ROSA_TUNING_PROGRAM")
            .map_or_else(|| env!("CARGO_BIN_EXE_sub-rosa").into(), PathBuf::from);
        let mut outputs = BTreeMap::new();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.extension().is_some_and(|ending| ending == "csv" || ending == "json") {
                outputs.insert(name, fs::read_to_string(path).unwrap());
            }
        }
        Self { folder, program, outputs }
    }

    /// The program's output, cached under a name.
    fn run_and_cache(&mut self, name: &str, arguments: &[String]) {
        if self.outputs.contains_key(name) {
            return;
        }
        let mut command = Command::new(&self.program);
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        command.args(["simulate", "--mods", "base_game", "--game", "sub_rosa"]).args(arguments);
        let output = command.output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {stdout}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        // An interrupted run leaves no partial file.
        let unfinished_path = self.folder.join("unfinished");
        fs::write(&unfinished_path, &stdout).unwrap();
        fs::rename(unfinished_path, self.folder.join(name)).unwrap();
        self.outputs.insert(name.to_owned(), stdout);
    }

    /// Plays this many runs of each group, a few of each before more of any.
    pub fn play_missing_runs(&mut self, groups: &[(TuningGroup, u64)]) {
        let max_turns =
            groups.iter().map(|(_, runs)| runs.div_ceil(RUNS_PER_FILE)).max().unwrap_or(0);
        for batch in 0..max_turns {
            for (group, runs) in groups.iter().filter(|(_, runs)| batch * RUNS_PER_FILE < *runs) {
                // Each build has its own seeds: a seed draws map and gear for all of them alike.
                let mut hasher = DefaultHasher::new();
                group.build.hash(&mut hasher);
                let seed = FIRST_SEED + hasher.finish() % 1000 * 100_000 + batch * RUNS_PER_FILE;
                self.run_and_cache(
                    &format!("{}{batch:04}.csv", group.file_prefix()),
                    &group.simulate_arguments(RUNS_PER_FILE.min(*runs), seed),
                );
            }
        }
    }

    /// The stored runs of a group.
    pub fn tally_of(&self, group: &TuningGroup) -> RunTally {
        let (mut total, prefix) = (RunTally::default(), group.file_prefix());
        for (_, text) in
            self.outputs.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix))
        {
            let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
            let columns = lines.next().unwrap_or_default();
            for cells in lines {
                let column = |name: &str| columns.iter().position(|header| *header == name);
                total.add_tally(&RunTally::from_row(&|name: &str| {
                    column(name).map_or("", |index| cells[index])
                }));
            }
        }
        total
    }

    /// Searches, and stores the result.
    pub fn run_search(
        &mut self,
        name: &str,
        arguments: &[String],
        runs: u64,
    ) -> Option<serde_json::Value> {
        let name = format!("{name}.json");
        if runs > 0 {
            let mut all_arguments =
                ["--optimize", "victory,peace", "--json", "--runs"].map(str::to_owned).to_vec();
            all_arguments.extend([
                runs.to_string(),
                "--seed".to_owned(),
                (FIRST_SEED - 100_000).to_string(),
            ]);
            all_arguments.extend(arguments.iter().cloned());
            self.run_and_cache(&name, &all_arguments);
        }
        serde_json::from_str(self.outputs.get(&name)?).ok()
    }
}

/// A digest of everything that can change the result of a run.
fn game_digest() -> u64 {
    fn hash_folder(folder: &Path, hasher: &mut DefaultHasher) {
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            match path.is_dir() {
                true if path.ends_with("tests") => {}
                true => hash_folder(&path, hasher),
                false => (path.file_name(), fs::read(&path).unwrap()).hash(hasher),
            }
        }
    }
    let mut hasher = DefaultHasher::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    hash_folder(&root.join("base_game"), &mut hasher);
    hash_folder(&root.join("mods/parts"), &mut hasher);
    hasher.finish()
}
