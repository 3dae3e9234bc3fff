//! What the rule that answers asks for and explain does not evaluate, with its values as they are written.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Written, roles};
use crate::explain::Winner;
use crate::field::FieldPath;
use crate::kinds::ObjectRef;
use crate::kinds::annotation_value::is_true;
use crate::matching::annotation_names::Role;
use crate::nginx::annotations::{self, Annotation, Evaluation, PREFIX};

/// Something that a rule asks for and that is not evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    /// What, without indexes: these change when a rule is added before.
    pub(super) what: String,
    /// The values, as text: of an annotation, or the JSON of each field that asks for it.
    pub(super) values: Vec<String>,
}

/// What refuses clients with the status code 401.
pub(super) const AUTHENTICATION: &str = "authentication";

/// What refuses clients with the status code 403.
pub(super) const CLIENTS: &str = "the client address list";

/// What each field and filter protects with, by a part of its address or type.
const FIELDS: [(&str, &str); 9] = [
    ("authPolicy", AUTHENTICATION),
    ("authorization", AUTHENTICATION),
    ("clientValidation", "client certificates"),
    ("filter ExternalAuth", AUTHENTICATION),
    ("ipAllowPolicy", CLIENTS),
    ("ipDenyPolicy", CLIENTS),
    ("jwtVerificationPolicy", AUTHENTICATION),
    ("rateLimitPolicy", "the rate limit"),
    ("spec.tls.frontend", "client certificates"),
];

/// Annotations, by the beginning of their names, that ask for nothing without one of others.
const LED: [(&str, &[&str]); 5] = [
    ("auth-tls-", &["auth-tls-secret"]),
    ("auth-", &["auth-url", "auth-type", "enable-global-auth"]),
    ("disable-proxy-intercept-errors", &["custom-http-errors"]),
    ("mirror-", &["mirror-target"]),
    ("satisfy", &["auth-url", "auth-type"]),
];

/// The value of a list of clients that lets all in.
const EVERYONE: &str = "0.0.0.0/0";

impl Asked {
    /// What it protects with.
    pub(super) fn protects_with(&self) -> Option<&'static str> {
        match self.role() {
            Some(Role::Protects(with)) if !self.is_switched_off() => Some(with),
            Some(_) => None,
            None => {
                let row = FIELDS.iter().find(|(part, _)| self.what.contains(part)).filter(|_| !self.is_disabled());
                row.map(|(_, with)| *with)
            }
        }
    }

    fn is_switched_off(&self) -> bool {
        let is_off = |value: &String| matches!(value.trim(), "" | "0" | "false" | "none" | EVERYONE);
        !self.values.is_empty() && self.values.iter().all(is_off)
    }

    /// Whether a policy of an HTTPProxy switches off that of its root.
    fn is_disabled(&self) -> bool {
        !self.values.is_empty() && self.values.iter().all(|value| value.contains(r#""disabled":true"#))
    }

    /// What it does that shows wherever it is absent.
    pub(super) fn acts(&self) -> Option<&'static str> {
        match self.role()? {
            Role::Acts(what) if !self.is_switched_off() => Some(what),
            _ => None,
        }
    }

    /// Whether it does not change which backend answers.
    pub(super) fn is_unchanging(&self) -> bool {
        match self.role() {
            Some(Role::Unchanging) => true,
            Some(Role::Protects(_) | Role::Acts(_)) => self.is_switched_off(),
            _ => false,
        }
    }

    /// Whether it is an annotation of a controller other than ingress-nginx, which may change the reply in a way that is not evaluated.
    pub(super) fn may_change_reply(&self) -> bool {
        let key = self.what.strip_prefix("annotation ").filter(|key| !key.starts_with(PREFIX));
        key.is_some_and(|_| self.acts().is_some() || matches!(self.role(), None | Some(Role::Changing)))
    }

    /// Whether it is a filter of an implementation, which may do anything.
    pub(super) fn is_extension(&self) -> bool {
        self.what.starts_with("filter ExtensionRef") || self.what.starts_with(PLUGIN)
    }

    /// What a difference in the annotation means, if it is one and that is known.
    fn role(&self) -> Option<Role> {
        self.what.strip_prefix("annotation ").and_then(roles::of)
    }

    /// What identifies it. Two names of a list of clients have the same meaning.
    pub(super) fn key(&self) -> String {
        self.what.replace("allowlist-source-range", "whitelist-source-range")
    }
}

