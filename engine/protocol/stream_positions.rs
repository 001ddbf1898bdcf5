//! Reads the positions of random streams from a file: no more than a run has.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserializer;
use serde::de::{Error, MapAccess, Visitor};

use base::limits::MAX_STREAMS;

/// Deserializes the positions of at most as many streams as a run has.
pub(super) fn deserialize_stream_positions<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, u64>, D::Error> {
    struct PositionsVisitor;

    impl<'de> Visitor<'de> for PositionsVisitor {
        type Value = BTreeMap<String, u64>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(formatter, "the positions of at most {MAX_STREAMS} streams")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            let mut positions = BTreeMap::new();
            while let Some((name, position)) = entries.next_entry()? {
                positions.insert(name, position);
                if positions.len() > MAX_STREAMS {
                    return Err(A::Error::invalid_length(positions.len(), &self));
                }
            }
            Ok(positions)
        }
    }

    deserializer.deserialize_map(PositionsVisitor)
}
