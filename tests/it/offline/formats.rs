//! The formats, filters and exit codes of `lint`, and the positions of findings.

use std::collections::BTreeMap;
use std::fs;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

use super::{folder, ingress, lint};
use crate::harness::{ControlPlane, Flavour, openreports_crds, sarif_schema};

/// Faults in a second document, in a list, in JSON, and in absent fields.
const YAML: &str = r#"# A comment.
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: web}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: shop
  namespace: web
spec:
  ingressClassName: public
  rules:
  - host: Shop_x.example.com
    http:
      paths:
      - path: cart
        backend: {service: {name: cart, port: {number: 80}}}
---
apiVersion: v1
kind: List
items:
- apiVersion: gateway.networking.k8s.io/v1
  kind: HTTPRoute
  metadata: {name: r, namespace: web}
  spec:
    hostnames: [a.example.com, "ü:x"]
    rules:
    - backendRefs: [{name: cart}]
"#;
const JSON: &str = "{\n\t\"apiVersion\": \"networking.k8s.io/v1\", \"kind\": \"Ingress\",\n\t\"metadata\": {\"name\": \"api\", \"namespace\": \"web\"},\n\t\"spec\": {\"rules\": [{\"host\": \"a:b\",\n\t\t\"http\": {\"paths\": [{\"path\": \"/\", \"backend\": {\"service\": {\"name\": \"x\", \"port\": {\"number\": 80}}}}]}}]}}\n";
const MALFORMED: &str = "kind: Ingress\nspec: [\n";

fn report(files: &[(&str, &str)], more: &[&str]) -> (Option<i32>, Value) {
    let folder = folder(files);
    let (code, printed, errors) = lint(folder.path(), &[&["-o", "json"], more].concat());
    (code, serde_json::from_str(&printed).unwrap_or_else(|why| panic!("{why}: {printed}{errors}")))
}

fn list<'v>(report: &'v Value, field: &str) -> &'v [Value] {
    report[field].as_array().unwrap_or_else(|| panic!("{field} is a list: {report}"))
}

pub(super) fn every_finding_has_a_position() {
    let (_, report) = report(&[("a.yaml", YAML), ("b.json", JSON), ("c.yaml", MALFORMED)], &[]);
    let mut at = BTreeMap::new();
    for finding in list(&report, "findings") {
        let number = |field: &str| finding[field].as_u64().unwrap_or_else(|| panic!("{field}: {finding}"));
        let file = finding["file"].as_str().and_then(|file| file.rsplit('/').next()).unwrap_or_default().to_owned();
        let field = finding["field"].as_str().expect("a text").to_owned();
        at.insert((file, field), (number("document"), number("line"), number("column")));
    }
    let place = |finding: &Value| ["document", "line", "column"].map(|field| finding[field].as_u64());
    let places = list(&report, "findings").iter().map(|finding| (finding["file"].as_str(), place(finding)));
    assert!(places.is_sorted(), "findings are in the order of lines: {report}");
    let position = |file: &str, field: &str| at.get(&(file.to_owned(), field.to_owned())).copied();
    assert_eq!(position("a.yaml", "spec.rules[0].host"), Some((2, 14, 5)), "{at:?}");
    let absent = position("a.yaml", "spec.rules[0].http.paths[0].pathType");
    assert_eq!(absent, Some((2, 17, 9)), "an absent field is at the element above it: {at:?}");
    assert_eq!(position("a.yaml", "spec.hostnames[1]"), Some((3, 27, 32)), "{at:?}");
    assert_eq!(position("a.yaml", "spec.rules[0].backendRefs[0].port"), Some((3, 29, 21)), "{at:?}");
    assert_eq!(position("b.json", "spec.rules[0].host"), Some((1, 4, 22)), "{at:?}");
    let [unread] = list(&report, "notChecked") else { panic!("{report}") };
    assert_eq!((&unread["document"], &unread["line"]), (&1.into(), &2.into()), "{unread}");
}

