//! Values of annotations as controllers written in Go parse them. Nothing is trimmed: a value with surrounding spaces
//! is invalid.

/// Parses a boolean (`strconv.ParseBool`).
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// Whether `text` is a boolean with the value true.
pub fn is_true(text: &str) -> bool {
    parse_bool(text) == Some(true)
}

/// Parses a port (`strconv.Atoi`): a decimal number from 1 to 65535, optionally with leading zeros or a `+`.
pub fn parse_port(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| *port > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boolean_is_one_of_twelve_words() {
        for text in ["1", "t", "T", "true", "TRUE", "True"] {
            assert!(is_true(text), "{text}");
        }
        for text in ["0", "f", "F", "false", "FALSE", "False"] {
            assert_eq!(parse_bool(text), Some(false), "{text}");
        }
        for text in ["", " true", "true ", "tRUE", "yes", "on", "01"] {
            assert_eq!(parse_bool(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_port_is_a_decimal_number_and_nothing_else() {
        for (text, port) in [("80", 80), ("+80", 80), ("0080", 80), ("65535", 65535)] {
            assert_eq!(parse_port(text), Some(port), "{text}");
        }
        for text in ["", "0", "-1", " 80", "80 ", "80x", "abc", "8_0", "0x50", "65536"] {
            assert_eq!(parse_port(text), None, "{text:?}");
        }
    }
}
