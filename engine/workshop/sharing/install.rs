//! `mods install`: installs a mod from a zip file or a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::in_place::Lot;
use super::{
    Asker, There, failed, lies_at, lies_where, loads, own_mods, there, under_way, unwritten, usage,
};
use crate::kit::{Place, Problem, text};
use crate::mods::{ModSource, Origin, Package, overlooked, read_folder, read_package};
use crate::workshop::Out;
use crate::workshop::mods::{Found, Refused, profile};
use crate::workshop::watch::Watch;
use crate::workshop::{Bench, Done, Outcome, told};

/// The arguments of `mods install`.
#[derive(Clone, Debug)]
pub struct Install {
    /// The zip file or the folder of a mod.
    pub from: PathBuf,
    /// Whether to replace an installed mod without asking.
    pub replace: bool,
    /// The data folder, if it was named; suggested commands repeat it.
    pub data: Option<PathBuf>,
    /// Whether to print JSON.
    pub json: bool,
}

impl Install {
    /// The arguments that a suggested command repeats.
    fn again(&self, bench: &Bench) -> String {
        let data = self.data.iter().map(|data| text::flag("--data", data));
        let player = Some(&bench.profile).filter(|name| *name != "Player");
        let player = player.map(|name| text::flag("--profile", name));
        data.chain(player).map(|flag| format!(" {flag}")).collect()
    }
}

/// Installs a mod.
pub fn install(bench: &Bench, asked: &Install, ask: &mut Asker<'_>, out: &mut dyn Out) -> Done {
    match take_in(bench, asked, ask)? {
        Ok(done) if asked.json => {
            let page = serde_json::json!({
                "id": done.id, "version": done.version, "folder": done.folder, "said": done.said,
            });
            told::json(out, &page)?;
        }
        Ok(done) => done.said.iter().try_for_each(|line| told::line(out, line))?,
        Err((outcome, problems)) => {
            told::refuse(out, asked.json, outcome, &problems)?;
            let said = |problem: &Problem| problem.to_string().contains("nothing was changed");
            if !asked.json && !problems.iter().any(said) {
                told::line(out.wrong(), "nothing was changed")?;
            }
            return Ok(outcome);
        }
    }
    Ok(Outcome::Ok)
}

struct Installed {
    id: String,
    version: String,
    folder: String,
    said: Vec<String>,
}

fn take_in(
    bench: &Bench,
    asked: &Install,
    ask: &mut Asker<'_>,
) -> io::Result<Result<Installed, Refused>> {
    let plan = match Plan::new(bench, asked) {
        Ok(plan) => plan,
        Err(refused) => return Ok(Err(refused)),
    };
    if plan.is_same() {
        let said = vec![format!(
            "{} {} is already installed, with the same files",
            plan.id(),
            plan.source.manifest.version
        )];
        return Ok(Ok(plan.done(said)));
    }
    if let Some(question) = plan.question(bench)
        && !asked.replace
        && !ask(&question)?
    {
        let found = format!("{} was not replaced; nothing was changed", plan.id());
        let problem = Problem::error("not-replaced", found).expected(format!("yes to: {question}"));
        let problem = problem.hint("answer yes, or pass --replace");
        return Ok(Err(failed(problem)));
    }
    Ok(plan.carry_out(bench).map(|said| plan.done(said)))
}

/// What will be done, before anything is changed.
struct Plan {
    lot: Lot,
    package: Package,
    source: ModSource,
    /// The mod that is installed under this id.
    there: Option<There>,
    /// Another mod with this id that is found first, or that the program contains.
    other: Option<ModSource>,
    /// The arguments that a suggested command repeats.
    again: String,
}

impl Plan {
    fn new(bench: &Bench, asked: &Install) -> Result<Self, Refused> {
        let package = read(&asked.from)?;
        let mods = own_mods(bench)?;
        let wrong = |problems| (Outcome::Problems, problems);
        let source = package.read_as(Origin::Disk(asked.from.clone())).map_err(wrong)?;
        let lot = Lot::open(&mods, source.id()).map_err(|why| unwritten(&mods, &why))?;
        let there = there(bench, source.id())?;
        if there.as_ref().is_some_and(|there| is_same_place(&there.path, &asked.from)) {
            let found = format!(
                "{} is already in a folder that is searched for mods",
                asked.from.display()
            );
            return Err(usage(Problem::error("there-already", found).hint("it needs no install")));
        }
        let found = Found::look(bench);
        loads(bench, &found, &source).map_err(|mut problems| {
            let stays = format!(
                "{} does not load, so it was not installed; nothing was changed",
                source.id()
            );
            problems.push(Problem::error("not-installed", stays));
            wrong(problems)
        })?;
        let elsewhere = |other: &&ModSource| match (lies_at(other), &there) {
            (Some(path), Some(there)) => path != there.path,
            _ => true,
        };
        let other = found.get(source.id()).filter(elsewhere).cloned();
        Ok(Self { lot, package, source, there, other, again: asked.again(bench) })
    }

    fn id(&self) -> &str {
        self.source.id()
    }

