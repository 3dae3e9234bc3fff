//! Installs CRDs on an API server and deletes them.

use super::contour::delegation_crds;
use super::control_plane::ControlPlane;
use super::gateway_api::{Channel, crds};
use super::json::text;
use super::wait::eventually;
use serde_json::Value;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

impl ControlPlane {
    /// Installs all CRDs of a bundle and waits until their kinds are served.
    pub fn install_gateway_api(&self, version: &str, channel: Channel) {
        self.install_crds(&crds(version, channel));
    }

    /// Installs the CRDs of IngressRoute, TLSCertificateDelegation and HTTPProxy, and waits until their kinds are
    /// served.
    pub fn install_delegations(&self) {
        self.install_crds(&delegation_crds());
    }

    /// Installs the CRDs of HostClaims and HostGrants as shipped.
    pub fn install_host_claims(&self) {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/manifests/components/host-claims");
        let crds = ["hostclaims.yaml", "hostgrants.yaml"].map(|file| {
            let crd = std::fs::read_to_string(format!("{folder}/{file}")).expect("it is in the repository");
            serde_saphyr::from_str(&crd).expect("a manifest is YAML")
        });
        self.install_crds(&crds);
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

    fn wait_for_crd(&self, crd: &Value) {
        let (group, plural) = (text(&crd["spec"]["group"]), text(&crd["spec"]["names"]["plural"]));
        let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
        let http = self.http();
        for version in versions.filter(|version| version["served"] == true) {
            let list = format!("/apis/{group}/{}/{plural}", text(&version["name"]));
            eventually(&format!("{list} is served"), || http.get(&list).0 == 200);
        }
    }
}