pub(super) fn json_has_the_documented_shape() {
    let (code, report) = report(&[("a.yaml", YAML), ("c.yaml", MALFORMED)], &[]);
    assert_eq!((code, &report["version"]), (Some(1), &1.into()));
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report-json.md"))
        .expect("docs/report-json.md");
    let mut fields = Vec::new();
    collect_fields("", &report, &mut fields);
    for field in fields {
        assert!(page.contains(&format!("| `{field}` |")), "docs/report-json.md does not document `{field}`");
    }
    let summary = &report["summary"];
    let denials = list(&report, "findings").iter().filter(|finding| finding["action"] == "Deny").count();
    assert_eq!((&summary["complete"], &summary["objects"]), (&false.into(), &2.into()));
    assert_eq!(summary["denials"], denials);
    assert_eq!(summary["namespaces"]["web"]["denials"], denials);
}

/// The names of all fields, `[]` for elements. Ids of checks and names of namespaces are keys, not fields.
fn collect_fields(name: &str, value: &Value, fields: &mut Vec<String>) {
    match value {
        Value::Object(_) if name == "summary.checks" || name == "summary.namespaces" => fields.push(name.to_owned()),
        Value::Object(members) => {
            for (member, value) in members {
                let name = if name.is_empty() { member.clone() } else { format!("{name}.{member}") };
                collect_fields(&name, value, fields);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|value| collect_fields(&format!("{name}[]"), value, fields)),
        _ => fields.push(name.to_owned()),
    }
}

fn sarif(files: &[(&str, &str)]) -> Value {
    let folder = folder(files);
    let (_, printed, errors) = lint(folder.path(), &["-o", "sarif"]);
    serde_json::from_str(&printed).unwrap_or_else(|why| panic!("{why}: {printed}{errors}"))
}

pub(super) fn sarif_is_valid() {
    let schema = jsonschema::draft4::new(&sarif_schema()).expect("the schema is valid");
    let files = [("a b.yaml", YAML), ("b.json", JSON), ("c.yaml", MALFORMED)];
    for log in [sarif(&files), sarif(&[("a.yaml", &ingress("web", "shop", "shop.example.com", "/"))])] {
        let errors: Vec<String> =
            schema.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    let log = sarif(&files);
    let run = &log["runs"][0];
    let rules = list(&run["tool"]["driver"], "rules");
    for result in list(run, "results") {
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("a number")).expect("a small number");
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(rules[index]["help"]["text"].as_str().is_some_and(|page| page.contains("## What to do")), "{result}");
        let physical = &result["locations"][0]["physicalLocation"];
        assert!(physical["region"]["startLine"].is_u64(), "{result}");
        assert!(!physical["artifactLocation"]["uri"].as_str().expect("a text").contains(' '), "{result}");
    }
    let invocation = &run["invocations"][0];
    assert_eq!(
        (&invocation["executionSuccessful"], list(invocation, "toolExecutionNotifications").len()),
        (&false.into(), 1)
    );
}

pub(super) fn fingerprints_survive_moved_lines() {
    let prints = |text: &str| {
        let log = sarif(&[("a.yaml", text)]);
        let all = list(&log["runs"][0], "results");
        let mut all: Vec<String> =
            all.iter().map(|result| result["partialFingerprints"]["primaryLocationLineHash"].to_string()).collect();
        all.sort();
        all
    };
    let (before, moved) =
        (prints(YAML), prints(&YAML.replace("  - host: S", "  - host: a.example.com\n  # Moved.\n\n  - host: S")));
    assert!(before.iter().all(|print| moved.contains(print)), "{before:?} {moved:?}");
    let mut distinct = before.clone();
    distinct.dedup();
    assert_eq!(distinct, before, "two findings have one fingerprint");
    assert_ne!(prints(&YAML.replace("Shop_x", "Shop_y")), before, "another fault has another fingerprint");
}

/// The attributes of each element of this name.
fn elements(xml: &str, name: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = Reader::from_str(xml);
    let mut found = Vec::new();
    loop {
        match reader.read_event().unwrap_or_else(|why| panic!("{why}: {xml}")) {
            Event::Eof => return found,
            Event::Start(start) | Event::Empty(start) if start.name().as_ref() == name => {
                found.push(attributes(&start));
            }
            _ => {}
        }
    }
}

fn attributes(start: &BytesStart<'_>) -> BTreeMap<String, String> {
    let all = start.attributes().map(|attribute| attribute.expect("a valid attribute"));
    all.map(|attribute| (attribute.key.as_ref().to_owned(), attribute.value.into_owned())).collect()
}

pub(super) fn junit_has_a_suite_for_each_file() {
    let good = ingress("web", "good", "good.example.com", "/");
    let files = [("a<&>.yaml", YAML), ("c.yaml", MALFORMED), ("d.yaml", &good)];
    let folder = folder(&files);
    let (code, xml, _) = lint(folder.path(), &["-o", "junit"]);
    assert_eq!(code, Some(1), "{xml}");
    let root = &elements(&xml, "testsuites")[0];
    let number = |name: &str| root[name].parse::<usize>().expect("a number");
    assert_eq!((number("tests"), number("failures"), number("errors")), (4, 2, 1), "{xml}");
    let suites = elements(&xml, "testsuite");
    let names: Vec<&str> = suites.iter().map(|suite| &*suite["name"]).collect();
    assert_eq!(names, ["DIR/a&lt;&amp;&gt;.yaml", "DIR/c.yaml", "DIR/d.yaml"]);
    for counted in ["tests", "failures", "errors"] {
        let sum: usize = suites.iter().map(|suite| suite[counted].parse::<usize>().expect("a number")).sum();
        assert_eq!(sum, number(counted), "{counted}");
    }
    assert_eq!(elements(&xml, "testcase").len(), number("tests"));
    assert_eq!((elements(&xml, "failure").len(), elements(&xml, "error").len()), (2, 1), "{xml}");
}

pub(super) fn github_commands_name_file_and_line() {
    let folder = folder(&[("a,b.yaml", YAML), ("c.yaml", MALFORMED)]);
    let (_, printed, _) = lint(folder.path(), &["-o", "github"]);
    let expected = "::error file=DIR/a%2Cb.yaml,line=14,col=5,title=ingress/host-malformed::Ingress web/shop: spec.rules[0].host: ";
    assert!(printed.lines().any(|line| line.starts_with(expected)), "{printed}");
    assert!(printed.contains("::warning file=DIR/c.yaml,line=2,col="), "{printed}");
    assert!(printed.lines().all(|line| line.starts_with("::")), "{printed}");
}

/// GitHub shows the first ten annotations of a level.
pub(super) fn github_commands_are_in_order_of_weight() {
    let bad = |name: &str| ingress("web", name, &format!("{name}.example.com"), "cart");
    let nameless = ingress("web", "n", "n.example.com", "/").replace(", name: n}", "}");
    let (first, second) = (nameless + &warned() + &bad("a"), warned().replace("shop", "cart") + &bad("b"));
    let folder = folder(&[("a.yaml", &first), ("b.yaml", MALFORMED), ("c.yaml", &second), ("d.yaml", &bad("d"))]);
    let (_, printed, _) = lint(folder.path(), &["-o", "github"]);
    let places = printed.lines().map(|line| line.split(",col=").next().unwrap_or_default());
    let expected = [
        "::error file=DIR/a.yaml,line=4",
        "::error file=DIR/a.yaml,line=28",
        "::error file=DIR/c.yaml,line=19",
        "::error file=DIR/d.yaml,line=9",
        "::warning file=DIR/b.yaml,line=2",
        "::warning file=DIR/a.yaml,line=15",
        "::warning file=DIR/c.yaml,line=6",
    ];
    assert_eq!(places.collect::<Vec<_>>(), expected, "{printed}");
}

/// The printed documents of `openreports`.
fn reports(printed: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(printed).unwrap_or_else(|why| panic!("{why}: {printed}"))
}

pub(super) fn openreports_has_a_report_for_each_namespace() {
    let other = YAML.replace("namespace: web", "namespace: team-b");
    let files = [("a.yaml", YAML), ("b.yaml", &*other), ("c.yaml", MALFORMED)];
    let folder = folder(&files);
    let (code, printed, errors) = lint(folder.path(), &["-o", "openreports"]);
    assert_eq!(code, Some(1), "{errors}");
    assert_eq!(lint(folder.path(), &["-o", "openreports"]).1, printed, "the same findings are the same text");
    let reports = reports(&printed);
    let names = reports.iter().map(|report| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&report["kind"]), text(&report["metadata"]["namespace"]), text(&report["metadata"]["name"]))
    });
    let of = |kind: &str, namespace: &str| (kind.to_owned(), namespace.to_owned(), "portcullis".to_owned());
    assert_eq!(
        names.collect::<Vec<_>>(),
        [of("ClusterReport", ""), of("Report", "team-b"), of("Report", "web")],
        "{printed}"
    );
    let json = report(&files, &[]).1;
    for report in &reports {
        let results = list(report, "results");
        for (status, field) in [("fail", "denials"), ("warn", "warnings")] {
            let count = results.iter().filter(|result| result["result"] == status).count();
            assert_eq!(report["summary"][status], count, "{report}");
            if let Some(namespace) = report["metadata"]["namespace"].as_str() {
                assert_eq!(json["summary"]["namespaces"][namespace][field], count, "{report}");
            }
        }
        let properties = results.iter().filter_map(|result| result["properties"].as_object()).flatten();
        assert!(properties.map(|(_, value)| value).all(Value::is_string), "{report}");
    }
    let [unread] = list(&reports[0], "results") else { panic!("{printed}") };
    assert_eq!((&unread["result"], &unread["properties"]["line"]), (&"error".into(), &"2".into()), "{unread}");
    let host = list(&reports[2], "results").iter().find(|result| result["policy"] == "ingress/host-malformed");
    let host = host.unwrap_or_else(|| panic!("{printed}"));
    assert_eq!(host["resources"][0]["apiVersion"], "networking.k8s.io/v1", "{host}");
    for (name, value) in [("field", "spec.rules[0].host"), ("file", "DIR/a.yaml"), ("line", "14"), ("column", "5")] {
        assert_eq!(host["properties"][name], value, "{host}");
    }
}

