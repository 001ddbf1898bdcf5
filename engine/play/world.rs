//! The world that a step changes (being built).
/// The world.
#[derive(Default)]
pub struct World;
