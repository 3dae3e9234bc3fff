//! Lists all objects of a kind once, as JSON text, for the commands that read a live cluster without a watch.

use std::path::Path;
use std::sync::Arc;

use http::Request;
use kube::api::ListParams;
use kube::{Client, Resource};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::object::{ServedVersion, WatchedObject};
use crate::files::{Manifest, Origin};
use portcullis_core::kinds::{Kind, Metadata, ObjectRef, null_is_default};

/// The number of objects in a page.
const PAGE: u32 = 500;

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(default, deserialize_with = "null_is_default")]
    metadata: ListMeta,
    #[serde(borrow, default, deserialize_with = "null_is_default")]
    items: Vec<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListMeta {
    #[serde(rename = "continue", deserialize_with = "null_is_default")]
    next: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named<'a> {
    #[serde(borrow, deserialize_with = "null_is_default")]
    metadata: Metadata<'a>,
}

/// All objects of `kind` on the API server; `None` if the kind is not readable (RBAC) or not served. Passes the number of
/// objects to `observe` after each page.
pub(super) async fn list(
    client: &Client,
    (kind, served): (Kind, ServedVersion),
    observe: &mut dyn FnMut(Kind, usize),
) -> Result<Option<Vec<Manifest>>, kube::Error> {
    let (mut manifests, mut next) = (Vec::new(), String::new());
    loop {
        let text = match client.request_text(request(kind, served, &next)).await {
            Err(kube::Error::Api(status)) if matches!(status.code, 403 | 404) => return Ok(None),
            answered => answered?,
        };
        let page: Page<'_> = serde_json::from_str(&text).map_err(kube::Error::SerdeError)?;
        manifests.extend(page.items.iter().filter_map(|item| manifest(kind, item)));
        observe(kind, manifests.len());
        next = page.metadata.next;
        if next.is_empty() {
            return Ok(Some(manifests));
        }
    }
}

fn request(kind: Kind, served: ServedVersion, next: &str) -> Request<Vec<u8>> {
    let path = WatchedObject::url_path(&(kind, served), None);
    let page = ListParams { continue_token: (!next.is_empty()).then(|| next.to_owned()), ..ListParams::default() };
    kube::core::Request::new(path).list(&page.limit(PAGE)).expect("names of kinds and an escaped token make a URL")
}

/// The object in `item`; `None` if it has no readable metadata.
pub(super) fn manifest(kind: Kind, item: &RawValue) -> Option<Manifest> {
    let metadata = serde_json::from_str::<Named<'_>>(item.get()).ok()?.metadata;
    let object_ref = ObjectRef::new(kind, metadata.namespace(), metadata.name());
    let (file, origin) = (Arc::from(Path::new("cluster")), Origin::default());
    Some(Manifest { file, object_ref, prefix: None, lacks_namespace: false, json: item.get().into(), origin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continue_token_of_the_server_is_escaped() {
        let uri = |next| request(Kind::Ingress, ServedVersion("v1"), next).uri().to_string();
        assert_eq!(uri(""), "/apis/networking.k8s.io/v1/ingresses?&limit=500");
        assert_eq!(uri("a&b=c d"), "/apis/networking.k8s.io/v1/ingresses?&limit=500&continue=a%26b%3Dc+d");
    }
}
