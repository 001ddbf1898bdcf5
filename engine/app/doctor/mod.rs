//! `sub-rosa doctor`: checks the surroundings of the program, with advice for each problem. The
//! report is safe to paste: the home folder is `~`, and no player is named.

mod data_checks;
mod mod_checks;
mod terminal_checks;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base::text;

use super::environment::{data_dir_or_memory, folder_flags, search_paths};
use super::paths::FolderArguments;
use author::CommandContext;
use ui::menu::DEFAULT_PLAYER_NAME;

pub(super) const DOCTOR_HELP: &str = "\
Checks the terminal, colours, the locale, folders and their rights, free space,
mods and saves. A line with \"care\" has advice below it. The report can be
pasted into a bug report: the home folder is shown as ~, no player is named.

Examples:
  sub-rosa doctor
  sub-rosa doctor --data DIR

Exit status: 0 nothing needs care, 1 something does, 2 wrong arguments.";

/// The width of the report.
const REPORT_COLUMNS: usize = 80;

/// What one check found.
struct Finding {
    message: String,
    /// What to do, if it needs care.
    advice: Option<String>,
}

impl Finding {
    /// Nothing needs care.
    fn ok(message: impl Into<String>) -> Self {
        Self { message: message.into(), advice: None }
    }

    /// Something needs care.
    fn care(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { message: message.into(), advice: Some(advice.into()) }
    }
}

/// Writes the report. Returns whether nothing needs care.
pub(super) fn run_doctor(arguments: &FolderArguments, out: &mut dyn Write) -> io::Result<bool> {
    let folder = arguments.data_folder();
    let context = CommandContext {
        search_paths: search_paths(&arguments.mods, folder.clone()),
        game: None,
        extra_mods: Vec::new(),
        data_dir: data_dir_or_memory(folder.as_deref()),
        profile_name: DEFAULT_PLAYER_NAME.to_owned(),
        folder_flags: folder_flags(&arguments.mods, arguments.data.as_deref()),
    };
    let home = directories::BaseDirs::new().map(|folders| folders.home_dir().to_path_buf());
    let mut report = Report { out, home, care_count: 0 };
    let (version, system) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS);
    report.write_line(&format!("sub-rosa {version}, {system}, {}", std::env::consts::ARCH))?;
    report.write_section("Terminal", terminal_checks::check_terminal())?;
    let folder_findings = data_checks::check_folders(arguments, folder.as_deref());
    report.write_section("Data folder", folder_findings)?;
    report.write_section("Mods", mod_checks::check_mods(&context)?)?;
    report.write_section("Players and runs", data_checks::check_saves(&context.data_dir))?;
    match report.care_count {
        0 => report.write_line("\nNothing needs care.")?,
        1 => report.write_line("\nOne thing needs care.")?,
        count => report.write_line(&format!("\n{count} things need care."))?,
    }
    Ok(report.care_count == 0)
}

/// The report while it is written.
struct Report<'a> {
    out: &'a mut dyn Write,
    home: Option<PathBuf>,
    care_count: usize,
}

impl Report<'_> {
    fn write_section(&mut self, title: &str, findings: Vec<Finding>) -> io::Result<()> {
        self.write_line(&format!("\n{title}"))?;
        for finding in findings {
            let mark = if finding.advice.is_some() { "care" } else { "ok" };
            self.write_wrapped(&format!("  {mark:<6}"), &finding.message)?;
            if let Some(advice) = finding.advice {
                self.care_count += 1;
                self.write_wrapped("        help: ", &advice)?;
            }
        }
        Ok(())
    }

    /// Writes a text behind its start; further lines are indented.
    fn write_wrapped(&mut self, start: &str, message: &str) -> io::Result<()> {
        let message = hide_home(message, self.home.as_deref());
        let lines = text::wrap_lines(&message, REPORT_COLUMNS - start.len());
        for (at, line) in lines.iter().enumerate() {
            let start = if at == 0 { start.to_owned() } else { " ".repeat(start.len()) };
            self.write_line(&format!("{start}{line}"))?;
        }
        Ok(())
    }

    fn write_line(&mut self, line: &str) -> io::Result<()> {
        let mut parts = line.split('\n');
        parts.try_for_each(|part| writeln!(self.out, "{}", text::strip_unprintable(part)))
    }
}

/// The line with `~` for the home folder, whose path usually names the person.
fn hide_home(line: &str, home: Option<&Path>) -> String {
    let home = home.map(|home| home.display().to_string());
    match home.filter(|home| home.len() > 1) {
        Some(home) => line.replace(&home, "~"),
        None => line.to_owned(),
    }
}
