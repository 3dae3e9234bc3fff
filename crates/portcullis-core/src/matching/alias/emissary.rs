//! The hosts in the Emissary (formerly Ambassador) resources that the annotation `getambassador.io/config` of an
//! Ingress contains.
//!
//! Emissary reads the annotation of every Ingress, regardless of its class, and treats the resources as separate
//! objects.

use serde_json::Value;
use serde_saphyr::options::DuplicateKeyPolicy;

use super::name::HostEntry;
use super::regex;
use crate::matching::Host;

/// The maximum nesting depth of a resource.
const DEPTH: usize = 127;

/// The hosts that the resources serve or have a certificate for; `Host::Any` if the YAML cannot be parsed.
pub fn hosts(yaml: &str) -> Vec<Host<'static>> {
    let options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: DEPTH },
    };
    match serde_saphyr::from_multiple_with_options::<Value>(yaml, options) {
        Ok(resources) => resources.iter().flat_map(of_resource).collect(),
        Err(_) => vec![Host::Any],
    }
}

fn of_resource(resource: &Value) -> Vec<Host<'static>> {
    let version = resource["apiVersion"].as_str().unwrap_or_default();
    let Some((_, version)) =
        version.split_once('/').filter(|(group, _)| matches!(*group, "getambassador.io" | "ambassador"))
    else {
        return Vec::new();
    };
    // Fields are in `spec` or, as in old releases, beside `kind`.
    let field = |name: &str| resource.get(name).unwrap_or(&resource["spec"][name]);
    let text = |name: &str| field(name).as_str().filter(|text| !text.is_empty());
    match resource["kind"].as_str().unwrap_or_default() {
        "Mapping" => {
            let is_regex = field("host_regex").as_bool() == Some(true);
            let host = text("host").map(|host| if is_regex { regex::bound(host) } else { named(host) });
            let authority = field("headers")[AUTHORITY].as_str().map(named);
            let pattern = field("regex_headers")[AUTHORITY].as_str().map(regex::bound);
            let hosts: Vec<_> =
                host.into_iter().chain(text("hostname").map(named)).chain(authority).chain(pattern).collect();
            match hosts.is_empty() {
                // In v3alpha1, such a Mapping serves the host of the Host resource that selects it.
                true if version == "v3alpha1" => Vec::new(),
                true => vec![Host::Any],
                false => hosts.concat(),
            }
        }
        "Host" => text("hostname").map_or_else(|| vec![Host::Any], named),
        // Without a host it takes all connections of its port.
        "TCPMapping" => text("host").map_or_else(|| vec![Host::Any], named),
        "TLSContext" => {
            field("hosts").as_array().into_iter().flatten().filter_map(Value::as_str).flat_map(named).collect()
        }
        _ => Vec::new(),
    }
}

/// The header that contains the host.
const AUTHORITY: &str = ":authority";

/// The hosts of a name in which a `*` matches any text.
fn named(text: &str) -> Vec<Host<'static>> {
    HostEntry::of(text.trim()).into_hosts().into_iter().map(Host::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(yaml: &str) -> Vec<String> {
        hosts(yaml).iter().map(ToString::to_string).collect()
    }

    fn host(name: &str) -> Vec<String> {
        vec![name.to_owned()]
    }

    #[test]
    fn each_resource_names_its_hosts() {
        let cases = [
            ("v2", "kind: Mapping\nname: a\nprefix: /a\nhost: a.com\nservice: a", host("a.com")),
            ("v3alpha1", "kind: Mapping\nspec: {hostname: a.com, prefix: /}", host("a.com")),
            ("v3alpha1", "kind: Mapping\nspec: {hostname: '*.a.com', prefix: /}", host("*.a.com")),
            ("v2", "kind: Mapping\nprefix: /\nhost: '^b[.]a[.]com$'\nhost_regex: true", host("b.a.com")),
            ("v2", "kind: Mapping\nprefix: /\nheaders: {':authority': a.com}", host("a.com")),
            ("v3alpha1", "kind: Host\nspec: {hostname: a.com}", host("a.com")),
            ("v2", "kind: TCPMapping\nhost: a.com\nport: 8443", host("a.com")),
            ("v1", "kind: TLSContext\nhosts: [a.com]\nsecret: b", host("a.com")),
            ("v1", "kind: Module\nname: tls\nconfig: {hosts: [a.com]}", Vec::new()),
            ("v2", "kind: TCPMapping\nport: 8443", host("*")),
            ("v3alpha1", "kind: TCPMapping\nspec: {port: 8443, service: a}", host("*")),
        ];
        for (version, resource, expected) in cases {
            for group in ["getambassador.io", "ambassador"] {
                let yaml = format!("---\napiVersion: {group}/{version}\n{resource}\n");
                assert_eq!(read(&yaml), expected, "{yaml}");
            }
        }
        assert_eq!(
            read("{\"apiVersion\": \"getambassador.io/v2\", \"kind\": \"Mapping\", \"host\": \"a.com\"}"),
            host("a.com")
        );
    }

    #[test]
    fn a_mapping_without_a_host_serves_all_before_v3() {
        let mapping = |version| hosts(&format!("apiVersion: getambassador.io/{version}\nkind: Mapping\nprefix: /\n"));
        assert_eq!(mapping("v1"), [Host::Any]);
        assert_eq!(mapping("v2"), [Host::Any]);
        assert!(mapping("v3alpha1").is_empty());
    }

    #[test]
    fn all_resources_are_read_and_others_are_not() {
        let yaml = "---\napiVersion: ambassador/v1\nkind: Mapping\nhost: a.com\n---\n---\nkind: Mapping\nhost: b.com\n\
                    ---\napiVersion: example.com/v1\nkind: Mapping\nhost: c.com\n---\napiVersion: ambassador/v1\nkind: Host\nhostname: d.com\n";
        assert_eq!(read(yaml), ["a.com", "d.com"]);
        assert!(hosts("").is_empty());
        assert_eq!(hosts("a: [b"), [Host::Any]);
        let deep = "[".repeat(100_000);
        assert_eq!(hosts(&deep), [Host::Any]);
    }
}