/// The annotation and the filter that name plugins of Kong.
const PLUGINS: &str = "annotation konghq.com/plugins";
const PLUGIN_GROUP: &str = "configuration.konghq.com";
const PLUGIN: &str = "KongPlugin ";

/// The name of a plugin of Kong in an annotation, where the namespace of the Ingress may be left out.
fn plugin(written: &str, namespace: &str) -> Asked {
    let (namespace, name) = written.split_once(':').unwrap_or((namespace, written));
    Asked { what: format!("{PLUGIN}{}/{}", namespace.trim(), name.trim()), values: Vec::new() }
}

/// What the rule asks for with the plugins of Kong by themselves: the controller reads an annotation and filters alike.
fn split_plugins(asked: Asked, namespace: &str) -> Vec<Asked> {
    if asked.what == PLUGINS {
        let names = asked.values.iter().flat_map(|list| list.split(',')).map(str::trim);
        return names.filter(|name| !name.is_empty()).map(|name| plugin(name, namespace)).collect();
    }
    if !asked.is_extension() {
        return vec![asked];
    }
    let of_kong = |value: &String| {
        let filter: Value = serde_json::from_str(value).ok()?;
        let reference = &filter["extensionRef"];
        let is_plugin = reference["group"] == PLUGIN_GROUP && reference["kind"] == "KongPlugin";
        reference["name"].as_str().filter(|_| is_plugin).map(|name| plugin(name, namespace))
    };
    let (plugins, values): (Vec<_>, Vec<_>) = asked.values.iter().partition(|value| of_kong(value).is_some());
    let rest = Asked { what: asked.what.clone(), values: values.into_iter().cloned().collect() };
    let rest = Some(rest).filter(|rest| !rest.values.is_empty() || plugins.is_empty());
    plugins.into_iter().filter_map(of_kong).chain(rest).collect()
}

/// The name of an annotation of ingress-nginx, without the prefix.
fn annotation(what: &str) -> Option<&str> {
    what.strip_prefix("annotation ").and_then(|key| key.strip_prefix(PREFIX))
}

/// What the rule that answers asks for: what is not evaluated, and what protects. What has no effect is left out.
pub(super) fn asked(winner: &Winner, written: &Written<'_>) -> Vec<Asked> {
    let of = |object: &ObjectRef| written.value(object).unwrap_or_default();
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for named in winner.outcome.not_evaluated.iter().chain(&winner.outcome.by_origin) {
        let values = match named.place(&winner.object) {
            Some((object, at)) => {
                let written = of(object);
                at.value(&written).map(|value| in_backend(at, &written, value))
            }
            None => None,
        };
        all.entry(named.name()).or_default().extend(values);
    }
    for (key, value) in of(&winner.object)["metadata"]["annotations"].as_object().into_iter().flatten() {
        let (what, value) = (format!("annotation {key}"), value.as_str().unwrap_or_default());
        let is_asked = all.contains_key(&what) || annotation(&what).is_some_and(is_compared);
        match is_asked && has_effect(&what, value) {
            true => drop(all.insert(what, vec![plain(key, value)])),
            false => drop(all.remove(&what)),
        }
    }
    let is_unread = |what: &str| what.strip_prefix("annotation ").and_then(roles::of) == Some(Role::Unread);
    all.retain(|what, _| !is_unread(what));
    let leads = |leads: &[&str]| leads.iter().any(|lead| all.contains_key(&format!("annotation {PREFIX}{lead}")));
    let is_alone = |what: &&String| {
        let led = annotation(what).and_then(|name| LED.iter().find(|(beginning, _)| name.starts_with(beginning)));
        led.is_some_and(|(_, others)| !leads(others))
    };
    let alone: Vec<String> = all.keys().filter(is_alone).cloned().collect();
    alone.iter().for_each(|what| drop(all.remove(what)));
    let verifies = |name: &str| all.get(&format!("annotation {PREFIX}{name}")).into_iter().flatten();
    let verify_client = verifies("auth-tls-verify-client").find(|value| UNVERIFYING.contains(&value.as_str())).cloned();
    if let Some(value) = verify_client {
        all.remove(&format!("annotation {PREFIX}auth-tls-secret"));
        if value == "off" {
            all.retain(|what, _| !what.starts_with(&format!("annotation {PREFIX}auth-tls-")));
        }
    }
    let own = |name: &str| all.get(&format!("annotation {PREFIX}{name}")).into_iter().flatten();
    if own("disable-proxy-intercept-errors").any(|value| is_true(value)) {
        all.remove(&format!("annotation {PREFIX}custom-http-errors"));
    }
    let asked = all.into_iter().map(|(what, values)| Asked { what, values });
    asked.flat_map(|asked| split_plugins(asked, &winner.object.namespace)).collect()
}

