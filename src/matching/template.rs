//! A host over the namespace that claims it: `*.{namespace.labels.tenant}.apps.example.com`.

use regex::Regex;

use super::Host;

/// A host with places for what the claimant's Namespace says.
#[derive(Debug, Clone)]
pub struct Template {
    parts: Vec<Part>,
    /// Every host that some namespace could get.
    shape: Regex,
    /// The labels after the last place, which all those hosts end with.
    tail: String,
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

impl Template {
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
        let last = rest.to_ascii_lowercase();
        let tail = last.split_once('.').map_or(String::new(), |(_, labels)| labels.to_owned());
        parts.push(Part::Text(last));
        Ok(Some(Self { shape: shape(&parts), parts, tail }))
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
        match host {
            Host::Any => false,
            Host::Precise(name) => self.shape.is_match(name),
            Host::Wildcard(suffix) => self.shape.is_match(&format!("a.{suffix}")),
        }
    }

    /// Whether `host` covers the host of some namespace.
    pub fn could_be_under(&self, host: &Host<'_>) -> bool {
        match host {
            Host::Any => true,
            Host::Precise(_) => false,
            Host::Wildcard(suffix) => self.tail == **suffix || self.tail.ends_with(&format!(".{suffix}")),
        }
    }

    /// How many labels its hosts have, for telling the more specific of two entries.
    pub fn labels(&self) -> usize {
        let dots = |part: &Part| if let Part::Text(text) = part { text.matches('.').count() } else { 0 };
        self.parts.iter().map(dots).sum::<usize>() + 1
    }

    /// Whether it asks for labels.
    pub fn needs_labels(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Label(_)))
    }
}

fn shape(parts: &[Part]) -> Regex {
    let mut pattern = String::from("^");
    for (position, part) in parts.iter().enumerate() {
        match part {
            Part::Text(text) if position == 0 => match text.strip_prefix("*.") {
                Some(rest) => pattern.extend([r"(?:[^.]+\.)+", &regex::escape(rest)]),
                None => pattern.push_str(&regex::escape(text)),
            },
            Part::Text(text) => pattern.push_str(&regex::escape(text)),
            Part::Name | Part::Label(_) => pattern.push_str("[^.]+"),
        }
    }
    pattern.push('$');
    Regex::new(&pattern).expect("escaped text and fixed groups make a pattern")
}
