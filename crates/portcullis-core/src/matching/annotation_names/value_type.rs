//! What controllers accept as the value of an annotation.

use std::net::IpAddr;

use serde_json::Value;

use crate::kinds::annotation_value::{parse_bool, parse_port};

/// What a controller accepts as the value of an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// What `strconv.ParseBool` parses.
    Boolean,
    /// A boolean, or `on`, `off`, `enabled` or `disabled`, regardless of case.
    Toggle,
    /// `true` regardless of case; any other value means false.
    Flag,
    /// What `strconv.Atoi` parses.
    Integer,
    /// A size of nginx.
    Size,
    /// `on` or `off`.
    Switch,
    /// A number, with or without a unit of time.
    Time,
    /// A number with a unit of time.
    TimeWithUnit,
    /// Addresses and networks, separated by commas.
    Networks,
    /// Like `Networks`, where `!` makes an entry an exception.
    NetworksWithExceptions,
    /// Like `Networks`, or the path of a file of patterns.
    NetworksOrFile,
    /// Networks, separated by commas.
    Cidrs,
    /// A list of objects of protocol and port, as JSON.
    ListenPorts,
    /// JSON.
    Json,
    /// One of these words, which are separated by spaces.
    OneOf(&'static str),
    /// One of these words, regardless of case.
    InAnyCase(&'static str),
    /// Another text.
    Text,
    /// The controller does not read the annotation on an Ingress.
    Other,
    /// Only other controllers read the annotation.
    Foreign,
}

/// What is wrong with a value: a message, and its arguments, of which the first is the wrong part of the value.
pub type Fault<'v> = (&'static str, Vec<&'v str>);

impl ValueType {
    /// The type that a table names.
    pub fn parse(name: &'static str) -> Option<Self> {
        Some(match name {
            "boolean" => Self::Boolean,
            "toggle" => Self::Toggle,
            "flag" => Self::Flag,
            "integer" => Self::Integer,
            "size" => Self::Size,
            "switch" => Self::Switch,
            "time" => Self::Time,
            "time with unit" => Self::TimeWithUnit,
            "networks" => Self::Networks,
            "networks with exceptions" => Self::NetworksWithExceptions,
            "networks or file" => Self::NetworksOrFile,
            "cidrs" => Self::Cidrs,
            "listen-ports" => Self::ListenPorts,
            "json" => Self::Json,
            "text" => Self::Text,
            "other" => Self::Other,
            "foreign" => Self::Foreign,
            _ => match name.split_once(": ")? {
                ("one of", words) => Self::OneOf(words),
                ("in any case", words) => Self::InAnyCase(words),
                _ => return None,
            },
        })
    }

    /// What is wrong with a value.
    pub fn fault(self, value: &str) -> Option<Fault<'_>> {
        let whole = |template| Some((template, vec![value]));
        match self {
            Self::Boolean if parse_bool(value).is_none() => whole("`{}` must be `true` or `false`"),
            Self::Toggle if !is_toggle(value) => whole("`{}` must be `true` or `false`"),
            Self::Flag if !is_flag(value) => whole("`{}` must be `true` or `false`"),
            Self::Integer if !is_integer(value) => whole("`{}` must be an integer without a unit"),
            Self::Size if !is_size(value) => whole("`{}` must be a size: digits, then at most one of k, m or g"),
            Self::Switch if !matches!(value.trim(), "on" | "off") => whole("`{}` must be `on` or `off`"),
            Self::Time if !is_time(value, &["d", "h", "m", "ms", "s", ""]) => {
                whole("`{}` must be a time: an integer, then at most one of ms, s, m, h or d")
            }
            Self::TimeWithUnit if !is_time_with_unit(value) => {
                whole("`{}` must be a time: digits, then one of us, ms, s, m, h or d")
            }
            Self::NetworksOrFile if value.starts_with("patterns/") => None,
            Self::Networks | Self::NetworksOrFile => {
                Some((NETWORK, vec![entries(value).find(|entry| !is_network(entry))?]))
            }
            Self::NetworksWithExceptions => {
                let is_wrong = |entry: &&str| !is_network(entry.strip_prefix('!').unwrap_or(entry));
                Some((NETWORK, vec![entries(value).find(is_wrong)?]))
            }
            Self::Cidrs => {
                let is_wrong = |entry: &&str| !entry.contains('/') || !is_network(entry);
                Some(("`{}` must be a network such as 10.0.0.0/8", vec![entries(value).find(is_wrong)?]))
            }
            Self::ListenPorts if !are_listen_ports(value) => {
                whole("`{}` must be a JSON list of objects, each with HTTP or HTTPS and a port")
            }
            Self::Json if serde_json::from_str::<serde::de::IgnoredAny>(value).is_err() => whole("`{}` must be JSON"),
            Self::OneOf(words) if words.split(' ').all(|word| word != value) => other_word(value, words),
            Self::InAnyCase(words) if words.split(' ').all(|word| !word.eq_ignore_ascii_case(value)) => {
                other_word(value, words)
            }
            _ => None,
        }
    }
}

