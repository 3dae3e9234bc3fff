//! The hosts in the conditions of a load balancer, as in `alb.ingress.kubernetes.io/conditions.*`.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// One host of a condition.
#[derive(Debug, PartialEq, Eq)]
pub enum Condition {
    /// A host, which may contain `*` and `?`.
    Host(String),
    /// A regular expression.
    Regex(String),
}

/// The hosts of all conditions in `json`; `None` if it cannot be parsed.
pub fn hosts(json: &str) -> Option<Vec<Condition>> {
    let mut found = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    Part { place: Position::Elsewhere, found: &mut found }.deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(found)
}

/// The position of a value in the conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Elsewhere,
    /// In `hostHeaderConfig` (AWS) or `hostConfig` (Alibaba Cloud).
    HostConfig,
    Values,
    RegexValues,
}

impl Position {
    /// The position of the value of `key`. Keys are case-insensitive, as in Go, in which the controllers are written.
    fn of(self, key: &str) -> Self {
        let is = |name: &str| key.eq_ignore_ascii_case(name);
        match self {
            Self::HostConfig if is("values") => Self::Values,
            Self::HostConfig if is("regexValues") => Self::RegexValues,
            _ if is("hostHeaderConfig") || is("hostConfig") => Self::HostConfig,
            _ => Self::Elsewhere,
        }
    }
}

/// A part of the conditions, and the list that collects its hosts.
struct Part<'f> {
    place: Position,
    found: &'f mut Vec<Condition>,
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        match self.place {
            Position::Values => self.found.push(Condition::Host(text.trim().to_owned())),
            Position::RegexValues => self.found.push(Condition::Regex(text.to_owned())),
            Position::Elsewhere | Position::HostConfig => {}
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Part { place: self.place, found: self.found })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            map.next_value_seed(Part { place: self.place.of(&key), found: self.found })?;
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_of_both_dialects_are_found_in_any_case_of_the_keys() {
        let host = |name: &str| Condition::Host(name.to_owned());
        let read = |json: &str| hosts(json).unwrap_or_else(|| panic!("{json}"));
        let aws = r#"[{"field":"host-header","hostHeaderConfig":{"values":["a.example.com","*.b.example.com"]}}]"#;
        assert_eq!(read(aws), [host("a.example.com"), host("*.b.example.com")]);
        let shouted = r#"[{"Field":"host-header","HOSTHEADERCONFIG":{"Values":["a.example.com"]}}]"#;
        assert_eq!(read(shouted), [host("a.example.com")]);
        let regex = r#"[{"field":"host-header","hostHeaderConfig":{"regexValues":["^a$"]}}]"#;
        assert_eq!(read(regex), [Condition::Regex("^a$".to_owned())]);
        let alibaba = r#"[{"type":"Host","hostConfig":{"values":["a.example.com"]}}]"#;
        assert_eq!(read(alibaba), [host("a.example.com")]);
    }

    #[test]
    fn other_conditions_name_no_host_and_what_is_not_json_is_not_read() {
        let other = r#"[{"field":"path-pattern","pathPatternConfig":{"values":["/a"]}},{"field":"http-header",
            "httpHeaderConfig":{"httpHeaderName":"Host","values":["a.example.com", 1, 1.5, -1, true, null]}}]"#;
        assert_eq!(hosts(other), Some(Vec::new()));
        assert_eq!(hosts("shop.example.com"), None);
        assert_eq!(hosts("[] x"), None);
        assert_eq!(hosts(&"[".repeat(100_000)), None);
    }
}
