//! What objects ask for and explain does not evaluate.

use std::fmt;
use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::field::FieldPath;
use crate::kinds::{Entries, ObjectRef};
use crate::matching::alias::Alias;
use crate::matching::annotation_effect::{CLASS_ORDER, EFFECTS, Effect, GROUP_ORDER, INGRESS_ORDER, PRIORITY};
use crate::matching::annotation_table::{self, AnnotationRow};
use crate::matching::controller::Controller;
use crate::matching::controller::ControllerTraits;
use crate::matching::{Readers, listener_choice};
use crate::names::{domain_of_key, glob};

/// Something that the objects ask for and that explain does not evaluate. It may change the reply. It is formatted as in answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotEvaluated {
    /// An annotation of the object that answers.
    Annotation(String),
    /// A filter of the rule that answers.
    Filter {
        /// Its type.
        kind: String,
        /// Its address.
        at: FieldPath,
    },
    /// A field of the object that answers.
    Field(FieldPath),
    /// The variables in the values of a field of the object that answers.
    Variables(FieldPath),
    /// A field of another object.
    FieldOf(ObjectRef, FieldPath),
    /// Something that may answer with other status codes, as text.
    Guard(String, Vec<u16>),
    /// Something else, as text.
    Other(String),
}

impl NotEvaluated {
    /// What it is, without indexes, which change when a rule is added before.
    pub fn name(&self) -> String {
        match self {
            Self::Filter { kind, at } => format!("filter {kind} at {}", at.pattern()),
            Self::Field(at) => at.pattern(),
            Self::Variables(at) => format!("variables of {}", at.pattern()),
            Self::FieldOf(object, at) => format!("{} of {object}", at.pattern()),
            Self::Guard(what, _) => what.clone(),
            Self::Annotation(_) | Self::Other(_) => self.to_string(),
        }
    }

    /// The object and the field where it is written, if it is written in a field; `own` is the object that answers.
    pub fn place<'p>(&'p self, own: &'p ObjectRef) -> Option<(&'p ObjectRef, &'p FieldPath)> {
        match self {
            Self::Filter { at, .. } | Self::Field(at) | Self::Variables(at) => Some((own, at)),
            Self::FieldOf(object, at) => Some((object, at)),
            Self::Annotation(_) | Self::Guard(..) | Self::Other(_) => None,
        }
    }

    /// The status codes that it may answer with, as far as they are known.
    pub fn may_answer(&self) -> &[u16] {
        match self {
            Self::Guard(_, codes) => codes,
            _ => &[],
        }
    }
}

impl fmt::Display for NotEvaluated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Annotation(key) => write!(f, "annotation {key}"),
            Self::Filter { kind, at } => write!(f, "filter {kind} at {at}"),
            Self::Field(at) => write!(f, "{at}"),
            Self::Variables(at) => write!(f, "variables of {at}"),
            Self::FieldOf(object, at) => write!(f, "{at} of {object}"),
            Self::Guard(what, codes) => write!(f, "{what} may answer {}", list_of(codes)),
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// Status codes as text.
fn list_of(codes: &[u16]) -> String {
    let codes: Vec<String> = codes.iter().map(u16::to_string).collect();
    match codes.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The annotations of known controllers, by the domain of their keys.
static BY_DOMAIN: LazyLock<HashMap<String, Vec<AnnotationRow>>> = LazyLock::new(|| {
    let mut rows: HashMap<String, Vec<AnnotationRow>> = HashMap::new();
    for row in annotation_table::all().into_iter().filter(|row| !row.readers.is_empty()) {
        rows.entry(domain_of_key(&row.key).to_owned()).or_default().push(row);
    }
    rows
});

/// The domain whose annotations belong to Kubernetes, but for those of single controllers.
const SHARED_DOMAIN: &str = "kubernetes.io/";

/// The domains of annotations of which no other table has one, with the controller that reads them, if it is a known one.
const DOMAINS: [(&str, Option<Controller>); 2] =
    [("kgateway.dev/", None), ("projectcontour.io/", Some(Controller::Contour))];

/// Whether explain evaluates an annotation with this key in full.
fn is_evaluated(key: &str) -> bool {
    let is_path_regex = || {
        let mut rows = EFFECTS.iter().filter(|row| row.effect == Effect::PathRegex && glob(row.key, key));
        // A rewrite is more than the interpretation of paths that it implies.
        rows.next().is_some() && !key.ends_with("/rewrite-target")
    };
    let is_group = || ControllerTraits::groups().any(|(group, _)| group == key);
    let is_listener = || listener_choice::keys().any(|(listener, _)| listener == key);
    let is_order = matches!(key, CLASS_ORDER | GROUP_ORDER | INGRESS_ORDER | PRIORITY);
    key.ends_with("/ingress.class")
        || is_order
        || is_path_regex()
        || is_group()
        || is_listener()
        || Alias::adds_hosts(key)
}

/// The annotations in `annotations` that a controller reads, as far as it is known which one does, and that explain does
/// not evaluate.
pub(super) fn annotations(annotations: &Entries<'_>, readers: Readers) -> Vec<NotEvaluated> {
    let may_read = |row: &AnnotationRow| match readers {
        Readers::Only(controller) => row.readers.contains(&controller),
        Readers::Any | Readers::None => true,
    };
    let is_read = |key: &str| {
        let rows = BY_DOMAIN.get(domain_of_key(key)).into_iter().flatten();
        let mut rows = rows.filter(|row| may_read(row));
        rows.any(|row| domain_of_key(key) != SHARED_DOMAIN || glob(&row.key, key))
    };
    let is_of_domain = |key: &str| {
        let known = DOMAINS.iter().find(|(domain, _)| *domain == domain_of_key(key));
        known.is_some_and(|(_, own)| !matches!(readers, Readers::Only(other) if *own != Some(other)))
    };
    let is_named = |key: &&str| (is_read(key) || is_of_domain(key)) && !is_evaluated(key);
    let named = annotations.iter().map(|(key, _)| key).filter(is_named);
    named.map(|key| NotEvaluated::Annotation(key.to_owned())).collect()
}