const NETWORK: &str = "`{}` must be an IP address or a network such as 10.0.0.0/8";

/// The fault of a value that is none of these words.
fn other_word<'v>(value: &'v str, words: &'static str) -> Option<Fault<'v>> {
    match words.split_once(' ') {
        None => Some(("`{}` must be `{}`", vec![value, words])),
        Some(_) => Some(("`{}` must be one of: {}", vec![value, words])),
    }
}

/// The entries of a list that commas separate.
fn entries(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

fn is_toggle(text: &str) -> bool {
    let words = ["disabled", "enabled", "off", "on"];
    parse_bool(text).is_some() || words.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Whether a value means what it says to a controller that compares it with `true`.
fn is_flag(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") || parse_bool(text) == Some(false)
}

/// Whether `strconv.Atoi` parses the text.
fn is_integer(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

/// Whether the text matches the `SizeRegex` of ingress-nginx, without its spaces.
fn is_size(text: &str) -> bool {
    let number = text.trim_end_matches(' ');
    let number = number.strip_suffix(['b', 'B', 'k', 'K', 'm', 'M', 'g', 'G']).unwrap_or(number);
    let mut digits = number.bytes().filter(|byte| *byte != b' ').peekable();
    digits.peek().is_some() && digits.all(|byte| byte.is_ascii_digit())
}

/// Whether the text is an integer with one of these units.
fn is_time(text: &str, units: &[&str]) -> bool {
    units.iter().any(|unit| text.strip_suffix(unit).is_some_and(is_integer))
}

fn is_time_with_unit(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit()) && is_time(text, &["d", "h", "m", "ms", "s", "us"])
}

/// Whether the text is an address or a network in CIDR notation.
fn is_network(text: &str) -> bool {
    let (address, length) = text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let most = if address.is_ipv4() { 32 } else { 128 };
    length.is_none_or(|length| length.parse::<u8>().is_ok_and(|length| length <= most))
}

/// Whether the AWS Load Balancer Controller parses the value of `listen-ports`.
fn are_listen_ports(text: &str) -> bool {
    let Ok(Value::Array(entries)) = serde_json::from_str(text) else { return false };
    let is_port = |(protocol, port): (&String, &Value)| {
        matches!(protocol.as_str(), "HTTP" | "HTTPS") && port.is_u64() && parse_port(&port.to_string()).is_some()
    };
    let is_entry = |entry: &Value| entry.is_null() || entry.as_object().is_some_and(|entry| entry.iter().all(is_port));
    !entries.is_empty() && entries.iter().all(is_entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_accepts_what_its_controller_parses_and_nothing_else() {
        let words = ValueType::OneOf("HTTP HTTPS");
        for (value_type, accepted, rejected) in [
            (ValueType::Boolean, vec!["true", "T", "0"], vec!["yes", "on", " true"]),
            (ValueType::Toggle, vec!["true", "Enabled", "OFF"], vec!["yes", "no"]),
            (ValueType::Flag, vec!["true", "TRUE", "false", "0"], vec!["1", "yes", "websecure"]),
            (ValueType::Integer, vec!["443", "-1", "+5"], vec!["true", "60s", "1.5"]),
            (ValueType::Time, vec!["5", "5s", "100ms", "1d"], vec!["5sec", "1.5s", "s", "1m30s"]),
            (ValueType::TimeWithUnit, vec!["5s", "100us"], vec!["5", "-5s", "1h30m"]),
            (ValueType::Networks, vec!["10.0.0.1, fd00::/8"], vec!["10.0.0.0/33", "!10.0.0.1", "patterns/ips"]),
            (ValueType::NetworksWithExceptions, vec!["10.0.0.0/8,!10.1.0.0/16"], vec!["10.0.0.0/8,office"]),
            (ValueType::NetworksOrFile, vec!["patterns/ips", "10.0.0.1"], vec!["pattern/ips"]),
            (ValueType::Cidrs, vec!["10.0.0.0/8, ::/0"], vec!["10.0.0.1"]),
            (
                ValueType::ListenPorts,
                vec![r#"[{"HTTP": 80}, {"HTTPS":443}]"#],
                vec!["80", "[]", r#"[{"HTTP": "80"}]"#, r#"[{"http": 80}]"#, r#"[{"HTTP": 0}]"#, "[{'HTTP': 80}]"],
            ),
            (ValueType::Json, vec![r#"{"issuer": "a"}"#], vec!["{issuer: a}"]),
            (words, vec!["HTTP", "HTTPS"], vec!["http", "TCP", "HTTP HTTPS"]),
            (ValueType::InAnyCase("Path PathPrefix"), vec!["path", "PathPrefix"], vec!["PathStrip"]),
            (ValueType::Text, vec!["anything"], vec![]),
            (ValueType::Other, vec!["anything"], vec![]),
        ] {
            for value in accepted {
                assert_eq!(value_type.fault(value), None, "{value_type:?}: {value}");
            }
            for value in rejected {
                assert!(value_type.fault(value).is_some(), "{value_type:?}: {value}");
            }
        }
    }
}
