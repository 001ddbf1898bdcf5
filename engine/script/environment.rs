//! The environment of each mod: its own globals over the sealed base.
