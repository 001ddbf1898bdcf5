//! Fuel: the budget of Lua. It is counted, not timed, so that a script stops at the same place on
//! every machine.
//!
//! One unit is one interrupt of the VM (a call, a return, a loop turn, a step of a pattern). Bulk
//! work of the library is charged by size in addition. Memory is checked at the same time. A script
//! that is stopped here leaves a usable VM; the hard limit of the allocator, further out, does not
//! guarantee that. A single Luau instruction is bounded by its operands: long texts and crowded
//! tables, which `allocation_checks` observes when they are created.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

mod deadline;
mod interrupt_action;
mod pause;

use deadline::start_deadline;
pub(crate) use interrupt_action::{
    InterruptAction, charge_interrupt, charge_running_mod, continue_after_table_check,
    continue_after_text_check, is_call_in_used_vm, is_memory_short, next_action, record_stop_frame,
    stop_frames,
};
pub(crate) use pause::pause_accounting;

use super::allocation_checks;
use super::fuel_accounts::{FuelAccounts, HookAllowance, HookBudget};
use base::meter::{self, PARTS_PER_FUEL_UNIT};
use base::{Code, Problem, limits};

/// Maximum size of one block that Luau allocates, and so of the memory beyond the limit, in KiB.
const LARGEST_BLOCK_KIB: i32 = 8 * 1024;

thread_local! {
    static LIMIT_POLICY: Cell<LimitPolicy> = const { Cell::new(LimitPolicy::NewVm) };
    static STOP_REASON: Cell<StopReason> = const { Cell::new(StopReason::Fuel) };
    /// Maximum memory in use by the VM, in KiB.
    static MAX_MEMORY_KIB: Cell<i32> = const { Cell::new(0) };
    /// The same, or a negative number when each interrupt needs all checks.
    static FULL_CHECK_ABOVE_KIB: Cell<i32> = const { Cell::new(0) };
    /// Where Lua was first stopped: chunks and lines, innermost first.
    static STOP_FRAMES: RefCell<Vec<(String, u32)>> = const { RefCell::new(Vec::new()) };
    /// The fuel left at the last check, in parts of a unit as `meter` counts them.
    static FUEL_AT_LAST_CHECK: Cell<i64> = const { Cell::new(0) };
    /// Units by the mod whose function was running when they were spent. A mod's function may be
    /// called by another mod without the host, through a wrapper or a definition; this attributes
    /// its cost.
    static FUEL_BY_RUNNING_MOD: RefCell<BTreeMap<String, i64>> = const { RefCell::new(BTreeMap::new()) };
}

/// Why a script was stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StopReason {
    Fuel,
    Memory,
    TimeLimit,
    /// A text became too long.
    TextTooLong,
    /// Keys of a table have colliding hashes.
    HashCollisions,
}

/// How strictly a call is checked against its limits. A used VM still holds garbage and interned
/// texts of earlier calls. They reduce the memory of the next call by a bounded amount.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitPolicy {
    /// The VM is new: the same call counts the same on every machine.
    NewVm,
    /// The VM was used before. A call that comes near a limit because of leftovers is abandoned,
    /// and a new VM decides.
    UsedVm,
}

/// Fuel spent by each mod in one call, largest first.
pub type FuelByMod = Vec<(String, u64)>;

/// The budget of Lua and the accounts of the mods. All numbers are parts of a unit. The remaining
/// fuel is in `meter`, so that the interrupt needs no pointer to the host.
#[derive(Default)]
pub(crate) struct Fuel {
    budget: Cell<i64>,
    accounts: FuelAccounts,
    /// The fuel left when the current account was selected.
    parts_at_switch: Cell<i64>,
    /// The number of fills so far: what a hook has spent counts until the next one.
    fill_count: Cell<u64>,
    /// The limit of the running hook, if it is lower than the remaining fuel.
    hook_share: Cell<Option<i64>>,
}

