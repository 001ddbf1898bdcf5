//! Doc comments of exports, which the reference repeats: the fields of a record that they describe
//! are those that the function names.

use base::text::is_luau_name_character;

use crate::retired_names::files_with_extension;

/// The field names of the records in a comment: `{ id, tags = { ids } }` has `id` and `tags`. Lists,
/// and the fields of a builder behind its name, are left out.
fn record_fields(comment: &str) -> Vec<String> {
    let mut fields = Vec::new();
    for (start, _) in comment.match_indices('{') {
        let is_field_value = comment[..start].ends_with("= ");
        if is_field_value || comment[..start].trim_end().ends_with('"') {
            continue;
        }
        let (mut depth, mut items) = (0, vec![String::new()]);
        for character in comment[start..].chars() {
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => items.push(String::new()),
                _ if depth == 1 => items.last_mut().unwrap().push(character),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        if items.iter().any(|item| item.contains('=')) {
            let names = items.iter().map(|item| item.split('=').next().unwrap().trim());
            fields.extend(
                names
                    .filter(|name| !name.is_empty() && name.chars().all(is_luau_name_character))
                    .map(str::to_owned),
            );
        }
    }
    fields
}

#[test]
fn records_in_doc_comments_have_the_fields_of_the_function() {
    let (mut field_count, mut wrong_fields) = (0, Vec::new());
    let scripts = ["base_game", "mods"].map(|folder| files_with_extension(folder, "luau"));
    for (path, text) in scripts.into_iter().flatten() {
        let mut comment = String::new();
        let mut lines = text.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            if let Some(words) = line.strip_prefix("--") {
                comment.push_str(words);
                continue;
            }
            if line.starts_with("export(") {
                let end = lines.by_ref().find(|(_, line)| line.starts_with("end") || *line == ")");
                let last = end.map_or(index, |(last, _)| last);
                let body: Vec<&str> = text.lines().skip(index).take(last + 1 - index).collect();
                let body = body.join("\n");
                let words: Vec<&str> = body.split(|c| !is_luau_name_character(c)).collect();
                for field in record_fields(&comment) {
                    field_count += 1;
                    if !words.contains(&&*field) {
                        wrong_fields.push(format!("{path}:{index}: {field}"));
                    }
                }
            }
            comment.clear();
        }
    }
    assert!(field_count >= 8, "{field_count}");
    assert_eq!(wrong_fields, Vec::<String>::new());
}
