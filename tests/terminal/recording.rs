//! The pictures of the README and of `docs/tour.md`, from the real program on a pseudo-terminal.
//! `SUB_ROSA_PICTURE=1 cargo test --test main recording` draws them again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, native_pty_system};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ui::full_screen::{SVG_CELL_SIZE, SVG_MARGIN, frame_svg};

use super::{DESCENT_FLAGS, OUTPUT_TIMEOUT, Terminal, pty_size};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// The output is complete when none came for this long.
const QUIET_TIME: Duration = Duration::from_millis(600);
/// The pictures of the tour, each with a word that it shows.
const PICTURES: [(&str, &str); 9] = [
    ("doctor", "Nothing needs care"),
    ("odds", "of 20, partial"),
    ("map", "the way so far"),
    ("replay", "step"),
    ("check", "did you mean"),
    ("why", "declared at"),
    ("reload", "changed"),
    ("simulate", "median"),
    ("descent", "Strike"),
];
const MAX_PICTURE_BYTES: usize = 60_000;
const MAX_RECORDING_BYTES: usize = 300_000;
/// How long the recording shows each frame.
const FRAME_SECONDS: f64 = 2.6;

fn picture_path(name: &str) -> PathBuf {
    Path::new(ROOT).join(format!("docs/tour/{name}.svg"))
}

impl Terminal {
    fn open_sized(size: (u16, u16), data: &Path, flags: &[&str]) -> Self {
        let pair = native_pty_system().openpty(pty_size(size.0, size.1)).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(["--data", &data.to_string_lossy()]);
        command.args(flags);
        command.cwd(data);
        Self::open_shown(pair, size, command)
    }

    /// Types a command in a shell, in a folder.
    fn run_in_shell(size: (u16, u16), folder: &Path, line: &str) -> Self {
        let pair = native_pty_system().openpty(pty_size(size.0, size.1)).unwrap();
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", &format!("echo '$ {line}'; {line}")]);
        let program_folder = Path::new(env!("CARGO_BIN_EXE_sub-rosa")).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = format!("{}:{}", program_folder.display(), path.to_string_lossy());
        command.env("PATH", path);
        command.env("HOME", folder);
        command.env_remove("XDG_DATA_HOME");
        command.cwd(folder);
        Self::open_shown(pair, size, command)
    }

    fn open_shown(
        pair: portable_pty::PtyPair,
        size: (u16, u16),
        mut command: CommandBuilder,
    ) -> Self {
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env_remove("NO_COLOR");
        let mut terminal = Self::open_command(pair, command);
        terminal.resize(size.0, size.1);
        terminal
    }

    /// Waits until nothing more is printed.
    fn wait_until_quiet(&self) {
        let start_time = Instant::now();
        let count_bytes = || self.output_bytes.lock().unwrap().len();
        let (mut count, mut since) = (count_bytes(), Instant::now());
        while since.elapsed() < QUIET_TIME && start_time.elapsed() < OUTPUT_TIMEOUT {
            std::thread::sleep(Duration::from_millis(20));
            if count_bytes() != count {
                (count, since) = (count_bytes(), Instant::now());
            }
        }
    }

    fn press(&mut self, key: &str) -> Buffer {
        self.send_keys(key);
        self.wait_until_quiet();
        self.frame()
    }

    /// What the terminal shows, with colours.
    fn frame(&self) -> Buffer {
        let parser = self.screen.lock().unwrap();
        let screen = parser.screen();
        let (rows, columns) = screen.size();
        let mut frame = Buffer::empty(Rect::new(0, 0, columns, rows));
        for row in 0..rows {
            for column in 0..columns {
                let Some(shown) = screen.cell(row, column) else { continue };
                let cell = &mut frame[(column, row)];
                if shown.has_contents() {
                    cell.set_symbol(shown.contents());
                }
                let (text, background) = (shown.fgcolor(), shown.bgcolor());
                let swap = shown.inverse();
                cell.fg = to_colour(if swap { background } else { text });
                cell.bg = to_colour(if swap { text } else { background });
                cell.modifier.set(Modifier::BOLD, shown.bold());
                cell.modifier.set(Modifier::DIM, shown.dim());
            }
        }
        frame
    }
}

