//! A port or a range of ports.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};

/// A port, or the ports from one to another: `443` or `8000-8999`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortRange {
    /// The lowest port.
    pub first: u16,
    /// The highest port.
    pub last: u16,
}

impl PortRange {
    /// Whether the range contains `port`.
    pub fn contains(&self, port: i64) -> bool {
        (i64::from(self.first)..=i64::from(self.last)).contains(&port)
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}-{}", self.first, self.last),
        }
    }
}

impl<'de> Deserialize<'de> for PortRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PortVisitor;
        impl Visitor<'_> for PortVisitor {
            type Value = PortRange;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a port such as 443 or a range such as 8000-8999")
            }

            fn visit_u64<E: de::Error>(self, port: u64) -> Result<PortRange, E> {
                let port = u16::try_from(port)
                    .map_err(|_| E::custom(format!("{port} is not a valid port: use 1 to 65535")))?;
                Ok(PortRange { first: port, last: port })
            }

            fn visit_i64<E: de::Error>(self, port: i64) -> Result<PortRange, E> {
                let port = u64::try_from(port)
                    .map_err(|_| E::custom(format!("{port} is not a valid port: use 1 to 65535")))?;
                self.visit_u64(port)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<PortRange, E> {
                let (first, last) = text.split_once('-').unwrap_or((text, text));
                match (first.trim().parse(), last.trim().parse()) {
                    (Ok(first), Ok(last)) if first <= last => Ok(PortRange { first, last }),
                    _ => Err(E::custom(format!("`{text}` is not a port such as 443 or a range such as 8000-8999"))),
                }
            }
        }
        deserializer.deserialize_any(PortVisitor)
    }
}

impl JsonSchema for PortRange {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PortRange".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [
            {"type": "integer", "minimum": 1, "maximum": 65535},
            {"type": "string", "pattern": "^[0-9]+(-[0-9]+)?$"},
        ]})
    }
}
