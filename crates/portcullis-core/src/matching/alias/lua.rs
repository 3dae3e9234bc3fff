//! Where a block of Lua ends within a piece of nginx's configuration: what is a comment or a quotation there follows Lua.

/// What follows the `}` that ends a block whose `{` stands right before `text`; `None` where it has no end.
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

/// The length of a quotation, which ends on its line.
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

/// The length of a text such as `[==[ … ]==]`; the outer `None` where none begins here, the inner one where it has no end.
fn long_bracket(text: &str) -> Option<Option<usize>> {
    let level = text[1..].find(|letter| letter != '=')?;
    text[1 + level..].starts_with('[').then(|| {
        let closing = format!("]{}]", "=".repeat(level));
        let begin = 2 + level;
        text[begin..].find(&closing).map(|length| begin + length + closing.len())
    })
}

/// The length of a comment: to the end of its line, or of a long text.
fn comment(text: &str) -> Option<usize> {
    let inner = &text["--".len()..];
    if inner.starts_with('[')
        && let Some(length) = long_bracket(inner)
    {
        return Some("--".len() + length?);
    }
    text.find('\n')
}