impl Fuel {
    /// Fills the budget for one call. `units` is the fuel; `used_bytes` is the memory in use, in
    /// bytes.
    pub(crate) fn fill_budget(&self, units: i64, used_bytes: usize, limit_policy: LimitPolicy) {
        LIMIT_POLICY.set(limit_policy);
        let budget = units * PARTS_PER_FUEL_UNIT;
        self.budget.set(budget);
        self.parts_at_switch.set(budget);
        self.accounts.reset();
        self.fill_count.set(self.fill_count.get() + 1);
        self.hook_share.set(None);
        meter::set_remaining_fuel_parts(budget);
        FUEL_AT_LAST_CHECK.set(budget);
        FUEL_BY_RUNNING_MOD.take();
        STOP_REASON.set(StopReason::Fuel);
        STOP_FRAMES.take();
        allocation_checks::reset_findings();
        self.reset_memory(used_bytes);
        start_deadline();
    }

    /// Allows as much memory from now on as any one call or mod may use. `used_bytes` is the memory
    /// in use, in bytes.
    pub(crate) fn reset_memory(&self, used_bytes: usize) {
        set_memory_limit(used_bytes);
        meter::set_counted_host_bytes(0);
    }

    /// The budget that was set last, in units.
    pub(crate) fn budget_units(&self) -> i64 {
        self.budget.get() / PARTS_PER_FUEL_UNIT
    }

    /// Gives the next mod the full budget, whatever earlier mods spent.
    pub(crate) fn refill_budget_for_mod(&self) {
        self.set_budget(self.budget_units());
    }

    /// Sets the budget for what follows, in units.
    pub(crate) fn set_budget(&self, units: i64) {
        self.charge_current_account();
        let budget = units * PARTS_PER_FUEL_UNIT;
        self.budget.set(budget);
        meter::set_remaining_fuel_parts(budget);
        FUEL_AT_LAST_CHECK.set(budget);
        self.parts_at_switch.set(budget);
    }

    /// Whether the budget is spent.
    pub(crate) fn is_spent(&self) -> bool {
        meter::is_fuel_exhausted()
    }

    /// The Problem of a stopped script; it names the largest spender.
    pub(crate) fn stop_problem(&self) -> Problem {
        let spender = self.largest_spender();
        let spender_name = spender.as_deref().filter(|who| !who.is_empty());
        let spender_text = spender_name
            .map(|spender_name| format!("; most of the fuel was spent by `{spender_name}`"))
            .unwrap_or_default();
        match STOP_REASON.get() {
            StopReason::Fuel if meter::exceeds_host_bytes_limit() => {
                out_of_host_memory_problem(&spender_text)
            }
            StopReason::Fuel if self.hook_share.get().is_some() => {
                let units = self.hook_limit() / PARTS_PER_FUEL_UNIT;
                let message =
                    format!("a hook was stopped after {units} units of fuel{spender_text}");
                Problem::error(Code::OutOfFuel, message)
                    .expected("at most a quarter of the fuel of a step for each hook")
                    .hint("look for a loop or a recursion that does not end")
            }
            StopReason::Fuel => {
                let units = self.budget.get() / PARTS_PER_FUEL_UNIT;
                Problem::error(
                    Code::OutOfFuel,
                    format!("stopped after {units} units of fuel{spender_text}"),
                )
                .expected(
                    "code that ends: calls, turns of loops, long texts and large tables cost fuel",
                )
                .hint("look for a loop or a recursion that does not end")
            }
            StopReason::Memory => out_of_memory_problem(),
            StopReason::TextTooLong => {
                let bytes = allocation_checks::longest_text_bytes();
                Problem::error(
                    Code::TextTooLong,
                    format!("a text of {bytes} bytes was made{spender_text}"),
                )
                .expected(format!("a text of at most {} bytes", limits::MAX_TEXT_BYTES))
                .hint("output long content line by line")
            }
            StopReason::HashCollisions => hash_collisions_problem(&spender_text),
            StopReason::TimeLimit => {
                let seconds = limits::MAX_CALL_TIME.as_secs();
                Problem::error(
                    Code::TooSlow,
                    format!("stopped after {seconds} seconds of computing{spender_text}"),
                )
                .hint("look for work on very long texts or very large tables")
            }
        }
    }

