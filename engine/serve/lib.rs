//! A server for the page: the messages of the protocol over HTTP, for one page at a time. It knows
//! nothing of a game; what is safe to answer is decided in `access`.

mod access;
mod connection;
mod designer_tools;
mod http_request;
mod http_response;
mod message_log;
mod page_files;
mod page_words;
mod rate_limit;
mod routes;
mod server;
mod shutdown;

pub use designer_tools::{AuthorQuery, DesignerTools, DesignerWork, WorkStarter};
pub use server::{PageFrontend, PageServer, ServerOptions};
