//! HostGrants: the list of HostClaims by which policies decide while no replica answers.

use std::time::Duration;

use serde_json::json;

use super::fixture::Cluster;
use super::host_requests::claim;
use crate::harness::until;
use crate::live::policy_cluster::{OBJECTS, answer, ingress};

const CONFIG: &str = "hostOwnership:
  hosts:
  - {host: '*.apps.example.com', namespaces: {names: [portcullis]}, claims: Required}
  - {host: '*.example.org', claims: Optional}
";

/// A list follows a HostClaim, and the API server the list.
const LATE: Duration = Duration::from_secs(20);

pub fn policies_hold_without_a_replica() {
    let cluster = Cluster::with_host_claims();
    cluster.install("host-claims", "rbac.yaml");
    let replica = cluster.replica(CONFIG);
    cluster.apply(&claim("shop.apps.example.com", "web"));
    cluster.apply(&claim("shop.example.org", "web"));
    // It has no effect: HostClaims do not count there.
    cluster.apply(&claim("shop.example.net", "web"));
    let path = "/apis/portcullis.dev/v1alpha1/hostgrants/granted";
    let grants = || cluster.http.object(path).map(|mut granted| granted["spec"].take()).unwrap_or_default();
    let listed = json!({"isComplete": true, "hosts": {"shop.apps.example.com": "web", "shop.example.org": "web"}});
    until(LATE, || (grants() == listed).then_some(())).unwrap_or_else(|| panic!("{}\n{}", grants(), replica.log()));
    let policies = cluster.policies(CONFIG);
    drop(replica);
    cluster.control_plane.kubectl("apply -f -").stdin(&policies).run().accepted();

    let denied = |namespace: &str, host: &str, words: &str| {
        for of in OBJECTS {
            let object = of(namespace, host);
            let denial =
                until(LATE, || answer(&cluster.http, &object).err()).unwrap_or_else(|| panic!("{object} is admitted"));
            assert!(denial.contains(words), "{denial}: {object}");
        }
    };
    let admitted = |namespace: &str, host: &str| {
        OBJECTS.iter().for_each(|of| assert_eq!(answer(&cluster.http, &of(namespace, host)), Ok(())));
    };
    let taken = "host shop.apps.example.com belongs to namespace web by its HostClaim";
    denied("team", "shop.apps.example.com", taken);
    denied("team", "shop.example.org", "host shop.example.org belongs to namespace web by its HostClaim");
    denied("web", "cart.apps.example.com", "host cart.apps.example.com has no HostClaim");
    admitted("web", "shop.apps.example.com");
    admitted("team", "shop.example.net");
    // A namespace that no replica has seen.
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "new"}});
    assert_eq!(cluster.http.post("/api/v1/namespaces", namespace.to_string()).0, 201);
    denied("new", "shop.apps.example.com", taken);

    let _replica = cluster.replica(CONFIG);
    cluster.apply(&claim("cart.apps.example.com", "web"));
    let cart = ingress("web", "cart.apps.example.com");
    until(LATE, || answer(&cluster.http, &cart).is_ok().then_some(())).expect("the list follows");
    cluster.delete(&claim("shop.example.org", "web"));
    let free = ingress("team", "shop.example.org");
    until(LATE, || answer(&cluster.http, &free).is_ok().then_some(())).expect("the list follows");

    let disarmed = cluster.disarm();
    assert_eq!(disarmed.matches("ValidatingAdmissionPolicyBinding portcullis-host-claims-").count(), 4, "{disarmed}");
    let stolen = ingress("team", "shop.apps.example.com");
    until(LATE, || answer(&cluster.http, &stolen).is_ok().then_some(())).expect("no policy is bound");
}
