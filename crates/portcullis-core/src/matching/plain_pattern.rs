//! Recognizes most valid regular expressions without parsing them: letters, groups, simple classes, `.*`.

/// The maximum nesting depth of groups. The limit of the parser is much higher.
const MAX_DEPTH: usize = 32;

/// Whether `written` is certainly a valid regular expression. If not, it may still be valid.
pub fn is_plain(written: &str) -> bool {
    let (mut rest, mut depth, mut can_repeat) = (written.as_bytes(), 0, false);
    while let [first, tail @ ..] = rest {
        rest = tail;
        can_repeat = match first {
            b'(' => {
                depth += 1;
                rest = rest.strip_prefix(b"?:").unwrap_or(rest);
                if depth > MAX_DEPTH || rest.first() == Some(&b'?') {
                    return false;
                }
                false
            }
            b')' if depth > 0 => {
                depth -= 1;
                true
            }
            b'*' | b'+' | b'?' if can_repeat => {
                rest = rest.strip_prefix(b"?").unwrap_or(rest);
                false
            }
            b'[' => {
                let Some(after) = after_class(rest) else { return false };
                rest = after;
                true
            }
            b'\\' => match rest {
                [escaped, after @ ..] if is_escape(*escaped) => {
                    rest = after;
                    true
                }
                _ => return false,
            },
            b'|' | b'^' | b'$' => false,
            b')' | b'*' | b'+' | b'?' | b'{' | b'}' | b']' => return false,
            _ => {
                rest = after_literals(rest);
                true
            }
        };
    }
    depth == 0
}

/// The characters that are not literals outside a class.
const SIGNS: [bool; 256] = {
    let (mut signs, mut rest) = ([false; 256], b"()*+?[]{}\\|^$".as_slice());
    while let [first, tail @ ..] = rest {
        signs[*first as usize] = true;
        rest = tail;
    }
    signs
};

/// The text after the literals at the beginning: most characters of an expression.
fn after_literals(rest: &[u8]) -> &[u8] {
    let literals = rest.iter().position(|byte| SIGNS[usize::from(*byte)]);
    literals.map_or(&[], |literals| &rest[literals..])
}

/// The text after a class that consists of ASCII letters, digits, a few signs, and ranges of digits or letters of one
/// case.
fn after_class(rest: &[u8]) -> Option<&[u8]> {
    let mut rest = rest.strip_prefix(b"^").unwrap_or(rest);
    let mut is_empty = true;
    loop {
        rest = match rest {
            [b']', after @ ..] => return (!is_empty).then_some(after),
            [first, b'-', last, after @ ..] if *last != b']' => is_range(*first, *last).then_some(after)?,
            [b'\\', escaped, after @ ..] if is_escape(*escaped) => after,
            [first, after @ ..] if first.is_ascii_alphanumeric() || b" _./%+,;:=".contains(first) => after,
            _ => return None,
        };
        is_empty = false;
    }
}

fn is_range(first: u8, last: u8) -> bool {
    let kinds: [fn(&u8) -> bool; 3] = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    first <= last && kinds.iter().any(|is_of| is_of(&first) && is_of(&last))
}

/// Whether a backslash may precede the byte, both within a class and outside: a sign, or the letter of a named class.
fn is_escape(escaped: u8) -> bool {
    b".+*?()|[]{}^$/-\\dDsSwW".contains(&escaped)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;

    #[test]
    fn what_is_plain_can_be_read() {
        let pieces = prop::sample::select(vec![
            "a", "Z", "7", ".", "*", "+", "?", "|", "^", "$", "(", "(?:", "(?", ")", "[", "[^", "]", "-", "a-z", "z-a",
            "9-A", "\\", "\\.", "\\d", "\\b", "{", "}", "{2}", "/", " ", "_", "ä", ",", ":", "&&", "~", "#", "\n",
        ]);
        let written = prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat());
        let (mut plain, mut runner) = (0, TestRunner::new(Config { cases: 20_000, ..Config::default() }));
        let held = runner.run(&written, |written| {
            let is_read = regex_syntax::parse(&written).is_ok();
            prop_assert!(!is_plain(&written) || is_read, "{written}");
            Ok(())
        });
        held.unwrap_or_else(|error| panic!("{error}"));
        let usual = [
            "",
            "^/api/v[0-9]+(/.*)?$",
            ".*(Mobile|Android|iPhone).*",
            r"^Mozilla/5\.0 \(.*\) .*$",
            "[^/]+",
            r"[\w.-x]",
            "(?:a|b)*?c+",
            "/a b",
            "ä+",
        ];
        for written in usual {
            plain += usize::from(is_plain(written));
            assert!(regex_syntax::parse(written).is_ok(), "{written}");
        }
        assert_eq!(plain, usual.len() - 1, "all but a range of which it is not certain");
    }
}
