//! The types of conditions.

pub(super) const ACCEPTED: &str = "Accepted";
pub(super) const CONFLICTED: &str = "Conflicted";
pub(super) const PROGRAMMED: &str = "Programmed";

/// The types that the specification names.
const NAMED: [&str; 13] = [
    ACCEPTED,
    "AttachedListenerSets",
    CONFLICTED,
    "DefaultGateway",
    "Detached",
    "InsecureFrontendValidationMode",
    "OverlappingTLSConfig",
    "PartiallyInvalid",
    PROGRAMMED,
    "Ready",
    "ResolvedRefs",
    "Scheduled",
    "SupportedVersion",
];

/// Whether the specification names this type of conditions.
pub(super) fn is_named(type_name: &str) -> bool {
    NAMED.contains(&type_name)
}
