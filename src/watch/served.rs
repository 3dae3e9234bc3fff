//! Discovers which CRD-defined kinds an API server serves, in which versions, and the bundle of the Gateway API's CRDs.
//! Discovery is repeated, since CRDs are installed, changed and removed while the process runs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use kube::Client;
use kube::core::PartialObjectMeta;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::watch::Sender;
use tokio::time::{sleep, timeout};

use super::needs::{self, Needs};
use super::object::ServedVersion;
use crate::telemetry::LastFailure;
use portcullis_core::bundle::InstalledSchema;
use portcullis_core::bundle::{CHANNEL_ANNOTATION, VERSION_ANNOTATION};
use portcullis_core::cluster::{Event, SharedCluster};
use portcullis_core::kinds::{Kind, null_is_default};

/// The interval between two discoveries.
const INTERVAL: Duration = Duration::from_secs(10);

/// The time limit for one discovery, which consists of several requests.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(10);

/// The media type that returns only the metadata of a CRD. Its schema has hundreds of kilobytes.
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/// Which of the kinds an API server serves, and with which schemas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServedKinds {
    versions: [Option<ServedVersion>; Kind::ALL.len()],
    schemas: [Option<InstalledSchema>; Kind::ALL.len()],
    /// Whether there is a CRD whose metadata is not readable (RBAC).
    has_unreadable_crd: bool,
}

impl ServedKinds {
    /// The version in which `kind` is read; `None` if the kind is not served.
    pub fn version(&self, kind: Kind) -> Option<ServedVersion> {
        self.versions[kind as usize]
    }

    /// The bundle and channel of the CRD of `kind`; `None` if they are not known.
    pub fn schema(&self, kind: Kind) -> Option<InstalledSchema> {
        self.schemas[kind as usize]
    }

    /// The events that record the schemas in the view.
    pub fn schemas(&self) -> Vec<Event> {
        gateway_kinds().map(|kind| Event::Schema(kind, self.schemas[kind as usize])).collect()
    }

    /// The built-in kinds in their only version, and the CRD-defined kinds in the version that `more` returns.
    pub(crate) fn with(more: impl Fn(Kind) -> Option<&'static str>) -> Self {
        let version = |kind: Kind| if kind.is_custom() { more(kind) } else { Some(kind.api().versions[0]) };
        Self { versions: Kind::ALL.map(|kind| version(kind).map(ServedVersion)), ..Self::default() }
    }

    fn report(&self, before: &Self) {
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_custom()) {
            let position = kind as usize;
            match (self.versions[position], self.schemas[position]) {
                (version, schema) if (version, schema) == (before.versions[position], before.schemas[position]) => {}
                (Some(ServedVersion(version)), schema) => {
                    let bundle = schema.map(|schema| schema.bundle.to_string());
                    tracing::info!(%kind, version, bundle, "kind is served");
                }
                (None, _) => tracing::info!(%kind, "kind is no longer served"),
            }
        }
        if self.has_unreadable_crd && !before.has_unreadable_crd {
            tracing::warn!(
                "CRDs are not readable (RBAC); the Gateway API version is unknown, so schema rules are also evaluated here"
            );
        }
    }
}

fn gateway_kinds() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| kind.is_gateway_api())
}

/// Repeats the discovery as long as the plan needs it. Changed schemas go into the view, and every change goes to
/// `sender`, for the task that runs the watches.
pub async fn follow(client: Client, needs: Needs, cluster: Arc<SharedCluster>, sender: Sender<Option<ServedKinds>>) {
    let (mut before, mut failure) = (ServedKinds::default(), LastFailure::default());
    loop {
        if !needs().is_discovered() {
            sleep(needs::INTERVAL).await;
            continue;
        }
        let answer = match timeout(DISCOVERY_TIMEOUT, discover(&client)).await {
            Ok(answer) => answer.map_err(|error| error.to_string()),
            Err(_) => Err(format!("no answer within {DISCOVERY_TIMEOUT:?}")),
        };
        match answer {
            Ok(found) => {
                failure.clear();
                if found != before || sender.borrow().is_none() {
                    found.report(&before);
                    cluster.apply(found.schemas());
                    sender.send_replace(Some(found));
                    before = found;
                }
            }
            // Until a discovery succeeds, the previous result stays valid.
            Err(error) => {
                if failure.record(&error) {
                    tracing::warn!(error, "API discovery failed; retrying");
                }
            }
        }
        sleep(INTERVAL).await;
    }
}

