//! How controllers read paths of type `ImplementationSpecific`: when such a path and one of another type match the same requests, as data.

use super::PathType;
use super::controller::Controller::{
    self, Alibaba, Aws, Cilium, Contour, F5Nginx, HaproxyIngress, HaproxyTech, Higress, IngressNginx, Kong, Traefik,
};
use crate::kinds::Entries;
use crate::kinds::annotation::{Says, path_regex};
use crate::kinds::annotation_value::is_true;

/// How a controller reads a path of type `ImplementationSpecific`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As `Prefix`, or as a prefix of the text after which `Prefix` is asked first: a trailing slash does not count.
    Elements,
    /// As a prefix of the text, and `Prefix` alike: a trailing slash counts.
    Text,
    /// As a pattern, in which only `*` and `?` are special; without one it is as `Exact`.
    Pattern,
    /// As a regular expression.
    Regex,
}

/// Each with its own documentation or source as the witness. How the others read such a path is not known.
static READINGS: &[(Controller, Reading)] = &[
    (Alibaba, Reading::Pattern),
    (Aws, Reading::Pattern),
    (Cilium, Reading::Regex),
    (Contour, Reading::Elements),
    (F5Nginx, Reading::Text),
    (HaproxyIngress, Reading::Elements),
    (HaproxyTech, Reading::Elements),
    (Higress, Reading::Elements),
    (IngressNginx, Reading::Elements),
    (Kong, Reading::Elements),
    (Traefik, Reading::Text),
];

/// Annotations by which a controller reads such a path in another way than its usual one, beside those of [`path_regex`], each with whether
/// a value says so.
const CHOOSES_READING: &[(&str, Says)] = &[
    ("alb.ingress.kubernetes.io/use-regex-path-match", is_true),
    ("haproxy-ingress.github.io/path-type", |_| true),
    ("ingress.kubernetes.io/path-type", |_| true),
    ("traefik.ingress.kubernetes.io/router.pathmatcher", |_| true),
];

/// Characters that some controller reads as part of an expression.
pub(super) const SPECIAL: &[u8] = b"^$*+?()[]{}|\\~%";

/// How a path is written, as far as its canonical form does not say it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spelling {
    /// Whether it ends in a slash.
    pub ends_in_slash: bool,
    /// Whether it is of type `ImplementationSpecific` and may be an expression, by its characters.
    pub has_special: bool,
    /// Whether it is of that type and annotations choose how it is read.
    pub is_chosen: bool,
    /// Whether no rule has it: it stands for all that no rule matches.
    pub is_default_backend: bool,
}

impl Spelling {
    const ROOT: Self = Self { ends_in_slash: true, has_special: false, is_chosen: false, is_default_backend: false };

    /// The spelling of the path `written`, in an Ingress of which `is_chosen` says whether its annotations choose how such a path is read.
    pub fn of(kind: PathType, written: &str, is_chosen: impl FnOnce() -> bool) -> Self {
        let ends_in_slash = written.ends_with('/');
        if kind != PathType::ImplementationSpecific {
            return Self { ends_in_slash, ..Self::default() };
        }
        let has_special = written.bytes().any(|byte| SPECIAL.contains(&byte));
        Self { ends_in_slash, has_special, is_chosen: is_chosen(), is_default_backend: false }
    }
}

/// Whether `annotations` choose how a path of type `ImplementationSpecific` is read.
pub fn is_chosen(annotations: &Entries<'_>) -> bool {
    let chooses = |(key, says_so): &(&str, Says)| annotations.get(key).is_some_and(|value| says_so(value));
    path_regex(annotations).is_some() || CHOOSES_READING.iter().any(chooses)
}

/// A path in canonical form, and how it is written.
#[derive(Debug, Clone, Copy)]
pub struct Spelled<'p> {
    /// How it matches.
    pub kind: PathType,
    /// Its text.
    pub text: &'p str,
    /// What the text does not say.
    pub spelling: Spelling,
}

impl Spelled<'static> {
    /// The prefix of all paths.
    pub const ROOT: Self = Self { kind: PathType::Prefix, text: "/", spelling: Spelling::ROOT };
    /// What a default backend answers.
    pub const DEFAULT_BACKEND: Self =
        Self { spelling: Spelling { is_default_backend: true, ..Spelling::ROOT }, ..Self::ROOT };
}

