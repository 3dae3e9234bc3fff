//! How controllers interpret paths of type `ImplementationSpecific`: a table that says when such a path and one of
//! another type match the same requests.

use super::PathType;
use super::controller::Controller::{
    self, Alibaba, Aws, Cilium, Contour, F5Nginx, HaproxyIngress, HaproxyTech, Higress, IngressNginx, Kong, Traefik,
};
use crate::kinds::Entries;
use crate::kinds::annotation::{Says, path_regex};
use crate::kinds::annotation_value::is_true;

/// How a controller interprets a path of type `ImplementationSpecific`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathInterpretation {
    /// Like `Prefix`, or as a text prefix that is evaluated after paths of type `Prefix`. A trailing slash is ignored.
    Elements,
    /// As a text prefix, and so are paths of type `Prefix`. A trailing slash counts.
    Text,
    /// As a pattern in which only `*` and `?` are special. Without these, it is like `Exact`.
    Pattern,
    /// As a regular expression.
    Regex,
}

/// Each entry follows the documentation or source code of the controller. How other controllers interpret such a path
/// is not known.
static INTERPRETATIONS: &[(Controller, PathInterpretation)] = &[
    (Alibaba, PathInterpretation::Pattern),
    (Aws, PathInterpretation::Pattern),
    (Cilium, PathInterpretation::Regex),
    (Contour, PathInterpretation::Elements),
    (F5Nginx, PathInterpretation::Text),
    (HaproxyIngress, PathInterpretation::Elements),
    (HaproxyTech, PathInterpretation::Elements),
    (Higress, PathInterpretation::Elements),
    (IngressNginx, PathInterpretation::Elements),
    (Kong, PathInterpretation::Elements),
    (Traefik, PathInterpretation::Text),
];

/// Annotations, beside those of [`path_regex`], that make a controller interpret such a path differently than usual,
/// each with a test of its value.
const CHOOSES_INTERPRETATION: &[(&str, Says)] = &[
    ("alb.ingress.kubernetes.io/use-regex-path-match", is_true),
    ("haproxy-ingress.github.io/path-type", |_| true),
    ("ingress.kubernetes.io/path-type", |_| true),
    ("traefik.ingress.kubernetes.io/router.pathmatcher", |_| true),
];

/// Characters that some controller treats as part of an expression.
pub(super) const SPECIAL: &[u8] = b"^$*+?()[]{}|\\~%";

/// The notation of a path, as far as its canonical form does not contain it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PathNotation {
    /// Whether it ends in a slash.
    pub ends_in_slash: bool,
    /// Whether it has the type `ImplementationSpecific` and contains characters of an expression.
    pub has_special: bool,
    /// Whether it has that type and annotations choose its interpretation.
    pub is_chosen: bool,
    /// Whether it does not come from a rule but represents the requests that no rule matches.
    pub is_default_backend: bool,
}

impl PathNotation {
    const ROOT: Self = Self { ends_in_slash: true, has_special: false, is_chosen: false, is_default_backend: false };

    /// Returns the notation of the path `written`. `is_chosen` says whether annotations of the Ingress choose the
    /// interpretation of such paths.
    pub fn of(kind: PathType, written: &str, is_chosen: impl FnOnce() -> bool) -> Self {
        let ends_in_slash = written.ends_with('/');
        if kind != PathType::ImplementationSpecific {
            return Self { ends_in_slash, ..Self::default() };
        }
        let has_special = written.bytes().any(|byte| SPECIAL.contains(&byte));
        Self { ends_in_slash, has_special, is_chosen: is_chosen(), is_default_backend: false }
    }
}

/// Whether `annotations` choose the interpretation of paths of type `ImplementationSpecific`.
pub fn is_chosen(annotations: &Entries<'_>) -> bool {
    let chooses = |(key, says_so): &(&str, Says)| annotations.get(key).is_some_and(|value| says_so(value));
    path_regex(annotations).is_some() || CHOOSES_INTERPRETATION.iter().any(chooses)
}

