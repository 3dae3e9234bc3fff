//! The paths that a set of rules names, which determine the classes of paths that the rules distinguish.

use std::collections::{BTreeMap, BTreeSet};

use crate::explain::candidate::Candidate;
use crate::matching::predicate::{PathTest, TextTest, called};
use crate::matching::{Path, PathType};

/// A class of paths, relative to the paths that rules name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathClass {
    /// Exactly this path.
    Is(String),
    /// Below this path, and not below a longer one that rules name.
    Below(String),
    /// Begins with this text, continues within its last element, and does not begin with a longer text that rules name.
    Begins(String),
    /// The path of a gRPC method.
    Call(String),
    /// Matches this regular expression.
    Like(String),
    /// Unrelated to all paths that rules name.
    Other,
}

/// The paths that rules name.
#[derive(Debug, Default)]
pub(super) struct Paths<'s> {
    exact: BTreeSet<&'s str>,
    prefixes: BTreeSet<&'s str>,
    /// Prefixes that need not end at the end of an element.
    beginnings: BTreeSet<&'s str>,
    /// The first and second path elements that rules name, for gRPC methods. Only used if a rule has a condition on a
    /// gRPC method.
    services: BTreeSet<&'s str>,
    methods: BTreeSet<&'s str>,
    has_calls: bool,
    /// Regular expressions, each with a path that it matches, if one was found.
    patterns: BTreeMap<&'s str, Option<String>>,
    /// A character that no named path contains, so that a path in which it follows a prefix matches no longer one.
    fresh: String,
}

impl<'s> Paths<'s> {
    pub(super) fn of(rules: &[&'s Candidate<'_>]) -> Self {
        let mut paths = Self::default();
        for rule in rules {
            match &rule.path {
                PathTest::Path(path) if path.kind == PathType::Exact => drop(paths.exact.insert(&path.text)),
                PathTest::Path(path) => drop(paths.prefixes.insert(&path.text)),
                PathTest::Begins(beginning) => drop(paths.beginnings.insert(beginning)),
                PathTest::Pattern(pattern) => drop(paths.patterns.insert(&pattern.written, pattern.specimen())),
                PathTest::Call(call) => {
                    paths.has_calls = true;
                    for (test, words) in [(&call.service, &mut paths.services), (&call.method, &mut paths.methods)] {
                        match test {
                            Some(TextTest::Is(word)) => drop(words.insert(word)),
                            Some(TextTest::Matches(pattern)) => drop(paths.patterns.insert(&pattern.written, None)),
                            Some(_) | None => {}
                        }
                    }
                }
                PathTest::All | PathTest::Unknown(_) => {}
            }
        }
        let written: Vec<&str> = paths.exact.iter().chain(&paths.prefixes).chain(&paths.beginnings).copied().collect();
        for path in written {
            let mut elements = path.split('/').skip(1).filter(|element| !element.is_empty());
            paths.services.extend(elements.next());
            paths.methods.extend(elements.next());
        }
        let texts = || paths.exact.iter().chain(&paths.prefixes).chain(&paths.beginnings);
        let all = || texts().chain(&paths.services).chain(&paths.methods);
        let letters = ['x'].into_iter().chain('a'..='z').chain('\u{a1}'..=char::MAX);
        let fresh = letters.filter(|letter| !all().any(|text| text.contains(*letter))).map(String::from).next();
        paths.fresh = fresh.unwrap_or_default();
        paths
    }

