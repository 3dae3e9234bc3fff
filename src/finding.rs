//! What a check found, as values: which field, which kind of fault, which other object; the sentence is filled in at the edge.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::field::FieldPath;
use crate::kinds::ObjectRef;
use crate::names;

/// What a finding does to a request, from nothing to refusal (`validationActions` of ValidatingAdmissionPolicy).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Action {
    /// The check does not run.
    Off,
    /// The finding stands in the audit log and the metrics only.
    Audit,
    /// The writer is warned.
    Warn,
    /// The write is refused.
    Deny,
}

impl Action {
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

/// What tells one fault from another: check, address without list indexes, canonical value, other object.
pub type Identity<'f> = (&'static str, FieldPath, &'f str, Option<&'f ObjectRef>);

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
    pub sentence: Sentence,
    /// The most that it may do, whatever the check's action: `Warn` for a milder form of the fault.
    pub at_most: Action,
}

impl Finding {
    /// What stays the same when lists are reordered: two findings with one identity are the same fault.
    pub fn identity(&self) -> Identity<'_> {
        (self.check, self.at.without_indexes(), &self.value, self.other.as_ref())
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
    pub fn shown(&mut self, shown: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Self {
        let author = |text: &str| Shown { text: text.to_owned(), instead: None };
        self.sentence.shown = shown.into_iter().map(|text| author(text.as_ref())).collect();
        self
    }

    /// One more text for a `{}`: names of other namespaces, shown as `instead` where those are kept from tenants.
    pub fn foreign(&mut self, text: &str, instead: &'static str) -> &mut Self {
        self.sentence.shown.push(Shown { text: text.to_owned(), instead: Some(instead) });
        self
    }
}

/// A sentence with places: `{}` for each shown value in order, `{other}` for the other object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The words around the places; never built from an object's text.
    pub template: &'static str,
    /// What stands in the places.
    pub shown: Vec<Shown>,
}

/// A value in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The value.
    pub text: String,
    /// What stands there when names of other namespaces are hidden; `None` for the author's own values.
    pub instead: Option<&'static str>,
}

/// Collects the findings of one check and signs each with its id.
#[derive(Debug)]
pub struct Findings<'f> {
    check: &'static str,
    all: &'f mut Vec<Finding>,
    /// How many more there were than are kept.
    surplus: usize,
    /// Takes the place of a finding that is only counted.
    spare: Option<Finding>,
}

/// How many findings of one check are kept; the rest are counted, so that a hostile object cannot fill the memory with its faults.
pub const KEPT: usize = 200;

impl<'f> Findings<'f> {
    /// A collector for the check `id` that appends to `all`.
    pub fn of(id: &'static str, all: &'f mut Vec<Finding>) -> Self {
        Self { check: id, all, surplus: 0, spare: None }
    }

    /// Adds a finding; `value` is its canonical value and stands in each `{}` unless [`Finding::shown`] says otherwise.
    pub fn add(&mut self, cause: Cause, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        let shown = vec![Shown { text: value.to_owned(), instead: None }];
        let sentence = Sentence { template, shown };
        let value = value.to_owned();
        let at_most = Action::Deny;
        let finding = Finding { check: self.check, at: at.into(), cause, value, other: None, sentence, at_most };
        if self.all.len() >= KEPT {
            self.surplus += 1;
            return self.spare.insert(finding);
        }
        self.all.push(finding);
        self.all.last_mut().expect("a finding was just pushed")
    }

    /// How many more there were than are kept.
    pub fn surplus(&self) -> usize {
        self.surplus
    }

    /// The value is malformed or wrong here.
    pub fn invalid(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::Invalid, at, value, template)
    }

    /// `text` is no DNS name: the sentence is about the character at fault, then about upper case, and `otherwise` where it is neither.
    pub fn malformed(&mut self, at: impl Into<FieldPath>, text: &str, otherwise: &'static str) -> &mut Finding {
        match names::strange(text) {
            Some(character) => {
                let finding = self.invalid(at, text, "`{}` is no DNS name: it holds `{}`");
                finding.shown([text, character.encode_utf8(&mut [0; 4])])
            }
            None if text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                self.invalid(at, text, "`{}` must be in lower case")
            }
            None => self.invalid(at, text, otherwise),
        }
    }

    /// A value must be set.
    pub fn required(&mut self, at: impl Into<FieldPath>, template: &'static str) -> &mut Finding {
        self.add(Cause::Required, at, "", template)
    }

    /// The value stands elsewhere already.
    pub fn duplicate(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::Duplicate, at, value, template)
    }

    /// The value is not one of the values allowed.
    pub fn not_supported(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::NotSupported, at, value, template)
    }

    /// The value is well formed and not permitted here.
    pub fn forbidden(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::Forbidden, at, value, template)
    }

    /// What the value refers to does not exist.
    pub fn not_found(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::NotFound, at, value, template)
    }

    /// The value is too long.
    pub fn too_long(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::TooLong, at, value, template)
    }
}
