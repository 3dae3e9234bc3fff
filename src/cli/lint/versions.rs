//! Manifests in a version that the channel of the Gateway API does not serve.

use serde::Deserialize;

use crate::files::{Manifest, Unread};
use portcullis_core::bundle::{Bundle, Channel, InstalledSchema};
use portcullis_core::checks::Plan;

/// A manifest in a version that is not served.
pub(super) struct UnservedVersion {
    /// The manifest as a document that cannot be checked.
    pub unread: Unread,
    /// Whether the bundle is known: the configuration names it, or the cluster reports it.
    pub is_certain: bool,
}

/// Whether `manifest` has a version that the CRDs of its kind do not serve. `schema` is what the cluster reports about
/// them. The alpha versions are in the experimental channel only, in every supported release.
pub(super) fn unserved_version(
    manifest: &Manifest,
    schema: Option<InstalledSchema>,
    plan: &Plan,
) -> Option<UnservedVersion> {
    let kind = manifest.object_ref.kind;
    if !kind.is_gateway_api() || !manifest.json.contains("alpha") {
        return None;
    }
    let version = version(&manifest.json).filter(|version| version.contains("alpha"))?;
    let known = schema.map(|schema| schema.bundle).or_else(|| plan.config().gateway_bundle.map(Bundle::from));
    let bundle = known.unwrap_or(Bundle::NEWEST);
    if bundle.channel == Channel::Experimental {
        return None;
    }
    let (object, api) = (&manifest.object_ref, kind.api());
    let current = format!("{}/{}", api.group, api.versions[0]);
    let message = format!("{object} of {version} is not served by Gateway API {bundle}: use {current}");
    Some(UnservedVersion { unread: Unread::of_unserved(manifest, message), is_certain: known.is_some() })
}

/// The `apiVersion` of an object.
fn version(json: &str) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Head {
        api_version: Option<String>,
    }
    serde_json::from_str::<Head>(json).ok()?.api_version
}
