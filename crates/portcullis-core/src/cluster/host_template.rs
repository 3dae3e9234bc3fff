//! A host over the namespace that claims it: `*.{namespace.labels.tenant}.apps.example.com`.

use regex::Regex;

use crate::matching::Host;

/// A host with places for what the claimant's Namespace says.
#[derive(Debug, Clone)]
pub struct HostTemplate {
    parts: Vec<Part>,
    /// Whether it begins with `*.`.
    is_wildcard: bool,
    /// Its labels without the `*`, the last one first.
    labels: Vec<Label>,
}

/// One label of a template.
#[derive(Debug, Clone)]
struct Label {
    /// Every label that some namespace could get here.
    shape: Regex,
    /// How many places it holds.
    places: usize,
}

/// A stretch of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text as it stands.
    Text(String),
    /// The namespace's name.
    Name,
    /// The value of this label of the Namespace.
    Label(String),
}

impl HostTemplate {
    /// Reads a template; `None` where the text has no places. The error is the place that means nothing.
    pub fn parse(written: &str) -> Result<Option<Self>, String> {
        if !written.contains('{') {
            return Ok(None);
        }
        let mut parts = Vec::new();
        let mut rest = written;
        while let Some(start) = rest.find('{') {
            let Some(length) = rest[start..].find('}') else { return Err(rest[start..].to_owned()) };
            let place = &rest[start..=start + length];
            parts.push(Part::Text(rest[..start].to_ascii_lowercase()));
            parts.push(match place {
                "{namespace.name}" => Part::Name,
                _ => match place.strip_prefix("{namespace.labels.").and_then(|key| key.strip_suffix('}')) {
                    Some(key) if !key.is_empty() => Part::Label(key.to_owned()),
                    _ => return Err(place.to_owned()),
                },
            });
            rest = &rest[start + length + 1..];
        }
        parts.push(Part::Text(rest.to_ascii_lowercase()));
        Ok(Some(Self::new(parts)))
    }

    /// The host of a namespace whose values are all `x`: of the form that all hosts of the template have.
    pub fn specimen(&self) -> String {
        let text = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Name | Part::Label(_) => "x".to_owned(),
        };
        self.parts.iter().map(text).collect()
    }

    fn new(parts: Vec<Part>) -> Self {
        let written: String = parts.iter().map(Part::blank).collect();
        let named = written.strip_prefix("*.");
        let labels = named.unwrap_or(&written).rsplit('.').map(Label::new).collect();
        Self { is_wildcard: named.is_some(), labels, parts }
    }

    /// The host of a namespace; `None` where it lacks a label, or the label is no single DNS label.
    pub fn host<'n>(&self, name: &'n str, label: impl Fn(&str) -> Option<&'n str>) -> Option<Host<'static>> {
        let mut host = String::new();
        for part in &self.parts {
            host.push_str(match part {
                Part::Text(text) => text,
                Part::Name => name,
                Part::Label(key) => label(key).filter(|value| !value.is_empty() && !value.contains('.'))?,
            });
        }
        Some(Host::parse(&host).into_owned())
    }

    /// Whether `host` is, or is covered by, the host of some namespace.
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

    /// Whether `host`, where it covers hosts of namespaces, covers those of one namespace only: every place stands in its own labels.
    pub fn is_settled_by(&self, host: &Host<'_>) -> bool {
        let Host::Wildcard(suffix) = host else { return false };
        !self.labels.iter().skip(count(suffix)).any(|label| label.places > 0)
    }

    /// Whether `name` and the template agree label by label from the right, as far as the shorter of them goes.
    fn ends_like(&self, name: &str) -> bool {
        self.labels.iter().zip(name.rsplit('.')).all(|(label, own)| label.shape.is_match(own))
    }

    /// How specific it is among entries: whether it means precise hosts, and how many labels it has with its `*`.
    pub fn rank(&self) -> (bool, usize) {
        (!self.is_wildcard, self.labels.len() + usize::from(self.is_wildcard))
    }

    /// Whether a label holds two places, so that the values of two namespaces could make one host: `a` with `b-c`, and `a-b` with `c`.
    pub fn is_ambiguous(&self) -> bool {
        self.labels.iter().any(|label| label.places > 1)
    }

    /// Whether it asks for labels.
    pub fn needs_labels(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Label(_)))
    }
}

impl Part {
    /// The text, or what stands for any.
    fn blank(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Name | Self::Label(_) => BLANK,
        }
    }
}

/// Stands for a place; no text of a template holds it, since a `{` always begins a place.
const BLANK: &str = "{}";

impl Label {
    fn new(written: &str) -> Self {
        let stretches: Vec<_> = written.split(BLANK).map(regex::escape).collect();
        let shape = Regex::new(&format!("^{}$", stretches.join("[^.]+")));
        Self { shape: shape.expect("escaped text and fixed groups make a pattern"), places: stretches.len() - 1 }
    }
}

fn count(name: &str) -> usize {
    name.split('.').count()
}
