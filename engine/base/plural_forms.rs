//! Plural forms as gettext writes them: `nplurals=2; plural=(n != 1);`, a number of forms and a C
//! expression over `n` that gives the index of the form.

/// The maximum depth of an expression.
const MAX_DEPTH: usize = 32;
/// The maximum number of forms. Arabic has 6, more than any other language.
pub const MAX_PLURAL_FORMS: usize = 16;

/// How many plural forms a language has, and which of them a count takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluralForms {
    form_count: usize,
    expression: PluralExpression,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PluralExpression {
    Count,
    Number(u64),
    Not(Box<PluralExpression>),
    Binary(PluralOperator, Box<PluralExpression>, Box<PluralExpression>),
    Conditional(Box<PluralExpression>, Box<PluralExpression>, Box<PluralExpression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PluralOperator {
    Or,
    And,
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// The operators by precedence, the weakest first; of two with the same start the longer first.
const OPERATORS: [&[(&str, PluralOperator)]; 6] = [
    &[("||", PluralOperator::Or)],
    &[("&&", PluralOperator::And)],
    &[("==", PluralOperator::Equal), ("!=", PluralOperator::NotEqual)],
    &[
        ("<=", PluralOperator::LessOrEqual),
        (">=", PluralOperator::GreaterOrEqual),
        ("<", PluralOperator::Less),
        (">", PluralOperator::Greater),
    ],
    &[("+", PluralOperator::Add), ("-", PluralOperator::Subtract)],
    &[
        ("*", PluralOperator::Multiply),
        ("/", PluralOperator::Divide),
        ("%", PluralOperator::Remainder),
    ],
];

impl Default for PluralForms {
    /// The two forms of English and German.
    fn default() -> Self {
        let not_one = PluralExpression::Binary(
            PluralOperator::NotEqual,
            Box::new(PluralExpression::Count),
            Box::new(PluralExpression::Number(1)),
        );
        Self { form_count: 2, expression: not_one }
    }
}

impl PluralForms {
    /// Parses the value of the header `Plural-Forms`. The error says what is wrong with it.
    pub fn parse(header: &str) -> Result<Self, String> {
        let (mut form_count, mut expression) = (None, None);
        for part in header.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
                Some(("nplurals", value)) => {
                    let count = value.parse().ok().filter(|n| (1..=MAX_PLURAL_FORMS).contains(n));
                    let invalid = || format!("nplurals is {value:?}");
                    form_count = Some(count.ok_or_else(invalid)?);
                }
                Some(("plural", value)) => expression = Some(parse_expression(value)?),
                _ => return Err(format!("{part:?} is neither nplurals nor plural")),
            }
        }
        Ok(Self {
            form_count: form_count.ok_or("nplurals is missing")?,
            expression: expression.ok_or("plural is missing")?,
        })
    }

    /// The number of forms.
    pub fn form_count(&self) -> usize {
        self.form_count
    }

    /// The index of the form of a count. The last form if the expression gives none.
    pub fn form_of(&self, count: u64) -> usize {
        let index = usize::try_from(self.expression.evaluate(count)).unwrap_or(usize::MAX);
        index.min(self.form_count - 1)
    }
}

impl PluralExpression {
    fn evaluate(&self, count: u64) -> u64 {
        match self {
            Self::Count => count,
            Self::Number(number) => *number,
            Self::Not(inner) => u64::from(inner.evaluate(count) == 0),
            Self::Conditional(condition, yes, no) => match condition.evaluate(count) {
                0 => no.evaluate(count),
                _ => yes.evaluate(count),
            },
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.evaluate(count), right.evaluate(count));
                match operator {
                    PluralOperator::Or => u64::from(left != 0 || right != 0),
                    PluralOperator::And => u64::from(left != 0 && right != 0),
                    PluralOperator::Equal => u64::from(left == right),
                    PluralOperator::NotEqual => u64::from(left != right),
                    PluralOperator::LessOrEqual => u64::from(left <= right),
                    PluralOperator::GreaterOrEqual => u64::from(left >= right),
                    PluralOperator::Less => u64::from(left < right),
                    PluralOperator::Greater => u64::from(left > right),
                    PluralOperator::Add => left.saturating_add(right),
                    PluralOperator::Subtract => left.saturating_sub(right),
                    PluralOperator::Multiply => left.saturating_mul(right),
                    PluralOperator::Divide => left.checked_div(right).unwrap_or(0),
                    PluralOperator::Remainder => left.checked_rem(right).unwrap_or(0),
                }
            }
        }
    }
}

fn parse_expression(text: &str) -> Result<PluralExpression, String> {
    let mut parser = PluralRuleParser { rest: text.trim_start(), depth: 0 };
    let expression = parser.parse_conditional()?;
    match parser.rest {
        "" => Ok(expression),
        rest => Err(format!("{rest:?} follows the expression")),
    }
}

struct PluralRuleParser<'t> {
    rest: &'t str,
    depth: usize,
}

impl PluralRuleParser<'_> {
    fn skip(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token).map(str::trim_start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.skip(token) {
            true => Ok(()),
            false => Err(format!("{token:?} is missing before {:?}", self.rest)),
        }
    }

    fn parse_conditional(&mut self) -> Result<PluralExpression, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the expression is too deep".to_owned());
        }
        let condition = self.parse_binary(0)?;
        let expression = match self.skip("?") {
            false => condition,
            true => {
                let yes = self.parse_conditional()?;
                self.expect(":")?;
                let no = self.parse_conditional()?;
                PluralExpression::Conditional(Box::new(condition), Box::new(yes), Box::new(no))
            }
        };
        self.depth -= 1;
        Ok(expression)
    }

    fn parse_binary(&mut self, level: usize) -> Result<PluralExpression, String> {
        let Some(operators) = OPERATORS.get(level) else { return self.parse_operand() };
        let (mut left, mut length) = (self.parse_binary(level + 1)?, 0);
        while let Some((_, operator)) = operators.iter().find(|(token, _)| self.skip(token)) {
            length += 1;
            if length > MAX_DEPTH {
                return Err("the expression is too long".to_owned());
            }
            let right = self.parse_binary(level + 1)?;
            left = PluralExpression::Binary(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn parse_operand(&mut self) -> Result<PluralExpression, String> {
        let mut negations = 0;
        while !self.rest.starts_with("!=") && self.skip("!") {
            negations += 1;
        }
        let operand = if self.skip("(") {
            let inner = self.parse_conditional()?;
            self.expect(")")?;
            inner
        } else if self.skip("n") {
            PluralExpression::Count
        } else {
            let digits =
                self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number = self.rest[..digits].parse();
            let number =
                number.map_err(|_| format!("a number or n is missing before {:?}", self.rest))?;
            self.rest = self.rest[digits..].trim_start();
            PluralExpression::Number(number)
        };
        Ok(match negations {
            0 => operand,
            odd if odd % 2 == 1 => PluralExpression::Not(Box::new(operand)),
            _ => PluralExpression::Not(Box::new(PluralExpression::Not(Box::new(operand)))),
        })
    }
}
