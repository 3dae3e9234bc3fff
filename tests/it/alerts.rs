//! The alerts, by the program of Prometheus that checks and tests them.

use std::collections::BTreeSet;
use std::fs;

use libtest_mimic::{Completion, Failed, Trial};
use portcullis_testing::repository::read;
use serde_json::{Value, json};

use crate::harness::{Kubectl, process_guard, promtool, text};

/// Where the rules are, and when each of them fires.
const RULES: &str = "manifests/components/alerts/prometheus-rule.yaml";
const TESTS: &str = "tests/promtool/alerts.yaml";

pub fn trials() -> Vec<Trial> {
    vec![Trial::ignorable_test("long::each_alert_fires_on_its_condition_and_not_before", each_fires_on_its_condition)]
}

fn each_fires_on_its_condition() -> Result<Completion, Failed> {
    let Some(program) = promtool()? else {
        eprintln!("the trial of the alerts is ignored: it needs tests/promtool/build.sh once (minutes)");
        return Ok(Completion::ignored());
    };
    let folder = process_guard().folder("alerts");
    let run = |words: &str| {
        let mut command = process_guard().command(&program);
        command.args(words.split_whitespace()).current_dir(&folder);
        Kubectl::from(command).run()
    };
    let rule: Value = serde_saphyr::from_str(&read(RULES)).expect("the alerts are YAML");
    let mut groups = json!({"groups": rule["spec"]["groups"]});
    let write =
        |groups: &Value| fs::write(folder.join("rules.yaml"), groups.to_string()).expect("our folder is writable");
    write(&groups);
    run("check rules --lint=all --lint-fatal rules.yaml").accepted();

    // A test would have to repeat every annotation.
    let rules = groups["groups"].as_array_mut().expect("a list").iter_mut();
    let rules = rules.flat_map(|group| group["rules"].as_array_mut().expect("a group has rules"));
    let mut names = BTreeSet::new();
    for rule in rules {
        rule.as_object_mut().expect("a rule is a map").remove("annotations");
        names.insert(text(&rule["alert"]));
    }
    write(&groups);
    let tests = read(TESTS);
    fs::write(folder.join("tests.yaml"), &tests).expect("our folder is writable");
    run("test rules tests.yaml").accepted();
    let tests: Value = serde_saphyr::from_str(&tests).expect("the tests are YAML");
    assert_eq!(firing(&tests), names, "{TESTS}: each alert must fire in one of the tests");
    Ok(Completion::Completed)
}

/// The alerts that fire at some time in one of the tests.
fn firing(tests: &Value) -> BTreeSet<String> {
    let tests = tests["tests"].as_array().expect("a list").iter();
    let evaluations = tests.flat_map(|test| test["alert_rule_test"].as_array().expect("a test has evaluations"));
    let fires = |evaluation: &&Value| evaluation["exp_alerts"] != json!([]);
    evaluations.filter(fires).map(|evaluation| text(&evaluation["alertname"])).collect()
}
