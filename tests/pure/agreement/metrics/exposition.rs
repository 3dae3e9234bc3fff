//! Reads the text of `/metrics`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

/// A metric with all its series.
#[derive(Debug, Default)]
pub struct Metric {
    /// The name after `# TYPE`, which for a counter is without `_total`.
    pub name: String,
    /// The type: `counter`, `gauge` or `histogram`.
    pub metric_type: String,
    /// The help as it is scraped.
    pub help: String,
    /// The names of the samples, by which queries select them.
    pub samples: BTreeSet<String>,
    /// The values of each label. A metric without labels has none.
    pub labels: BTreeMap<String, BTreeSet<String>>,
}

impl Metric {
    /// The name in queries; that of a histogram is without the suffixes of its samples.
    pub fn query_name(&self) -> String {
        match &*self.metric_type {
            "counter" => format!("{}_total", self.name),
            _ => self.name.clone(),
        }
    }

    /// The names of the samples that OpenMetrics requires of the type.
    fn required_samples(&self) -> BTreeSet<String> {
        let suffixes: &[&str] = match &*self.metric_type {
            "counter" => &["_total"],
            "gauge" => &[""],
            "histogram" => &["_bucket", "_count", "_sum"],
            other => panic!("{} has the type {other}, which this test does not know", self.name),
        };
        suffixes.iter().map(|suffix| format!("{}{suffix}", self.name)).collect()
    }

    /// Adds a series. `le` is not a label of a histogram, but the bound of one of its buckets.
    fn add(&mut self, sample: &str, labels: BTreeMap<String, String>) {
        let own = labels.into_iter().filter(|(label, _)| !(sample.ends_with("_bucket") && label == "le"));
        let own: Vec<_> = own.collect();
        let names: BTreeSet<&String> = own.iter().map(|(label, _)| label).collect();
        let is_first = self.samples.is_empty();
        let known: BTreeSet<&String> = self.labels.keys().collect();
        assert!(is_first || names == known, "two series of {} have different labels: {names:?}, {known:?}", self.name);
        self.samples.insert(sample.to_owned());
        for (label, value) in own {
            self.labels.entry(label).or_default().insert(value);
        }
    }
}

/// The metrics in a text, in their order. Panics if the text is not OpenMetrics, or if a metric has no series, so that
/// its labels cannot be seen.
pub fn parse(text: &str) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = Vec::new();
    let body = text.strip_suffix("# EOF\n").expect("the text ends with `# EOF`");
    for line in body.lines() {
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' ')) {
            metrics.push(Metric { name: name.to_owned(), help: help.to_owned(), ..Metric::default() });
            continue;
        }
        let metric = metrics.last_mut().unwrap_or_else(|| panic!("`{line}` is before the first metric"));
        match line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) {
            Some((name, metric_type)) if name == metric.name => metric_type.clone_into(&mut metric.metric_type),
            _ => {
                let (sample, labels) = series(line);
                metric.add(sample, labels);
            }
        }
    }
    for metric in &metrics {
        assert_eq!(metric.samples, metric.required_samples(), "{} lacks a series, or has one too many", metric.name);
    }
    metrics
}

/// The name and the labels of a series.
fn series(line: &str) -> (&str, BTreeMap<String, String>) {
    static SERIES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^([a-z_]+)(?:\{(.*)\})? [0-9.eE+-]+$").expect("the pattern is valid"));
    static LABEL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)"#).expect("the pattern is valid"));
    let found = SERIES.captures(line).unwrap_or_else(|| panic!("`{line}` is not a series"));
    let labels = found.get(2).map_or("", |labels| labels.as_str());
    let pairs = LABEL.captures_iter(labels).map(|pair| (pair[1].to_owned(), pair[2].to_owned()));
    (found.get(1).expect("the pattern requires it").as_str(), pairs.collect())
}
