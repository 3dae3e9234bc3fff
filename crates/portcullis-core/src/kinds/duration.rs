//! Durations of the Gateway API (GEP-2257), such as `1h30m` and `500ms`: Go durations without signs, fractions and
//! small units.

use std::time::Duration;

/// The maximum number of components in a duration.
const COMPONENTS: usize = 4;
/// The maximum number of digits in a component.
const DIGITS: usize = 5;

/// Parses a duration; `None` if `text` is not one. Components may repeat and have any order; they are added.
pub fn parse(text: &str) -> Option<Duration> {
    let (mut rest, mut milliseconds) = (text, 0);
    for _ in 0..COMPONENTS {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=DIGITS).contains(&digits) {
            return None;
        }
        let (number, after) = rest.split_at(digits);
        let (unit, after) = unit(after)?;
        milliseconds += number.parse::<u64>().ok()? * unit;
        rest = after;
        if rest.is_empty() {
            return Some(Duration::from_millis(milliseconds));
        }
    }
    None
}

/// The unit at the beginning of `text` in milliseconds, and the text after it.
fn unit(text: &str) -> Option<(u64, &str)> {
    let units = [("ms", 1), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)];
    units.into_iter().find_map(|(unit, milliseconds)| Some((milliseconds, text.strip_prefix(unit)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_the_sum_of_its_components() {
        let milliseconds = |text| parse(text).map(|duration| duration.as_millis());
        assert_eq!(milliseconds("0s"), Some(0));
        assert_eq!(milliseconds("1h30m"), Some(5_400_000));
        assert_eq!(milliseconds("10m10m"), Some(1_200_000));
        assert_eq!(milliseconds("1ms1s1m1h"), Some(3_661_001));
        assert_eq!(milliseconds("99999h99999h99999h99999h"), Some(399_996 * 3_600_000));
    }

    /// The pattern of the CRDs, applied to every text of up to six of these pieces.
    #[test]
    fn durations_agree_with_the_pattern_of_the_crds() {
        let pattern = regex::Regex::new("^([0-9]{1,5}(h|m|s|ms)){1,4}$").expect("a pattern");
        let mut texts = vec![String::new()];
        let mut last = texts.clone();
        for _ in 0..6 {
            let pieces = ["1", "2345", "h", "m", "s", "ms", "."];
            last = last.iter().flat_map(|text| pieces.iter().map(move |piece| format!("{text}{piece}"))).collect();
            texts.extend(last.iter().cloned());
        }
        texts.extend(["1h1m1s1ms", "1h1m1s1ms1h", "-1s", "1s ", "1.5h", "1us"].map(str::to_owned));
        for text in texts {
            assert_eq!(parse(&text).is_some(), pattern.is_match(&text), "{text}");
        }
    }
}