/// The text of a value; for one of a backend with the name of the backend, since its index may change.
fn in_backend(at: &FieldPath, object: &Value, value: &Value) -> String {
    let backend = at.until("backendRefs").and_then(|backend| backend.value(object));
    match backend {
        Some(backend) => format!("{value} of {} {} {}", backend["kind"], backend["namespace"], backend["name"]),
        None => value.to_string(),
    }
}

/// Whether an annotation of ingress-nginx is compared although explain does not name it: it protects or says how, browsers depend on it,
/// or explain does not know what its value stands for.
fn is_compared(name: &str) -> bool {
    let is_known =
        |known: &Annotation| known.evaluation == Evaluation::Partly || matches!(known.role, Role::Protects(_));
    let says_how = ["auth-", "cors-"].iter().any(|beginning| name.starts_with(beginning));
    says_how || annotations::named(name).is_some_and(is_known)
}

/// The values with which ingress-nginx asks clients for no certificate, or lets those in that have none that is valid.
const UNVERIFYING: [&str; 3] = ["off", "optional", "optional_no_ca"];

/// Whether an annotation asks for something: it is not empty, and has another value than its default. For some, the ConfigMap of the
/// controller sets another default.
fn has_effect(what: &str, value: &str) -> bool {
    let of_table = annotation(what).and_then(annotations::named);
    let is_of_config_map = of_table.is_some_and(|known| known.name.starts_with("enable-"));
    let is_default = of_table.is_some_and(|known| known.default.eq_ignore_ascii_case(value.trim()));
    !value.trim().is_empty() && (!is_default || is_of_config_map)
}

