//! The program `sub-rosa`: arguments to one of the rooms below; a recipe.

fn main() {}
