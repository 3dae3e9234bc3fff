//! Installs CRDs on an API server and deletes them.

use super::control_plane::ControlPlane;
use super::gateway_api::{Channel, crds};
use super::json::text;
use super::wait::eventually;
use serde_json::Value;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The CRDs of HostClaims and HostGrants as shipped.
pub fn host_claim_crds() -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/manifests/components/host-claims");
    let crds = ["hostclaims.yaml", "hostgrants.yaml"].map(|file| {
        let crd = std::fs::read_to_string(format!("{folder}/{file}")).expect("it is in the repository");
        serde_saphyr::from_str(&crd).expect("a manifest is YAML")
    });
    crds.into()
}

impl ControlPlane {
    /// Installs all CRDs of a bundle and waits until their kinds are served.
    pub fn install_gateway_api(&self, version: &str, channel: Channel) {
        self.install_crds(&crds(version, channel));
    }

    /// Installs these CRDs and waits until their kinds are served.
    pub fn install_crds(&self, crds: &[Value]) {
        crds.iter().for_each(|crd| self.create_crd(crd));
        crds.iter().for_each(|crd| self.wait_for_crd(crd));
    }

    /// Installs one CRD and waits until its kind is served.
    pub fn install_crd(&self, crd: &Value) {
        self.create_crd(crd);
        self.wait_for_crd(crd);
    }

    /// The installed CRDs whose names none of these have.
    pub(super) fn crds_beside(&self, crds: &[Value]) -> Vec<Value> {
        let (status, list) = self.http().get(CRDS);
        assert_eq!(status, 200, "{list}");
        let mut list: Value = serde_json::from_str(&list).expect("the API server answers in JSON");
        let Value::Array(mut installed) = list["items"].take() else { return Vec::new() };
        let name = |crd: &Value| crd["metadata"]["name"].clone();
        installed.retain(|crd| !crds.iter().any(|own| name(own) == name(crd)));
        installed
    }

    /// Waits until the kind of a deleted CRD is served in no version.
    pub(super) fn wait_until_gone(&self, crd: &Value) {
        let http = self.http();
        for list in served_lists(crd) {
            eventually(&format!("{list} is gone"), || http.get(&list).0 == 404);
        }
    }

    /// Replaces the CRDs of a bundle by those of another one, and installs those that are missing.
    pub fn upgrade_gateway_api(&self, version: &str, channel: Channel) {
        let (crds, http) = (crds(version, channel), self.http());
        for mut crd in crds.iter().cloned() {
            let path = format!("{CRDS}/{}", text(&crd["metadata"]["name"]));
            let (status, stored) = http.get(&path);
            if status == 404 {
                self.create_crd(&crd);
                continue;
            }
            let stored: Value = serde_json::from_str(&stored).expect("the API server answers in JSON");
            crd["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
            let (status, answer) = http.put(&path, crd.to_string());
            assert_eq!(status, 200, "{answer}");
        }
        crds.iter().for_each(|crd| self.wait_for_crd(crd));
    }

    /// Deletes a CRD by name, such as `gateways.gateway.networking.k8s.io`.
    pub fn delete_crd(&self, name: &str) {
        let (status, answer) = self.http().delete(&format!("{CRDS}/{name}"));
        assert_eq!(status, 200, "{answer}");
    }

    fn create_crd(&self, crd: &Value) {
        let (status, answer) = self.http().post(CRDS, crd.to_string());
        assert_eq!(status, 201, "{answer}");
    }

    pub(super) fn wait_for_crd(&self, crd: &Value) {
        let http = self.http();
        for list in served_lists(crd) {
            eventually(&format!("{list} is served"), || http.get(&list).0 == 200);
        }
    }
}

/// The path of the list of a CRD's objects, in each version that is served.
fn served_lists(crd: &Value) -> Vec<String> {
    let (group, plural) = (text(&crd["spec"]["group"]), text(&crd["spec"]["names"]["plural"]));
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    let served = versions.filter(|version| version["served"] == true);
    served.map(|version| format!("/apis/{group}/{}/{plural}", text(&version["name"]))).collect()
}
