//! Compares the table of limits in docs/limits.md with the constants of the sources.

use std::collections::BTreeSet;
use std::fs;

use portcullis_testing::repository::{read, root};
use regex::Regex;

use super::layers::{SOURCES, sources};

/// Constants that are not in the table, by file or folder, and the reason.
const NOT_IN_TABLE: &[(&[&str], &str)] = &[
    (
        &[
            "validation",
            "kinds/gateway.rs",
            "kinds/listener.rs",
            "checks/filter/external_auth_mismatch.rs",
            "checks/route/hostnames_too_many.rs",
            "checks/ingress/hosts_too_many.rs",
        ],
        "a rule of the API or of the platform: what exceeds it has a finding",
    ),
    (&["status", "event.rs"], "a limit of the API for statuses and Events, or the length of a message"),
    (
        &[
            "report",
            "compare/results.rs",
            "cli/config/requests.rs",
            "explain/unreached_routes.rs",
            "explain/selection.rs",
        ],
        "the length of a list in a report; the rest is counted",
    ),
    (&["config"], "the configuration is an error"),
    (
        &["kinds/ingress.rs", "kinds/go_duration.rs", "field.rs", "matching/plain_pattern.rs"],
        "the size of an array, or of what a faster way accepts; nothing is left out",
    ),
    (&["review/canary.rs"], "a longer token is not that of a canary"),
    (&["checks/undone.rs", "checks/ingress/annotation_risky.rs", "controller/object.rs"], "not a number"),
    (
        &["server/cost.rs", "server/peers.rs", "telemetry", "tls/client.rs", "runtime/heartbeat.rs"],
        "about connections, metrics and the process, whatever is reviewed",
    ),
    (&["watch", "files", "controller/report_queue.rs"], "reported where it is exceeded, and no part of a review"),
];

/// A constant that limits something.
#[derive(Debug)]
struct Limit {
    /// The file below the sources of its crate.
    file: String,
    name: String,
    /// `None` if it is not a simple number.
    value: Option<u64>,
}

fn limits() -> Vec<Limit> {
    let pattern = r"(?m)^\s*(?:pub(?:\([a-z]+\))? )?const ([A-Z_]*(?:MAX|LIMIT|DEPTH|ROOTS|REMEMBERED|MOST|KEPT)[A-Z_]*): [^=]+ = ([^;]+);";
    let constant = Regex::new(pattern).expect("the pattern is valid");
    let mut limits = Vec::new();
    for folder in SOURCES {
        for file in sources(&root().join(folder)) {
            let text = fs::read_to_string(&file).expect("a source can be read");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let file = file.strip_prefix(root().join(folder)).expect("it was found there").display().to_string();
            limits.extend(constant.captures_iter(code).map(|found| Limit {
                file: file.clone(),
                name: found[1].to_owned(),
                value: number(&found[2]),
            }));
        }
    }
    limits
}

/// The value of an expression such as `20_000` or `1 << 16`.
fn number(expression: &str) -> Option<u64> {
    let plain = |text: &str| text.trim().replace('_', "").parse::<u64>().ok();
    match expression.split_once("<<") {
        Some((number, shift)) => Some(plain(number)? << plain(shift)?),
        None => plain(expression),
    }
}

/// The ways to write the number: `20,000`, or `64 KiB` of a number of bytes.
fn written(value: u64) -> Vec<String> {
    let digits = value.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let units = [(1 << 10, "KiB"), (1 << 20, "MiB")];
    let of_unit = |(unit, name): (u64, &str)| value.is_multiple_of(unit).then(|| format!("{} {name}", value / unit));
    std::iter::once(grouped).chain(units.into_iter().filter_map(of_unit)).collect()
}

/// The rows of the table: the limit and where it is.
fn rows() -> Vec<(String, String)> {
    let text = read("docs/limits.md");
    let table = text.split("| limit | where | beyond it |").nth(1).expect("the table of limits");
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = lines.map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    cells.map(|cells| (cells[1].to_owned(), cells[2].to_owned())).collect()
}

#[test]
fn each_limit_is_in_the_table() {
    let (limits, rows) = (limits(), rows());
    let exempt = |limit: &Limit| {
        let mut all = NOT_IN_TABLE.iter().flat_map(|(paths, _)| paths.iter().copied());
        all.find(|path| limit.file == *path || limit.file.starts_with(&format!("{path}/")))
    };
    let has_number = |limit: &str, number: &str| {
        let mut found = limit.match_indices(number);
        let is_digit = |letter: char| letter.is_ascii_digit() || letter == ',';
        found.any(|(at, _)| {
            let after = &limit[at + number.len()..];
            !limit[..at].ends_with(is_digit) && !after.starts_with(|letter: char| letter.is_ascii_digit())
        })
    };
    let is_in = |limit: &Limit| {
        rows.iter().any(|(text, place)| {
            place.contains(&format!("`{}`", limit.file))
                && limit.value.is_none_or(|value| written(value).iter().any(|number| has_number(text, number)))
        })
    };
    let wrong = limits.iter().filter(|limit| exempt(limit).is_none() && !is_in(limit));
    let wrong: Vec<String> = wrong.map(|limit| format!("{}: {} = {:?}", limit.file, limit.name, limit.value)).collect();
    assert_eq!(wrong, [""; 0], "say in docs/limits.md what happens beyond it");
    let used: BTreeSet<&str> = limits.iter().filter_map(exempt).collect();
    let listed = NOT_IN_TABLE.iter().flat_map(|(paths, _)| paths.iter().copied());
    let unused: Vec<&str> = listed.filter(|path| !used.contains(path)).collect();
    assert_eq!(unused, [""; 0], "there is no such constant");
}

#[test]
fn each_file_in_the_table_of_limits_exists() {
    let path = Regex::new("`([a-z0-9_/]+[.]rs)`").expect("the pattern is valid");
    for (limit, place) in rows() {
        let mut paths = path.captures_iter(&place).map(|found| found[1].to_owned()).peekable();
        assert!(paths.peek().is_some(), "{limit}: name the file of the constant");
        for file in paths {
            assert!(
                SOURCES.iter().any(|folder| root().join(folder).join(&file).is_file()),
                "{limit}: {file} not found"
            );
        }
    }
}