/// A path in canonical form, with its notation.
#[derive(Debug, Clone, Copy)]
pub struct NotatedPath<'p> {
    /// How it matches.
    pub kind: PathType,
    /// The text.
    pub text: &'p str,
    /// The notation, which the text does not contain.
    pub notation: PathNotation,
}

impl NotatedPath<'static> {
    /// The prefix of all paths.
    pub const ROOT: Self = Self { kind: PathType::Prefix, text: "/", notation: PathNotation::ROOT };
    /// The path that represents a default backend.
    pub const DEFAULT_BACKEND: Self =
        Self { notation: PathNotation { is_default_backend: true, ..PathNotation::ROOT }, ..Self::ROOT };
}

impl<'p> NotatedPath<'p> {
    /// Whether some controller treats it as the prefix of all paths.
    pub fn may_be_root(&self) -> bool {
        may_be_alike(*self, NotatedPath::ROOT)
    }

    /// The key for paths that may match the same requests: the text without the characters that some controllers
    /// ignore.
    pub fn key(kind: PathType, text: &'p str) -> &'p str {
        let text = if kind == PathType::ImplementationSpecific { text.strip_suffix('*').unwrap_or(text) } else { text };
        text.trim_end_matches('/')
    }

    /// Whether both are written in the same way. An absent path counts as `/`.
    fn is_written_as(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }

    /// The text without its last slash, and whether it has one.
    fn parts(&self) -> (&'p str, bool) {
        let plain = self.text.strip_suffix('/');
        (plain.unwrap_or(self.text), plain.is_some() || self.notation.ends_in_slash)
    }
}

/// Whether two paths match the same requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// They do. One path may additionally match paths that continue within the same element.
    Same,
    /// It is not known, or they have only some requests in common.
    Maybe,
    /// They do not.
    Different,
}

/// Whether two paths of one host may match the same requests under any controller.
pub fn may_be_alike(one: NotatedPath<'_>, other: NotatedPath<'_>) -> bool {
    match (one.kind, other.kind) {
        _ if one.notation.is_default_backend != other.notation.is_default_backend => false,
        (first, second) if first == second => one.text == other.text,
        (PathType::ImplementationSpecific, _) | (_, PathType::ImplementationSpecific) => {
            NotatedPath::key(one.kind, one.text) == NotatedPath::key(other.kind, other.text)
        }
        _ => false,
    }
}

/// Whether two paths of one host match the same requests under `controller`, if it is known.
pub fn likeness(one: NotatedPath<'_>, other: NotatedPath<'_>, controller: Option<Controller>) -> Likeness {
    let (specific, other) = match (one.kind, other.kind) {
        _ if !may_be_alike(one, other) => return Likeness::Different,
        (first, second) if first == second => return Likeness::Same,
        (PathType::ImplementationSpecific, _) => (one, other),
        _ => (other, one),
    };
    let interpretation =
        INTERPRETATIONS.iter().find(|(known, _)| Some(*known) == controller).map(|(_, interpretation)| *interpretation);
    let is_plain = !specific.notation.has_special && !specific.notation.is_chosen;
    let is_prefix = other.kind == PathType::Prefix;
    match interpretation {
        Some(PathInterpretation::Regex) => Likeness::Different,
        Some(PathInterpretation::Pattern) if !specific.notation.is_chosen => as_pattern(specific, other),
        _ if !is_prefix => Likeness::Different,
        Some(PathInterpretation::Pattern) => maybe(specific.is_written_as(&other)),
        None => maybe(!specific.notation.is_chosen || specific.is_written_as(&other)),
        Some(_) if !is_plain => maybe(specific.is_written_as(&other)),
        Some(PathInterpretation::Text) if !specific.is_written_as(&other) => Likeness::Different,
        Some(PathInterpretation::Text | PathInterpretation::Elements) => Likeness::Same,
    }
}

