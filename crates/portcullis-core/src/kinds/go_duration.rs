//! Durations in the syntax of Go (`time.ParseDuration`), such as `1h30m`, `1.5s` and `-3ms`.

/// The units in nanoseconds. A unit that begins with the name of another one precedes it.
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The number of digits after the point that can amount to a nanosecond in the largest unit, hours.
const MAX_FRACTION_DIGITS: usize = 13;

/// Whether `text` is a duration that is not negative.
pub fn is_not_negative(text: &str) -> bool {
    parse(text).is_some_and(|nanoseconds| nanoseconds >= 0)
}

/// Parses a duration in nanoseconds; `None` if `text` is not one, or if it does not fit into 64 bits.
pub fn parse(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut sum: i128 = 0;
    loop {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let (unit, after) = UNITS.iter().find_map(|(name, unit)| Some((*unit, after.strip_prefix(name)?)))?;
        sum += number(whole)?.checked_mul(unit)? + fraction_of(fraction, unit);
        if sum > i128::from(i64::MAX) + i128::from(sign < 0) {
            return None;
        }
        rest = after;
        if rest.is_empty() {
            return i64::try_from(sign * sum).ok();
        }
    }
}

/// The digits at the beginning of `text`, and the text after them.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

fn number(digits: &str) -> Option<i128> {
    if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok().map(i128::from) }
}

/// The value of the digits after the point, in nanoseconds and rounded down.
fn fraction_of(fraction: &str, unit: i128) -> i128 {
    let weights = std::iter::successors(Some(10_i128), |scale| scale.checked_mul(10));
    let digits = fraction.bytes().take(MAX_FRACTION_DIGITS).zip(weights);
    let (sum, scale) = digits.fold((0, 1), |(sum, _), (digit, scale)| (sum * 10 + i128::from(digit - b'0'), scale));
    sum * unit / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_read_as_go_reads_it() {
        let good = [
            ("0", 0),
            ("-0", 0),
            ("5s", 5_000_000_000),
            ("+1h30m", 5_400_000_000_000),
            ("1.5s", 1_500_000_000),
            (".5s", 500_000_000),
            ("5.s", 5_000_000_000),
            ("-3ms", -3_000_000),
            ("1us2ns", 1_002),
            ("1\u{b5}s", 1_000),
            ("1\u{3bc}s", 1_000),
            ("0.000000000001h", 3),
            ("0.3333333333333333333h", 1_199_999_999_999),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
        ];
        for (text, nanoseconds) in good {
            assert_eq!(parse(text), Some(nanoseconds), "{text}");
        }
    }

    #[test]
    fn durations_that_go_rejects_are_rejected() {
        let bad = [
            "",
            "3",
            "-",
            "s",
            ".",
            ".s",
            "+.s",
            "1d",
            "5 s",
            "five",
            "infinity",
            "1s ",
            "1e3s",
            "--1s",
            "1m-1s",
            "9223372036854775808ns",
            "9223372036.854775808s",
            "3000000h",
            "99999999999999999999s",
            "\u{661}s",
        ];
        for text in bad {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
