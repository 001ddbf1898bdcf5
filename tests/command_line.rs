//! The command line for people and scripts: which file it reads, which stream it writes, which
//! commands and days exist.

#[path = "command_line/doctor.rs"]
mod doctor;
#[path = "command_line/files.rs"]
mod files;
#[path = "command_line/licences.rs"]
mod licences;
#[path = "command_line/named_commands.rs"]
mod named_commands;
#[path = "command_line/players.rs"]
mod players;
#[path = "command_line/resume_command.rs"]
mod resume_command;
#[path = "command_line/streams.rs"]
mod streams;
#[path = "command_line/suggested_commands.rs"]
mod suggested_commands;
#[path = "command_line/system_commands.rs"]
mod system_commands;
