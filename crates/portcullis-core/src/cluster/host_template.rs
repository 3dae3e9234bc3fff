//! A host that contains placeholders for properties of the claiming namespace:
//! `*.{namespace.labels.tenant}.apps.example.com`.

use std::fmt;

use regex::Regex;

use crate::matching::Host;

/// A host with placeholders for properties of the claimant's Namespace.
#[derive(Debug, Clone)]
pub struct HostTemplate {
    parts: Vec<TemplatePart>,
    /// Whether it begins with `*.`.
    is_wildcard: bool,
    /// The DNS labels without the `*`, the last one first.
    labels: Vec<Label>,
}

/// The namespaces that own a host of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateOwner {
    /// The one with this name.
    Namespace(String),
    /// Those with these labels, such as `tenant=shop,tier=gold`.
    Labeled(String),
}

impl fmt::Display for TemplateOwner {
    /// As in `namespace web` and `namespaces labeled tenant=shop`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespace(name) => write!(f, "namespace {name}"),
            Self::Labeled(labels) => write!(f, "namespaces labeled {labels}"),
        }
    }
}

/// One DNS label of a template.
#[derive(Debug, Clone)]
struct Label {
    /// Matches every value that the label could have for some namespace.
    shape: Regex,
    /// The number of placeholders in it.
    placeholders: usize,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    /// Literal text.
    Text(String),
    /// The name of the namespace.
    Name,
    /// The value of this label of the Namespace.
    Label(String),
}

impl HostTemplate {
    /// Parses a template. Returns `None` if the text has no placeholders. The error is the invalid placeholder.
    pub fn parse(written: &str) -> Result<Option<Self>, String> {
        if !written.contains('{') {
            return Ok(None);
        }
        let mut parts = Vec::new();
        let mut rest = written;
        while let Some(start) = rest.find('{') {
            let Some(length) = rest[start..].find('}') else { return Err(rest[start..].to_owned()) };
            let placeholder = &rest[start..=start + length];
            parts.push(TemplatePart::Text(rest[..start].to_ascii_lowercase()));
            parts.push(match placeholder {
                "{namespace.name}" => TemplatePart::Name,
                _ => match placeholder.strip_prefix("{namespace.labels.").and_then(|key| key.strip_suffix('}')) {
                    Some(key) if !key.is_empty() => TemplatePart::Label(key.to_owned()),
                    _ => return Err(placeholder.to_owned()),
                },
            });
            rest = &rest[start + length + 1..];
        }
        parts.push(TemplatePart::Text(rest.to_ascii_lowercase()));
        Ok(Some(Self::new(parts)))
    }