    fn is_same(&self) -> bool {
        let there = self.there.as_ref().and_then(|there| read_package(&there.path).ok());
        there.is_some_and(|there| there.files() == self.package.files())
    }

    /// The question to ask before something is replaced.
    fn question(&self, bench: &Bench) -> Option<String> {
        let (id, new) = (self.id(), &self.source.manifest.version);
        let mut said = Vec::new();
        match (&self.there, &self.other) {
            (Some(there), _) => said.push(match &there.source {
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
            (None, Some(other)) if lies_at(other).is_none() => {
                let old = &other.manifest.version;
                said.push(format!("the program contains {id} {old}; {new} would be used instead"));
            }
            (None, _) => return None,
        }
        said.extend(self.outgrown(bench));
        said.extend(under_way(bench, id));
        Some(format!("{}. Replace it?", said.join("; ")))
    }

    /// Mods that need another version.
    fn outgrown(&self, bench: &Bench) -> Vec<String> {
        let (id, new) = (self.id(), &self.source.manifest.version);
        let found = Found::look(bench);
        let needing = found.mods.iter().filter_map(|one| {
            let range = one.manifest.needs.get(id)?;
            (!range.matches(new)).then(|| format!("{} needs {id} {range}", one.id()))
        });
        needing.collect()
    }

    fn carry_out(&self, bench: &Bench) -> Result<Vec<String>, Refused> {
        let lot = &self.lot;
        let wrong = |why: io::Error| unwritten(&lot.place(), &why);
        let watch = Watch::new("installing", self.package.files().len());
        let laid = lot.lay(self.package.files(), &watch);
        let whole = laid.as_ref().is_ok_and(|whole| *whole)
            && read_folder(&lot.new_one()).is_ok_and(|laid| laid.digest == self.source.digest)
            && !watch.stopped();
        if !whole {
            lot.leave();
            return Err(match laid {
                Err(why) => wrong(why),
                Ok(_) => {
                    let found =
                        format!("stopped before {} was installed; nothing was changed", self.id());
                    failed(Problem::error("stopped", found).hint("install it again"))
                }
            });
        }
        let old = self.there.as_ref().map(|there| there.path.as_path());
        lot.swap(old).map_err(|why| {
            lot.leave();
            wrong(why)
        })?;
        Ok(self.said(bench))
    }

    fn said(&self, bench: &Bench) -> Vec<String> {
        let (id, version) = (self.id(), &self.source.manifest.version);
        let place = text::clean(&self.lot.place().display().to_string());
        let mut said = vec![match self.there.as_ref().map(|there| &there.source) {
            None => format!("{id} {version} is installed in {place}"),
            Some(None) => {
                format!("{id} {version} replaces files that could not be read, in {place}")
            }
            Some(Some(old)) => {
                format!("{id} {version} replaces {}, in {place}", old.manifest.version)
            }
        }];
        let left_out = self.package.left_out();
        if !left_out.is_empty() {
            said.push(format!(
                "Not installed (backup files, or files outside the mod's folder): {}",
                left_out.join(", ")
            ));
        }
        let laid = read_folder(&self.lot.place()).ok();
        let unread = laid.iter().flat_map(overlooked);
        said.extend(unread.map(|problem| problem.message));
        if let Some(other) = &self.other
            && lies_at(other).is_some()
        {
            said.push(format!(
                "It is not used: another {} is found first, in {}",
                id,
                lies_where(other)
            ));
        }
        let on = profile(bench).is_ok_and(|profile| {
            profile.games.values().any(|kept| kept.mods_on.iter().any(|on| on == id))
        });
        said.push(match (self.source.manifest.game, on) {
            (true, _) => format!("Play it: sub-rosa --game {id}{}", self.again),
            (false, true) => format!("{id} is still on"),
            (false, false) => format!("Turn it on: sub-rosa mods on {id}{}", self.again),
        });
        said
    }

    fn done(&self, said: Vec<String>) -> Installed {
        let folder = self.lot.place().display().to_string();
        let version = self.source.manifest.version.to_string();
        Installed { id: self.id().to_owned(), version, folder, said }
    }
}

/// Reads the mod to install, or says what the file is instead.
fn read(from: &Path) -> Result<Package, Refused> {
    let shown = text::clean(&from.display().to_string());
    let place = || Place::new("", shown.clone(), 0);
    if let Err(why) = fs::metadata(from) {
        let found = format!("{shown} cannot be read: {why}");
        let problem = Problem::error("no-such-file", found).at(place());
        return Err(usage(problem.expected("a zip file of a mod, or its folder")));
    }
    let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_part = [".lua", ".luau", ".toml"].iter().any(|ending| name.ends_with(ending));
    if is_part && from.is_file() {
        let problem =
            Problem::error("not-a-mod", format!("{shown} is one file of a mod")).at(place());
        let problem = problem.expected("the mod's folder, with its mod.toml, or a zip file of it");
        return Err(usage(
            problem.hint("a mod needs a mod.toml beside its scripts: `sub-rosa new` creates both"),
        ));
    }
    read_package(from).map_err(|problems| (Outcome::Problems, problems))
}

fn is_same_place(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
