//! The locations of a server: how nginx orders them, and which one a path reaches (controller/location.go and
//! `ngx_http_core_find_location`).

use std::borrow::Cow;
use std::cmp::Reverse;

use regex_automata::meta::Regex;

use super::origin::Origin;
use super::settings::Settings;
use crate::matching::compile::{Reach, Unusable, compile};

/// The path that every server has.
pub const ROOT: &str = "/";

/// How the path of a location is matched outside regex mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// The whole path.
    Exact,
    /// The beginning of the path.
    Prefix,
}

/// A location of a server.
#[derive(Debug, Clone)]
pub struct Location<'w> {
    /// The path. That of a split `Prefix` ends in a slash.
    pub path: Cow<'w, str>,
    /// How it is matched outside regex mode.
    pub kind: Match,
    /// The field it comes from; `None` for the location `/` of the default server.
    pub origin: Option<Origin>,
    /// The index of the upstream; `None` for the default backend of the controller, which answers 404.
    pub backend: Option<usize>,
    /// Whether no path but the server itself needs it, so that a path `/` replaces it.
    pub is_default: bool,
    /// Whether redirects and rewrites of its Ingress have no effect on it.
    pub is_plain: bool,
}

/// What a path reaches.
#[derive(Debug)]
pub enum ReachedLocation<'s, 'w> {
    /// This location.
    Location(&'s Location<'w>),
    /// nginx redirects to the path of this location, which has a slash at its end.
    Slash(&'s Location<'w>),
    /// It is not known, since the expression of this location cannot be evaluated.
    Unknown(&'s Location<'w>),
}

/// The locations of one server in the order in which nginx evaluates them.
#[derive(Debug)]
pub struct Locations<'w> {
    ordered: Vec<Location<'w>>,
    /// In regex mode, the compiled path of each location.
    patterns: Option<Vec<Result<Regex, Unusable>>>,
}

impl<'w> Locations<'w> {
    /// Splits and orders the locations of a server; `settings` finds the settings of the Ingress of a location.
    pub fn new<'s>(
        mut locations: Vec<Location<'w>>,
        settings: impl Fn(&Location<'w>) -> Option<&'s Settings<'w>>,
    ) -> Self
    where
        'w: 's,
    {
        locations.sort_by(|left, right| {
            let key = |location: &Location<'w>| Reverse(location.path.len());
            key(left).cmp(&key(right)).then_with(|| right.path.cmp(&left.path))
        });
        let enforces_regex = |location: &Location<'w>| {
            let settings = settings(location).filter(|_| !location.is_plain);
            settings.is_some_and(|settings| settings.enforces_regex(&location.path))
        };
        let ordered = split(locations, enforces_regex);
        let is_regex = ordered.iter().any(enforces_regex);
        let compiled = |location: &Location<'w>| compile(&location.path, Reach::Beginning(true));
        let patterns = is_regex.then(|| ordered.iter().map(compiled).collect());
        Self { ordered, patterns }
    }

    /// All locations in their order.
    pub fn all(&self) -> &[Location<'w>] {
        &self.ordered
    }

    /// Whether all paths are expressions that ignore case.
    pub fn are_expressions(&self) -> bool {
        self.patterns.is_some()
    }

    /// The locations that may be selected for a normalized path, whatever their order.
    pub fn matching(&self, path: &[u8]) -> impl Iterator<Item = &Location<'w>> {
        let is_match = move |index: usize, location: &Location<'w>| match (&self.patterns, location.kind) {
            (Some(patterns), _) => patterns[index].as_ref().is_ok_and(|pattern| pattern.is_match(path)),
            (None, Match::Exact) => path == location.path.as_bytes(),
            (None, Match::Prefix) => path.starts_with(location.path.as_bytes()),
        };
        let all = self.ordered.iter().enumerate();
        all.filter(move |(index, location)| is_match(*index, location)).map(|(_, location)| location)
    }

    /// What a normalized path reaches.
    pub fn find(&self, path: &[u8]) -> Option<ReachedLocation<'_, 'w>> {
        match &self.patterns {
            Some(patterns) => {
                let mut found = self.ordered.iter().zip(patterns);
                found.find_map(|(location, pattern)| match pattern {
                    Ok(pattern) => pattern.is_match(path).then_some(ReachedLocation::Location(location)),
                    Err(_) => Some(ReachedLocation::Unknown(location)),
                })
            }
            None => self.find_text(path),
        }
    }

    fn find_text(&self, path: &[u8]) -> Option<ReachedLocation<'_, 'w>> {
        let is_path = |location: &&Location<'w>| location.path.as_bytes() == path;
        let with_path = || self.ordered.iter().filter(is_path);
        if let Some(exact) = with_path().find(|location| location.kind == Match::Exact).or(with_path().next()) {
            return Some(ReachedLocation::Location(exact));
        }
        let with_slash =
            |location: &Location<'w>| location.path.strip_suffix('/').is_some_and(|path_of| path_of.as_bytes() == path);
        if let Some(location) = self.ordered.iter().find(|location| with_slash(location)) {
            return Some(ReachedLocation::Slash(location));
        }
        let prefixes = self.ordered.iter().filter(|location| location.kind == Match::Prefix);
        let matching = prefixes.filter(|location| path.starts_with(location.path.as_bytes()));
        matching.max_by_key(|location| location.path.len()).map(ReachedLocation::Location)
    }
}

/// Adds a location without the slash at the end for each path of type `Prefix`, so that whole elements match.
fn split<'w>(locations: Vec<Location<'w>>, enforces_regex: impl Fn(&Location<'w>) -> bool) -> Vec<Location<'w>> {
    let exact = |path: &str| locations.iter().any(|location| location.kind == Match::Exact && location.path == path);
    let mut all = Vec::with_capacity(2 * locations.len());
    for location in &locations {
        if location.path == ROOT || location.kind == Match::Exact || enforces_regex(location) {
            all.push(location.clone());
            continue;
        }
        let path = match location.path.ends_with('/') {
            true => location.path.clone(),
            false => Cow::Owned(format!("{}/", location.path)),
        };
        all.push(Location { path, ..location.clone() });
        if !exact(&location.path) {
            all.push(Location { kind: Match::Exact, ..location.clone() });
        }
    }
    all
}
