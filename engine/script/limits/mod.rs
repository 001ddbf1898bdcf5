//! Fuel, memory and single allocations: counting, charging, stopping.

pub(crate) mod allocation_checks;
pub(crate) mod fuel;
pub(crate) mod fuel_accounts;
pub(crate) mod interrupt;
pub(crate) mod shared_budget;
