//! Expiry of exemptions and handovers. Callers pass the current time, so that nothing in this crate reads a clock.

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error};

/// How long before its expiry an entry causes a warning.
const NOTICE: jiff::SignedDuration = jiff::SignedDuration::from_hours(14 * 24);

/// The instant from which an entry has no effect. A date without a time is midnight UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expiry(pub Timestamp);

/// The relation of the current time to an [`Expiry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// The entry has effect.
    Holds,
    /// The entry has effect and expires within two weeks.
    EndsSoon,
    /// The entry has expired.
    Over,
}

impl Expiry {
    /// Whether an entry that expires at `expires` has effect at `now`; an entry without expiry always does.
    pub fn validity(expires: Option<Self>, now: Timestamp) -> Validity {
        match expires {
            Some(Self(end)) if now >= end => Validity::Over,
            Some(Self(end)) if now.duration_until(end) <= NOTICE => Validity::EndsSoon,
            _ => Validity::Holds,
        }
    }
}

impl std::fmt::Display for Expiry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%dT%H:%MZ"))
    }
}

impl<'de> Deserialize<'de> for Expiry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if let Ok(instant) = text.parse() {
            return Ok(Self(instant));
        }
        let midnight = text.parse::<Date>().and_then(|date| date.to_zoned(TimeZone::UTC));
        let midnight = midnight.map_err(|_| D::Error::custom(format!("`{text}` is not a date such as 2027-01-31")))?;
        Ok(Self(midnight.timestamp()))
    }
}

impl JsonSchema for Expiry {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Expiry".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "anyOf": [{"format": "date"}, {"format": "date-time"}]})
    }
}