    /// The mod that spent most: the one that was seen running, if it ran long enough.
    fn largest_spender(&self) -> Option<String> {
        let running_spender = FUEL_BY_RUNNING_MOD.with_borrow(|seen| {
            let spent_mods = seen.iter().filter(|(owner, _)| !owner.is_empty());
            let largest = spent_mods.max_by_key(|(_, units)| **units);
            largest.map(|(owner, _)| owner.clone())
        });
        // Units that were charged in bulk since the last check belong to the mod that was called
        // last.
        let unsampled_parts =
            FUEL_AT_LAST_CHECK.get().saturating_sub(meter::remaining_fuel_parts());
        let called_mod = Some(self.accounts.current_mod()).filter(|owner| !owner.is_empty());
        let likely_spender = match called_mod {
            Some(called_mod) if unsampled_parts > self.budget.get() / 2 => Some(called_mod),
            _ => running_spender,
        };
        likely_spender.or_else(|| self.spent_by_mod().into_iter().next().map(|(owner, _)| owner))
    }

    /// The account number of a mod.
    pub(crate) fn account_of_mod(&self, owner: &str) -> usize {
        self.accounts.account_of_mod(owner)
    }

    /// Charges `owner` until the guard is dropped.
    pub(crate) fn charge_to(&self, owner: &str) -> AccountGuard<'_> {
        self.charge_to_account(self.account_of_mod(owner))
    }

    /// Charges the mod with this account number until the guard is dropped.
    pub(crate) fn charge_to_account(&self, account_number: usize) -> AccountGuard<'_> {
        AccountGuard { fuel: self, previous_account: self.switch_account(account_number) }
    }

    /// Selects another account. Returns the previous one.
    fn switch_account(&self, account_number: usize) -> usize {
        self.charge_current_account();
        self.accounts.switch_to(account_number)
    }

    /// Begins a hook: its mod is charged, and it is limited to its share. A hook that exceeds its
    /// share has spent everything: nothing runs after it.
    pub(crate) fn begin_hook(&self, account_number: usize, budget: &HookBudget) -> HookAllowance {
        let outer_account = self.switch_account(account_number);
        let available_parts = meter::remaining_fuel_parts();
        let allowed_parts =
            available_parts.min(self.hook_limit() - budget.spent_since_fill(self.fill_count.get()));
        let previous_share = self.hook_share.get();
        if allowed_parts < available_parts {
            self.hook_share.set(Some(allowed_parts));
        }
        meter::set_remaining_fuel_parts(allowed_parts);
        FUEL_AT_LAST_CHECK.set(FUEL_AT_LAST_CHECK.get() - (available_parts - allowed_parts));
        self.parts_at_switch.set(allowed_parts);
        HookAllowance {
            previous_account: outer_account,
            fuel_parts_before_hook: available_parts,
            allowed_fuel_parts: allowed_parts,
            outer_limit_parts: previous_share,
        }
    }

    /// Ends a hook, however it ended, and returns what is left of its share.
    pub(crate) fn end_hook(&self, budget: &HookBudget, allowance: HookAllowance) {
        self.switch_account(allowance.previous_account);
        let parts_now = meter::remaining_fuel_parts();
        let used_parts = allowance.allowed_fuel_parts - parts_now;
        budget.charge(self.fill_count.get(), used_parts);
        if parts_now >= 0 {
            self.hook_share.set(allowance.outer_limit_parts);
            FUEL_AT_LAST_CHECK.set(
                FUEL_AT_LAST_CHECK.get()
                    + (allowance.fuel_parts_before_hook - allowance.allowed_fuel_parts),
            );
            meter::set_remaining_fuel_parts(allowance.fuel_parts_before_hook - used_parts);
            self.parts_at_switch.set(allowance.fuel_parts_before_hook - used_parts);
        }
    }

    fn hook_limit(&self) -> i64 {
        self.budget.get() / limits::HOOK_SHARE_DIVISOR
    }

    /// Fuel spent by each mod since the last fill, largest first.
    pub(crate) fn spent_by_mod(&self) -> FuelByMod {
        self.charge_current_account();
        self.accounts.spent_by_mod()
    }

    /// Charges what was spent to the current account.
    fn charge_current_account(&self) {
        let parts_now = meter::remaining_fuel_parts();
        let spent_parts = self.parts_at_switch.replace(parts_now).saturating_sub(parts_now);
        if let Ok(spent_parts @ 1..) = u64::try_from(spent_parts) {
            self.accounts.charge(spent_parts);
        }
    }
}

/// Restores the previous account when dropped.
pub(crate) struct AccountGuard<'a> {
    fuel: &'a Fuel,
    previous_account: usize,
}