/// The API server knows every field, and an object that is applied again is not written.
pub(super) fn openreports_are_stored_as_printed() {
    let control_plane = ControlPlane::serving(Flavour::Plain, openreports_crds());
    control_plane.http().create_namespace("web");
    let class =
        "---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: a}\nspec: {controller: a b}\n";
    let folder = folder(&[("a.yaml", YAML), ("b.yaml", class), ("c.yaml", MALFORMED)]);
    let (_, printed, _) = lint(folder.path(), &["-o", "openreports"]);
    let apply = || control_plane.kubectl("apply --server-side --validate=strict -f -").stdin(&printed).run().accepted();
    let stored = |report: &Value| {
        let (kind, namespace) = (&report["kind"], &report["metadata"]["namespace"]);
        let namespace = namespace.as_str().map(|namespace| format!(" --namespace {namespace}")).unwrap_or_default();
        let kind = kind.as_str().expect("a text").to_lowercase();
        control_plane.kubectl(&format!("get {kind}.openreports.io portcullis -o json{namespace}")).run().json()
    };
    apply();
    let reports = reports(&printed);
    assert_eq!(reports.len(), 2, "{printed}");
    let first: Vec<Value> = reports.iter().map(stored).collect();
    for (report, stored) in reports.iter().zip(&first) {
        for field in ["apiVersion", "kind", "source", "summary", "results"] {
            assert_eq!(stored[field], report[field], "{field}");
        }
        assert_eq!(stored["metadata"]["labels"], report["metadata"]["labels"]);
    }
    apply();
    assert_eq!(reports.iter().map(stored).collect::<Vec<_>>(), first, "nothing is written");
}

