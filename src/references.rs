//! The form of a reference to another object, whatever field holds it; what it leads to is another matter.

use crate::finding::Cause;
use crate::kinds::reference::{BackendRef, ParentRef, TargetRef};
use crate::names;

/// The most characters of an object's name.
const MOST: usize = 253;

/// A reference as written.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'r> {
    /// The group.
    pub group: Option<&'r str>,
    /// The kind.
    pub kind: Option<&'r str>,
    /// The namespace.
    pub namespace: Option<&'r str>,
    /// The name.
    pub name: &'r str,
}

/// What is wrong with one field of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault<'r> {
    /// The field.
    pub field: &'static str,
    /// Which kind of fault.
    pub cause: Cause,
    /// Its value.
    pub value: &'r str,
    /// What is wrong with it; `{}` stands for the value.
    pub sentence: &'static str,
}

impl<'r> Reference<'r> {
    /// All that the schemas of the Gateway API refuse in a reference, field by field.
    pub fn faults(self) -> impl Iterator<Item = Fault<'r>> {
        let invalid = |field, value, sentence| Fault { field, cause: Cause::Invalid, value, sentence };
        let group = self.group.filter(|group| !names::is_group(group));
        let kind = self.kind.filter(|kind| !names::is_kind(kind));
        let namespace = self.namespace.filter(|namespace| !names::is_label(namespace));
        [
            group.map(|group| invalid("group", group, "`{}` is no API group: a DNS name in lower case, or empty")),
            kind.map(|kind| invalid("kind", kind, "`{}` is no kind: letters, digits and `-`, such as Service")),
            namespace.map(|namespace| {
                invalid(
                    "namespace",
                    namespace,
                    "`{}` is no namespace: at most 63 of lower-case letters, digits and `-`",
                )
            }),
            self.name_fault(),
        ]
        .into_iter()
        .flatten()
    }

    fn name_fault(self) -> Option<Fault<'r>> {
        let (cause, sentence) = match self.name.chars().take(MOST + 1).count() {
            0 => (Cause::Required, "a reference needs a name"),
            count if count > MOST => (Cause::TooLong, "the name `{}` must have at most 253 characters"),
            _ => return None,
        };
        Some(Fault { field: "name", cause, value: self.name, sentence })
    }
}

impl<'r> From<&'r TargetRef<'_>> for Reference<'r> {
    fn from(TargetRef { group, kind, namespace, name, .. }: &'r TargetRef<'_>) -> Self {
        Self { group: group.as_deref(), kind: kind.as_deref(), namespace: namespace.as_deref(), name }
    }
}

impl<'r> From<&'r ParentRef<'_>> for Reference<'r> {
    fn from(ParentRef { group, kind, namespace, name, .. }: &'r ParentRef<'_>) -> Self {
        Self { group: group.as_deref(), kind: kind.as_deref(), namespace: namespace.as_deref(), name }
    }
}

impl<'r> From<&'r BackendRef<'_>> for Reference<'r> {
    fn from(BackendRef { group, kind, namespace, name, .. }: &'r BackendRef<'_>) -> Self {
        Self { group: group.as_deref(), kind: kind.as_deref(), namespace: namespace.as_deref(), name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_is_judged_by_itself() {
        let fields =
            |reference: Reference<'_>| reference.faults().map(|fault| (fault.field, fault.cause)).collect::<Vec<_>>();
        let good = Reference { group: Some(""), kind: Some("Secret"), namespace: None, name: "tls" };
        assert_eq!(fields(good), []);
        let bad = Reference { group: Some("Example"), kind: Some("8"), namespace: Some(""), name: "" };
        let invalid = |field| (field, Cause::Invalid);
        assert_eq!(fields(bad), [invalid("group"), invalid("kind"), invalid("namespace"), ("name", Cause::Required)]);
        let long = "é".repeat(254);
        assert_eq!(fields(Reference { name: &long, ..good }), [("name", Cause::TooLong)]);
        assert_eq!(fields(Reference { name: &long[2..], ..good }), []);
    }
}
