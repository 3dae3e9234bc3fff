//! Durations on the command line.

use std::time::Duration;

use jiff::SignedDuration;

/// Parses a duration such as `25s`, `1m 30s` or `12h`. Returns the message of the error.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let unusable = "must be a duration of at least 0s, such as `25s` or `12h`";
    text.parse::<SignedDuration>().ok().and_then(|duration| duration.try_into().ok()).ok_or_else(|| unusable.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit_and_are_not_negative() {
        assert_eq!(parse_duration("25s"), Ok(Duration::from_secs(25)));
        assert_eq!(parse_duration("1m 30s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("0s"), Ok(Duration::ZERO));
        for wrong in ["", "25", "-1s", "soon"] {
            let error = parse_duration(wrong).expect_err(wrong);
            assert_eq!(error, "must be a duration of at least 0s, such as `25s` or `12h`");
        }
    }
}
