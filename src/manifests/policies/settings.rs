//! Policies for the options of checks that only look at the object and its namespace: labels and annotations that are required, and the
//! namespaces that may use a class.

use jiff::Timestamp;
use portcullis_core::checks::{Plan, ignore};
use portcullis_core::config::{CheckSetting, ClassRule, Options, RequiredEntry, Spanned, UnlistedClasses};
use portcullis_core::kinds::{Ingress, Kind};
use portcullis_core::matching::mark::ACME_SOLVER;

use super::cel::{any, list, quoted, selects};
use super::denies;
use super::entries::braced;
use super::exemptions::Exemptions;
use super::hosts::{INGRESS_CHALLENGE, ROUTE_CHALLENGE};
use super::policy::{Policy, of_write};

/// The options of a check that a policy repeats.
#[derive(Clone, Copy)]
enum Rule {
    /// `required`, in this field of the metadata.
    Required(&'static str),
    /// `classes` and `unlisted`, for this kind.
    Classes(Kind),
}

/// The checks, each with the name of its policy.
const CHECKS: [(&str, &str, Rule); 4] = [
    ("object/label-required", "portcullis-required-labels", Rule::Required("labels")),
    ("object/annotation-required", "portcullis-required-annotations", Rule::Required("annotations")),
    ("ingress/class-not-allowed", "portcullis-ingress-classes", Rule::Classes(Kind::Ingress)),
    ("gateway/class-not-allowed", "portcullis-gateway-classes", Rule::Classes(Kind::Gateway)),
];

/// The names of all these policies.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|(_, name, _)| *name)
}

/// The ids of the checks.
#[cfg(test)]
pub(super) fn ids() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|(id, ..)| *id)
}

/// The policies of a configuration, and what they leave to the webhook.
pub(super) fn policies(plan: &Plan, now: Timestamp) -> (Vec<Policy>, Vec<String>) {
    let (mut policies, mut left_out) = (Vec::new(), Vec::new());
    let config = plan.config();
    for (id, name, rule) in CHECKS.iter().filter(|(id, ..)| denies(plan, id)) {
        // A setting for some writes only is an exemption.
        let setting = config.checks.iter().find(|(pattern, setting)| pattern.as_str() == *id && setting.only.is_none());
        let has_shared_options = |(pattern, setting): (&Spanned<String>, &CheckSetting)| {
            pattern.as_str() != *id && ignore::names(pattern.as_str(), id) && setting.options != Options::default()
        };
        if config.checks.iter().any(has_shared_options) {
            left_out.push(format!("{id}: its options are partly those of several checks"));
            continue;
        }
        let Some((_, setting)) = setting else { continue };
        let Exemptions { mut writes, left_out: exempt } = Exemptions::of(id, config, now);
        let policy = match *rule {
            Rule::Required(field) => {
                writes.push(solver());
                required(id, field, &setting.options, &mut left_out)
            }
            Rule::Classes(kind) => classes(id, kind, &setting.options, &mut left_out),
        };
        let Some((kinds, decision)) = policy else { continue };
        left_out.extend(exempt.iter().map(|text| format!("{id}: {text}")));
        policies.push(Policy {
            name: (*name).to_owned(),
            kinds,
            reads_grants: false,
            variables: of_write(&writes).into_iter().chain(decision).collect(),
            message: "the configuration of Portcullis does not allow this",
        });
    }
    (policies, left_out)
}

/// Whether the object answers an ACME challenge. No label or annotation is required of it.
fn solver() -> String {
    let (label, value) = ACME_SOLVER;
    format!(
        "(object.metadata.?labels[?'{label}'].orValue('') == '{value}' && (request.kind.kind == 'Ingress' && {INGRESS_CHALLENGE} || \
         request.kind.kind == 'HTTPRoute' && {ROUTE_CHALLENGE}))"
    )
}

/// The kinds and the variables of a policy.
type Parts = (Vec<Kind>, Vec<(&'static str, String)>);

/// For labels or annotations, which are the `field` of the metadata. `None` if none is required.
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
        ("required", braced('[', elements, ']')),
        ("new", format!("object.metadata.?{field}.orValue({{}})")),
        ("old", format!("oldObject == null ? {{}} : oldObject.metadata.?{field}.orValue({{}})")),
        ("denials", denials),
    ];
    Some((kinds, variables))
}

/// Whether RE2, the engine of CEL, surely reads an expression as the engine of the webhook does.
fn is_portable(pattern: &str) -> bool {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "-_./|()[]{},*+?^$:@".contains(c);
    let (mut is_in_class, mut last) = (false, ' ');
    for c in pattern.chars() {
        let is_nested = is_in_class && c == '[';
        let is_repeated = "*+?{".contains(c) && "*+?}({".contains(last);
        let is_unbounded = c == ',' && last == '{';
        let is_difference = is_in_class && c == '-' && last == '-';
        if !is_known(c) || is_nested || is_repeated || is_unbounded || is_difference {
            return false;
        }
        is_in_class = (is_in_class || c == '[') && c != ']';
        last = c;
    }
    !pattern.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 3)
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
            "'class ' + class + ' is not allowed in namespace ' + variables.ownNamespace + ': use a class that the platform lists [{id}]'"
        ),
        false => "''".to_owned(),
    };
    let denials = format!(
        "variables.isExempt ? [] : variables.new.filter(class, class != '' && !(class in variables.old)).map(class,\n  \
         class in variables.classes\n    ? (variables.classes[class] ? '' : 'class ' + class + ' is not allowed in namespace ' + \
         variables.ownNamespace + ' [{id}]')\n    : {unlisted}\n).filter(denial, denial != '')"
    );
    let variables = vec![
        ("classes", braced('{', elements, '}')),
        ("new", named("object")),
        ("old", format!("oldObject == null ? [] : {}", named("oldObject"))),
        ("denials", denials),
    ];
    Some((vec![kind], variables))
}

#[cfg(test)]
mod tests {
    use super::is_portable;

    #[test]
    fn only_expressions_that_both_engines_read_alike_are_portable() {
        for pattern in ["", "team-[a-z0-9-]+", "gold|silver", "(a|b){2,5}", "[^.]+", "^x$", "a.b/c:d@e"] {
            assert!(is_portable(pattern), "{pattern}");
        }
        for pattern in ["[a-z]{2, 5}", "[a-z[0-9]]+", "a**", "a*+", "a{,5}", r"\d+", "(?i)x", "a{2000}", "[a--b]", "ä"]
        {
            assert!(!is_portable(pattern), "{pattern}");
        }
    }
}
