//! Embeds the base game (being built).

fn main() {}
