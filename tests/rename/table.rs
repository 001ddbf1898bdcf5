//! The table of names: one rule a line, the first that fits a use decides.

use crate::scan::{Role, Use};

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The group of names that is applied together.
    pub group: String,
    /// The name now.
    pub old: String,
    /// The name from now on; none if this use is no use of what is renamed.
    pub new: Option<String>,
    /// What the name is used as; none for any use.
    pub role: Option<String>,
    /// What must hold of the use, all of it.
    pub when: Vec<Condition>,
    /// How many uses it decided.
    pub line: usize,
}

/// One condition.
#[derive(Clone, Debug)]
pub struct Condition {
    negated: bool,
    what: String,
    values: Vec<String>,
}

/// Reads the table: columns `group`, `old`, `new` (`-` keeps the name), `role` (`*` is any), and conditions.
/// `#` begins a comment.
pub fn read(text: &str) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.split("\t#").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split_whitespace();
        let mut next = || words.next().unwrap_or_default().to_owned();
        let (group, old, new, role) = (next(), next(), next(), next());
        assert!(!role.is_empty(), "line {}: group, old, new and role are needed", n + 1);
        let when: Vec<Condition> = words.map(condition).collect();
        // Some uses belong to no group of several.
        for group in group.split(',') {
            rules.push(Rule {
                group: group.to_owned(),
                old: old.clone(),
                new: Some(new.clone()).filter(|new| new != "-"),
                role: Some(role.clone()).filter(|role| role != "*"),
                when: when.clone(),
                line: n + 1,
            });
        }
    }
    rules
}

/// A text that is replaced as it stands.
#[derive(Clone, Debug)]
pub struct Text {
    /// The group of names that it is replaced with.
    pub group: String,
    /// The files, from the root.
    pub files: String,
    /// What stands there.
    pub old: String,
    /// What is to stand there.
    pub new: String,
}

/// Reads the texts that were decided by eye.
pub fn read_texts(text: &str) -> Vec<Text> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .map(|line| {
            let columns: Vec<String> =
                line.split('\t').map(|text| text.replace("\\n", "\n")).collect();
            let [group, files, old, new] = &columns[..] else { panic!("four columns: {line}") };
            Text { group: group.clone(), files: files.clone(), old: old.clone(), new: new.clone() }
        })
        .collect()
}

fn condition(word: &str) -> Condition {
    let (negated, word) = word.strip_prefix('!').map_or((false, word), |word| (true, word));
    let (what, values) = word.split_once('=').unwrap_or_else(|| panic!("no `=` in {word:?}"));
    let values = values.split(',').map(|value| value.replace('~', " ")).collect();
    Condition { negated, what: what.to_owned(), values }
}

/// Whether a pattern with `*` fits a whole text.
pub fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(found) = rest.find(part) else { return false };
        rest = &rest[found + part.len()..];
    }
    rest.ends_with(last)
}

impl Rule {
    /// Whether it decides a use.
    pub fn decides(&self, file: &str, usage: &Use) -> bool {
        self.old == usage.name
            && self
                .role
                .as_deref()
                .is_none_or(|role| role.split('|').any(|r| r == usage.role.word()))
            && self.when.iter().all(|condition| condition.holds(file, usage))
    }
}

impl Condition {
    fn holds(&self, file: &str, usage: &Use) -> bool {
        let any = |text: &str| self.values.iter().any(|pattern| fits(pattern, text));
        let held = match &*self.what {
            // The file, from the root.
            "file" => any(file),
            // Where it stands.
            "path" => any(&usage.path),
            // All of these are keys of the same table.
            "keys" => self.values.iter().all(|key| usage.keys.contains(key)),
            // One of these is a key of the same table.
            "key" => self.values.iter().any(|key| usage.keys.contains(key)),
            // The expression before the field.
            "base" => any(&usage.base),
            // The last name of it.
            "last" => any(usage.base.rsplit(['.', ':']).next().unwrap_or_default()),
            // The field that is read of a variable.
            "then" => any(&usage.then),
            // What its first variable is.
            "origin" => any(&usage.origin),
            other => panic!("no such condition: {other}"),
        };
        held != self.negated
    }
}

/// The rule of a use, if there is one.
pub fn rule<'r>(rules: &'r [Rule], file: &str, usage: &Use) -> Option<&'r Rule> {
    rules.iter().find(|rule| rule.decides(file, usage))
}

/// Whether marks are looked at by this rule.
pub fn wants(rules: &[Rule], name: &str, role: Role) -> bool {
    rules.iter().any(|rule| {
        rule.old == name
            && (role != Role::Mark || rule.role.as_deref().is_some_and(|r| r.contains("mark")))
    })
}
