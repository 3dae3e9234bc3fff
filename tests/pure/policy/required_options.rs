//! Checks that find nothing without an option run only where some layer of the configuration sets one.

use super::review_fixture::{Review, ingress};

const OPTION: &str =
    "ingress/annotation-not-allowed: {allowedAnnotations: [{prefix: haproxy.org/, allow: [{key: timeout-*}]}]}";

fn denials(config: &str, namespace: &str) -> usize {
    let annotations = "annotations: {haproxy.org/timeout-client: 5s, haproxy.org/path-rewrite: /}";
    let object = ingress(&format!("{namespace}/shop"), annotations, "shop.example.com", "/");
    Review { config, object: &object, ..Review::default() }.response().denials().len()
}

#[test]
fn an_option_counts_in_every_layer() {
    let of_all = format!("checks: {{{OPTION}}}\n");
    let of_match =
        format!("checks: {{{}}}\n", OPTION.replace("allowedAnn", "match: {namespaces: {names: [web]}}, allowedAnn"));
    let of_override = format!("overrides: [{{match: {{namespaces: {{names: [web]}}}}, checks: {{{OPTION}}}}}]\n");
    let found = [&of_all, &of_match, &of_override].map(|config| [denials(config, "web"), denials(config, "team")]);
    assert_eq!(found, [[1, 1], [1, 0], [1, 0]]);
    assert_eq!(denials("checks: {ingress/annotation-forbidden: {annotations: [{key: a}]}}\n", "web"), 0);
}
