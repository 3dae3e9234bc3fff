//! The targets, one per file.

pub mod annotations;
pub mod configuration;
pub mod decode;
pub mod envelope;
pub mod hosts_and_paths;
pub mod yaml;

use crate::Target;

/// All targets.
pub const ALL: [Target; 6] = [
    annotations::TARGET,
    configuration::TARGET,
    decode::TARGET,
    envelope::TARGET,
    hosts_and_paths::TARGET,
    yaml::TARGET,
];

/// The input as text. Invalid UTF-8 becomes replacement characters.
fn text(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}