fn to_colour(colour: vt100::Color) -> Color {
    match colour {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(number) => Color::Indexed(number),
        vt100::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

fn row_text(frame: &Buffer, row: u16) -> String {
    (0..frame.area.width).map(|column| frame[(column, row)].symbol()).collect()
}

fn frame_text(frame: &Buffer) -> String {
    (0..frame.area.height).map(|row| row_text(frame, row).trim_end().to_owned() + "\n").collect()
}

fn crop_rows(frame: &Buffer, rows: std::ops::Range<u16>) -> Buffer {
    let mut part = Buffer::empty(Rect::new(0, 0, frame.area.width, rows.len() as u16));
    for row in rows.clone() {
        for column in 0..frame.area.width {
            part[(column, row - rows.start)] = frame[(column, row)].clone();
        }
    }
    part
}

/// A row below one that has only the background, which is the colour of a picture's first cell.
fn row_below_empty_row(frame: &Buffer, row: u16) -> Buffer {
    let mut part = Buffer::empty(Rect::new(0, 0, frame.area.width, 2));
    for column in 0..frame.area.width {
        part[(column, 0)].bg = frame[(0, 0)].bg;
        part[(column, 1)] = frame[(column, row)].clone();
    }
    part
}

/// Without the empty rows at the end.
fn without_empty_rows(frame: &Buffer) -> Buffer {
    let last = (0..frame.area.height).rev().find(|row| !row_text(frame, *row).trim().is_empty());
    crop_rows(frame, 0..last.map_or(1, |row| row + 1))
}

/// All frames as one animated picture. Equal rows are drawn once. Who wants no motion sees the
/// frame `still` alone.
fn animate(frames: &[Buffer], still: usize) -> String {
    let area = frames[0].area;
    let (column_width, row_height) = SVG_CELL_SIZE;
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    let (mut row_pictures, mut frame_pictures) = (String::new(), String::new());
    let width = f64::from(area.width) * column_width + 2.0 * SVG_MARGIN;
    let height = f64::from(area.height) * row_height + 2.0 * SVG_MARGIN;
    let mut head = String::new();
    for (at, frame) in frames.iter().enumerate() {
        frame_pictures.push_str(&format!("<g transform=\"translate({} 0)\">\n", at as f64 * width));
        for row in 0..area.height {
            let picture = frame_svg(&row_below_empty_row(frame, row));
            let (before, after) = picture.split_once("xml:space=\"preserve\">\n").unwrap();
            head = before.split_once("<g ").unwrap().1.to_owned();
            let content = after.split("</g>").next().unwrap().to_owned();
            if content.is_empty() {
                continue;
            }
            let next = rows.len();
            let number = *rows.entry(content.clone()).or_insert_with(|| {
                row_pictures.push_str(&format!("<g id=\"r{next}\">\n{content}</g>\n"));
                next
            });
            let top = (f64::from(row) - 1.0) * row_height;
            frame_pictures.push_str(&format!("<use href=\"#r{number}\" y=\"{top}\"/>\n"));
        }
        frame_pictures.push_str("</g>\n");
    }
    let count = frames.len();
    let steps: String = (0..count)
        .map(|at| {
            let percent = 100.0 * at as f64 / count as f64;
            format!("{percent:.2}%{{transform:translateX(-{}px)}}", at as f64 * width)
        })
        .collect();
    let seconds = count as f64 * FRAME_SECONDS;
    let still_left = still as f64 * width;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <style>.s{{animation:p {seconds:.1}s step-end infinite}}@keyframes p{{{steps}}}\
         @media (prefers-reduced-motion:reduce){{.s{{animation:none;transform:translateX(-{still_left}px)}}}}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#121212\"/>\n\
         <defs>\n<g {head}xml:space=\"preserve\">\n{row_pictures}</g>\n</defs>\n\
         <g class=\"s\"><g {head}xml:space=\"preserve\">\n{frame_pictures}</g></g>\n</svg>\n"
    )
}

fn save_picture(name: &str, picture: &str) {
    fs::create_dir_all(Path::new(ROOT).join("docs/tour")).unwrap();
    fs::write(picture_path(name), picture).unwrap();
}

/// Plays by a simple rule: reads on, strikes foes, and else explores.
fn record_descent(data: &Path) {
    let mut terminal = Terminal::open_sized((100, 30), data, &DESCENT_FLAGS);
    terminal.wait_for("New game");
    terminal.wait_until_quiet();
    let mut frames = vec![terminal.frame()];
    let mut still = 0;
    frames.push(terminal.press("1"));
    while frames.len() < 15 {
        let text = frame_text(frames.last().unwrap());
        let key = match () {
            () if text.contains("reads on") => " ",
            () if text.contains("s Strike") => "s",
            () if text.contains("o explore") => "o",
            () => "\r",
        };
        let frame = terminal.press(key);
        if still == 0 && frame_text(&frame).contains("s Strike") {
            still = frames.len();
        }
        // The doors that are explored first show odds.
        if frame_text(&frame).contains("Climb up") {
            save_picture("odds", &frame_svg(&frame));
        }
        let is_new = frames.last() != Some(&frame);
        frames.push(if is_new { frame } else { terminal.press("\r") });
    }
    let map = terminal.press("m");
    save_picture("map", &frame_svg(&map));
    frames.push(map);
    save_picture("descent", &animate(&frames, still));
    terminal.press("\u{1b}");
    terminal.send_keys("Q");
    terminal.wait_until_quiet();
}

fn record_replay(data: &Path) {
    let data_text = data.to_string_lossy().into_owned();
    let pair = native_pty_system().openpty(pty_size(100, 30)).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["replay", "player-0001", "--data", &data_text]);
    command.cwd(data);
    let mut terminal = Terminal::open_shown(pair, (100, 30), command);
    terminal.wait_until_quiet();
    for _ in 0..4 {
        terminal.press("\r");
    }
    save_picture("replay", &frame_svg(&terminal.frame()));
}

