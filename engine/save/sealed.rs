//! The shape that every line of a journal and every checkpoint has: a digest, then what it is the
//! digest of. It is compared byte by byte, so that no flipped bit passes, not even in a bracket.
//!
//! `{"chain":"<32 hex>","entry":{…}}`

use crate::kit::Digest;
use crate::kit::fault::planted;

/// About how many bytes stand around a body.
const AROUND: usize = 72;

/// The two names in the shape.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// What the digest is called.
    pub(super) digest: &'static str,
    /// What the body is called.
    pub(super) body: &'static str,
}

impl Shape {
    /// A body under its digest, without a line break.
    pub(super) fn seal(self, digest: Digest, body: &str) -> String {
        let digits = digest.digits();
        let mut sealed = String::with_capacity(body.len() + AROUND);
        sealed.extend(["{\"", self.digest, "\":\""]);
        sealed.extend(digits.map(char::from));
        sealed.extend(["\",\"", self.body, "\":", body, "}"]);
        sealed
    }

    /// The body in a sealed text, whose digest is worked out by `digest`.
    pub(super) fn open(
        self,
        sealed: &[u8],
        digest: impl FnOnce(&[u8]) -> Digest,
    ) -> Result<(Digest, &str), String> {
        let Self { digest: named, body } = self;
        let wrong = || format!("it is not of the shape {{\"{named}\":\"…\",\"{body}\":…}}");
        let (stated, body) = self.apart(sealed).ok_or_else(wrong)?;
        let found = digest(body);
        if found.digits() != stated && !planted("digest_not_compared") {
            return Err(format!(
                "its content has the digest {found}, but it states {}",
                crate::kit::text::clean(&String::from_utf8_lossy(stated))
            ));
        }
        let body = std::str::from_utf8(body).map_err(|_| "it is not valid UTF-8".to_owned())?;
        Ok((found, body))
    }

    /// The body in a sealed text that is known to be good.
    pub(super) fn body(self, sealed: &[u8]) -> Option<&[u8]> {
        self.apart(sealed).map(|(_, body)| body)
    }

    /// What is stated as the digest, and the body.
    fn apart(self, sealed: &[u8]) -> Option<(&[u8], &[u8])> {
        // Without a text of our own: a long journal has hundreds of thousands of these.
        let rest = behind(sealed, b"{\"", self.digest, b"\":\"")?;
        let (stated, rest) = rest.split_at_checked(32)?;
        let rest = behind(rest, b"\",\"", self.body, b"\":")?;
        Some((stated, rest.strip_suffix(b"}")?))
    }
}

/// What stands behind a name with its marks.
fn behind<'s>(text: &'s [u8], before: &[u8], name: &str, after: &[u8]) -> Option<&'s [u8]> {
    text.strip_prefix(before)?.strip_prefix(name.as_bytes())?.strip_prefix(after)
}
