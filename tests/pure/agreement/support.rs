//! SUPPORT.md counts the trials that fail on older API servers as the list does that `just test-on` reads.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_testing::repository::read;

#[test]
fn each_reason_of_a_failure_on_an_older_api_server_is_counted() {
    const LIST: &str = "tests/control-plane/expected-failures.tsv";
    let list = read(LIST);
    // By reason, then by version.
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [version, _, reason] = columns[..] else { panic!("{LIST}: not three columns: {line}") };
        *counts.entry(reason).or_default().entry(version).or_default() += 1;
    }
    let listed = counts.iter().map(|(reason, versions)| {
        let counts: Vec<String> = versions.iter().map(|(version, count)| format!("{count} on {version}")).collect();
        format!("**{reason}** ({})", counts.join(", "))
    });
    let page = read("SUPPORT.md");
    let (_, section) = page.split_once("\n## Older API servers\n").expect("SUPPORT.md has the section");
    let counted = section.lines().filter_map(|line| Some(line.strip_prefix("- ")?.split_once(": ")?.0.to_owned()));
    assert_eq!(BTreeSet::from_iter(counted), listed.collect(), "SUPPORT.md (left) and {LIST} differ");
}