    /// Whether all paths of a class get the same answer. That is not certain for regular expressions, since what they
    /// match cannot be enumerated.
    pub(super) fn is_exact(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Each class with a representative path.
    pub(super) fn all(&self) -> BTreeMap<String, PathClass> {
        let mut all = BTreeMap::new();
        all.insert(format!("/{}", self.fresh), PathClass::Other);
        for (pattern, specimen) in &self.patterns {
            all.extend(specimen.clone().map(|path| (path, PathClass::Like((*pattern).to_owned()))));
        }
        for prefix in self.begun() {
            all.insert(self.inside(prefix), PathClass::Begins((*prefix).to_owned()));
        }
        for prefix in self.prefixes.iter().chain(&self.beginnings) {
            all.insert(self.below(prefix), PathClass::Below((*prefix).to_owned()));
            all.insert((*prefix).to_owned(), PathClass::Is((*prefix).to_owned()));
        }
        if self.has_calls {
            let [services, methods] = [(&self.services, 0), (&self.methods, 1)].map(|(words, place)| {
                let words = words.iter().map(|word| (*word).to_owned());
                let begun = self.begun().filter_map(|text| Some(format!("{}{}", inside_of(text, place)?, self.fresh)));
                words.chain(begun).chain([self.fresh.clone()]).collect::<BTreeSet<String>>()
            });
            for (service, method) in services.iter().flat_map(|one| methods.iter().map(move |other| (one, other))) {
                let path = format!("/{service}/{method}");
                // Skips combinations that no path leads to: only one of the two elements can continue a prefix.
                if self.representative(&path) == path {
                    all.entry(path.clone()).or_insert(PathClass::Call(path));
                }
            }
        }
        all.extend(self.exact.iter().map(|path| ((*path).to_owned(), PathClass::Is((*path).to_owned()))));
        all
    }

    /// The representative of the class of `path`: one of the paths of [`all`](Self::all).
    pub(super) fn representative(&self, path: &str) -> String {
        if [&self.exact, &self.prefixes, &self.beginnings].into_iter().any(|known| known.contains(path)) {
            return path.to_owned();
        }
        let longest = self.begun().filter(|beginning| path.starts_with(**beginning)).max_by_key(|text| text.len());
        if let (true, Some((service, method))) = (self.has_calls, called(path)) {
            let known = |words: &BTreeSet<&str>, word: &str, place| {
                let begun = longest.and_then(|beginning| inside_of(beginning, place)).unwrap_or_default();
                if words.contains(word) { word.to_owned() } else { format!("{begun}{}", self.fresh) }
            };
            return format!("/{}/{}", known(&self.services, service, 0), known(&self.methods, method, 1));
        }
        if !self.beginnings.is_empty() {
            return match longest {
                Some(beginning) if beginning.ends_with('/') || path[beginning.len()..].starts_with('/') => {
                    self.below(beginning)
                }
                Some(beginning) => self.inside(beginning),
                None => format!("/{}", self.fresh),
            };
        }
        let matches = |prefix: &&&str| Path::new(PathType::Prefix, Some(prefix)).matches(path) == Some(true);
        match self.prefixes.iter().filter(matches).max_by_key(|prefix| prefix.len()) {
            Some(prefix) => self.below(prefix),
            None => format!("/{}", self.fresh),
        }
    }

    /// The prefixes that a path may continue within an element. Empty if no rule has a prefix that allows this.
    fn begun(&self) -> impl Iterator<Item = &&'s str> {
        self.prefixes.iter().chain(&self.beginnings).filter(|_| !self.beginnings.is_empty())
    }

    /// A path that continues within the last element of `beginning`.
    fn inside(&self, beginning: &str) -> String {
        self.no_call(format!("{beginning}{}", self.fresh))
    }

    /// A path below `prefix`.
    fn below(&self, prefix: &str) -> String {
        let slash = if prefix.ends_with('/') { "" } else { "/" };
        self.no_call(format!("{prefix}{slash}{}", self.fresh))
    }

    /// The path, with one more element if it would otherwise be the path of a gRPC method and rules distinguish these.
    fn no_call(&self, path: String) -> String {
        if self.has_calls && called(&path).is_some() { format!("{path}/{}", self.fresh) } else { path }
    }
}

/// The element at index `place`, if it is the last one of the path.
fn inside_of(path: &str, place: usize) -> Option<&str> {
    let mut elements = path.strip_prefix('/')?.split('/').skip(place);
    let element = elements.next()?;
    elements.next().is_none().then_some(element)
}

/// A word for which `taken` is false.
pub(super) fn fresh(taken: impl Fn(&str) -> bool) -> String {
    let mut word = "x".to_owned();
    while taken(&word) {
        word.push('x');
    }
    word
}
