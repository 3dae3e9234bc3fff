//! `ingress/annotation-value-malformed`

use std::net::IpAddr;

use super::nginx_annotations;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::annotation_value::parse_bool;
use crate::kinds::{Ingress, Kind};
use crate::nginx::annotations::{self, ValueType};

pub static CHECK: Check = Check {
    id: "ingress/annotation-value-malformed",
    needs: &[Kind::IngressClass],
    page: include_str!("annotation_value_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (key, name, value) in annotations::all(ingress) {
        let Some((template, part)) = annotations::named(name).and_then(|known| fault(known.value_type, value)) else {
            continue;
        };
        if !nginx_annotations::are_read(ingress, cx) {
            return;
        }
        found.invalid(At::field("metadata.annotations").key(key), value, template).args([part]);
    }
}

/// What is wrong with a value of this type, and the part of it that is wrong. The parser of ingress-nginx
/// (internal/ingress/annotations/parser) rejects such values, and older versions write some of them to nginx.conf, which nginx rejects.
fn fault(kind: ValueType, value: &str) -> Option<(&'static str, &str)> {
    match kind {
        ValueType::Boolean if parse_bool(value).is_none() => Some(("`{}` must be `true` or `false`", value)),
        ValueType::Integer if !is_integer(value) => Some(("`{}` must be an integer without a unit", value)),
        ValueType::Size if !is_size(value) => {
            Some(("`{}` must be a size: digits, then at most one of k, m or g", value))
        }
        ValueType::Switch if !matches!(value.trim(), "on" | "off") => Some(("`{}` must be `on` or `off`", value)),
        ValueType::Networks => {
            let entries = value.split(',').map(str::trim).filter(|entry| !entry.is_empty());
            let wrong = entries.into_iter().find(|entry| !is_network(entry))?;
            Some(("`{}` must be an IP address or a network such as 10.0.0.0/8", wrong))
        }
        _ => None,
    }
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

/// Whether the text is an address or a network in CIDR notation.
fn is_network(text: &str) -> bool {
    let (address, length) = text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let most = if address.is_ipv4() { 32 } else { 128 };
    length.is_none_or(|length| length.parse::<u8>().is_ok_and(|length| length <= most))
}