impl Drop for AccountGuard<'_> {
    fn drop(&mut self) {
        self.fuel.switch_account(self.previous_account);
    }
}

/// Charges units for work without interrupts. False if the budget is spent.
pub(crate) fn charge_fuel(units: usize) -> bool {
    meter::charge_units(units);
    !meter::is_fuel_exhausted()
}

/// The fuel left, in whole units.
pub(crate) fn remaining_units() -> i64 {
    meter::remaining_fuel_parts().div_euclid(PARTS_PER_FUEL_UNIT)
}

/// Allows as much memory as one call may use, in addition to what is in use now.
fn set_memory_limit(used_bytes: usize) {
    let allowed_bytes = match LIMIT_POLICY.get() {
        LimitPolicy::NewVm => limits::MAX_VM_BYTES,
        LimitPolicy::UsedVm => {
            limits::MAX_VM_BYTES - limits::MAX_GARBAGE_BYTES - limits::MAX_VM_BYTES / 16
        }
    };
    MAX_MEMORY_KIB.set(i32::try_from((used_bytes + allowed_bytes) / 1024).unwrap_or(i32::MAX));
    update_check_threshold();
}

/// Excludes memory that is not part of the call, in KiB.
pub(crate) fn raise_memory_limit(kib: usize) {
    MAX_MEMORY_KIB.set(MAX_MEMORY_KIB.get().saturating_add(i32::try_from(kib).unwrap_or(i32::MAX)));
    update_check_threshold();
}

/// Runs all checks at each interrupt from now on.
pub(crate) fn require_check_every_interrupt() {
    FULL_CHECK_ABOVE_KIB.set(-1);
}

fn update_check_threshold() {
    FULL_CHECK_ABOVE_KIB.set(if allocation_checks::needs_check_every_interrupt() {
        -1
    } else {
        MAX_MEMORY_KIB.get()
    });
}

/// The Problem of a mod that declares more than the host may hold.
pub(crate) fn declared_bytes_problem() -> Option<Problem> {
    let mebibytes = limits::MAX_DECLARED_BYTES_PER_MOD / (1024 * 1024);
    (meter::counted_host_bytes() > limits::MAX_DECLARED_BYTES_PER_MOD).then(|| {
        Problem::error(Code::TooLarge, "a mod declares more than its limit")
            .expected(format!("at most {mebibytes} MiB for all declarations of one mod"))
            .hint("look for a declaration in a loop, or for a table that occurs twice in another")
    })
}

/// Whether earlier calls may have contributed to the stop: their garbage uses memory, and texts
/// that already exist are not created again.
pub(crate) fn is_stop_inconclusive() -> bool {
    meter::is_fuel_exhausted()
        && match STOP_REASON.get() {
            StopReason::Memory | StopReason::TextTooLong | StopReason::HashCollisions => true,
            StopReason::Fuel => allocation_checks::has_fuel_surcharge_for_texts(),
            StopReason::TimeLimit => false,
        }
}

/// The Problem of colliding texts or keys.
pub(crate) fn hash_collisions_problem(spender_text: &str) -> Problem {
    let message = format!(
        "texts, or the keys of a table, were chosen to have colliding hashes{spender_text}"
    );
    Problem::error(Code::TooManyHashCollisions, message)
        .expected("texts and keys without such collisions")
        .hint("use short names or whole numbers as keys")
}

/// The Problem of memory that ran out.
pub(crate) fn out_of_memory_problem() -> Problem {
    let mebibytes = limits::MAX_VM_BYTES / (1024 * 1024);
    Problem::error(Code::OutOfMemory, "the memory for scripts ran out")
        .expected(format!("at most {mebibytes} MiB in one call"))
        .hint("look for a table or a text that grows in a loop")
}

/// The Problem of a step for which the host holds too much.
fn out_of_host_memory_problem(spender_text: &str) -> Problem {
    let mebibytes = limits::MAX_HOST_BYTES_PER_STEP / (1024 * 1024);
    let message = format!("the host would hold too much data for one step{spender_text}");
    Problem::error(Code::OutOfMemory, message)
        .expected(format!("at most {mebibytes} MiB of caught errors, prompts and views"))
        .hint("look for a loop that catches errors, or for long texts in prompts and views")
}
