//! The workshop: what a person runs who writes mods. Each command is a function of what it was
//! asked, where to look, and where to write; it says how it went. Knows no terminal and no ruleset.

mod lua;
