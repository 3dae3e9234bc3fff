//! Removes the copy of the manifest that `kubectl apply` keeps in an annotation before a review is parsed.
//!
//! The copy is often half of the object, and every quote in it is escaped, so skipping it in the parser would cost more
//! than parsing all the rest.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// The start of the annotation, as the API server serializes it.
static BEGIN: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new(r#""kubectl.kubernetes.io/last-applied-configuration":""#));

/// `text` without the values of that annotation. Only the content of strings is removed, so the result is still JSON.
pub fn abridge(text: &str) -> Cow<'_, str> {
    let mut short = String::new();
    let mut kept = 0;
    for begin in BEGIN.find_iter(text.as_bytes()).filter(|begin| is_key(text, *begin)) {
        let value = begin + BEGIN.needle().len();
        let Some(end) = end_of_string(text.as_bytes(), value) else { break };
        short.reserve(text.len() - short.len());
        short.push_str(&text[kept..value]);
        kept = end;
    }
    match kept {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(short + &text[kept..]),
    }
}

/// Whether the quote at `begin` starts a key. After a backslash it would be inside another string.
fn is_key(text: &str, begin: usize) -> bool {
    text[..begin].ends_with(['{', ','])
}

/// How many bytes each step of the search examines.
const STEP: usize = 32;

/// The end of a string whose content begins at `begin`: the first quote after an even number of backslashes.
fn end_of_string(bytes: &[u8], begin: usize) -> Option<usize> {
    let backslashes = |at: usize| bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
    let end = |mut places: Range<usize>| places.find(|at| bytes[*at] == b'"' && backslashes(*at).is_multiple_of(2));
    let [steps, one_back, two_back] = [0, 1, 2].map(|back| bytes[begin - back..].as_chunks::<STEP>().0);
    let steps = steps.iter().zip(one_back).zip(two_back);
    let past = begin + steps.len() * STEP;
    let ends = steps.zip((begin..).step_by(STEP)).filter(|(((step, one_back), two_back), _)| {
        // Nearly all quotes follow exactly one backslash, so few steps contain a quote that may end the string. The
        // fold has no early exit, so that the compiler can vectorize it.
        (0..STEP).fold(false, |may_end, at| {
            may_end | ((step[at] == b'"') & ((one_back[at] != b'\\') | (two_back[at] == b'\\')))
        })
    });
    ends.map(|(_, at)| at..at + STEP).chain(std::iter::once(past..bytes.len())).find_map(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "kubectl.kubernetes.io/last-applied-configuration";

    #[test]
    fn the_value_is_left_out_wherever_its_string_ends() {
        let short = ["", r"\n", r#"{\"a\":\"b\"}\n"#, r"\\", r#"\\\""#, r#"a\\\\\"é"#].map(str::to_owned);
        let long = (1..2 * STEP).map(|length| r#"{\"a\\\"\":\"b\"}"#.repeat(length) + &"-".repeat(length));
        for inside in short.into_iter().chain(long) {
            let object = |value: &str| format!(r#"{{"b":"c","{KEY}":"{value}","d":"\\"}}"#);
            let review = |value: &str| format!(r#"{{"object":{0},"oldObject":{0}}}"#, object(value));
            assert_eq!(abridge(&review(&inside)), review(""), "{inside}");
        }
    }

    #[test]
    fn a_key_that_begins_where_a_value_ends_is_cut_once() {
        let text = format!(r#"{{"{KEY}":"a{{"{KEY}":"b"}}"#);
        assert_eq!(abridge(&text), format!(r#"{{"{KEY}":""{KEY}":""}}"#));
    }

    #[test]
    fn what_is_no_such_annotation_stays() {
        let padding = "-".repeat(2 * STEP);
        let texts = [
            String::new(),
            format!(r#"{{"a":"\"{KEY}\":\"b\""}}"#),
            format!(r#"{{"f:{KEY}":{{}}}}"#),
            format!(r#"{{"{KEY}": "b"}}"#),
            format!(r#"{{"a\"{KEY}":"b"}}"#),
            format!(r#"{{"{KEY}":null}}"#),
            format!(r#"{{"{KEY}":"without an end\"{padding}"#),
        ];
        for text in texts {
            assert!(matches!(abridge(&text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
