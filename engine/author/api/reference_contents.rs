//! The table of contents of a page: its sections, each with its subsections.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Where the table belongs in a page.
pub(super) const TABLE_OF_CONTENTS_MARK: &str = "<!-- contents -->\n";

/// Puts the table of contents in place of its mark.
pub(super) fn insert_table_of_contents(page: &str) -> String {
    let (mut table, mut in_code, mut is_list_open) = (String::new(), false, false);
    let mut known = BTreeMap::new();
    for line in page.lines() {
        in_code ^= line.starts_with("```");
        let Some((level, title)) = line.split_once(' ').filter(|_| !in_code) else { continue };
        if level.is_empty() || !level.bytes().all(|byte| byte == b'#') {
            continue;
        }
        let link = format!("[{title}](#{})", unique_anchor(&mut known, title));
        // Writing to a text cannot fail.
        let _ = match level {
            "##" => write!(table, "{}- {link}", if table.is_empty() { "" } else { "\n" }),
            "###" => write!(table, "{} {link}", if is_list_open { "," } else { ":" }),
            _ => Ok(()),
        };
        is_list_open = level == "###";
    }
    page.replacen(TABLE_OF_CONTENTS_MARK, &format!("{table}\n"), 1)
}

/// The anchor of the first heading with a title, as web pages create it.
pub(super) fn anchor_of_title(title: &str) -> String {
    let words = title.to_lowercase();
    let allowed = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    allowed.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchor of a heading; equal ones are numbered.
fn unique_anchor(known: &mut BTreeMap<String, usize>, title: &str) -> String {
    let anchor = anchor_of_title(title);
    let count = known.entry(anchor.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
}
