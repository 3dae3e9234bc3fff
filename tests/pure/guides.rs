//! The guides in `docs/guides`: each write has exactly the findings that the guide says, and each configuration in the
//! documents is valid.

use portcullis_core::checks::Plan;
use portcullis_core::config::{Config, KIND};
use portcullis_testing::guides::{findings, writes};
use portcullis_testing::page::blocks;
use portcullis_testing::repository::{files, read};

#[test]
fn each_write_has_the_findings_of_the_guide() {
    let mut count = 0;
    for page in files("docs/guides") {
        for example in writes(&read(&page)) {
            let found = findings(&example);
            assert!(
                found == example.findings,
                "{page}:\n{}\nexpected\n{}\nfound\n{found}",
                example.write,
                example.findings
            );
            count += 1;
        }
    }
    assert!(count > 0, "no guide has a write");
}

#[test]
fn each_configuration_in_the_documents_is_valid() {
    let documents = files("docs").into_iter().filter(|file| file.ends_with(".md"));
    let mut count = 0;
    for document in documents.chain(["README.md".to_owned()]) {
        for block in blocks(&read(&document)) {
            if !block.text.lines().any(|line| line == format!("kind: {KIND}")) || !block.words.starts_with("yaml") {
                continue;
            }
            let config =
                Config::parse(&block.text).unwrap_or_else(|error| panic!("{document}: {error}\n{}", block.text));
            let plan = Plan::new(config).map(drop);
            plan.unwrap_or_else(|errors| panic!("{document}: {errors:?}\n{}", block.text));
            count += 1;
        }
    }
    assert!(count > 0, "no document has a configuration");
}

/// The page tests the file that users copy.
#[test]
fn the_starter_configuration_is_the_one_of_its_guide() {
    let guide = blocks(&read("docs/guides/several-teams.md"));
    let config = guide.iter().find(|block| block.words == "yaml config").expect("the guide has a configuration");
    let file = read("examples/starter.yaml");
    let (_, of_file) = file.split_once("explains it.\n").expect("a comment names the guide");
    assert_eq!(config.text.trim_end(), of_file.trim_end());

    // The comment shows the route that the guide writes: it stays allowed.
    let route =
        file.lines().filter_map(|line| line.strip_prefix("  #   ")).fold(String::new(), |all, line| all + line + "\n");
    let example = writes(&read("docs/guides/several-teams.md")).into_iter().find(|example| example.write == route);
    assert_eq!(example.expect("the guide writes the route of the comment").findings, "");
}