/// The value of an annotation in one spelling: the order of networks says nothing.
fn plain(key: &str, value: &str) -> String {
    if !key.ends_with("-source-range") {
        return value.to_owned();
    }
    let mut networks: Vec<&str> = value.split(',').map(str::trim).filter(|network| !network.is_empty()).collect();
    networks.sort_unstable();
    networks.join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::explain::{NotEvaluated, Reply, RequestOutcome};
    use crate::field::{At, FieldPath};
    use crate::kinds::Kind;

    fn winner(not_evaluated: Vec<NotEvaluated>) -> Winner {
        let reply = Reply::Unknown(String::new());
        Winner {
            object: ObjectRef::new(Kind::Ingress, "web", "shop"),
            field: FieldPath::default(),
            is_default: false,
            outcome: RequestOutcome { reply, not_evaluated, by_origin: Vec::new() },
            chain: Vec::new(),
        }
    }

    /// What the Ingress asks for with these annotations of ingress-nginx.
    fn annotated(annotations: &[(&str, &str)]) -> Vec<Asked> {
        let annotations = annotations.iter().map(|(name, value)| (format!("{PREFIX}{name}"), Value::from(*value)));
        let annotations: serde_json::Map<String, Value> = annotations.collect();
        let winner = winner(annotations.keys().cloned().map(NotEvaluated::Annotation).collect());
        let json = json!({"metadata": {"annotations": annotations}}).to_string();
        let evaluated = BTreeMap::from([(&winner.object, &*json)]);
        asked(&winner, &Written { evaluated, ..Written::default() })
    }

    #[test]
    fn annotations_without_effect_are_ignored() {
        assert_eq!(annotated(&[("satisfy", "all"), ("auth-realm", "Login"), ("auth-tls-verify-client", "on")]), []);
        assert_eq!(annotated(&[("auth-url", " "), ("proxy-body-size", "1m")]), []);
        assert_eq!(annotated(&[("auth-type", "basic"), ("auth-realm", "Login")]).len(), 2);
    }

    #[test]
    fn disabled_annotations_protect_nothing() {
        let protects = |name: &str, value: &str| annotated(&[(name, value)])[0].protects_with();
        assert_eq!(protects("auth-url", "http://login"), Some("authentication"));
        assert_eq!(protects("whitelist-source-range", EVERYONE), None);
        assert_eq!(protects("enable-modsecurity", "false"), None);
        assert_eq!(protects("limit-whitelist", EVERYONE), None);
        let list = |value: &str| annotated(&[("whitelist-source-range", value)]);
        assert_eq!(list("10.0.0.0/8, 192.0.2.0/24"), list("192.0.2.0/24,10.0.0.0/8"));
    }

    /// The Ingress `web/shop` asks for these plugins in an annotation, and in filters of a rule.
    #[test]
    fn plugins_of_kong_are_the_same_in_an_annotation_and_in_filters() {
        let of = |json: Value, named: Vec<NotEvaluated>| {
            let (winner, json) = (winner(named), json.to_string());
            let evaluated = BTreeMap::from([(&winner.object, &*json)]);
            asked(&winner, &Written { evaluated, ..Written::default() })
        };
        let key = "konghq.com/plugins";
        let annotated = of(
            json!({"metadata": {"annotations": {key: "login, limits,other:cors"}}}),
            vec![NotEvaluated::Annotation(key.to_owned())],
        );
        let reference =
            |kind: &str, name: &str| json!({"extensionRef": {"group": PLUGIN_GROUP, "kind": kind, "name": name}});
        let filters =
            json!([reference("KongPlugin", "login"), reference("KongPlugin", "limits"), reference("Other", "a")]);
        let filter = |index| {
            let at = At::element("spec.rules[].filters[]", [0, index]).into();
            NotEvaluated::Filter { kind: "ExtensionRef".to_owned(), at }
        };
        let filtered = of(json!({"spec": {"rules": [{"filters": filters}]}}), vec![filter(0), filter(1), filter(2)]);
        let names = |all: &[Asked]| all.iter().map(|asked| asked.what.clone()).collect::<Vec<_>>();
        assert_eq!(names(&annotated), ["KongPlugin web/login", "KongPlugin web/limits", "KongPlugin other/cors"]);
        let rest = "filter ExtensionRef at spec.rules[].filters[]";
        assert_eq!(names(&filtered), ["KongPlugin web/login", "KongPlugin web/limits", rest]);
        assert!(filtered.iter().all(Asked::is_extension) && filtered[2].values.len() == 1);
    }

    #[test]
    fn what_an_annotation_does_shows_unless_it_is_switched_off() {
        let acts = |pairs: &[(&str, &str)]| annotated(pairs).iter().find_map(Asked::acts);
        assert_eq!(acts(&[("mirror-target", "http://a"), ("mirror-request-body", "off")]), Some("copies requests"));
        assert_eq!(annotated(&[("mirror-request-body", "off")]), []);
        let errors = ("custom-http-errors", "404");
        assert!(acts(&[errors]).is_some() && acts(&[errors, ("disable-proxy-intercept-errors", "true")]).is_none());
        let key = "nginx.org/polices";
        let winner = winner(vec![NotEvaluated::Annotation(key.to_owned())]);
        let json = json!({"metadata": {"annotations": {key: "x"}}}).to_string();
        let evaluated = BTreeMap::from([(&winner.object, &*json)]);
        assert_eq!(asked(&winner, &Written { evaluated, ..Written::default() }), [], "no release reads it");
    }

    #[test]
    fn fields_have_their_values_and_no_index() {
        let filter = |rule| {
            let at = At::element("spec.rules[].filters[]", [rule, 0]).into();
            NotEvaluated::Filter { kind: "ExtensionRef".to_owned(), at }
        };
        let rules =
            json!({"spec": {"rules": [{"filters": [{"name": "a"}]}, {"filters": [{"name": "b"}]}]}}).to_string();
        let of = |rule| {
            let winner = winner(vec![filter(rule)]);
            let evaluated = BTreeMap::from([(&winner.object, &*rules)]);
            asked(&winner, &Written { evaluated, ..Written::default() })
        };
        assert_eq!(of(0)[0].what, "filter ExtensionRef at spec.rules[].filters[]");
        assert_eq!((&of(1)[0].what, of(1)[0].values.as_slice()), (&of(0)[0].what, &[r#"{"name":"b"}"#.to_owned()][..]));
    }
}
