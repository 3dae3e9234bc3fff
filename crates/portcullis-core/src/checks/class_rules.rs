//! Which namespaces may use which classes, by the options `classes` and `unlisted`.

use super::{CheckOption, Context, OptionDefault};
use crate::config::{Options, UnlistedClasses};
use crate::field::FieldPath;
use crate::finding::Findings;

/// The options of checks that restrict classes.
pub const OPTIONS: &[CheckOption] =
    &[CheckOption::RequireOneOf("classes"), CheckOption::Optional("unlisted", OptionDefault::Text("Allow"))];

/// Why a namespace may not use a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassError {
    /// The class is listed for other namespaces.
    OtherNamespaces,
    /// The class is not listed, and only listed classes are allowed.
    Unlisted,
}

/// Reports that the namespace under review may not use `class`, which is written at `at`.
pub fn check(at: impl Into<FieldPath>, class: &str, cx: &Context<'_>, found: &mut Findings<'_>) {
    let template = match class_error(class, cx) {
        None => return,
        Some(ClassError::OtherNamespaces) => "class {} is not allowed in namespace {}",
        Some(ClassError::Unlisted) => "class {} is not allowed in namespace {}: use a class that the platform lists",
    };
    found.forbidden(at, class, template).args([class, cx.namespace()]);
}

/// Whether an object of the namespace under review may have no class: with `unlisted: Deny`, an entry for the class `""` must allow it.
pub fn may_have_no_class(cx: &Context<'_>) -> bool {
    let Options { classes: Some(rules), unlisted: Some(UnlistedClasses::Deny), .. } = cx.options else { return true };
    let mut rules = rules.iter().filter(|rule| rule.class.is_empty());
    rules.any(|rule| cx.cluster.selects(&rule.namespaces, cx.namespace()) != Some(false))
}

/// Why the namespace under review may not use `class`. `None` if it may, or if that depends on labels of the Namespace
/// that are not known.
pub fn class_error(class: &str, cx: &Context<'_>) -> Option<ClassError> {
    let Options { classes: Some(rules), unlisted, .. } = cx.options else { return None };
    if class.is_empty() {
        return None;
    }
    let mut rules = rules.iter().filter(|rule| rule.class == class).peekable();
    if rules.peek().is_none() {
        return (*unlisted == Some(UnlistedClasses::Deny)).then_some(ClassError::Unlisted);
    }
    let is_for_others = rules.all(|rule| cx.cluster.selects(&rule.namespaces, cx.namespace()) == Some(false));
    is_for_others.then_some(ClassError::OtherNamespaces)
}
