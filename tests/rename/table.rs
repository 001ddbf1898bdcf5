//! The rename table: one rule per line. The first rule that matches a use decides it.

use crate::scan::{NameRole, NameUsage};

/// A rule.
#[derive(Clone, Debug)]
pub struct RenameRule {
    /// The group of names that is applied together.
    pub group: String,
    /// The old name.
    pub old: String,
    /// The new name; `None` if this use has another meaning and stays.
    pub new: Option<String>,
    /// The role of the name; `None` for any role.
    pub role: Option<String>,
    /// The conditions, all of which must be true.
    pub conditions: Vec<RuleCondition>,
    /// How many uses it decided.
    pub line: usize,
}

/// One condition.
#[derive(Clone, Debug)]
pub struct RuleCondition {
    negated: bool,
    subject: String,
    values: Vec<String>,
}

/// Reads the table: columns `group`, `old`, `new` (`-` keeps the name), `role` (`*` is any), and
/// conditions. `#` begins a comment.
pub fn read_rules(text: &str) -> Vec<RenameRule> {
    let mut rules = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split("\t#").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split_whitespace();
        let mut next_word = || words.next().unwrap_or_default().to_owned();
        let (group, old, new, role) = (next_word(), next_word(), next_word(), next_word());
        assert!(!role.is_empty(), "line {}: group, old, new and role are needed", index + 1);
        let rule_conditions: Vec<RuleCondition> = words.map(parse_condition).collect();
        // A rule may belong to several groups.
        for group in group.split(',') {
            rules.push(RenameRule {
                group: group.to_owned(),
                old: old.clone(),
                new: Some(new.clone()).filter(|new| new != "-"),
                role: Some(role.clone()).filter(|role| role != "*"),
                conditions: rule_conditions.clone(),
                line: index + 1,
            });
        }
    }
    rules
}

/// A literal text replacement.
#[derive(Clone, Debug)]
pub struct TextReplacement {
    /// The group of names that it belongs to.
    pub group: String,
    /// The files, from the root.
    pub files: String,
    /// The old text.
    pub old: String,
    /// The new text.
    pub new: String,
}

/// Reads the replacements that were decided by eye.
pub fn read_texts(text: &str) -> Vec<TextReplacement> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .map(|line| {
            let columns: Vec<String> =
                line.split('\t').map(|text| text.replace("\\n", "\n")).collect();
            let [group, files, old, new] = &columns[..] else { panic!("four columns: {line}") };
            TextReplacement {
                group: group.clone(),
                files: files.clone(),
                old: old.clone(),
                new: new.clone(),
            }
        })
        .collect()
}

fn parse_condition(word: &str) -> RuleCondition {
    let (negated, word) = word.strip_prefix('!').map_or((false, word), |word| (true, word));
    let (condition_subject, values) =
        word.split_once('=').unwrap_or_else(|| panic!("no `=` in {word:?}"));
    let values = values.split(',').map(|value| value.replace('~', " ")).collect();
    RuleCondition { negated, subject: condition_subject.to_owned(), values }
}

/// Whether a pattern with `*` fits a whole text.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(part_position) = rest.find(part) else { return false };
        rest = &rest[part_position + part.len()..];
    }
    rest.ends_with(last)
}

impl RenameRule {
    /// Whether the rule matches a use.
    pub fn decides(&self, file: &str, usage: &NameUsage) -> bool {
        self.old == usage.name
            && self.role.as_deref().is_none_or(|role| {
                role.split('|').any(|role_name| role_name == usage.role.table_word())
            })
            && self.conditions.iter().all(|condition| condition.is_met(file, usage))
    }
}

impl RuleCondition {
    fn is_met(&self, file: &str, usage: &NameUsage) -> bool {
        let matches_any =
            |text: &str| self.values.iter().any(|pattern| matches_pattern(pattern, text));
        let is_true = match &*self.subject {
            // The file, from the root.
            "file" => matches_any(file),
            // The syntactic path of the use.
            "path" => matches_any(&usage.path),
            // All of these are keys of the same table.
            "keys" => self.values.iter().all(|key| usage.keys.contains(key)),
            // One of these is a key of the same table.
            "key" => self.values.iter().any(|key| usage.keys.contains(key)),
            // The expression before the field.
            "base" => matches_any(&usage.base),
            // The last name of that expression.
            "last" => matches_any(usage.base.rsplit(['.', ':']).next().unwrap_or_default()),
            // The field that is read from a global.
            "then" => matches_any(&usage.accessed_field),
            // The initial value of the first variable.
            "origin" => matches_any(&usage.origin),
            other => panic!("no such condition: {other}"),
        };
        is_true != self.negated
    }
}

/// The rule of a use, if there is one.
pub fn find_rule<'r>(
    rules: &'r [RenameRule],
    file: &str,
    usage: &NameUsage,
) -> Option<&'r RenameRule> {
    rules.iter().find(|rule| rule.decides(file, usage))
}

/// Whether a rule exists for a name in this role.
pub fn has_rule_for(rules: &[RenameRule], name: &str, role: NameRole) -> bool {
    rules.iter().any(|rule| {
        rule.old == name
            && (role != NameRole::Mark
                || rule.role.as_deref().is_some_and(|role_name| role_name.contains("mark")))
    })
}
