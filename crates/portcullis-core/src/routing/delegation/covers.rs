//! Whether a delegated prefix covers a path. Delegation compares whole segments, while requests are matched character
//! by character.

/// Whether `path` is under `prefix` on a segment boundary: `/foo` covers `/foo`, `/foo/` and `/foo/bar`, but not
/// `/foobar`. Trailing slashes are ignored.
pub fn covers(prefix: &str, path: &str) -> bool {
    let (prefix, path) = (prefix.trim_end_matches('/'), path.trim_end_matches('/'));
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The longest prefix that covers all of `paths`; `None` without paths. Another prefix covers all paths if and
/// only if it covers this one.
pub fn span<'p>(mut paths: impl Iterator<Item = &'p str>) -> Option<&'p str> {
    let first = paths.next()?.trim_end_matches('/');
    Some(paths.fold(first, |mut span, path| {
        while !covers(span, path) {
            let Some(slash) = span.rfind('/') else { return "" };
            span = &span[..slash];
        }
        span
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every path of up to three of these pieces.
    fn paths() -> Vec<String> {
        let (mut paths, mut last) = (vec!["/".to_owned()], vec![String::new()]);
        for _ in 0..3 {
            last = last.iter().flat_map(|path| ["/a", "/ab", "/"].map(|piece| format!("{path}{piece}"))).collect();
            paths.extend(last.iter().cloned());
        }
        paths
    }

    #[test]
    fn segments_count_and_slashes_at_the_end_do_not() {
        for (prefix, path, expected) in [
            ("/foo", "/foo", true),
            ("/foo", "/foo/", true),
            ("/foo/", "/foo", true),
            ("/foo", "/foo/bar", true),
            ("/foo", "/foobar", false),
            ("/foo/bar", "/foo", false),
            ("/", "/anything", true),
            ("/", "/", true),
            ("/foo", "/", false),
            ("/foo", "/Foo", false),
        ] {
            assert_eq!(covers(prefix, path), expected, "{prefix} {path}");
        }
    }

    #[test]
    fn prefix_covers_a_span_if_it_covers_each_path() {
        let all = paths();
        for first in &all {
            for second in &all {
                let span = span([first.as_str(), second].into_iter()).expect("there are two");
                for prefix in &all {
                    let expected = covers(prefix, first) && covers(prefix, second);
                    assert_eq!(covers(prefix, span), expected, "{prefix} {first} {second} {span}");
                }
            }
        }
    }
}