pub(super) fn exit_code_tells_usage_from_unread() {
    let good = ingress("web", "good", "good.example.com", "/");
    let code = |files: &[(&str, &str)], more: &[&str]| lint(folder(files).path(), more).0;
    assert_eq!(code(&[("a.yaml", &good)], &[]), Some(0));
    assert_eq!(code(&[("a.yaml", YAML), ("c.yaml", MALFORMED)], &[]), Some(1));
    assert_eq!(code(&[("a.yaml", &good), ("c.yaml", MALFORMED)], &[]), Some(3));
    assert_eq!(code(&[("a.yaml", &good)], &["--no-such-flag"]), Some(2));
    assert_eq!(code(&[("a.yaml", &good)], &["--check", "host/no-such-check"]), Some(2));
    assert_eq!(code(&[("a.yaml", &good)], &["--config", "/no/such/file"]), Some(2));
}

/// An Ingress with one warning and no denial.
fn warned() -> String {
    ingress("web", "shop", "shop.example.com", "/").replace("spec:", "spec:\n  ingressClas: public")
}

pub(super) fn fail_on_and_quiet_choose_by_action() {
    let (warned, hidden) = (warned(), ("copy.yaml", ""));
    let folder = folder(&[("a.yaml", &warned), ("b.yaml", &warned), hidden]);
    let (code, printed, errors) = lint(folder.path(), &[]);
    assert!(code == Some(0) && printed.contains("warn") && errors.contains("is defined 2 times"), "{printed}{errors}");
    assert_eq!(lint(folder.path(), &["--fail-on", "warn"]).0, Some(1));
    assert_eq!(lint(folder.path(), &["--fail-on", "deny"]).0, Some(0));
    assert_eq!(lint(folder.path(), &["--quiet"]), (Some(0), String::new(), String::new()));
    let (code, printed, errors) = lint(folder.path(), &["-q", "--fail-on", "warn"]);
    assert!(code == Some(1) && printed.contains("[object/unknown-field]") && errors.is_empty(), "{printed}{errors}");
    assert!(!printed.contains("1 object,"), "{printed}");
}

