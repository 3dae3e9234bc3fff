//! Policies for the options of checks that only look at the object and its namespace: labels and annotations that are required, and the
//! namespaces that may use a class.

use jiff::Timestamp;
use portcullis_core::checks::Plan;
use portcullis_core::config::{ClassRule, Options, RequiredEntry, UnlistedClasses};
use portcullis_core::kinds::{Ingress, Kind};
use portcullis_core::matching::mark::ACME_SOLVER;

use super::cel::{any, list, quoted, selects};
use super::denies;
use super::exemptions::Exemptions;
use super::policy::{NAMESPACE_LABELS, Policy};

/// The checks, each with the name of its policy.
const CHECKS: [(&str, &str); 4] = [
    ("object/label-required", "portcullis-required-labels"),
    ("object/annotation-required", "portcullis-required-annotations"),
    ("ingress/class-not-allowed", "portcullis-ingress-classes"),
    ("gateway/class-not-allowed", "portcullis-gateway-classes"),
];

/// The names of all these policies.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|(_, name)| *name)
}

/// The policies of a configuration, and what they leave to the webhook.
pub(super) fn policies(plan: &Plan, now: Timestamp) -> (Vec<Policy>, Vec<String>) {
    let (mut policies, mut left_out) = (Vec::new(), Vec::new());
    let config = plan.config();
    for (id, name) in CHECKS.iter().filter(|(id, _)| denies(plan, id)) {
        // A setting for some writes only is an exemption.
        let setting = config.checks.iter().find(|(pattern, setting)| pattern.as_str() == *id && setting.only.is_none());
        let Some((_, setting)) = setting else { continue };
        let exemptions = Exemptions::of(id, config, now);
        let policy = match *id {
            "object/label-required" => required(id, "labels", &setting.options, &mut left_out),
            "object/annotation-required" => required(id, "annotations", &setting.options, &mut left_out),
            "ingress/class-not-allowed" => classes(id, Kind::Ingress, &setting.options, &mut left_out),
            _ => classes(id, Kind::Gateway, &setting.options, &mut left_out),
        };
        let Some((kinds, decision)) = policy else { continue };
        left_out.extend(exemptions.left_out.iter().map(|text| format!("{id}: {text}")));
        policies.push(Policy {
            name: (*name).to_owned(),
            kinds,
            reads_grants: false,
            variables: common(&exemptions).into_iter().chain(decision).collect(),
            message: "the configuration of Portcullis does not allow this",
        });
    }
    (policies, left_out)
}

/// What all these policies know. Solvers of ACME challenges are left to the webhook.
fn common(exemptions: &Exemptions) -> Vec<(&'static str, String)> {
    let (label, value) = ACME_SOLVER;
    let solver = format!("object.metadata.?labels[?'{label}'].orValue('') == '{value}'");
    vec![
        ("labels", NAMESPACE_LABELS.to_owned()),
        ("isExempt", any([&*exemptions.writes, &[format!("({solver})")]].concat())),
    ]
}

