//! The end of something that holds for a while; `now` comes in by the door.

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error};

/// How long before the end a warning begins.
const NOTICE: jiff::SignedDuration = jiff::SignedDuration::from_hours(14 * 24);

/// The instant from which something no longer holds; a date means its midnight, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expiry(pub Timestamp);

/// Where `now` stands before or after an [`Expiry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// It holds.
    Holds,
    /// It holds, and ends within two weeks.
    EndsSoon,
    /// It is over.
    Over,
}

impl Expiry {
    /// Whether what ends then holds `now`; what never ends always holds.
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