pub(super) fn filters_choose_findings() {
    let other = YAML.replace("namespace: web", "namespace: team-b");
    let checks = |more: &[&str]| {
        let (code, report) = report(&[("a.yaml", YAML), ("b.yaml", &other)], more);
        let all = list(&report, "findings").iter();
        let mut all: Vec<String> = all
            .map(|finding| {
                format!(
                    "{} {}",
                    finding["object"]["namespace"].as_str().unwrap_or_default(),
                    finding["check"].as_str().unwrap_or_default()
                )
            })
            .collect();
        all.dedup();
        (code, all)
    };
    let (_, all) = checks(&[]);
    assert!(
        all.iter().any(|finding| finding.starts_with("team-b "))
            && all.iter().any(|finding| finding.starts_with("web "))
    );
    assert_eq!(
        checks(&["--check", "route/hostname-malformed", "--only-namespace", "web"]),
        (Some(1), vec!["web route/hostname-malformed".to_owned()])
    );
    let (_, family) = checks(&["--check", "ingress/*", "--only-namespace", "team-*"]);
    assert!(!family.is_empty() && family.iter().all(|finding| finding.starts_with("team-b ingress/")), "{family:?}");
    let (code, warnings) = checks(&["--action", "warn"]);
    assert!(code == Some(1) && !warnings.is_empty(), "denials count that are not shown: {warnings:?}");
    let (_, references) = checks(&["--theme", "reference"]);
    assert!(
        !references.is_empty() && references.iter().all(|finding| !finding.contains("malformed")),
        "{references:?}"
    );
}

pub(super) fn summary_counts_by_check_and_namespace() {
    let folder = folder(&[("a.yaml", YAML)]);
    let (code, printed, _) = lint(folder.path(), &["--summary", "--action", "deny"]);
    assert_eq!(code, Some(1));
    for line in ["route/hostname-malformed", "web "] {
        assert!(printed.lines().any(|printed| printed.starts_with(line)), "{line}: {printed}");
    }
    assert!(!printed.contains("must not contain"), "{printed}");
    let denied = report(&[("a.yaml", YAML)], &[]).1["summary"]["denied"].clone();
    assert_eq!(report(&[("a.yaml", YAML)], &["--action", "warn"]).1["summary"]["denied"], denied);
    let (_, printed, _) = lint(folder.path(), &["--action", "warn"]);
    assert!(printed.contains(&format!(", {denied} would be denied, ")), "what is not shown is judged: {printed}");
}

pub(super) fn only_terminals_get_colors() {
    let folder = folder(&[("a.yaml", YAML)]);
    let is_colored = |more: &[&str]| lint(folder.path(), more).1.contains('\u{1b}');
    assert!(!is_colored(&[]));
    assert!(is_colored(&["--color", "always"]));
    assert!(!is_colored(&["--color", "never"]));
    assert!(!is_colored(&["--color", "always", "-o", "github"]));
}