/// The kinds and the variables of a policy.
type Parts = (Vec<Kind>, Vec<(&'static str, String)>);

/// For labels or annotations, whichever `field` of the metadata. `None` if none is required.
fn required(id: &str, field: &str, options: &Options, left_out: &mut Vec<String>) -> Option<Parts> {
    let mut elements = Vec::new();
    for RequiredEntry { key, value, kinds } in options.required.as_ref()? {
        let written = value.as_ref().map_or("", |pattern| pattern.as_str());
        if !is_portable(written) {
            left_out.push(format!("{id}: the value of {key}, whose expression other engines may read differently"));
            continue;
        }
        let pattern = if written.is_empty() { String::new() } else { format!("^(?:{written})$") };
        let applies = match kinds.is_empty() {
            true => "\"yes\"".to_owned(),
            false => format!("request.kind.kind in {} ? \"yes\" : \"\"", list(kinds.iter().map(String::as_str))),
        };
        elements.push(format!(
            "{{\"key\": {}, \"written\": {}, \"pattern\": {}, \"applies\": {applies}}}",
            quoted(key),
            quoted(written),
            quoted(&pattern)
        ));
    }
    if elements.is_empty() {
        return None;
    }
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.admission().is_some()).collect();
    let lacks = |map: &str| {
        format!("(!(entry.key in {map}) || entry.pattern != '' && !{map}[entry.key].matches(entry.pattern))")
    };
    let what = field.trim_end_matches('s');
    let denials = format!(
        "variables.isExempt ? [] : variables.required.filter(entry, entry.applies == 'yes' && {new}\n    && (oldObject == null || \
         !{old})).map(entry,\n  entry.key in variables.new\n    ? 'the value `' + variables.new[entry.key] + '` of a required {what} must \
         match `' + entry.written + '` as a whole [{id}]'\n    : '{what} ' + entry.key + ' is required here [{id}]')",
        new = lacks("variables.new"),
        old = lacks("variables.old"),
    );
    let variables = vec![
        ("required", format!("[\n{}\n]", elements.join(",\n"))),
        ("new", format!("object.metadata.?{field}.orValue({{}})")),
        ("old", format!("oldObject == null ? {{}} : oldObject.metadata.?{field}.orValue({{}})")),
        ("denials", denials),
    ];
    Some((kinds, variables))
}

/// Whether RE2, the engine of CEL, surely reads an expression as the engine of the webhook does.
fn is_portable(pattern: &str) -> bool {
    let has_other_syntax = ["\\", "(?", "&&", "--", "~~", "[["].iter().any(|syntax| pattern.contains(syntax));
    let is_long = |digits: &str| digits.len() > 3;
    !has_other_syntax && !pattern.split(|c: char| !c.is_ascii_digit()).any(is_long)
}

/// For the classes of a kind. `None` if no namespace is restricted.
fn classes(id: &str, kind: Kind, options: &Options, left_out: &mut Vec<String>) -> Option<Parts> {
    let rules = options.classes.as_ref()?;
    let is_listed_only = options.unlisted == Some(UnlistedClasses::Deny);
    let mut names: Vec<&str> = rules.iter().map(|rule| &*rule.class).filter(|class| !class.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    let element = |class: &&str| {
        let of_class =
            rules.iter().filter(|rule| rule.class == **class).map(|ClassRule { namespaces, .. }| selects(namespaces));
        format!("{}: {}", quoted(class), any(of_class.collect()))
    };
    let elements: Vec<String> = names.iter().map(element).collect();
    let named = |object: &str| match kind {
        Kind::Ingress => {
            let annotations = list(Ingress::CLASS_ANNOTATIONS);
            format!(
                "[{object}.?spec.?ingressClassName.orValue('')] + {annotations}.map(key, {object}.metadata.?annotations[?key].orValue(''))"
            )
        }
        _ => format!("[{object}.?spec.?gatewayClassName.orValue('')]"),
    };
    if kind == Kind::Ingress && is_listed_only {
        left_out.push(format!("{id}: Ingresses that name no class"));
    }
    let unlisted = match is_listed_only {
        true => format!(
            "'class ' + class + ' is not allowed in namespace ' + request.namespace + ': use a class that the platform lists [{id}]'"
        ),
        false => "''".to_owned(),
    };
    let denials = format!(
        "variables.isExempt ? [] : variables.new.filter(class, class != '' && !(class in variables.old)).map(class,\n  \
         class in variables.classes\n    ? (variables.classes[class] ? '' : 'class ' + class + ' is not allowed in namespace ' + \
         request.namespace + ' [{id}]')\n    : {unlisted}\n).filter(denial, denial != '')"
    );
    let variables = vec![
        ("classes", format!("{{\n{}\n}}", elements.join(",\n"))),
        ("new", named("object")),
        ("old", format!("oldObject == null ? [] : {}", named("oldObject"))),
        ("denials", denials),
    ];
    Some((vec![kind], variables))
}
