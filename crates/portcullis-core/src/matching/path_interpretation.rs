//! How controllers interpret paths of type `ImplementationSpecific`: a table that says when such a path and one of
//! another type match the same requests.

use super::annotation_effect::{Effect, with_effect};
use super::controller::Controller::{
    self, Alibaba, Aws, Cilium, Contour, F5Nginx, HaproxyIngress, HaproxyTech, Higress, IngressNginx, Kong, Traefik,
};
use super::readers::{Direction, Readers};
use super::{Path, PathType};
use crate::kinds::Ingress;

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

/// Characters that some controller treats as part of an expression.
pub(super) const SPECIAL: &[u8] = b"^$*+?()[]{}|\\~%";

/// The notation of a path, as far as its canonical form does not contain it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathNotation {
    /// Whether it ends in a slash.
    pub ends_in_slash: bool,
    /// Whether it has the type `ImplementationSpecific` and contains characters of an expression.
    pub has_special: bool,
    /// The controllers for which annotations choose its interpretation, if it has that type.
    pub chosen_for: ChosenFor,
    /// Whether it does not come from a rule but represents the requests that no rule matches.
    pub is_default_backend: bool,
}

impl PathNotation {
    const ROOT: Self =
        Self { ends_in_slash: true, has_special: false, chosen_for: ChosenFor(0), is_default_backend: false };

    /// Returns the notation of the path `written`. `chosen_for` returns the controllers for which annotations of the Ingress choose
    /// the interpretation of such paths.
    pub fn of(kind: PathType, written: &str, chosen_for: impl FnOnce() -> ChosenFor) -> Self {
        let ends_in_slash = written.ends_with('/');
        if kind != PathType::ImplementationSpecific {
            return Self { ends_in_slash, ..Self::default() };
        }
        let has_special = written.bytes().any(|byte| SPECIAL.contains(&byte));
        Self { ends_in_slash, has_special, chosen_for: chosen_for(), is_default_backend: false }
    }
}

/// The controllers for which annotations choose the interpretation of paths of type `ImplementationSpecific`: one bit for each position in
/// the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChosenFor(u16);

impl ChosenFor {
    /// The controllers that read such annotations of an Ingress.
    pub fn of(ingress: &Ingress<'_>) -> Self {
        let rows = [Effect::PathRegex, Effect::PathInterpretation].into_iter();
        let controllers = rows.flat_map(|effect| with_effect(effect, ingress)).flat_map(|(row, ..)| row.readers);
        Self(controllers.fold(0, |bits, controller| bits | Self::bit(*controller)))
    }

    /// Whether the interpretation is chosen if these controllers may read the annotations.
    pub fn counts(self, readers: Readers) -> bool {
        let mut chosen = INTERPRETATIONS.iter().map(|(controller, _)| *controller);
        chosen.any(|controller| self.0 & Self::bit(controller) != 0 && readers.count(Direction::Relaxes, &[controller]))
    }

