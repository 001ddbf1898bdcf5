//! `sub-rosa serve`: plays in a browser, on a page that this program serves.

use std::io::{self, Write};
use std::net::IpAddr;
use std::process::ExitCode;

use author::{CommandContext, WhyRequest, explain_origin};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory};
use serve::{DesignerTools, PageServer, ServerOptions, WorkStarter};
use ui::menu::{ExitReason, read_key_file, run_menu};

use super::{
    Arguments, PlayArguments, build_menu_setup, data_dir_or_memory, handle_clap_error, report_exit,
    search_paths, user_data_folder,
};

pub(super) const SERVE_HELP: &str = "\
Prints the address of the page; open it in a browser. The address contains a
secret token: whoever knows it can play. Ctrl-C ends the program; every answer
is saved before it takes effect.

Examples:
  sub-rosa serve --game ID
  sub-rosa serve --dev               show what a save of a file changes
  sub-rosa serve --listen 0.0.0.0    for other machines too, such as a phone

Exit status: 0 ok, 1 an error occurred, 2 wrong arguments.";

#[derive(Args)]
#[command(mut_args(hide_terminal_argument))]
pub(super) struct ServeArguments {
    /// Port of the page [default: 7340, or else a free one]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Address to listen on, for other machines [default: this machine alone]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<IpAddr>,
    #[command(flatten)]
    play: PlayArguments,
}

impl ServeArguments {
    /// The usage error of an argument that names another frontend.
    fn frontend_conflict(&self) -> Option<clap::Error> {
        let PlayArguments { plain, json, script, .. } = &self.play;
        let frontends = [("--plain", *plain), ("--json", *json), ("--script", script.is_some())];
        let (name, _) = frontends.into_iter().find(|(_, is_given)| *is_given)?;
        let message = format!("the argument '{name}' cannot be used with 'serve'");
        Some(Arguments::command().error(ErrorKind::ArgumentConflict, message))
    }
}

/// The arguments that only a terminal or a pipe has.
const TERMINAL_ARGUMENTS: [&str; 6] = ["plain", "json", "script", "palette", "ascii", "no_mouse"];

fn hide_terminal_argument(argument: clap::Arg) -> clap::Arg {
    let is_hidden = TERMINAL_ARGUMENTS.contains(&argument.get_id().as_str());
    argument.hide(is_hidden)
}

/// Runs `serve`.
pub(super) fn run_serve(arguments: &ServeArguments) -> ExitCode {
    match arguments.frontend_conflict() {
        Some(error) => handle_clap_error(&error),
        None => report_exit(serve_game(arguments)),
    }
}

/// Plays on a page until the player leaves.
fn serve_game(arguments: &ServeArguments) -> Result<(), ExitReason> {
    let play = &arguments.play;
    let mut setup = build_menu_setup(play)?;
    read_key_file(&mut setup);
    let options = ServerOptions {
        address: arguments.listen,
        port: arguments.port,
        token_parts: [rand::random(), rand::random()],
        designer_tools: play.dev.then(|| designer_tools(play)),
    };
    let started = PageServer::start(options, setup.keymap.clone(), play.dev);
    let (server, mut frontend) = started.map_err(|error| {
        let words =
            format!("the page cannot be served: {error}; choose another --port or --listen");
        ExitReason::TerminalError(io::Error::other(words))
    })?;
    let address = &server.address;
    writeln!(io::stdout(), "Open this address in a browser (Ctrl-C ends the program):\n{address}")?;
    let result = run_menu(setup, &mut frontend, &mut rand::random);
    server.close();
    result
}

/// What the page of a designer asks for, with the mods that are on when it asks.
fn designer_tools(play: &PlayArguments) -> DesignerTools {
    let folder = play.data.clone().or_else(user_data_folder);
    let (mods, game) = (play.mods.clone(), play.game.clone());
    let (extra_mods, profile_name) = (play.with.clone(), play.profile.clone());
    let create_context = move || CommandContext {
        search_paths: search_paths(&mods, folder.clone()),
        game: game.clone(),
        extra_mods: extra_mods.clone(),
        data_dir: data_dir_or_memory(folder.as_deref()),
        profile_name: profile_name.clone(),
        folder_flags: String::new(),
    };
    let work_starter = work_starter(create_context.clone());
    let author_query = Box::new(move |words: &str| {
        let (mut output, request) =
            (Vec::new(), WhyRequest { name: words.to_owned(), ..WhyRequest::default() });
        match explain_origin(&create_context(), &request, &mut output) {
            Ok(_) => String::from_utf8_lossy(&output).into_owned(),
            Err(error) => error.to_string(),
        }
    });
    DesignerTools::new(author_query, work_starter)
}

/// Starts `explore` and `simulate`.
#[cfg(feature = "lab")]
fn work_starter(
    create_context: impl Fn() -> CommandContext + Clone + Send + Sync + 'static,
) -> Option<WorkStarter> {
    struct LabWork(lab::LiveWork);
    impl serve::DesignerWork for LabWork {
        fn results_text(&self) -> String {
            self.0.results_text()
        }

        fn stop(&self) {
            self.0.stop();
        }

        fn is_over(&self) -> bool {
            self.0.is_over()
        }
    }
    Some(Box::new(move |request| {
        let started = lab::start_live_work(request, create_context.clone())?;
        Ok(Box::new(LabWork(started)))
    }))
}

#[cfg(not(feature = "lab"))]
fn work_starter(_: impl Fn() -> CommandContext) -> Option<WorkStarter> {
    None
}
