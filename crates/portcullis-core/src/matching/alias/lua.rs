//! Finds the end of a Lua block in an nginx configuration, where comments and strings have Lua syntax.

/// The text after the `}` that closes a block whose `{` is directly before `text`; `None` if the block is not closed.
pub fn block(text: &str) -> Option<&str> {
    let (mut rest, mut depth) = (text, 1_usize);
    loop {
        let first = rest.chars().next()?;
        let taken = match first {
            '"' | '\'' => quoted(rest, first)?,
            '[' => long_bracket(rest).map_or(Some(1), |taken| taken)?,
            '-' if rest.starts_with("--") => comment(rest)?,
            '{' => {
                depth += 1;
                1
            }
            '}' => {
                depth -= 1;
                1
            }
            _ => first.len_utf8(),
        };
        rest = &rest[taken..];
        if depth == 0 {
            return Some(rest);
        }
    }
}

/// The length of a quoted string, which must end on the same line.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut letters = text.char_indices().skip(1);
    loop {
        match letters.next()? {
            (_, '\\') => drop(letters.next()),
            (_, '\n') => return None,
            (at, letter) if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
}

/// The length of a long string such as `[==[ … ]==]`. The outer `None` means that no long string begins here, the inner
/// one that it is not closed.
fn long_bracket(text: &str) -> Option<Option<usize>> {
    let level = text[1..].find(|letter| letter != '=')?;
    text[1 + level..].starts_with('[').then(|| {
        let closing = format!("]{}]", "=".repeat(level));
        let begin = 2 + level;
        text[begin..].find(&closing).map(|length| begin + length + closing.len())
    })
}

/// The length of a comment, which extends to the end of its line or of its long string.
fn comment(text: &str) -> Option<usize> {
    let inner = &text["--".len()..];
    if inner.starts_with('[')
        && let Some(length) = long_bracket(inner)
    {
        return Some("--".len() + length?);
    }
    text.find('\n')
}