    /// An example host in which every placeholder is `x`. It has the same form as all hosts of the template.
    pub fn specimen(&self) -> String {
        let text = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Name | TemplatePart::Label(_) => "x".to_owned(),
        };
        self.parts.iter().map(text).collect()
    }

    fn new(parts: Vec<TemplatePart>) -> Self {
        let written: String = parts.iter().map(TemplatePart::blank).collect();
        let named = written.strip_prefix("*.");
        let labels = named.unwrap_or(&written).rsplit('.').map(Label::new).collect();
        Self { is_wildcard: named.is_some(), labels, parts }
    }

    /// The host of a namespace; `None` if the namespace lacks a label, or if a label value is not a single DNS label.
    pub fn host<'n>(&self, name: &'n str, label: impl Fn(&str) -> Option<&'n str>) -> Option<Host<'static>> {
        let mut host = String::new();
        for part in &self.parts {
            host.push_str(match part {
                TemplatePart::Text(text) => text,
                TemplatePart::Name => name,
                TemplatePart::Label(key) => label(key).filter(|value| !value.is_empty() && !value.contains('.'))?,
            });
        }
        Some(Host::parse(&host).into_owned())
    }

    /// The namespaces whose host is equal to `host` or covers it; `None` if no namespace has such a host, or if the host does not say
    /// which one.
    pub fn owner_of(&self, host: &Host<'_>) -> Option<TemplateOwner> {
        if !self.could_cover(host) || self.is_ambiguous() {
            return None;
        }
        let own: Vec<&str> = host.parts().1.rsplit('.').take(self.labels.len()).collect();
        let labels = self.labels.iter().zip(own).rev().filter(|(label, _)| label.placeholders > 0);
        let values = labels.map(|(label, own)| label.shape.captures(own)?.get(1).map(|value| value.as_str()));
        let placeholders = self.parts.iter().filter(|part| !matches!(part, TemplatePart::Text(_)));
        let (mut name, mut selected) = (None, Vec::new());
        for (placeholder, value) in placeholders.zip(values) {
            match placeholder {
                TemplatePart::Label(key) => selected.push(format!("{key}={}", value?)),
                _ => name = value,
            }
        }
        Some(match name {
            Some(name) => TemplateOwner::Namespace(name.to_owned()),
            None => TemplateOwner::Labeled(selected.join(",")),
        })
    }

    /// Whether the host of some namespace is equal to `host` or covers it.
    pub fn could_cover(&self, host: &Host<'_>) -> bool {
        let (name, covered) = match host {
            Host::Any => return false,
            Host::Precise(name) if self.is_wildcard => (name, count(name) > self.labels.len()),
            Host::Precise(name) => (name, count(name) == self.labels.len()),
            Host::Wildcard(suffix) => (suffix, self.is_wildcard && count(suffix) >= self.labels.len()),
        };
        covered && self.ends_like(name)
    }

    /// Whether `host` covers the host of some namespace and is not covered by it.
    pub fn could_be_under(&self, host: &Host<'_>) -> bool {
        match host {
            Host::Any => true,
            Host::Precise(_) => false,
            Host::Wildcard(suffix) => self.labels.len() > count(suffix) && self.ends_like(suffix),
        }
    }

    /// Whether all hosts of namespaces that `host` covers belong to one namespace. This is the case if the suffix of
    /// `host` spans all placeholders.
    pub fn is_settled_by(&self, host: &Host<'_>) -> bool {
        let Host::Wildcard(suffix) = host else { return false };
        !self.labels.iter().skip(count(suffix)).any(|label| label.placeholders > 0)
    }

    /// Whether the labels of `name` and of the template match from the right, as far as the shorter of the two reaches.
    fn ends_like(&self, name: &str) -> bool {
        self.labels.iter().zip(name.rsplit('.')).all(|(label, own)| label.shape.is_match(own))
    }

    /// The specificity among entries: whether the hosts are precise, and the number of labels including the `*`.
    pub fn rank(&self) -> (bool, usize) {
        (!self.is_wildcard, self.labels.len() + usize::from(self.is_wildcard))
    }

    /// Whether a label has two placeholders, so that the values of two namespaces could result in the same host: `a`
    /// with `b-c`, and `a-b` with `c`.
    pub fn is_ambiguous(&self) -> bool {
        self.labels.iter().any(|label| label.placeholders > 1)
    }

    /// Whether it contains placeholders for labels of the Namespace.
    pub fn needs_labels(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, TemplatePart::Label(_)))
    }
}

impl TemplatePart {
    /// The text, or `BLANK` for a placeholder.
    fn blank(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Name | Self::Label(_) => BLANK,
        }
    }
}

/// Represents a placeholder. Literal text of a template never contains it, since a `{` always begins a placeholder.
const BLANK: &str = "{}";

impl Label {
    fn new(written: &str) -> Self {
        let stretches: Vec<_> = written.split(BLANK).map(regex::escape).collect();
        let shape = Regex::new(&format!("^{}$", stretches.join("([^.]+)")));
        Self { shape: shape.expect("escaped text and fixed groups make a pattern"), placeholders: stretches.len() - 1 }
    }
}

fn count(name: &str) -> usize {
    name.split('.').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_says_which_namespaces_own_it() {
        let owner = |template: &str, host: &str| {
            HostTemplate::parse(template)
                .expect("valid")
                .expect("a template")
                .owner_of(&Host::parse(host))
                .map(|owner| owner.to_string())
        };
        let labeled = "*.{namespace.labels.tenant}.apps.example.com";
        assert_eq!(owner(labeled, "web.shop.apps.example.com").as_deref(), Some("namespaces labeled tenant=shop"));
        assert_eq!(owner(labeled, "*.shop.apps.example.com").as_deref(), Some("namespaces labeled tenant=shop"));
        assert_eq!(owner(labeled, "a.web.shop.apps.example.com").as_deref(), Some("namespaces labeled tenant=shop"));
        assert_eq!(owner(labeled, "*.apps.example.com"), None, "it covers the hosts of several");
        assert_eq!(owner(labeled, "shop.example.com"), None);
        let both = "{namespace.name}.x-{namespace.labels.tier}.example.com";
        assert_eq!(owner(both, "web.x-gold.example.com").as_deref(), Some("namespace web"));
        assert_eq!(owner("{namespace.name}-{namespace.labels.tier}.example.com", "a-b-c.example.com"), None);
    }
}
