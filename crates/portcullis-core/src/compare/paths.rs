//! The classes of paths that the conditions on a host tell apart, each with examples.
//!
//! Paths are canonical: without `.` and `..`, without repeated slashes, and without needless escapes.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir, Repetition};

use super::automaton::{Automaton, Combination, TooLarge};
use crate::matching::pattern::any_text;
use crate::matching::predicate::{GrpcMethodTest, TextTest};
use crate::matching::{PathTest, PathType};

/// The characters of a path that need no encoding, the most readable first.
const ALPHABET: &[u8] = b"x/abcdefghijklmnopqrstuvwyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~!$&'()*+,;=:@";

/// Characters that need it: those of ASCII but for `%` and control characters, and one for all others.
const ENCODED: [char; 15] = [' ', '"', '#', '<', '>', '?', '[', '\\', ']', '^', '`', '{', '|', '}', 'é'];

/// What follows an example in a further one of the same class.
const TAILS: [&str; 4] = ["/", "/x", "x", "/x/x"];

/// Paths of which each condition matches all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathClass {
    /// The indexes of the conditions that match.
    pub(super) members: Vec<usize>,
    /// Paths, the first one for people.
    pub(super) examples: Vec<String>,
}

/// All classes of the paths that `tests` distinguish. Fails with the reason if they cannot be told.
pub(super) fn classes(tests: &[&PathTest<'_>]) -> Result<Vec<PathClass>, String> {
    let is_literal = |test: &&PathTest<'_>| !matches!(test, PathTest::Pattern(_) | PathTest::Call(_));
    match tests.iter().all(is_literal) {
        true => Ok(of_literals(tests)),
        false => of_expressions(tests),
    }
}

/// The classes without expressions: of each text that is named, the path itself, those below it, and those that continue
/// its last element.
fn of_literals(tests: &[&PathTest<'_>]) -> Vec<PathClass> {
    let texts: BTreeSet<&str> =
        tests.iter().filter_map(|test| literal(test)).filter(|text| is_canonical(text)).collect();
    let letters = [b'x'].into_iter().chain(*b"qzjkvwyubgfpmhdlrcnstioae0123456789");
    let fresh = letters.map(char::from).find(|letter| !texts.iter().any(|text| text.contains(*letter)));
    let fresh = fresh.unwrap_or('~');
    let class = |examples: Vec<String>| {
        let examples: Vec<String> = examples.iter().map(|path| encoded(path)).collect();
        // A proxy compares the path as it is sent, or decoded.
        let decoded = percent_decode_str(&examples[0]).decode_utf8_lossy();
        let members =
            (0..tests.len()).filter(|test| tests[*test].matches(&examples[0]) || tests[*test].matches(&decoded));
        PathClass { members: members.collect(), examples }
    };
    let mut all = vec![class(vec![format!("/{fresh}"), format!("/{fresh}/"), format!("/{fresh}/{fresh}")])];
    for text in texts.iter().copied() {
        all.push(class(vec![text.to_owned()]));
        let base = text.strip_suffix('/').unwrap_or(text);
        let mut below = vec![format!("{base}/{fresh}"), format!("{base}/{fresh}/"), format!("{base}/{fresh}/{fresh}")];
        let slash = format!("{base}/");
        if !texts.contains(slash.as_str()) {
            below.push(slash);
        }
        all.push(class(below));
        if !text.ends_with('/') {
            all.push(class(vec![format!("{text}{fresh}"), format!("{text}{fresh}/{fresh}")]));
        }
    }
    all
}

/// The text of a test without an expression.
fn literal<'t>(test: &'t PathTest<'_>) -> Option<&'t str> {
    match test {
        PathTest::Path(path) => Some(&path.text),
        PathTest::Begins(text) => Some(text),
        PathTest::All | PathTest::Unknown(_) | PathTest::Pattern(_) | PathTest::Call(_) => None,
    }
}

/// Whether a proxy does not normalize the path before it compares it.
fn is_canonical(path: &str) -> bool {
    path.starts_with('/') && !path.contains("//") && !path.split('/').any(|element| matches!(element, "." | ".."))
}

/// A path as a client sends it.
fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            byte if ALPHABET.contains(&byte) || byte == b'%' => text.push(char::from(byte)),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The indexes of the tests that match none of these classes.
pub(super) fn unreached(tests: &[&PathTest<'_>], classes: &[PathClass]) -> Vec<usize> {
    let mut is_reached: Vec<bool> = tests.iter().map(|test| matches!(test, PathTest::Unknown(_))).collect();
    classes.iter().flat_map(|class| &class.members).for_each(|member| is_reached[*member] = true);
    (0..tests.len()).filter(|test| !is_reached[*test]).collect()
}

/// The classes with expressions.
fn of_expressions(tests: &[&PathTest<'_>]) -> Result<Vec<PathClass>, String> {
    // Equal tests are one expression; a gRPC method is two, both of which must match.
    let (mut expressions, mut needs) = (vec![not_canonical(), call()], Vec::with_capacity(tests.len()));
    for test in tests {
        let hir = language(test).map_err(|()| format!("not evaluated: {test}"))?;
        let index = expressions.iter().position(|known| *known == hir).unwrap_or(expressions.len());
        if index == expressions.len() {
            expressions.push(hir);
        }
        needs.push((index, matches!(test, PathTest::Call(_))));
    }
    let too_large = |TooLarge| "the expressions for paths of the host are too large together".to_owned();
    let automaton = Automaton::new(&expressions).map_err(too_large)?;
    if !automaton.is_about_ascii() {
        return Err("paths outside ASCII, beside expressions".to_owned());
    }
    let alphabet = ALPHABET.iter().copied().map(char::from).chain(ENCODED);
    let combinations = automaton.combinations("/", alphabet, Some(NOT_CANONICAL)).map_err(too_large)?;
    Ok(combinations.into_iter().map(|combination| class(&automaton, combination, &needs)).collect())
}

/// The class of a combination, with more examples that end differently.
fn class(automaton: &Automaton, combination: Combination, needs: &[(usize, bool)]) -> PathClass {
    let Combination { members, mut examples } = combination;
    // A proxy compares the path decoded, or as it is sent.
    let sent = automaton.matching(&encoded(&examples[0]));
    let has = |index: usize| members.binary_search(&index).is_ok() || sent.binary_search(&index).is_ok();
    let matching = (0..needs.len()).filter(|test| {
        let (index, is_call) = needs[*test];
        has(index) && (!is_call || has(CALL))
    });
    let matching = matching.collect();
    for tail in TAILS {
        let longer = format!("{}{tail}", examples[0]);
        if !longer.contains("//") && !examples.contains(&longer) && automaton.matching(&longer) == members {
            examples.push(longer);
        }
    }
    let examples = examples.iter().map(|path| encoded(path)).collect();
    PathClass { members: matching, examples }
}

/// The index of the expression for paths that are not canonical.
const NOT_CANONICAL: usize = 0;

/// The index of the expression for the paths of gRPC methods.
const CALL: usize = 1;

fn not_canonical() -> Hir {
    let repeated = Hir::concat(vec![any_text(), text("//"), any_text()]);
    let dots = Hir::concat(vec![
        any_text(),
        text("/."),
        optional(text(".")),
        optional(Hir::concat(vec![text("/"), any_text()])),
    ]);
    Hir::alternation(vec![repeated, dots])
}

fn call() -> Hir {
    Hir::concat(vec![text("/"), element(), text("/"), element()])
}

/// The syntax tree of the paths that `test` matches; of a gRPC method, it may also match paths with more elements.
fn language(test: &PathTest<'_>) -> Result<Hir, ()> {
    Ok(match test {
        PathTest::All => any_text(),
        PathTest::Path(path) if path.kind == PathType::Exact => text(&path.text),
        PathTest::Path(path) if path.text == "/" => Hir::concat(vec![text("/"), any_text()]),
        PathTest::Path(path) => Hir::concat(vec![text(&path.text), optional(Hir::concat(vec![text("/"), any_text()]))]),
        PathTest::Begins(beginning) => Hir::concat(vec![text(beginning), any_text()]),
        // One that is too large to be matched has no language here.
        PathTest::Pattern(pattern) if pattern.unusable().is_some() => return Err(()),
        PathTest::Pattern(pattern) => pattern.language().map_err(|_| ())?,
        PathTest::Call(GrpcMethodTest { service, method }) => {
            Hir::concat(vec![text("/"), word(service.as_ref())?, text("/"), word(method.as_ref())?])
        }
        PathTest::Unknown(_) => Hir::fail(),
    })
}

/// The syntax tree of the service or the method of a gRPC method.
fn word(test: Option<&TextTest<'_>>) -> Result<Hir, ()> {
    match test {
        None | Some(TextTest::Any) => Ok(element()),
        Some(TextTest::Is(word)) => Ok(text(word)),
        Some(TextTest::Matches(pattern)) => pattern.language().map_err(|_| ()),
        Some(TextTest::OneOf(tests)) => {
            let words: Result<_, _> = tests.iter().map(|test| word(Some(test))).collect();
            words.map(Hir::alternation)
        }
        Some(TextTest::Has(_) | TextTest::Absent | TextTest::Unknown(_)) => Ok(Hir::fail()),
    }
}

fn text(text: &str) -> Hir {
    Hir::literal(text.as_bytes())
}

fn optional(part: Hir) -> Hir {
    Hir::repetition(Repetition { min: 0, max: Some(1), greedy: true, sub: Box::new(part) })
}

/// A path element with at least one character.
fn element() -> Hir {
    let ranges = [ClassBytesRange::new(0, b'/' - 1), ClassBytesRange::new(b'/' + 1, 0xff)];
    let letter = Hir::class(Class::Bytes(ClassBytes::new(ranges)));
    Hir::repetition(Repetition { min: 1, max: None, greedy: true, sub: Box::new(letter) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::Path;
    use crate::matching::pattern::Pattern;

    fn examples(tests: &[PathTest<'_>]) -> Vec<(Vec<usize>, String)> {
        let tests: Vec<&PathTest<'_>> = tests.iter().collect();
        let classes = classes(&tests).expect("classes").into_iter();
        let mut all: Vec<_> = classes.map(|class| (class.members, class.examples[0].clone())).collect();
        all.sort();
        all.dedup_by(|one, other| one.0 == other.0);
        all
    }

    fn prefix(text: &str) -> PathTest<'_> {
        PathTest::Path(Path::new(PathType::Prefix, Some(text)))
    }

    #[test]
    fn both_ways_find_the_same_classes() {
        let literal =
            [prefix("/a"), PathTest::Begins("/a/b".into()), PathTest::Path(Path::new(PathType::Exact, Some("/a")))];
        let with_expression: Vec<PathTest<'_>> =
            literal.iter().cloned().chain([PathTest::Pattern(Pattern::new("/zz"))]).collect();
        let members = |tests: &[PathTest<'_>]| -> BTreeSet<Vec<usize>> {
            let all = examples(tests).into_iter().map(|(members, _)| members);
            all.filter(|members| !members.contains(&3)).collect()
        };
        assert_eq!(members(&literal), members(&with_expression));
        assert_eq!(members(&literal), [vec![], vec![0], vec![0, 1], vec![0, 2]].into());
    }

    #[test]
    fn characters_that_need_encoding_count_where_expressions_tell_them_apart() {
        let all =
            examples(&[PathTest::Pattern(Pattern::new(r"/[\w/]*")), PathTest::Pattern(Pattern::new("/[!-$&-~]*"))]);
        assert_eq!(all, [(vec![], "/%20".to_owned()), (vec![0, 1], "/".to_owned()), (vec![1], "/-".to_owned())]);
        let test = PathTest::Pattern(Pattern::new("/ä.*"));
        assert_eq!(classes(&[&test]), Err("paths outside ASCII, beside expressions".to_owned()));
    }

    #[test]
    fn no_example_is_outside_of_canonical_paths() {
        let tests = [PathTest::Pattern(Pattern::new("/a/?(.*)")), PathTest::Pattern(Pattern::new(r"/\.\./x|//.*"))];
        let tests: Vec<&PathTest<'_>> = tests.iter().collect();
        let all = classes(&tests).expect("classes");
        assert!(all.iter().flat_map(|class| &class.examples).all(|path| is_canonical(path)), "{all:?}");
        assert_eq!(unreached(&tests, &all), [1]);
        assert!(all.iter().all(|class| !class.members.contains(&1)), "{all:?}");
    }
}
