//! Statuses that pods write.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::cluster::{Cluster, NAMESPACE};
use super::report::within;
use crate::harness::Helm;

/// The rights beyond the base, the finalizer of the class in use, and the Service whose address is published.
const VALUES: [&str; 5] = [
    "controller.gatewayStatus=true",
    "controller.ingressStatus=true",
    "config.status.gatewayClassFinalizer=true",
    "config.status.publishService[0].namespace=web",
    "config.status.publishService[0].name=entry",
];
/// Within what time a status follows a change.
const SOON: Duration = Duration::from_secs(1);

/// The address of a published Service reaches a Gateway and an Ingress, also after the pod that leads has been deleted.
pub fn published_address(cluster: &Cluster) {
    cluster.prepare();
    cluster.install(Helm::Four, &VALUES);
    cluster.apply(include_str!("statuses.yaml"));
    publish(cluster, "192.0.2.1");
    cluster.soon("the first address", Duration::from_secs(20), || has_address(cluster, "192.0.2.1"));
    let since = Instant::now();
    publish(cluster, "192.0.2.2");
    cluster.soon("the next address", SOON * 10, || has_address(cluster, "192.0.2.2"));
    within("the address of a published Service reaches a Gateway and an Ingress", SOON, since.elapsed());

    let leader = cluster.get("lease/portcullis")["spec"]["holderIdentity"].clone();
    let pods = cluster.pods();
    let leads = |(pod, _): &&(String, bool)| leader.as_str().is_some_and(|leader| leader.contains(pod));
    let (pod, _) = pods.iter().find(leads).unwrap_or_else(|| panic!("{leader} leads, of {pods:?}"));
    cluster.kubectl(&format!("delete pod {pod} --namespace {NAMESPACE} --wait=false")).run().accepted();
    let since = Instant::now();
    publish(cluster, "192.0.2.3");
    cluster.soon("the address after another pod leads", Duration::from_secs(60), || has_address(cluster, "192.0.2.3"));
    within("the same while the pod that leads is deleted", Duration::from_secs(20), since.elapsed());

    let finalizers = || cluster.get("gatewayclass/portcullis")["metadata"]["finalizers"].clone();
    cluster.soon("the class has the finalizer", SOON * 10, || finalizers().is_array());
    cluster.helm(Helm::Four, "uninstall portcullis --wait").run().accepted();
    assert_eq!(finalizers(), Value::Null, "the class can be deleted without Portcullis");
    assert!(has_address(cluster, "192.0.2.3"), "addresses stay when Portcullis ends");
    cluster.kubectl("delete -f -").stdin(include_str!("statuses.yaml")).run().accepted();
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
}

/// Sets the address of the Service, as the controller of a cloud would.
fn publish(cluster: &Cluster, ip: &str) {
    let patch = format!(r#"--patch={{"status":{{"loadBalancer":{{"ingress":[{{"ip":"{ip}"}}]}}}}}}"#);
    let kubectl = cluster.kubectl("patch service entry --namespace web --subresource status --type merge");
    kubectl.arg(patch).run().accepted();
}

/// Whether both objects have this address first, for the generation that is stored.
fn has_address(cluster: &Cluster, ip: &str) -> bool {
    let http = cluster.http();
    let get = |path: &str| -> Value { serde_json::from_str(&http.get(path).1).unwrap_or_default() };
    let gateway = get("/apis/gateway.networking.k8s.io/v1/namespaces/web/gateways/entry");
    let ingress = get("/apis/networking.k8s.io/v1/namespaces/web/ingresses/entry");
    gateway["status"]["addresses"][0]["value"] == ip && ingress["status"]["loadBalancer"]["ingress"][0]["ip"] == ip
}
