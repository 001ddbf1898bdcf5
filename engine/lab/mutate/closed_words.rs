//! The words of closed lists: what `field.one_of { "north", "south" }` declares. A mutant replaces
//! one of them by the next of its list, so that a case must tell them apart.

use std::collections::BTreeMap;

use author::analysis::with_large_stack;
use full_moon::ast::{Call, Expression, Field, FunctionArgs, FunctionCall, Index, Suffix};
use full_moon::visitors::Visitor;
use mods::ModSource;

/// The function that declares a closed list.
const LIST_FUNCTION: &str = "one_of";

/// The next word in the list of each word, both with their quotes. A word of several lists is in the
/// first one, in the order of the files.
#[derive(Default)]
pub(super) struct ClosedWords {
    next_words: BTreeMap<String, String>,
}

impl ClosedWords {
    /// The words that the files of a mod declare.
    pub(super) fn find_in_mod(source: &ModSource) -> Self {
        let mut words = Self::default();
        for text in source.files.values().filter(|text| text.contains(LIST_FUNCTION)) {
            let found = with_large_stack(|| {
                let mut walk = ListWalker::default();
                walk.visit_ast(&full_moon::parse(text).ok()?);
                Some(walk.lists)
            });
            for list in found.into_iter().flatten() {
                words.add_list(&list);
            }
        }
        words
    }

    fn add_list(&mut self, list: &[String]) {
        let next_words = list.iter().cycle().skip(1);
        for (word, next_word) in list.iter().zip(next_words).filter(|(word, next)| word != next) {
            self.next_words.entry(word.clone()).or_insert_with(|| next_word.clone());
        }
    }

    /// The word after this one, if it is a word of a list. Both have their quotes.
    pub(super) fn next_word(&self, quoted_word: &str) -> Option<&str> {
        self.next_words.get(quoted_word).map(String::as_str)
    }
}

/// Whether a call declares a closed list, and its table.
pub(super) fn declares_list(call: &FunctionCall) -> bool {
    call.suffixes().any(|suffix| {
        matches!(suffix, Suffix::Index(Index::Dot { name, .. })
            if name.token().to_string() == LIST_FUNCTION)
    })
}

#[derive(Default)]
struct ListWalker {
    lists: Vec<Vec<String>>,
}

impl Visitor for ListWalker {
    fn visit_function_call(&mut self, call: &FunctionCall) {
        if !declares_list(call) {
            return;
        }
        for suffix in call.suffixes() {
            let Suffix::Call(Call::AnonymousCall(arguments)) = suffix else { continue };
            let FunctionArgs::TableConstructor(table) = &**arguments else { continue };
            let words = table.fields().iter().filter_map(|field| match field {
                Field::NoKey(Expression::String(token)) => Some(token.token().to_string()),
                _ => None,
            });
            self.lists.push(words.collect());
        }
    }
}
