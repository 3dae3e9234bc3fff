//! The Certificates of cert-manager, by the Secret in which it keeps each.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use jiff::Timestamp;

use super::name::{Name, NameRef};
use crate::kinds::{Certificate, Kind, ObjectRef};
use crate::matching::{Depth, Host};

/// The maximum number of names of a Certificate that are stored.
const MAX_NAMES: usize = 100;

/// The maximum number of Certificates of one Secret that are looked at.
const MAX_OF_SECRET: usize = 100;

/// The facts of a Certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedCertificateFacts {
    /// The reference to the Certificate.
    pub object_ref: ObjectRef,
    /// The Secret in its namespace.
    pub secret: Box<str>,
    /// The names that it asks for; `None` if some of them are not known.
    pub names: Option<Box<[Host<'static>]>>,
    /// Why it is not ready; `None` if it is, or if that is not known.
    pub unready: Option<Box<str>>,
    /// When the certificate in the Secret ends.
    pub ends: Option<Timestamp>,
    /// When cert-manager will replace it.
    pub renewal: Option<Timestamp>,
}

impl IssuedCertificateFacts {
    /// Returns the facts of `certificate`.
    pub fn of(certificate: &Certificate<'_>) -> Self {
        let (metadata, spec, status) = (&certificate.metadata, &certificate.spec, &certificate.status);
        let texts = spec.dns_names.iter().chain(&spec.common_name).filter(|name| !name.is_empty());
        let names: Box<[Host<'static>]> =
            texts.take(MAX_NAMES + 1).map(|name| Host::parse(name).into_owned()).collect();
        let is_known = names.len() <= MAX_NAMES && spec.literal_subject.as_deref().is_none_or(str::is_empty);
        let ready = status.conditions.iter().find(|condition| &*condition.kind == "Ready");
        let unready = ready.filter(|ready| &*ready.status == "False").map(|ready| Box::from(&*ready.reason));
        let time = |text: Option<&str>| text.and_then(|text| text.parse().ok());
        Self {
            object_ref: ObjectRef::new(Kind::Certificate, metadata.namespace(), metadata.name()),
            secret: (*spec.secret_name).into(),
            names: is_known.then_some(names),
            unready,
            ends: time(status.not_after.as_deref()),
            renewal: time(status.renewal_time.as_deref()),
        }
    }

    /// Whether a client may accept the certificate for `host`, or for a host of this wildcard. A wildcard of a certificate stands for one
    /// label. True if the names are not known.
    pub fn may_cover(&self, host: &Host<'_>) -> bool {
        self.names.as_ref().is_none_or(|names| names.iter().any(|name| name.overlaps(host, Depth::OneLabel)))
    }

    /// A readable list of the names: the first ones, and how many others there are.
    pub fn names_text(&self) -> String {
        const SHOWN: usize = 3;
        let names = self.names.as_deref().unwrap_or_default();
        let mut shown: Vec<String> = names.iter().take(SHOWN).map(ToString::to_string).collect();
        if names.len() > SHOWN {
            shown.push(format!("{} more", names.len() - SHOWN));
        }
        shown.join(", ")
    }
}

/// The Certificates by reference, and those of each Secret.
#[derive(Debug, Default)]
pub(super) struct IssuedCertificates {
    all: BTreeMap<ObjectRef, IssuedCertificateFacts>,
    of_secret: HashMap<Name, Vec<ObjectRef>>,
}

impl IssuedCertificates {
    pub(super) fn put(&mut self, facts: IssuedCertificateFacts) {
        self.remove(&facts.object_ref);
        let key = NameRef(&facts.object_ref.namespace, &facts.secret);
        let own = self.of_secret.entry_ref(&key).or_default();
        if let Err(position) = own.binary_search(&facts.object_ref) {
            own.insert(position, facts.object_ref.clone());
        }
        self.all.insert(facts.object_ref.clone(), facts);
    }

    pub(super) fn remove(&mut self, object_ref: &ObjectRef) {
        let Some(facts) = self.all.remove(object_ref) else { return };
        let key = NameRef(&object_ref.namespace, &facts.secret);
        if let Some(own) = self.of_secret.get_mut(&key) {
            own.retain(|known| known != object_ref);
            if own.is_empty() {
                self.of_secret.remove(&key);
            }
        }
    }

    pub(super) fn get(&self, object_ref: &ObjectRef) -> Option<&IssuedCertificateFacts> {
        self.all.get(object_ref)
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    pub(super) fn object_refs(&self) -> impl Iterator<Item = &ObjectRef> {
        self.all.keys()
    }

    /// The Certificates whose certificate is in the Secret, ordered by name; none if there are too many to look at.
    pub(super) fn of_secret(&self, namespace: &str, name: &str) -> impl Iterator<Item = &IssuedCertificateFacts> {
        let own = self.of_secret.get(&NameRef(namespace, name)).filter(|own| own.len() <= MAX_OF_SECRET);
        own.into_iter().flatten().filter_map(|object_ref| self.all.get(object_ref))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{Object, decode};

    fn facts(json: &str) -> IssuedCertificateFacts {
        match decode(Kind::Certificate, json) {
            Ok(Object::Certificate(certificate)) => IssuedCertificateFacts::of(&certificate),
            other => panic!("not a Certificate: {other:?}"),
        }
    }

    #[test]
    fn a_wildcard_covers_one_label_and_unknown_names_every_host() {
        let covers = |spec: &str, host: &str| {
            facts(&format!(r#"{{"metadata": {{"name": "a"}}, "spec": {spec}}}"#)).may_cover(&Host::parse(host))
        };
        let wildcard = r#"{"dnsNames": ["*.Example.com"]}"#;
        assert_eq!(
            ["shop.example.com", "a.shop.example.com", "example.com", "*.example.com"]
                .map(|host| covers(wildcard, host)),
            [true, false, false, true]
        );
        assert!(covers(r#"{"dnsNames": ["shop.example.com"]}"#, "*.example.com"), "it covers a host of the wildcard");
        assert!(covers(r#"{"commonName": "shop.example.com"}"#, "shop.example.com"));
        assert!(!covers(r#"{"dnsNames": null, "commonName": ""}"#, "shop.example.com"));
        assert!(covers(r#"{"literalSubject": "CN=shop.example.com"}"#, "shop.example.com"));
        let many: Vec<String> = (0..=MAX_NAMES).map(|number| format!("{number}.example.com")).collect();
        assert!(covers(&serde_json::json!({"dnsNames": many}).to_string(), "shop.example.com"));
    }

    #[test]
    fn a_secret_has_the_certificates_that_name_it_now() {
        let mut all = IssuedCertificates::default();
        let named = |name: &str, secret: &str| {
            facts(&format!(
                r#"{{"metadata": {{"namespace": "web", "name": "{name}"}}, "spec": {{"secretName": "{secret}"}}}}"#
            ))
        };
        ["b", "a"].into_iter().for_each(|name| all.put(named(name, "shop")));
        let names = |all: &IssuedCertificates, secret: &str| -> Vec<String> {
            all.of_secret("web", secret).map(|facts| facts.object_ref.name.clone()).collect()
        };
        assert_eq!(names(&all, "shop"), ["a", "b"]);
        all.put(named("a", "blog"));
        assert_eq!((names(&all, "shop"), names(&all, "blog")), (vec!["b".to_owned()], vec!["a".to_owned()]));
        all.remove(&named("b", "").object_ref);
        assert_eq!((names(&all, "shop").len(), all.of_secret.len(), all.count()), (0, 1, 1));
    }
}