    fn bit(controller: Controller) -> u16 {
        let position = INTERPRETATIONS.iter().position(|(known, _)| *known == controller);
        position.map_or(0, |position| 1 << position)
    }
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

impl Path<'_> {
    /// The path with its notation.
    pub fn notated(&self, notation: PathNotation) -> NotatedPath<'_> {
        NotatedPath { kind: self.kind, text: &self.text, notation }
    }
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

    /// The [key](Self::key) of this path.
    pub fn own_key(self) -> &'p str {
        Self::key(self.kind, self.text)
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
pub enum PathEquality {
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

/// Whether two paths of one host match the same requests in a data plane whose controllers are `readers`.
pub fn path_equality(one: NotatedPath<'_>, other: NotatedPath<'_>, readers: Readers) -> PathEquality {
    let (specific, other) = match (one.kind, other.kind) {
        _ if !may_be_alike(one, other) => return PathEquality::Different,
        (first, second) if first == second => return PathEquality::Same,
        (PathType::ImplementationSpecific, _) => (one, other),
        _ => (other, one),
    };
    let known = INTERPRETATIONS.iter().find(|(known, _)| Some(*known) == readers.known());
    let interpretation = known.map(|(_, interpretation)| *interpretation);
    let is_chosen = specific.notation.chosen_for.counts(readers);
    let is_plain = !specific.notation.has_special && !is_chosen;
    let is_prefix = other.kind == PathType::Prefix;
    match interpretation {
        Some(PathInterpretation::Regex) => PathEquality::Different,
        Some(PathInterpretation::Pattern) if !is_chosen => as_pattern(specific, other),
        _ if !is_prefix => PathEquality::Different,
        Some(PathInterpretation::Pattern) => maybe(specific.is_written_as(&other)),
        None => maybe(!is_chosen || specific.is_written_as(&other)),
        Some(_) if !is_plain => maybe(specific.is_written_as(&other)),
        Some(PathInterpretation::Text) if !specific.is_written_as(&other) => PathEquality::Different,
        Some(PathInterpretation::Text | PathInterpretation::Elements) => PathEquality::Same,
    }
}

/// Whether a pattern, in which `*` matches any text, matches the same requests as another path. A pattern without `*`
/// matches only itself.
fn as_pattern(specific: NotatedPath<'_>, other: NotatedPath<'_>) -> PathEquality {
    let matches_all = specific.text == "/*" || (specific.text == "/" && !specific.notation.ends_in_slash);
    match other.kind {
        PathType::Prefix if other.text == "/" && matches_all => PathEquality::Same,
        PathType::Prefix => maybe(specific.text.ends_with("/*")),
        _ if specific.text == other.text && !matches_all && !specific.text.contains(['*', '?']) => PathEquality::Same,
        _ => PathEquality::Different,
    }
}

fn maybe(is_so: bool) -> PathEquality {
    if is_so { PathEquality::Maybe } else { PathEquality::Different }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::Path;
    use crate::matching::annotation_effect::{AnnotationEffect, EFFECTS};

    fn of(specific: &str, kind: PathType, other: &str, controller: Option<Controller>) -> PathEquality {
        let readers = controller.map_or(Readers::Any, Readers::Only);
        let notated = |kind, written| {
            let notation = PathNotation::of(kind, written, ChosenFor::default);
            let text = match Path::new(kind, Some(written)).text {
                std::borrow::Cow::Borrowed(text) => text,
                std::borrow::Cow::Owned(_) => unreachable!("a path borrows its text"),
            };
            NotatedPath { kind, text, notation }
        };
        let (one, other) = (notated(PathType::ImplementationSpecific, specific), notated(kind, other));
        let path_equality = path_equality(one, other, readers);
        assert_eq!(super::path_equality(other, one, readers), path_equality, "either way round");
        assert!(
            path_equality == PathEquality::Different || may_be_alike(one, other),
            "{specific} {:?} is found",
            other.text
        );
        path_equality
    }

    #[test]
    fn every_controller_has_one_interpretation() {
        for (index, (controller, _)) in INTERPRETATIONS.iter().enumerate() {
            assert!(INTERPRETATIONS[index + 1..].iter().all(|(other, _)| other != controller), "{controller:?}");
        }
        assert!(INTERPRETATIONS.len() <= u16::BITS as usize, "each has a bit");
    }

    #[test]
    fn an_annotation_chooses_the_interpretation_for_the_controllers_that_read_it() {
        let chooses = |row: &&AnnotationEffect| [Effect::PathRegex, Effect::PathInterpretation].contains(&row.effect);
        for row in EFFECTS.iter().filter(chooses) {
            for controller in row.readers {
                assert_ne!(ChosenFor::bit(*controller), 0, "{}: {controller:?} has no interpretation", row.key);
            }
        }
        let chosen = ChosenFor(ChosenFor::bit(IngressNginx));
        assert!(chosen.counts(Readers::Only(IngressNginx)) && chosen.counts(Readers::Any));
        assert!(!chosen.counts(Readers::Only(Kong)) && !chosen.counts(Readers::None));
        assert!(!ChosenFor::default().counts(Readers::Any));
    }

    #[test]
    fn a_specific_path_is_what_its_controller_makes_of_it() {
        use PathEquality::{Different, Maybe, Same};
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
