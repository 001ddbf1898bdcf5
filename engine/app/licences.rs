//! `sub-rosa licences`: what the program and its games are under, and the notices of all that is
//! linked into it.

use std::io::{self, Write};

pub(super) const LICENCES_HELP: &str = "\
Prints first what Sub Rosa is under, then what its parts by others are under,
with their notices.

Exit status: 0 ok, 1 an error occurred, 2 wrong arguments.";

const OWN_LICENCES: &str = "\
Sub Rosa is under the MIT license or the Apache License 2.0, at your option. The texts of the
licences: docs/licences/ of the source, or the folder of this program's documents. Rulesets and
their authors: docs/CREDITS.md.
";

/// Written by `.ci/notices`.
const THIRD_PARTY_NOTICES: &str = include_str!("../../docs/licences/third_party.txt");

/// Prints the licences.
pub(super) fn print_licences(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(OWN_LICENCES.as_bytes())?;
    for (name, licence) in mods::embedded_licences() {
        writeln!(out, "{name}: {licence}")?;
    }
    out.write_all(b"\n")?;
    out.write_all(include_bytes!("../../docs/licences/MIT.txt"))?;
    out.write_all(b"\n")?;
    out.write_all(THIRD_PARTY_NOTICES.as_bytes())
}
