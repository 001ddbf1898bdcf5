//! The code of a Problem: a short fixed name of its kind, with its meaning and its help. One list
//! has all codes; `docs/modding/problems.md` is generated from it.

mod list;

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::problem::nearest_name;

pub use list::{Code, SECTIONS};

/// Creates the enum and the sections of the page from the list. A row may have several codes.
macro_rules! define_codes {
    ($([$title:literal $(, $intro:literal)?] $($($name:ident $code:literal),+: $meaning:literal, $help:literal;)+)+) => {
        /// The code of a Problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($($(#[doc = $meaning] $name,)+)+)+
        }

        /// All codes, in the sections of the page.
        pub const SECTIONS: &[super::CodeSection] = &[
            $(super::CodeSection {
                title: $title,
                intro: concat!($($intro)?),
                codes: &[$($(Code::$name),+),+],
            },)+
        ];

        impl Code {
            /// Its text: `unknown-name`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($($(Self::$name => $code,)+)+)+
                }
            }

            /// What it means.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $($($(Self::$name)|+ => $meaning,)+)+
                }
            }

            /// What to do about it.
            pub const fn help(self) -> &'static str {
                match self {
                    $($($(Self::$name)|+ => $help,)+)+
                }
            }
        }
    };
}
use define_codes;

/// A part of the list.
#[derive(Clone, Copy, Debug)]
pub struct CodeSection {
    /// When the codes of this part occur.
    pub title: &'static str,
    /// An introduction in Markdown; may be empty.
    pub intro: &'static str,
    /// The codes, in the order of the page.
    pub codes: &'static [Code],
}

impl Code {
    /// All codes.
    pub fn all_codes() -> impl Iterator<Item = Self> {
        SECTIONS.iter().flat_map(|section| section.codes).copied()
    }

    /// The code with this text.
    pub fn parse_code(text: &str) -> Option<Self> {
        Self::all_codes().find(|code| code.as_str() == text)
    }

    /// The code that was probably meant.
    pub fn nearest_code(text: &str) -> Option<Self> {
        nearest_name(text, Self::all_codes().map(Self::as_str)).and_then(Self::parse_code)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl PartialEq<str> for Code {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Code {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Rejects unknown codes and suggests the most similar one.
impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse_code(&text).ok_or_else(|| D::Error::custom(describe_unknown_code(&text)))
    }
}

/// The message for a text that is not a code.
pub fn describe_unknown_code(text: &str) -> String {
    let near = Code::nearest_code(text).map(|near| format!(", did you mean \"{near}\"?"));
    format!("no Problem has the code {text:?}{}", near.unwrap_or_default())
}

/// Reads the code of a stored Problem. A code that this program does not have becomes `unknown`.
pub(super) fn deserialize_stored_code<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Code, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(Code::parse_code(&text).unwrap_or(Code::Unknown))
}