/// Whether a pattern, in which `*` matches any text, matches the same requests as another path. A pattern without `*`
/// matches only itself.
fn as_pattern(specific: NotatedPath<'_>, other: NotatedPath<'_>) -> Likeness {
    let matches_all = specific.text == "/*" || (specific.text == "/" && !specific.notation.ends_in_slash);
    match other.kind {
        PathType::Prefix if other.text == "/" && matches_all => Likeness::Same,
        PathType::Prefix => maybe(specific.text.ends_with("/*")),
        _ if specific.text == other.text && !matches_all && !specific.text.contains(['*', '?']) => Likeness::Same,
        _ => Likeness::Different,
    }
}

fn maybe(is_so: bool) -> Likeness {
    if is_so { Likeness::Maybe } else { Likeness::Different }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::Path;

    fn of(specific: &str, kind: PathType, other: &str, controller: Option<Controller>) -> Likeness {
        let notated = |kind, written| {
            let notation = PathNotation::of(kind, written, || false);
            let text = match Path::new(kind, Some(written)).text {
                std::borrow::Cow::Borrowed(text) => text,
                std::borrow::Cow::Owned(_) => unreachable!("a path borrows its text"),
            };
            NotatedPath { kind, text, notation }
        };
        let (one, other) = (notated(PathType::ImplementationSpecific, specific), notated(kind, other));
        let likeness = likeness(one, other, controller);
        assert_eq!(super::likeness(other, one, controller), likeness, "either way round");
        assert!(likeness == Likeness::Different || may_be_alike(one, other), "{specific} {:?} is found", other.text);
        likeness
    }

    #[test]
    fn every_controller_has_one_interpretation() {
        for (index, (controller, _)) in INTERPRETATIONS.iter().enumerate() {
            assert!(INTERPRETATIONS[index + 1..].iter().all(|(other, _)| other != controller), "{controller:?}");
        }
    }

    #[test]
    fn a_specific_path_is_what_its_controller_makes_of_it() {
        use Likeness::{Different, Maybe, Same};
        use PathType::{Exact, Prefix};
        for (specific, kind, other, controller, expected) in [
            ("/cart", Prefix, "/cart", Some(IngressNginx), Same),
            ("/cart/", Prefix, "/cart", Some(IngressNginx), Same),
            ("/cart", Prefix, "/cart/", Some(Kong), Same),
            ("/", Prefix, "/", Some(Contour), Same),
            ("", Prefix, "/", Some(Traefik), Same),
            ("/cart", Prefix, "/cart", Some(Traefik), Same),
            ("/cart/", Prefix, "/cart/", Some(Traefik), Same),
            ("/cart/", Prefix, "/cart", Some(Traefik), Different),
            ("/cart", Prefix, "/cart/", Some(F5Nginx), Different),
            ("/cart", Prefix, "/car", Some(IngressNginx), Different),
            ("/cart", Exact, "/cart", Some(IngressNginx), Different),
            ("/*", Prefix, "/", Some(IngressNginx), Different),
            ("/item[0-9]", Prefix, "/item[0-9]", Some(IngressNginx), Maybe),
            ("/~/cart", Prefix, "/~/cart", Some(Kong), Maybe),
            ("/*", Prefix, "/", Some(Aws), Same),
            ("", Prefix, "/", Some(Aws), Same),
            ("/", Prefix, "/", Some(Aws), Different),
            ("/cart", Prefix, "/cart", Some(Aws), Different),
            ("/cart/*", Prefix, "/cart", Some(Aws), Maybe),
            ("/cart", Exact, "/cart", Some(Aws), Same),
            ("/cart/", Exact, "/cart", Some(Aws), Different),
            ("/*", Exact, "/*", Some(Aws), Different),
            ("/", Prefix, "/", Some(Cilium), Different),
            ("/cart", Prefix, "/cart", None, Maybe),
            ("/*", Prefix, "/", None, Maybe),
            ("/", Prefix, "/", Some(Controller::Azure), Maybe),
            ("/cart", Exact, "/cart", None, Different),
        ] {
            assert_eq!(of(specific, kind, other, controller), expected, "{specific} {kind} {other} {controller:?}");
        }
    }
}
