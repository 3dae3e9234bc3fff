//! Canaries: which share of the requests of an upstream another one gets (rootfs/etc/nginx/lua/balancer.lua).

use super::annotations::Annotations;
use crate::matching::compile::{Reach, compile};

/// What an Ingress with `canary: "true"` asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Canary<'w> {
    /// The header that selects the canary or the primary.
    pub header: Option<&'w str>,
    /// The value of the header that selects the canary.
    pub value: Option<&'w str>,
    /// The expression for the value of the header, matched anywhere.
    pub pattern: Option<&'w str>,
    /// The cookie that selects the canary or the primary.
    pub cookie: Option<&'w str>,
    /// The share of the other requests, from 0 to 1.
    pub share: f64,
}

impl<'w> Canary<'w> {
    /// The canary of an Ingress with these annotations, if it is one.
    pub fn of(annotations: &Annotations<'w>) -> Option<Self> {
        if !annotations.is_true("canary") {
            return None;
        }
        let number = |name| annotations.text(name).and_then(|text| text.parse::<f64>().ok());
        // A total below 100 has no effect.
        let total = number("canary-weight-total").unwrap_or(100.0).max(100.0);
        let weight = number("canary-weight").unwrap_or_default().max(0.0);
        Some(Self {
            header: annotations.text("canary-by-header"),
            value: annotations.text("canary-by-header-value"),
            pattern: annotations.text("canary-by-header-pattern"),
            cookie: annotations.text("canary-by-cookie"),
            share: (weight / total).min(1.0),
        })
    }

    /// The share of requests with these headers that the canary gets, from 0 to 1. Names are in lower case.
    pub fn share_of(&self, headers: &[(String, String)]) -> f64 {
        let header = self.header.and_then(|name| header(headers, name));
        let by_header = header.and_then(|sent| match (self.value, self.pattern) {
            (Some(value), _) => (value == sent).then_some(1.0),
            (None, Some(pattern)) => {
                let compiled = compile(pattern, Reach::Anywhere(false));
                compiled.is_ok_and(|compiled| compiled.is_match(sent)).then_some(1.0)
            }
            (None, None) => by_word(sent),
        });
        let by_cookie = || self.cookie.and_then(|name| cookie(headers, name)).and_then(by_word);
        by_header.or_else(by_cookie).unwrap_or(self.share)
    }
}

/// The share for a header or cookie without a configured value.
fn by_word(sent: &str) -> Option<f64> {
    match sent {
        "always" => Some(1.0),
        "never" => Some(0.0),
        _ => None,
    }
}

/// The value of a header; the names of `headers` are in lower case. nginx does not distinguish `-` and `_` in names.
pub fn header<'r>(headers: &'r [(String, String)], name: &str) -> Option<&'r str> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
}

/// The value of a cookie. nginx ignores the case of its name.
fn cookie<'r>(headers: &'r [(String, String)], name: &str) -> Option<&'r str> {
    let cookies = header(headers, "cookie")?.split(';').filter_map(|pair| pair.trim().split_once('='));
    cookies.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}
