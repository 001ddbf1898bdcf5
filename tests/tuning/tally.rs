//! Tallies of runs with confidence intervals: the true figure lies in the interval 95 times of 100.

/// The ways of a round, as the end of a run counts them; the first four are everybody's, the fifth
/// a caster's.
pub const ROUND_ACTIONS: [&str; 7] =
    ["strikes", "braces", "speeches", "studies", "casts", "skills", "offers"];

/// The totals of a number of runs.
#[derive(Clone, Copy, Default)]
pub struct RunTally {
    pub runs: f64,
    pub wins: f64,
    /// Runs in which the boss was met, and those in which enough was known to end it there.
    pub boss_meetings: f64,
    pub possible_peaces: f64,
    /// The total payment, and the sum of its squares.
    payment_sums: [f64; 2],
    /// Rounds by way; their squares, and their products with all rounds of the run.
    action_counts: [f64; 7],
    action_squares: [f64; 7],
    action_products: [f64; 7],
    round_count: f64,
    round_squares: f64,
    /// Runs in which a skill was known, and used; in which a thing was carried, and used.
    pub skill_runs: [f64; 2],
    pub item_runs: [f64; 2],
}

/// An estimate with its interval, from a number of runs.
#[derive(Clone, Copy)]
pub struct Estimate {
    pub value: f64,
    pub lower_bound: f64,
    pub upper_bound: f64,
    pub runs: f64,
}

impl RunTally {
    /// One run, from the columns of its line.
    pub fn from_row<'a>(column: &dyn Fn(&str) -> &'a str) -> Self {
        let number = |name: &str| column(name).parse::<f64>().unwrap_or(0.0);
        let to_count = |condition: bool| if condition { 1.0 } else { 0.0 };
        let action_counts = ROUND_ACTIONS.map(number);
        let round_count = action_counts.iter().sum::<f64>();
        let (boss_meetings, payment_sums) = (number("bosses_met"), number("experience"));
        let (knows_skill, used_item) = (number("skills_known") > 0.0, number("things_used") > 0.0);
        Self {
            runs: 1.0,
            wins: to_count(matches!(column("outcome"), "victory" | "peace")),
            boss_meetings,
            possible_peaces: boss_meetings * to_count(number("fragments") >= 4.0),
            payment_sums: [payment_sums, payment_sums * payment_sums],
            action_counts,
            action_squares: action_counts.map(|way| way * way),
            action_products: action_counts.map(|way| way * round_count),
            round_count,
            round_squares: round_count * round_count,
            skill_runs: [to_count(knows_skill), to_count(knows_skill && action_counts[5] > 0.0)],
            item_runs: [to_count(used_item || number("things_left") > 0.0), to_count(used_item)],
        }
    }

    pub fn add_tally(&mut self, other: &Self) {
        fn add_each<const N: usize>(sums: &mut [f64; N], addends: &[f64; N]) {
            sums.iter_mut().zip(addends).for_each(|(sum, addends)| *sum += addends);
        }
        add_each(&mut self.payment_sums, &other.payment_sums);
        add_each(&mut self.action_counts, &other.action_counts);
        add_each(&mut self.action_squares, &other.action_squares);
        add_each(&mut self.action_products, &other.action_products);
        add_each(&mut self.skill_runs, &other.skill_runs);
        add_each(&mut self.item_runs, &other.item_runs);
        self.runs += other.runs;
        self.wins += other.wins;
        self.boss_meetings += other.boss_meetings;
        self.possible_peaces += other.possible_peaces;
        self.round_count += other.round_count;
        self.round_squares += other.round_squares;
    }

    pub fn win_share(&self) -> Estimate {
        Estimate::from_share(self.wins, self.runs)
    }

    /// The mean payment of a run.
    pub fn mean_payment(&self) -> Estimate {
        let [sum, action_squares] = self.payment_sums;
        let mean = sum / self.runs;
        let spread = (action_squares / self.runs - mean * mean).max(0.0).sqrt() / self.runs.sqrt();
        Estimate::with_interval(mean, spread, self.runs)
    }

    /// The share of a way in the rounds; runs differ in their number of rounds.
    pub fn action_share(&self, action_index: usize) -> Estimate {
        let share = self.action_counts[action_index] / self.round_count;
        let squared_deviation = self.action_squares[action_index]
            - 2.0 * share * self.action_products[action_index]
            + share * share * self.round_squares;
        Estimate::with_interval(
            share,
            squared_deviation.max(0.0).sqrt() / self.round_count,
            self.runs,
        )
    }
}

impl Estimate {
    /// Wilson's interval of a share.
    pub fn from_share(hits: f64, count: f64) -> Self {
        let (share, z_score) = (hits / count, 1.96_f64);
        let center = share + z_score * z_score / (2.0 * count);
        let half_width = z_score
            * (share * (1.0 - share) / count + z_score * z_score / (4.0 * count * count)).sqrt();
        let scale = 1.0 + z_score * z_score / count;
        Self {
            value: share,
            lower_bound: (center - half_width) / scale,
            upper_bound: (center + half_width) / scale,
            runs: count,
        }
    }

    pub fn with_interval(value: f64, spread: f64, runs: f64) -> Self {
        Self { value, lower_bound: value - 1.96 * spread, upper_bound: value + 1.96 * spread, runs }
    }

    fn standard_error(self) -> f64 {
        (self.upper_bound - self.lower_bound) / 2.0 / 1.96
    }

    /// The difference to another.
    pub fn minus(self, other: Self) -> Self {
        let spread = self.standard_error().hypot(other.standard_error());
        Self::with_interval(self.value - other.value, spread, self.runs.min(other.runs))
    }

    /// The ratio to another; the interval is wider than it needs to be.
    pub fn ratio_to(self, other: Self) -> Self {
        let lower_bound = self.lower_bound.max(0.0) / other.upper_bound;
        let upper_bound = self.upper_bound / other.lower_bound.max(1e-3);
        Self {
            value: self.value / other.value,
            lower_bound,
            upper_bound,
            runs: self.runs.min(other.runs),
        }
    }

    /// The mean of several with equal weights.
    pub fn mean_of(estimates: &[Self]) -> Self {
        let estimate_count = estimates.len() as f64;
        let spread =
            estimates.iter().map(|estimate| estimate.standard_error().powi(2)).sum::<f64>().sqrt()
                / estimate_count;
        let value = estimates.iter().map(|estimate| estimate.value).sum::<f64>() / estimate_count;
        Self::with_interval(value, spread, estimates.iter().map(|estimate| estimate.runs).sum())
    }

    /// In hundredths.
    pub fn in_hundredths(self) -> String {
        let [value, lower_bound, upper_bound] =
            [self.value, self.lower_bound, self.upper_bound].map(|bound| 100.0 * bound);
        format!("{value:.0} ({lower_bound:.0} to {upper_bound:.0})")
    }

    /// Compared with the target, in hundredths: outside by more than chance, or perhaps by chance.
    pub fn verdict(self, [min, max]: [f64; 2]) -> &'static str {
        let (value, lower_bound, upper_bound) =
            (100.0 * self.value, 100.0 * self.lower_bound, 100.0 * self.upper_bound);
        match () {
            () if !value.is_finite() => "not played",
            () if (min..=max).contains(&value) => "",
            () if upper_bound < min || lower_bound > max => "**MISS**",
            () => "miss, perhaps by chance",
        }
    }
}
