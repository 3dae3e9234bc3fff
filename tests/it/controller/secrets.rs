//! The status of listeners whose certificates are in Secrets, with and without the right to read them.

use std::time::Duration;

use rcgen::generate_simple_self_signed;
use serde_json::{Value, json};

use super::fixture::{Cluster, SOON, condition, manifest};
use super::objects::{gateway_class, proxy, service};
use crate::harness::eventually;

const CONFIG: &str = "status: {readSecrets: true, readConfigMaps: true}\n";

/// A right that is granted takes effect a moment later, and what could not be read is read again after 5 and 10 seconds.
const AGAIN: Duration = Duration::from_secs(25);

fn named(version: &str, kind: &str, namespace: &str, name: &str, content: Value) -> Value {
    let mut object = json!({"apiVersion": version, "kind": kind, "metadata": {"namespace": namespace, "name": name}});
    object.as_object_mut().expect("an object").extend(content.as_object().cloned().unwrap_or_default());
    object
}

fn secret(namespace: &str, name: &str, certificate: &str, key: &str) -> Value {
    let data = json!({"tls.crt": certificate, "tls.key": key});
    named("v1", "Secret", namespace, name, json!({"type": "kubernetes.io/tls", "stringData": data}))
}

/// A Gateway with a listener whose certificate is in this Secret.
fn gateway(namespace: &str, secret: &str) -> Value {
    let tls = json!({"certificateRefs": [{"namespace": namespace, "name": secret}]});
    let listener = json!({"name": "web", "port": 443, "protocol": "HTTPS", "tls": tls});
    let spec = json!({"gatewayClassName": "own", "listeners": [listener]});
    named("gateway.networking.k8s.io/v1", "Gateway", "web", "edge", json!({"spec": spec}))
}

fn policy() -> Value {
    let authority = json!({"group": "", "kind": "ConfigMap", "name": "ca"});
    let spec = json!({
        "targetRefs": [{"group": "", "kind": "Service", "name": "shop"}],
        "validation": {"hostname": "shop.example.com", "caCertificateRefs": [authority]},
    });
    named("gateway.networking.k8s.io/v1", "BackendTLSPolicy", "web", "shop", json!({"spec": spec}))
}

/// `ResolvedRefs` of the listener.
fn resolved(status: &Value) -> &Value {
    condition(&status["listeners"][0], "ResolvedRefs")
}

fn is<'s>(status: &'s str, words: &'s str) -> impl Fn(&Value) -> bool + 's {
    move |gateway| {
        let condition = resolved(gateway);
        condition["status"] == status && condition["message"].as_str().is_some_and(|text| text.contains(words))
    }
}

pub fn listeners_follow_their_secrets() {
    let cluster = Cluster::with_gateway_api();
    cluster.grant("gateway-status");
    let pair = generate_simple_self_signed(["shop.example.com".to_owned()]).expect("a certificate");
    let (certificate, key) = (pair.cert.pem(), pair.signing_key.serialize_pem());
    let good = |namespace: &str, name: &str| secret(namespace, name, &certificate, &key);
    let edge = gateway("web", "good");
    let bad = secret("web", "bad", "not a certificate", &key);
    [gateway_class("own"), edge.clone(), good("web", "good"), bad, good("team", "other")]
        .iter()
        .for_each(|object| cluster.apply(object));

    let server = cluster.replica("");
    cluster.expect(&edge, SOON * 20, is("Unknown", "Portcullis does not read Secrets"));
    assert!(server.terminate().0.success());

    let server = cluster.replica(CONFIG);
    let component = "component gateway-status-secrets";
    cluster.expect(&edge, SOON * 20, is("Unknown", component));
    eventually("it is logged", || server.log().contains("this object may not be read (RBAC)"));
    let reads = |name: &str, kind: &str| server.metric(&format!("portcullis_status_{name}_total{{kind=\"{kind}\"}}"));
    assert!(reads("read_failures", "Secret") >= Some(1.0));
    assert_eq!(reads("reads", "ConfigMap"), Some(0.0));
    let allow = |component: &str| {
        let rights = manifest(&format!("manifests/components/{component}/rbac.yaml"));
        cluster.control_plane.kubectl("apply -f -").stdin(&rights).run().accepted();
    };
    allow("gateway-status-secrets");
    cluster.expect(&edge, AGAIN, is("True", ""));
    assert!(reads("reads", "Secret") > reads("read_failures", "Secret"));
    // What is referred to for the first time is read at once.
    cluster.apply(&gateway("web", "bad"));
    let mut took = vec![cluster.expect(&edge, SOON, is("False", "has no usable certificate and key"))];
    assert_eq!(condition(&cluster.status(&edge)["listeners"][0], "Programmed")["status"], "False");
    cluster.apply(&gateway("web", "good"));
    took.push(cluster.expect(&edge, SOON, is("True", "")));
    cluster.apply(&gateway("web", "later"));
    took.push(cluster.expect(&edge, SOON, is("False", "Secret web/later not found")));
    eprintln!("statuses followed after {took:?}");
    cluster.apply(&good("web", "later"));
    cluster.expect(&edge, AGAIN, is("True", ""));
    // Without a grant, the Secret is not even asked for.
    cluster.apply(&gateway("team", "other"));
    cluster.expect(&edge, SOON, is("False", "no ReferenceGrant in namespace team"));

    policies_follow_their_config_maps(&cluster, &certificate, allow);
    assert!(server.terminate().0.success());

    // The next leader writes nothing before it has read what the status depends on.
    cluster.apply(&gateway("web", "good"));
    let server = cluster.replica(CONFIG);
    cluster.expect(&edge, SOON * 20, is("True", ""));
    let writes = cluster.writes().len();
    assert!(server.terminate().0.success());
    let server = cluster.replica(CONFIG);
    server.logs("this replica leads");
    eventually("everything is compared", || {
        server.metric(r#"portcullis_status_computed_total{kind="Gateway"}"#) >= Some(2.0)
    });
    assert_eq!((cluster.writes().len(), is("True", "")(&cluster.status(&edge))), (writes, true));
    assert!(!server.log().contains("PRIVATE KEY"), "{}", server.log());
}

fn policies_follow_their_config_maps(cluster: &Cluster, certificate: &str, allow: impl Fn(&str)) {
    let route = json!({"parentRefs": [{"name": "edge"}], "rules": [{"backendRefs": [{"name": "shop", "port": 80}]}]});
    let route = named("gateway.networking.k8s.io/v1", "HTTPRoute", "web", "shop", json!({"spec": route}));
    [proxy(), service("web"), route, policy()].iter().for_each(|object| cluster.apply(object));
    let accepted = |status: &Value| condition(&status["ancestors"][0], "Accepted")["status"].clone();
    let message = |status: &Value| condition(&status["ancestors"][0], "ResolvedRefs")["message"].to_string();
    cluster.expect(&policy(), SOON * 5, |status| {
        accepted(status) == "Unknown" && message(status).contains("component gateway-status-config-maps")
    });
    allow("gateway-status-config-maps");
    cluster.expect(&policy(), AGAIN, |status| accepted(status) == "False");
    cluster.apply(&named("v1", "ConfigMap", "web", "ca", json!({"data": {"ca.crt": certificate}})));
    cluster.expect(&policy(), AGAIN, |status| accepted(status) == "True");
}
