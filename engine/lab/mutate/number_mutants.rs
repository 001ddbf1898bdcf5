//! Other values of numbers: plus one, minus one and halved; each number of dice notation plus one.

/// The replacements of a number or a dice text, each with its description.
pub(super) fn number_replacements(token: &str) -> Vec<(String, String)> {
    if let Ok(number) = token.parse::<i64>() {
        let mut others = vec![number.saturating_add(1), number.saturating_sub(1)];
        if number > 2 {
            others.push(number / 2);
        }
        let describe_replacement = |other: i64| {
            // A minus sign before it must not start a comment.
            let replacement = if other < 0 { format!("({other})") } else { other.to_string() };
            (replacement, format!("{token} -> {other}"))
        };
        return others.into_iter().map(describe_replacement).collect();
    }
    dice_replacements(token)
}

/// Dice in quotes, such as `"2d6+1"`: each number plus one.
fn dice_replacements(token: &str) -> Vec<(String, String)> {
    let inner = token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let Some(inner) = inner.filter(|inner| is_dice_notation(inner)) else { return Vec::new() };
    let mut others = Vec::new();
    let mut at = 0;
    while at < inner.len() {
        let digits = inner[at..].bytes().take_while(u8::is_ascii_digit).count();
        if let Ok(number) = inner[at..at + digits].parse::<u32>() {
            let other = number.saturating_add(1);
            let new_token = format!("\"{}{other}{}\"", &inner[..at], &inner[at + digits..]);
            others.push((new_token.clone(), format!("{token} -> {new_token}")));
        }
        at += digits.max(1);
    }
    others
}

/// Whether a text is dice notation: a number, `d` and a number, then only signs and numbers.
fn is_dice_notation(text: &str) -> bool {
    let Some((count, rest)) = text.split_once('d') else { return false };
    let digit = |sign: char| sign.is_ascii_digit();
    count.chars().all(digit)
        && rest.starts_with(digit)
        && rest.chars().all(|sign| digit(sign) || "+-*".contains(sign))
}
