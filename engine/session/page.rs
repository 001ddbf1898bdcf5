//! Pages of the game while a run is played.

use super::step::Session;
use base::{Problem, Value};
use protocol::View;

impl Session {
    /// A page, by full id.
    pub fn compute_page(&mut self, id: &str, profile: &Value) -> Result<View, Problem> {
        let page = self.vm.compute_page(id, profile);
        self.rebuild_vm_if_unusable();
        page
    }
}
