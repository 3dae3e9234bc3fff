//! Splits a text into documents, so that each document is parsed separately.

/// A part of a text that contains one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunk<'t> {
    /// The number of lines of the text before this part.
    pub lines_before: usize,
    /// The text of the part, including its `---` or `...` marker.
    pub text: &'t str,
}

/// Splits `text` into its documents, in order, and skips parts that contain only comments and directives.
///
/// In YAML, a line that begins with the marker `---` or `...` is never part of a value, so finding the markers requires
/// no parsing.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut rest, mut line) = (text, 0);
    std::iter::from_fn(move || {
        loop {
            let (chunk, lines) = first(rest)?;
            let found = Chunk { lines_before: line, text: chunk };
            (rest, line) = (&rest[chunk.len()..], line + lines);
            if found.text.lines().any(has_content) {
                return Some(found);
            }
        }
    })
}

/// The first chunk of `text`, and its number of lines.
fn first(text: &str) -> Option<(&str, usize)> {
    if text.is_empty() {
        return None;
    }
    let (mut end, mut lines, mut is_begun) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        let marker = marker(line);
        if is_begun && marker == Some("---") {
            break;
        }
        (end, lines) = (end + line.len(), lines + 1);
        if marker == Some("...") {
            break;
        }
        is_begun |= marker.is_some() || has_content(line);
    }
    Some((&text[..end], lines))
}

/// The document marker at the beginning of `line`, if it has one.
fn marker(line: &str) -> Option<&str> {
    let (marker, rest) = (line.get(..3)?, line.get(3..)?);
    let is_marker = ["---", "..."].contains(&marker) && rest.chars().next().is_none_or(char::is_whitespace);
    is_marker.then_some(marker)
}

/// Whether a line contains more than a comment, a directive or a bare marker.
fn has_content(line: &str) -> bool {
    let line = marker(line).map_or(line, |marker| &line[marker.len()..]).trim();
    !line.is_empty() && !line.starts_with('#') && !line.starts_with('%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_markers_split_a_file() {
        let split =
            |text: &str| chunks(text).map(|chunk| (chunk.lines_before, chunk.text.to_owned())).collect::<Vec<_>>();
        let owned =
            |parts: &[(usize, &str)]| parts.iter().map(|(line, text)| (*line, (*text).to_owned())).collect::<Vec<_>>();
        assert_eq!(split(""), owned(&[]));
        assert_eq!(split("# none\n---\n---\n...\n"), owned(&[]));
        assert_eq!(split("\u{feff}a: 1"), owned(&[(0, "a: 1")]));
        assert_eq!(split("a: 1\n---\nb: 2\n"), owned(&[(0, "a: 1\n"), (2 - 1, "---\nb: 2\n")]));
        assert_eq!(
            split("%YAML 1.1\n# x\n---\r\na: 1\r\n--- b\n"),
            owned(&[(0, "%YAML 1.1\n# x\n---\r\na: 1\r\n"), (4, "--- b\n"),])
        );
        assert_eq!(
            split("a: |\n  ---\n ---\nb: ---\n...\n...\nc: 1\n"),
            owned(&[(0, "a: |\n  ---\n ---\nb: ---\n...\n"), (6, "c: 1\n"),])
        );
        assert_eq!(split("a: 1\n----\n---b\n"), owned(&[(0, "a: 1\n----\n---b\n")]));
    }
}