/// Asks an API server once what it serves.
pub async fn discover(client: &Client) -> Result<ServedKinds, kube::Error> {
    let custom = Kind::ALL.into_iter().filter(|kind| kind.is_custom());
    let groups: BTreeSet<&'static str> = custom.map(|kind| kind.api().group).collect();
    let mut served = Vec::new();
    for group in groups {
        served.push((group, served_resources(client, group).await?));
    }
    let mut found = ServedKinds::with(|kind| {
        let api = kind.api();
        let (_, resources) = served.iter().find(|(group, _)| *group == api.group)?;
        api.versions.iter().copied().find(|version| resources.has(version, api.plural))
    });
    for kind in gateway_kinds().filter(|kind| found.versions[*kind as usize].is_some()) {
        match schema(client, kind).await {
            Ok(schema) => found.schemas[kind as usize] = schema,
            Err(error) if code(&error) == 403 => found.has_unreadable_crd = true,
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The resources that an API server serves in one API group.
enum ServedResources {
    /// The resources by version.
    Versions(Vec<(String, Vec<Resource>)>),
    /// Discovery of the group is forbidden. All kinds of the group are assumed to be served, and their watches find
    /// out.
    Forbidden,
}

impl ServedResources {
    fn has(&self, version: &str, plural: &str) -> bool {
        let Self::Versions(versions) = self else { return true };
        let of_version = versions.iter().filter(|(own, _)| own == version);
        of_version.flat_map(|(_, resources)| resources).any(|resource| resource.name == plural)
    }
}

/// The part of an `APIGroup` that is read.
#[derive(Deserialize)]
struct Group {
    #[serde(default, deserialize_with = "null_is_default")]
    versions: Vec<GroupVersion>,
}

#[derive(Deserialize)]
struct GroupVersion {
    version: String,
}

/// The part of an `APIResourceList` that is read.
#[derive(Deserialize)]
struct Resources {
    #[serde(default, deserialize_with = "null_is_default")]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    name: String,
}

/// The resources of a group; no versions if the group does not exist.
async fn served_resources(client: &Client, group: &str) -> Result<ServedResources, kube::Error> {
    let mut served = Vec::new();
    let versions = match get::<Group>(client, &format!("/apis/{group}"), "application/json").await {
        Ok(group) => group.versions,
        Err(error) if code(&error) == 404 => Vec::new(),
        Err(error) if code(&error) == 403 => return Ok(ServedResources::Forbidden),
        Err(error) => return Err(error),
    };
    for GroupVersion { version } in versions {
        match get::<Resources>(client, &format!("/apis/{group}/{version}"), "application/json").await {
            Ok(list) => served.push((version, list.resources)),
            // The version was removed between the two requests.
            Err(error) if code(&error) == 404 => {}
            Err(error) => return Err(error),
        }
    }
    Ok(ServedResources::Versions(served))
}

/// The schema version and channel from the annotations of the kind's CRD; `None` if there is no such CRD.
async fn schema(client: &Client, kind: Kind) -> Result<Option<InstalledSchema>, kube::Error> {
    let path =
        format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}.{}", kind.api().plural, kind.api().group);
    match get::<PartialObjectMeta>(client, &path, METADATA).await {
        Ok(crd) => {
            let annotations = crd.metadata.annotations.unwrap_or_default();
            let text = |key: &str| annotations.get(key).map(String::as_str).unwrap_or_default();
            Ok(Some(InstalledSchema::of_crd(text(VERSION_ANNOTATION), text(CHANNEL_ANNOTATION))))
        }
        Err(error) if code(&error) == 404 => Ok(None),
        Err(error) => Err(error),
    }
}

async fn get<T: DeserializeOwned>(client: &Client, path: &str, accept: &str) -> Result<T, kube::Error> {
    let request = Request::get(path).header(http::header::ACCEPT, accept).body(Vec::new());
    let text = client.request_text(request.map_err(kube::Error::HttpError)?).await?;
    serde_json::from_str(&text).map_err(kube::Error::SerdeError)
}

/// The status code of an error response; 0 for any other error, such as a failed connection.
fn code(error: &kube::Error) -> u16 {
    match error {
        kube::Error::Api(status) => status.code,
        _ => 0,
    }
}
