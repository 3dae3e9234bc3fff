//! The findings of checks as data: field, kind of fault, and other object. [`message`](crate::message) renders them as
//! text.

use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::LazyLock;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::field::FieldPath;
use crate::kinds::ObjectRef;

mod actions;
mod findings;
mod invalid;

pub use actions::{Actions, Profile};
pub use findings::{EarlierFindings, Findings, KEPT, Omitted};
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
    /// A value is required.
    Required,
    /// The value already exists elsewhere.
    Duplicate,
    /// The value is not one of the values allowed.
    NotSupported,
    /// The value is well formed but not permitted here.
    Forbidden,
    /// The object that the value refers to does not exist.
    NotFound,
    /// The value is too long.
    TooLong,
}

impl Cause {
    /// The value of `status.details.causes[].reason`.
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

/// The maximum number of objects that lose a claim, of which a finding says that they do.
pub const MAX_LOSERS: usize = 20;

/// One fault at one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The id of the check.
    pub check: &'static str,
    /// The address of the faulty field.
    pub at: FieldPath,
    /// The kind of fault.
    pub cause: Cause,
    /// The faulty value in canonical form, with everything else that distinguishes the fault from another one at the
    /// same address.
    pub value: String,
    /// The other object involved, for example in a conflict.
    pub other: Option<ObjectRef>,
    /// The claim that the finding is about, if it is about one. An update that adds to the claim gets the finding like a
    /// new object, whatever the old object had.
    pub claim: Option<Claim>,
    /// The message for the author.
    pub message: Message,
    /// The strictest action of this finding, regardless of the check's action: `Warn` for a milder form of the fault.
    pub at_most: Action,
    /// Whether the object certainly gets no requests for the claim, since the other one precedes it there.
    pub loses: bool,
    /// The objects that certainly get no requests for the claim, since this one precedes them there. Only the first ones are kept. `None`
    /// where they are not searched for, as in a review: their number depends on what others store.
    pub takings: Option<Vec<Taking>>,
}

impl Finding {
    /// A hash of everything that stays the same when lists are reordered: check, address without list indexes,
    /// canonical value, other object, and strictest action. Two findings with the same identity are the same fault.
    pub fn identity(&self) -> u64 {
        // The keys are random, so that an attacker cannot construct a fault with the identity of another one.
        static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        let mut hasher = KEYS.build_hasher();
        self.check.hash(&mut hasher);
        self.at.hash_without_indexes(&mut hasher);
        self.value.hash(&mut hasher);
        self.other.hash(&mut hasher);
        // A milder form of a fault must not excuse a more serious one.
        self.at_most.hash(&mut hasher);
        hasher.finish()
    }

    /// Reduces the finding to a milder form of the fault, which never denies.
    pub fn only_warns(&mut self) -> &mut Self {
        self.at_most = Action::Warn;
        self
    }

    /// Says that the object certainly gets no requests for the claim.
    pub fn loses(&mut self) -> &mut Self {
        self.loses = true;
        self
    }

    /// Says which objects certainly get no requests for the claim, since this one precedes them there. `takings` is only called if they
    /// are searched for.
    pub fn takes<T: IntoIterator<Item = Taking>>(&mut self, takings: impl FnOnce() -> T) -> &mut Self {
        if let Some(kept) = &mut self.takings {
            kept.extend(takings().into_iter().take(MAX_LOSERS - kept.len()));
        }
        self
    }

    /// The finding as the owners of a loser would get it, where `this` is the object that takes the requests.
    pub fn for_loser(&self, taking: &Taking, this: &ObjectRef) -> Self {
        let (message, other) = (taking.message.clone(), Some(this.clone()));
        Self { message, other, takings: None, ..self.clone() }
    }

    /// Sets the other object, which replaces `{other}` in the message.
    pub fn other(&mut self, other: &ObjectRef) -> &mut Self {
        self.other = Some(other.clone());
        self
    }

    /// Sets the claim to `host` (as text), or only to a path or match of it.
    pub fn claim(&mut self, host: &str, path: Option<&str>) -> &mut Self {
        self.claim = Some(Claim { host: host.to_owned(), path: path.map(str::to_owned), is_older: false });
        self
    }

    /// Sets whether the object is older than the other one. An update then adds to the claim only if it adds the host.
    pub fn older(&mut self, is_older: bool) -> &mut Self {
        self.claim.iter_mut().for_each(|claim| claim.is_older = is_older);
        self
    }

    /// Sets the argument for each `{}` in the message, instead of the canonical value.
    pub fn args(&mut self, args: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Self {
        let author = |text: &str| Arg { text: text.to_owned(), instead: None };
        self.message.args = args.into_iter().map(|text| author(text.as_ref())).collect();
        self
    }

    /// Adds an argument for a `{}` that the author wrote.
    pub fn also(&mut self, text: &str) -> &mut Self {
        self.message.args.push(Arg { text: text.to_owned(), instead: None });
        self
    }

    /// Removes all arguments. The caller adds them with [`also`](Self::also) or [`redactable`](Self::redactable), in
    /// order.
    pub fn without_args(&mut self) -> &mut Self {
        self.message.args.clear();
        self
    }

    /// Appends a suggestion (`did you mean …?`) to the message.
    pub fn suggest(&mut self, suggestion: Option<Suggestion>) -> &mut Self {
        self.message.suggestion = suggestion;
        self
    }

    /// Adds an argument for a `{}` that comes from another namespace. It is shown as `instead` if such names are
    /// redacted.
    pub fn redactable(&mut self, text: &str, instead: &'static str) -> &mut Self {
        self.message.args.push(Arg { text: text.to_owned(), instead: Some(instead) });
        self
    }
}

/// An object that loses a claim to another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taking {
    /// The object.
    pub loser: ObjectRef,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// The message for its owners, in which the other object is the one that takes the requests.
    pub message: Message,
}

impl Taking {
    /// From `loser`, with what its owners know of the claim as arguments.
    pub fn of<'t>(
        loser: &ObjectRef,
        created: Option<Timestamp>,
        template: &'static str,
        args: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let args = args.into_iter().map(|text| Arg { text: text.to_owned(), instead: None }).collect();
        Self { loser: loser.clone(), created, message: Message { template, args, suggestion: None } }
    }
}

/// A host that an object claims, or one path of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The host in canonical form.
    pub host: String,
    /// The key of a path or of a match; `None` for all that the object serves of the host.
    pub path: Option<String>,
    /// Whether the object is older than the other one, so that an update may add to what it claims of the host.
    pub is_older: bool,
}

/// A template with arguments: a `{}` for each argument in order, and `{other}` for the other object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The fixed text. It never contains text from an object.
    pub template: &'static str,
    /// The arguments, in order.
    pub args: Vec<Arg>,
    /// The name that the author probably intended.
    pub suggestion: Option<Suggestion>,
}

/// The name of an existing object that is similar to a name that was not found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The name.
    pub name: String,
    /// Whether the object is in another namespace, so that its name may have to be redacted.
    pub is_redactable: bool,
}

/// An argument of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// The value.
    pub text: String,
    /// The replacement if names of other namespaces are redacted; `None` for values that the author wrote.
    pub instead: Option<&'static str>,
}

impl Arg {
    /// Whether the text comes from another namespace, as the names of its objects do.
    pub fn is_redactable(&self) -> bool {
        self.instead.is_some()
    }
}