pub(super) fn several_formats_are_written_in_one_run() {
    let folder = folder(&[("a.yaml", YAML)]);
    let reports = tempfile::tempdir().expect("a temporary folder");
    let (report, other) = (reports.path().join("report.sarif"), reports.path().join("report.txt"));
    let of = |format: &str, file: &std::path::Path| format!("{format}={}", file.display());
    let (sarif, text) = (of("sarif", &report), of("text", &other));
    let plain = lint(folder.path(), &[]);
    let alone = lint(folder.path(), &["-o", "github"]);
    assert_eq!(lint(folder.path(), &["-o", &sarif, "-o", "github", "-o", &text]), alone);
    let written: Value = serde_json::from_str(&fs::read_to_string(&report).expect("a report")).expect("JSON");
    assert!(!list(&written["runs"][0], "results").is_empty(), "{written}");
    let written = fs::read_to_string(&other).expect("a report");
    assert!(written.contains("[route/hostname-malformed]") && !written.contains('\u{1b}'), "{written}");
    assert_eq!(lint(folder.path(), &["-o", &sarif]), plain, "text stays the default on standard output");
    for wrong in [&["-o", "json", "-o", "github"][..], &["-o", &sarif, "-o", &sarif], &["-o", "sarif="], &["-o", "xml"]]
    {
        assert_eq!(lint(folder.path(), wrong).0, Some(2), "{wrong:?}");
    }
    assert_eq!(lint(folder.path(), &["-o", "sarif=/no/such/folder/a"]).0, Some(2));
}

/// A terminal, a log or a reader must not be misled by the name of a file.
pub(super) fn no_format_prints_control_characters_of_file_names() {
    let name = "a\u{1b}[2J\r\n::error::\u{9b}\u{202e}\u{200b}\u{7f}.yaml";
    let bad = ingress("web", "shop", "shop.example.com", "cart");
    let folder = folder(&[(name, &bad), (&name.replace('a', "b"), MALFORMED), (&name.replace('a', "c"), &bad)]);
    std::os::unix::fs::symlink("nowhere", folder.path().join(name.replace('a', "d"))).expect("writable");
    std::fs::write(folder.path().join(name.replace(".yaml", ".yaml.tmpl")), "").expect("writable");
    for format in ["text", "json", "sarif", "junit", "github", "openreports"] {
        let (code, printed, errors) = lint(folder.path(), &["-o", format]);
        assert_eq!(code, Some(1), "{format}: {errors}");
        for (stream, text) in [("stdout", &printed), ("stderr", &errors)] {
            let is_misleading =
                |found: char| found != '\n' && found.is_control() || matches!(found, '\u{202e}' | '\u{200b}');
            let found: Vec<char> = text.chars().filter(|found| is_misleading(*found)).collect();
            assert!(found.is_empty(), "{format}, {stream}: {found:?} in {text}");
            assert!(text.lines().all(|line| !line.starts_with("::error::")), "{format}, {stream}: {text}");
        }
    }
    let (_, printed, _) = lint(folder.path(), &["-o", "json"]);
    let report: Value = serde_json::from_str(&printed).expect("JSON");
    let file = report["findings"][0]["file"].as_str().expect("a file");
    assert!(file.ends_with(name), "JSON says which file it is: {file}");
}

/// A long value must not fill a terminal or a stored object; programs get it whole.
pub(super) fn only_text_and_reports_shorten_long_values() {
    let (long, legal) = ("x".repeat(1 << 20), format!("{}.Example.com", "x".repeat(241)));
    let objects = ingress("web", "shop", &long, "/") + &ingress("web", &long, "a.example.com", &long);
    let folder = folder(&[("a.yaml", &(objects + &ingress("web", "legal", &legal, "/")))]);
    let (code, printed, errors) = lint(folder.path(), &[]);
    assert!(code == Some(1) && printed.len() + errors.len() < 100_000, "{}, {}", printed.len(), errors.len());
    assert!(printed.contains('\u{2026}') && printed.contains(&legal), "{printed}{errors}");
    let (_, printed, _) = lint(folder.path(), &["-o", "openreports"]);
    assert!(printed.len() < 100_000 && printed.contains('\u{2026}') && printed.contains(&legal), "{}", printed.len());
    for format in ["json", "sarif", "junit", "github"] {
        assert!(lint(folder.path(), &["-o", format]).1.contains(&long), "{format}");
    }
}
