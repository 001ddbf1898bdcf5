//! The cost of converting a text to a number.

/// The number of bytes that a conversion to a number reads: blanks, a sign, digits, an exponent,
/// blanks.
pub(super) fn numeric_parse_cost(text: &[u8]) -> usize {
    let run = |from: usize, fits: fn(&u8) -> bool| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| fits(byte)).count()
    };
    let blank: fn(&u8) -> bool = |byte| byte.is_ascii_whitespace() || *byte == 0x0b;
    let sign = |at: usize| at + usize::from(matches!(text.get(at), Some(b'+' | b'-')));
    let blanks = run(0, blank);
    let begun = sign(blanks);
    let rest = text.get(begun..).unwrap_or_default();
    let digits = match rest.get(..4).unwrap_or_default() {
        [b'0', b'x' | b'X', ..] => run(begun + 2, |byte| byte.is_ascii_hexdigit() || *byte == b'.'),
        [b'n' | b'N', b'a' | b'A', b'n' | b'N', b'('] => {
            run(begun + 4, |byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        }
        _ => run(begun, |byte| byte.is_ascii_digit() || *byte == b'.'),
    };
    let power = match text.get(digits) {
        Some(b'e' | b'E' | b'p' | b'P') => run(sign(digits + 1), u8::is_ascii_digit),
        _ => digits,
    };
    // Blanks are skipped about eight times as fast as digits are read.
    power - blanks + (blanks + run(power, blank) - power) / 8
}
