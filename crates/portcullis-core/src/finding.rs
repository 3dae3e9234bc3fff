//! What a check found, as values: which field, which kind of fault, which other object; the sentence is filled in at the edge.

use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::field::FieldPath;
use crate::kinds::ObjectRef;

mod actions;
mod findings;
mod invalid;

pub use actions::{Actions, Profile};
pub use findings::{Earlier, Findings, KEPT, Omitted};
pub use invalid::{Invalid, Validity, Value};

/// The effect of a finding on a request, from none to denial (`validationActions` of ValidatingAdmissionPolicy).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Action {
    /// The check does not run.
    Off,
    /// The finding appears only in the audit log and the metrics.
    Audit,
    /// The author is warned.
    Warn,
    /// The write is denied.
    Deny,
}

impl Action {
    /// Every action, the mildest first.
    pub const ALL: [Self; 4] = [Self::Off, Self::Audit, Self::Warn, Self::Deny];

    /// The action's name in the configuration, in annotations and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::Audit => "Audit",
            Self::Warn => "Warn",
            Self::Deny => "Deny",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The kind of fault, in the API's own words (`metav1.CauseType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The value is malformed or wrong here.
    Invalid,
    /// A value must be set.
    Required,
    /// The value stands elsewhere already.
    Duplicate,
    /// The value is not one of the values allowed.
    NotSupported,
    /// The value is well formed and not permitted here.
    Forbidden,
    /// What the value refers to does not exist.
    NotFound,
    /// The value is too long.
    TooLong,
}

impl Cause {
    /// The word for `status.details.causes[].reason`.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Invalid => "FieldValueInvalid",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::NotFound => "FieldValueNotFound",
            Self::TooLong => "FieldValueTooLong",
        }
    }
}

/// One fault at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The id of the check.
    pub check: &'static str,
    /// Where.
    pub at: FieldPath,
    /// Which kind of fault.
    pub cause: Cause,
    /// The faulty value in canonical form, with whatever else tells this fault from another at the same field.
    pub value: String,
    /// The object that this one contradicts.
    pub other: Option<ObjectRef>,
    /// What to tell the author.
    pub message: Message,
    /// The most that it may do, whatever the check's action: `Warn` for a milder form of the fault.
    pub at_most: Action,
}

impl Finding {
    /// What stays the same when lists are reordered, as a hash: check, address without list indexes, canonical value, other object, and
    /// what it does at most. Two findings with one identity are the same fault.
    pub fn identity(&self) -> u64 {
        // The keys are secret, so that nobody can make up a fault that has the identity of another.
        static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        let mut hasher = KEYS.build_hasher();
        self.check.hash(&mut hasher);
        self.at.hash_without_indexes(&mut hasher);
        self.value.hash(&mut hasher);
        self.other.hash(&mut hasher);
        // A milder fault does not forgive a graver one.
        self.at_most.hash(&mut hasher);
        hasher.finish()
    }

    /// Makes this a milder form of the fault, which never refuses.
    pub fn only_warns(&mut self) -> &mut Self {
        self.at_most = Action::Warn;
        self
    }

    /// Names the object that this one contradicts: `{other}` in the sentence.
    pub fn other(&mut self, other: &ObjectRef) -> &mut Self {
        self.other = Some(other.clone());
        self
    }

    /// What the sentence shows for each `{}`, in place of the canonical value.
    pub fn args(&mut self, args: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Self {
        let author = |text: &str| Arg { text: text.to_owned(), instead: None };
        self.message.args = args.into_iter().map(|text| author(text.as_ref())).collect();
        self
    }

    /// One more text for a `{}`, of the author's own.
    pub fn also(&mut self, text: &str) -> &mut Self {
        self.message.args.push(Arg { text: text.to_owned(), instead: None });
        self
    }

    /// No text for a `{}` yet: each is added by [`also`](Self::also) or [`redactable`](Self::redactable), in order.
    pub fn without_args(&mut self) -> &mut Self {
        self.message.args.clear();
        self
    }

    /// Ends the message with the question whether another name was meant.
    pub fn suggest(&mut self, suggestion: Option<Suggestion>) -> &mut Self {
        self.message.suggestion = suggestion;
        self
    }

    /// One more text for a `{}`: names of other namespaces, shown as `instead` where those are kept from tenants.
    pub fn redactable(&mut self, text: &str, instead: &'static str) -> &mut Self {
        self.message.args.push(Arg { text: text.to_owned(), instead: Some(instead) });
        self
    }
}

/// A sentence with places: `{}` for each shown value in order, `{other}` for the other object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The words around the places; never built from an object's text.
    pub template: &'static str,
    /// What stands in the places.
    pub args: Vec<Arg>,
    /// The name that was likely meant.
    pub suggestion: Option<Suggestion>,
}

/// The name of an object that exists, for a name of one that does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The name.
    pub name: String,
    /// Whether the object is in another namespace, so that its name may have to be kept back.
    pub is_redactable: bool,
}

/// A value in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// The value.
    pub text: String,
    /// What stands there when names of other namespaces are hidden; `None` for the author's own values.
    pub instead: Option<&'static str>,
}