impl<'p> Spelled<'p> {
    /// Whether some controller reads it as the prefix of all paths.
    pub fn may_be_root(&self) -> bool {
        may_be_alike(*self, Spelled::ROOT)
    }

    /// Under what paths that may match the same requests are found: the text without what some controllers do not count.
    pub fn key(kind: PathType, text: &'p str) -> &'p str {
        let text = if kind == PathType::ImplementationSpecific { text.strip_suffix('*').unwrap_or(text) } else { text };
        text.trim_end_matches('/')
    }

    /// Whether both are written alike, where nothing stands for the root.
    fn is_written_as(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }

    /// The text without its last slash, and whether there is one.
    fn parts(&self) -> (&'p str, bool) {
        let plain = self.text.strip_suffix('/');
        (plain.unwrap_or(self.text), plain.is_some() || self.spelling.ends_in_slash)
    }
}

/// Whether two paths match the same requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// They do, or one of them all requests of the other but for texts that go on in the same element.
    Same,
    /// Nothing tells, or they have some requests in common.
    Maybe,
    /// They do not.
    Different,
}

/// Whether two paths of one host may match the same requests under any controller.
pub fn may_be_alike(one: Spelled<'_>, other: Spelled<'_>) -> bool {
    match (one.kind, other.kind) {
        _ if one.spelling.is_default_backend != other.spelling.is_default_backend => false,
        (first, second) if first == second => one.text == other.text,
        (PathType::ImplementationSpecific, _) | (_, PathType::ImplementationSpecific) => {
            Spelled::key(one.kind, one.text) == Spelled::key(other.kind, other.text)
        }
        _ => false,
    }
}

/// Whether two paths of one host match the same requests under `controller`, if that is known.
pub fn likeness(one: Spelled<'_>, other: Spelled<'_>, controller: Option<Controller>) -> Likeness {
    let (specific, other) = match (one.kind, other.kind) {
        _ if !may_be_alike(one, other) => return Likeness::Different,
        (first, second) if first == second => return Likeness::Same,
        (PathType::ImplementationSpecific, _) => (one, other),
        _ => (other, one),
    };
    let reading = READINGS.iter().find(|(known, _)| Some(*known) == controller).map(|(_, reading)| *reading);
    let is_plain = !specific.spelling.has_special && !specific.spelling.is_chosen;
    let is_prefix = other.kind == PathType::Prefix;
    match reading {
        Some(Reading::Regex) => Likeness::Different,
        Some(Reading::Pattern) if !specific.spelling.is_chosen => as_pattern(specific, other),
        _ if !is_prefix => Likeness::Different,
        Some(Reading::Pattern) => maybe(specific.is_written_as(&other)),
        None => maybe(!specific.spelling.is_chosen || specific.is_written_as(&other)),
        Some(_) if !is_plain => maybe(specific.is_written_as(&other)),
        Some(Reading::Text) if !specific.is_written_as(&other) => Likeness::Different,
        Some(Reading::Text | Reading::Elements) => Likeness::Same,
    }
}

/// The same where `*` stands for any text, and a path without one for itself.
fn as_pattern(specific: Spelled<'_>, other: Spelled<'_>) -> Likeness {
    let matches_all = specific.text == "/*" || (specific.text == "/" && !specific.spelling.ends_in_slash);
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
        let spelled = |kind, written| {
            let spelling = Spelling::of(kind, written, || false);
            let text = match Path::new(kind, Some(written)).text {
                std::borrow::Cow::Borrowed(text) => text,
                std::borrow::Cow::Owned(_) => unreachable!("a path borrows its text"),
            };
            Spelled { kind, text, spelling }
        };
        let (one, other) = (spelled(PathType::ImplementationSpecific, specific), spelled(kind, other));
        let likeness = likeness(one, other, controller);
        assert_eq!(super::likeness(other, one, controller), likeness, "either way round");
        assert!(likeness == Likeness::Different || may_be_alike(one, other), "{specific} {:?} is found", other.text);
        likeness
    }

    #[test]
    fn every_controller_has_one_reading() {
        for (index, (controller, _)) in READINGS.iter().enumerate() {
            assert!(READINGS[index + 1..].iter().all(|(other, _)| other != controller), "{controller:?}");
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
