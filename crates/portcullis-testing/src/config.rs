//! Configurations, given without their first two lines, which are always the same.

use portcullis_core::checks::Plan;
use portcullis_core::config::{API_VERSION, Config, KIND};

/// The complete text of a configuration.
pub fn text(config: &str) -> String {
    format!("apiVersion: {API_VERSION}\nkind: {KIND}\n{config}")
}

/// The plan of a configuration.
pub fn plan(config: &str) -> Plan {
    let text = text(config);
    let config = Config::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Plan::new(config).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}
