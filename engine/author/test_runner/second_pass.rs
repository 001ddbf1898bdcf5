//! Which cases `test` repeats with the VM rebuilt at some prompts.

use clap::Args;

use base::Digest;

/// The share of cases that get a second pass.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct SecondPassSelection {
    /// Repeat one in N cases with the VM rebuilt at some prompts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    second_pass: u32,
    /// Seed that selects the cases for `--second-pass`
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    sample: u64,
}

impl SecondPassSelection {
    /// Whether the case of this name gets a second pass. This depends only on the name and the
    /// seed.
    pub(super) fn includes_case(self, name: &str) -> bool {
        let digest = Digest::hash_bytes(format!("{} {name}", self.sample).as_bytes()).to_string();
        let number = u32::from_str_radix(&digest[..8], 16);
        number.is_ok_and(|number| number % self.second_pass == 0)
    }
}
