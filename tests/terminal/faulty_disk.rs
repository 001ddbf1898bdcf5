//! The program on a disk where one call never ends or panics. The disk is chosen in code, so the
//! program runs in a process of this test binary: with the menu, the screen and the signals of the
//! real one.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mods::SearchPaths;
use portable_pty::{CommandBuilder, native_pty_system};
use save::{DataDir, Disk, LockHandle, RealDisk};
use ui::Frontend;
use ui::full_screen::{FullScreen, Keymap, Palette, Theme, exit_by_signal};
use ui::menu::{MenuSetup, run_menu};

use super::{Terminal, pty_size};
use crate::support::embedded_search_paths;
use crate::ui::screens::ferry_setup;

/// Tells a process that it is the program, and which call of its disk is faulty.
const FAULT_VARIABLE: &str = "SUB_ROSA_DISK_FAULT";
/// The data folder of that process.
const DATA_VARIABLE: &str = "SUB_ROSA_DISK_DATA";

/// The file that a busy call leaves in the data folder.
pub(super) const BUSY_FILE: &str = "busy";

/// The disk of this machine with one faulty call.
struct FaultyCallDisk {
    call: String,
    path_part: String,
    /// The number of such calls that succeed before.
    successful_calls: AtomicU64,
    panics: bool,
    data: PathBuf,
}

impl FaultyCallDisk {
    /// A fault is written `CALL PATH_PART SUCCESSFUL_CALLS busy|panic`.
    fn parse(fault: &str, data: PathBuf) -> Self {
        let words: Vec<&str> = fault.split(' ').collect();
        let [call, path_part, successful_calls, effect] = words[..] else { panic!("{fault}") };
        Self {
            call: call.to_owned(),
            path_part: path_part.to_owned(),
            successful_calls: AtomicU64::new(successful_calls.parse().unwrap()),
            panics: effect == "panic",
            data,
        }
    }

    fn begin_call(&self, call: &str, path: &Path) {
        if call != self.call || !path.to_string_lossy().contains(&self.path_part) {
            return;
        }
        let count_down = |count: u64| count.checked_sub(1);
        let ordering = Ordering::Relaxed;
        if self.successful_calls.fetch_update(ordering, ordering, count_down).is_ok() {
            return;
        }
        if self.panics {
            panic_in_host_function();
        }
        std::fs::write(self.data.join(BUSY_FILE), "").unwrap();
        loop {
            std::thread::yield_now();
        }
    }
}

/// Calls a host function that panics from Luau.
fn panic_in_host_function() {
    let lua = mlua::Lua::new();
    let function = luau::create_stack_function(&lua, None, (), |_| -> Result<_, _> {
        panic!("a host function panics");
    });
    function.unwrap().call::<()>(()).unwrap();
}

impl Disk for FaultyCallDisk {
    fn read_file(&self, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
        self.begin_call("read", path);
        RealDisk.read_file(path, max_bytes)
    }
    fn open_reader(&self, path: &Path, start: u64) -> io::Result<Box<dyn Read + '_>> {
        self.begin_call("read", path);
        RealDisk.open_reader(path, start)
    }
    fn file_length(&self, path: &Path) -> io::Result<u64> {
        RealDisk.file_length(path)
    }
    fn write_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.write_file(path, bytes)
    }
    fn append_to_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.begin_call("append", path);
        RealDisk.append_to_file(path, bytes)
    }
    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        RealDisk.truncate_file(path, length)
    }
    fn sync_file(&self, path: &Path) -> io::Result<()> {
        RealDisk.sync_file(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        RealDisk.sync_folder(path)
    }
    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>> {
        self.begin_call("list", path);
        RealDisk.list_folder(path)
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        RealDisk.exists(path)
    }
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        RealDisk.create_folder(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Option<LockHandle>> {
        self.begin_call("lock", path);
        RealDisk.lock(path)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove_file(path)
    }
}

impl Terminal {
    /// The program with the options of `DESCENT_FLAGS` and a fault of its disk. `test` is the full
    /// name of a test that begins with [`is_program_process`].
    pub(super) fn open_with_disk_fault(data: &Path, test: &str, fault: &str) -> Self {
        let pair = native_pty_system().openpty(pty_size(80, 24)).unwrap();
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        // With one thread a test runs on the main thread, as the program does.
        command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
        command.env(FAULT_VARIABLE, fault);
        command.env(DATA_VARIABLE, data);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        Self::open_command(pair, command)
    }
}

/// Plays if this process is the program; false if it is the test.
pub(super) fn is_program_process() -> bool {
    let Ok(fault) = std::env::var(FAULT_VARIABLE) else { return false };
    let data = PathBuf::from(std::env::var_os(DATA_VARIABLE).unwrap());
    let disk = FaultyCallDisk::parse(&fault, data.clone());
    let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let setup = MenuSetup {
        search_paths: SearchPaths { user_folder: Some(data.clone()), ..embedded_search_paths() },
        game: None,
        data_dir: DataDir::with_disk(Arc::new(disk), data),
        command_line_options: vec![
            option("build", "blade"),
            option("dungeon", "ice_house"),
            option("difficulty", "gentle"),
        ],
        ..ferry_setup()
    };
    let mut frontend =
        FullScreen::open(Theme::from_palette(Palette::Dark), Keymap::default()).unwrap();
    let result = run_menu(setup, &mut frontend, &mut || 7);
    let ending_signal = frontend.ending_signal();
    drop(frontend);
    if let (Ok(()), Some(signal)) = (&result, ending_signal) {
        exit_by_signal(signal);
    }
    result.unwrap();
    true
}