fn record_shell(name: &str, folder: &Path, line: &str) {
    let mut terminal = Terminal::run_in_shell((100, 44), folder, line);
    drop(terminal.child.wait());
    terminal.wait_until_quiet();
    save_picture(name, &frame_svg(&without_empty_rows(&terminal.frame())));
}

fn replace_in_file(path: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(old), "{}: {text}", path.display());
    fs::write(path, text.replacen(old, new, 1)).unwrap();
}

/// A mod is made, checked with a mistake, and changed while it is played.
fn record_author_tools(folder: &Path) {
    let mut made = Terminal::run_in_shell(
        (100, 44),
        folder,
        "sub-rosa new my_words --template spell --into .",
    );
    drop(made.child.wait());
    let script = folder.join("my_words/words.luau");
    replace_in_file(&script, "column", "colum");
    record_shell("check", folder, "sub-rosa check ./my_words");
    replace_in_file(&script, "colum", "column");
    record_shell("why", folder, "sub-rosa why sub_rosa:cinder | head -n 18");
    let simulate = "sub-rosa simulate --runs 40 --set build=blade,eye | head -n 26";
    record_shell("simulate", folder, simulate);
    record_shell("doctor", folder, "sub-rosa doctor");
    let data = folder.join("data");
    let mut flags = vec!["--dev", "--mods", ".", "--with", "my_words"];
    flags.extend(DESCENT_FLAGS);
    fs::create_dir_all(&data).unwrap();
    let mut terminal = Terminal::run_in_shell(
        (100, 30),
        folder,
        &format!("exec sub-rosa --data data {}", flags.join(" ")),
    );
    terminal.wait_for("New game");
    terminal.press("1");
    terminal.press(" ");
    replace_in_file(&script, "bonus = 1", "bonus = 4");
    terminal.wait_for("changed");
    terminal.wait_until_quiet();
    save_picture("reload", &frame_svg(&terminal.frame()));
}

#[test]
fn the_pictures_of_the_tour_are_small_and_shown() {
    if std::env::var_os("SUB_ROSA_PICTURE").is_some() {
        let folder = tempfile::tempdir().unwrap();
        let [descent, work] = ["descent", "work"].map(|name| folder.path().join(name));
        fs::create_dir(&descent).unwrap();
        fs::create_dir(&work).unwrap();
        record_descent(&descent);
        record_replay(&descent);
        record_author_tools(&work);
    }
    let read = |path: &str| fs::read_to_string(Path::new(ROOT).join(path)).unwrap();
    let pages = read("docs/tour.md") + &read("README.md");
    for (name, word) in PICTURES {
        let picture = fs::read_to_string(picture_path(name)).unwrap();
        let limit = if name == "descent" { MAX_RECORDING_BYTES } else { MAX_PICTURE_BYTES };
        assert!(picture.len() < limit, "{name}: {} bytes", picture.len());
        assert!(picture.contains(word), "{name} shows no {word:?}");
        assert!(pages.contains(&format!("tour/{name}.svg")), "{name} is not shown");
    }
}
