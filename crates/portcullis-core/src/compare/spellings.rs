//! Other spellings of a path, which each proxy normalizes in its own way: they are not compared as kinds of requests.

/// What a spelling has, and how it is made of a path.
type Spelling = (&'static str, fn(&str) -> String);

/// The spellings, each with what it has that a canonical path has not (RFC 3986, section 6).
const TABLE: [Spelling; 5] = [
    ("a slash twice", |path| format!("/{path}")),
    ("the segment .", |path| format!("/.{path}")),
    ("the segment ..", |path| format!("/x/..{path}")),
    ("an escape that is not needed", escaped),
    ("an escaped slash at the end", |path| format!("{}%2F", path.trim_end_matches('/'))),
];

/// The other spellings of a path, each with what it has.
pub(super) fn of(path: &str) -> impl Iterator<Item = (&'static str, String)> {
    TABLE.into_iter().map(move |(what, spelled)| (what, spelled(path))).filter(move |(_, spelled)| spelled != path)
}

/// The path with its last letter as an escape.
fn escaped(path: &str) -> String {
    match path.rfind(|letter: char| letter.is_ascii_alphanumeric()) {
        Some(at) => format!("{}%{:02X}{}", &path[..at], path.as_bytes()[at], &path[at + 1..]),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_other_spellings() {
        let all: Vec<String> = of("/api/v1").map(|(_, spelled)| spelled).collect();
        assert_eq!(all, ["//api/v1", "/./api/v1", "/x/../api/v1", "/api/v%31", "/api/v1%2F"]);
        assert_eq!(of("/").count(), 4);
    }
}
