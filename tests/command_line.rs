//! The command line as people and scripts use it: which file is read, what goes to which stream, which
//! commands and days there are.

#[path = "command_line/files.rs"]
mod files;
#[path = "command_line/named_commands.rs"]
mod named_commands;
#[path = "command_line/players.rs"]
mod players;
#[path = "command_line/resume_command.rs"]
mod resume_command;
#[path = "command_line/streams.rs"]
mod streams;
