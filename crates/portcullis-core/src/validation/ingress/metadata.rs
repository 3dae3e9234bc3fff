//! The rules for the name, the annotations and the class of an Ingress, and for a spec without content.

use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::{Ingress, annotation};
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for the metadata, the class and the general content of an Ingress.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "ingress/annotation-control-character",
        include_str!("../../checks/ingress/annotation_control_character.md"),
        Actions::DENY,
        RuleFn::Ingress(annotation_control_character),
    ),
    Rule::reported(
        "ingress/class-name-malformed",
        include_str!("../../checks/ingress/class_name_malformed.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| {
            let class = ingress.spec.ingress_class_name.iter();
            found.each(class.map(|class| (At::field("spec.ingressClassName"), &**class)), must::object_name)
        }),
    ),
    Rule::reported(
        "ingress/name-malformed",
        include_str!("../../checks/ingress/name_malformed.md"),
        Actions::DENY,
        RuleFn::Ingress(name_malformed),
    ),
    Rule::reported(
        "ingress/no-rules",
        include_str!("../../checks/ingress/no_rules.md"),
        Actions::DENY,
        RuleFn::Ingress(no_rules),
    ),
];

fn annotation_control_character(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    for (key, value) in ingress.metadata.annotations.iter() {
        let Some(control) = annotation::entries(key, value).find_map(control_character) else { continue };
        let ends_no_text = control != NUL && annotation::is_multi_line(key);
        if annotation::is_routing(key) && !ends_no_text {
            let at = At::field("metadata.annotations").key(key);
            let finding = found.invalid(at, value, "{} must not contain {}");
            finding.args([key, control]);
            if !annotation::is_configuration(key) {
                finding.only_warns();
            }
        }
    }
}

const NUL: &str = "a NUL";

/// The first control character that could end a line or a string in a configuration file. A NUL takes precedence over
/// all others, since no configuration file may contain one.
fn control_character(value: &str) -> Option<&'static str> {
    let first = || {
        value.bytes().find_map(|byte| match byte {
            b'\n' => Some("a line feed"),
            b'\r' => Some("a carriage return"),
            _ => None,
        })
    };
    if value.contains('\0') { Some(NUL) } else { first() }
}

fn name_malformed(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    let (name, prefix) = (ingress.metadata.name(), ingress.metadata.generate_name.as_deref().unwrap_or_default());
    found.each([(At::field("metadata.generateName"), prefix)], must::name_prefix);
    let name = [(At::field("metadata.name"), name)];
    found.each(name, must::dns_subdomain);
    // If there is a prefix, the API server generates the name from it.
    if prefix.is_empty() {
        found.each(name, must::not_be_empty("a name is required"));
    }
}

fn no_rules(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    if ingress.spec.rules.is_empty() && ingress.spec.default_backend.is_none() {
        found.invalid(At::field("spec"), "", "spec has neither rules nor a default backend: set one of them");
    }
}
