//! The sealed format of every journal line and checkpoint: a digest, then the body that it covers.
//! It is compared byte by byte, so that every flipped bit is detected, even in a bracket.
//!
//! `{"chain":"<32 hex>","entry":{…}}`

use base::Digest;

/// About the number of bytes around a body.
const SEAL_OVERHEAD_BYTES: usize = 72;

/// The two keys of the format.
#[derive(Clone, Copy)]
pub(super) struct SealFormat {
    /// The key of the digest.
    pub(super) digest_key: &'static str,
    /// The key of the body.
    pub(super) body_key: &'static str,
}

impl SealFormat {
    /// Writes a body with its digest, without a line break.
    pub(super) fn seal(self, digest: Digest, body: &str) -> String {
        let digits = digest.hex_digits();
        let mut sealed = String::with_capacity(body.len() + SEAL_OVERHEAD_BYTES);
        sealed.extend(["{\"", self.digest_key, "\":\""]);
        sealed.extend(digits.map(char::from));
        sealed.extend(["\",\"", self.body_key, "\":", body, "}"]);
        sealed
    }

    /// Reads the body of a sealed text; `digest` computes its digest.
    pub(super) fn unseal(
        self,
        sealed: &[u8],
        compute_digest: impl FnOnce(&[u8]) -> Digest,
    ) -> Result<(Digest, &str), String> {
        let Self { digest_key, body_key: body } = self;
        let format_error =
            || format!("it does not have the form {{\"{digest_key}\":\"…\",\"{body}\":…}}");
        let (stated, body) = self.split_sealed_text(sealed).ok_or_else(format_error)?;
        let found = compute_digest(body);
        if found.hex_digits() != stated {
            return Err(format!(
                "its content has the digest {found}, but it states {}",
                base::text::strip_unprintable(&String::from_utf8_lossy(stated))
            ));
        }
        let body = std::str::from_utf8(body).map_err(|_| "it is not valid UTF-8".to_owned())?;
        Ok((found, body))
    }

    /// The body of a sealed text that is known to be valid.
    pub(super) fn sealed_body(self, sealed: &[u8]) -> Option<&[u8]> {
        self.split_sealed_text(sealed).map(|(_, body)| body)
    }

    /// Splits a sealed text into the stated digest and the body.
    fn split_sealed_text(self, sealed: &[u8]) -> Option<(&[u8], &[u8])> {
        // Without an allocation: a long journal has hundreds of thousands of lines.
        let rest = strip_key(sealed, b"{\"", self.digest_key, b"\":\"")?;
        let (stated_digits, rest) = rest.split_at_checked(32)?;
        let rest = strip_key(rest, b"\",\"", self.body_key, b"\":")?;
        Some((stated_digits, rest.strip_suffix(b"}")?))
    }
}

/// The text after a name and its delimiters.
fn strip_key<'s>(text: &'s [u8], before: &[u8], name: &str, after: &[u8]) -> Option<&'s [u8]> {
    text.strip_prefix(before)?.strip_prefix(name.as_bytes())?.strip_prefix(after)
}
