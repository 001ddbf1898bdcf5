//! Tallies of runs with confidence intervals: the true figure lies in the interval 95 times of 100.

/// The ways of a round, as the end of a run counts them; the first four are everybody's, the fifth
/// a caster's.
pub const WAYS: [&str; 7] =
    ["strikes", "braces", "speeches", "studies", "casts", "skills", "offers"];

/// The totals of a number of runs.
#[derive(Clone, Copy, Default)]
pub struct RunTally {
    pub runs: f64,
    pub won: f64,
    /// Runs in which the boss was met, and those in which enough was known to end it there.
    pub met: f64,
    pub peace: f64,
    /// The total payment, and the sum of its squares.
    experience: [f64; 2],
    /// Rounds by way; their squares, and their products with all rounds of the run.
    ways: [f64; 7],
    squares: [f64; 7],
    products: [f64; 7],
    rounds: f64,
    rounds_squared: f64,
    /// Runs in which a skill was known, and used; in which a thing was carried, and used.
    pub skills: [f64; 2],
    pub things: [f64; 2],
}

/// An estimate with its interval, from a number of runs.
#[derive(Clone, Copy)]
pub struct Estimate {
    pub is: f64,
    pub low: f64,
    pub high: f64,
    pub runs: f64,
}

impl RunTally {
    /// One run, from the columns of its line.
    pub fn run<'a>(of: &dyn Fn(&str) -> &'a str) -> Self {
        let number = |name: &str| of(name).parse::<f64>().unwrap_or(0.0);
        let whether = |it: bool| if it { 1.0 } else { 0.0 };
        let ways = WAYS.map(number);
        let rounds = ways.iter().sum::<f64>();
        let (met, experience) = (number("bosses_met"), number("experience"));
        let (known, used) = (number("skills_known") > 0.0, number("things_used") > 0.0);
        Self {
            runs: 1.0,
            won: whether(matches!(of("outcome"), "victory" | "peace")),
            met,
            peace: met * whether(number("fragments") >= 4.0),
            experience: [experience, experience * experience],
            ways,
            squares: ways.map(|way| way * way),
            products: ways.map(|way| way * rounds),
            rounds,
            rounds_squared: rounds * rounds,
            skills: [whether(known), whether(known && ways[5] > 0.0)],
            things: [whether(used || number("things_left") > 0.0), whether(used)],
        }
    }

    pub fn add(&mut self, other: &Self) {
        fn each<const N: usize>(sums: &mut [f64; N], more: &[f64; N]) {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        each(&mut self.experience, &other.experience);
        each(&mut self.ways, &other.ways);
        each(&mut self.squares, &other.squares);
        each(&mut self.products, &other.products);
        each(&mut self.skills, &other.skills);
        each(&mut self.things, &other.things);
        self.runs += other.runs;
        self.won += other.won;
        self.met += other.met;
        self.peace += other.peace;
        self.rounds += other.rounds;
        self.rounds_squared += other.rounds_squared;
    }

    pub fn share(&self) -> Estimate {
        Estimate::share(self.won, self.runs)
    }

    /// The mean payment of a run.
    pub fn paid(&self) -> Estimate {
        let [sum, squares] = self.experience;
        let mean = sum / self.runs;
        let spread = (squares / self.runs - mean * mean).max(0.0).sqrt() / self.runs.sqrt();
        Estimate::with_interval(mean, spread, self.runs)
    }

    /// The share of a way in the rounds; runs differ in their number of rounds.
    pub fn way(&self, at: usize) -> Estimate {
        let share = self.ways[at] / self.rounds;
        let squared = self.squares[at] - 2.0 * share * self.products[at]
            + share * share * self.rounds_squared;
        Estimate::with_interval(share, squared.max(0.0).sqrt() / self.rounds, self.runs)
    }
}

impl Estimate {
    /// Wilson's interval of a share.
    pub fn share(hits: f64, n: f64) -> Self {
        let (p, z) = (hits / n, 1.96_f64);
        let middle = p + z * z / (2.0 * n);
        let reach = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        let whole = 1.0 + z * z / n;
        Self { is: p, low: (middle - reach) / whole, high: (middle + reach) / whole, runs: n }
    }

    pub fn with_interval(is: f64, spread: f64, runs: f64) -> Self {
        Self { is, low: is - 1.96 * spread, high: is + 1.96 * spread, runs }
    }

    fn spread(self) -> f64 {
        (self.high - self.low) / 2.0 / 1.96
    }

    /// The difference to another.
    pub fn less(self, other: Self) -> Self {
        let spread = self.spread().hypot(other.spread());
        Self::with_interval(self.is - other.is, spread, self.runs.min(other.runs))
    }

    /// The ratio to another; the interval is wider than it needs to be.
    pub fn of(self, other: Self) -> Self {
        let low = self.low.max(0.0) / other.high;
        let high = self.high / other.low.max(1e-3);
        Self { is: self.is / other.is, low, high, runs: self.runs.min(other.runs) }
    }

    /// The mean of several with equal weights.
    pub fn mean(all: &[Self]) -> Self {
        let many = all.len() as f64;
        let spread = all.iter().map(|one| one.spread().powi(2)).sum::<f64>().sqrt() / many;
        let is = all.iter().map(|one| one.is).sum::<f64>() / many;
        Self::with_interval(is, spread, all.iter().map(|one| one.runs).sum())
    }

    /// In hundredths.
    pub fn in_hundredths(self) -> String {
        let [is, low, high] = [self.is, self.low, self.high].map(|part| 100.0 * part);
        format!("{is:.0} ({low:.0} to {high:.0})")
    }

    /// Compared with the target, in hundredths: outside by more than chance, or perhaps by chance.
    pub fn verdict(self, [least, most]: [f64; 2]) -> &'static str {
        let (is, low, high) = (100.0 * self.is, 100.0 * self.low, 100.0 * self.high);
        match () {
            () if !is.is_finite() => "not played",
            () if (least..=most).contains(&is) => "",
            () if high < least || low > most => "**MISS**",
            () => "miss, perhaps by chance",
        }
    }
}
