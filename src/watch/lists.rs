//! One list of each kind of a cluster, and the view of their objects.

use std::collections::BTreeSet;

use super::WatchError;
use super::api_versions::ApiVersions;
use super::client::ApiClient;
use super::list::list;
use super::served::discover;
use crate::files::{Manifest, Unread};
use portcullis_core::bundle::InstalledSchema;
use portcullis_core::kinds::{Kind, KindSet};

/// The objects of several kinds, each listed once.
#[derive(Debug, Default)]
pub struct Lists {
    /// The list of each requested kind.
    pub kinds: Vec<(Kind, KindList)>,
    /// The bundle and channel of the CRDs, where they are known.
    pub schemas: Vec<(Kind, InstalledSchema)>,
    /// The version and the APIs of the cluster, if they were asked for and are known.
    pub api_versions: Option<ApiVersions>,
    /// The documents that are not read, if the objects come from files.
    pub unread: Vec<Unread>,
}

/// The list of one kind.
#[derive(Debug)]
pub enum KindList {
    /// The API server does not serve the kind.
    NotServed,
    /// The kind is not readable (RBAC).
    Forbidden,
    /// All objects.
    Objects(Vec<Manifest>),
    /// Some of the objects.
    Partial {
        /// The objects.
        objects: Vec<Manifest>,
        /// The namespaces of which all objects are among them.
        namespaces: BTreeSet<Box<str>>,
    },
}

impl Lists {
    /// The kinds that are not readable (RBAC).
    pub fn forbidden(&self) -> impl Iterator<Item = Kind> {
        let forbidden = self.kinds.iter().filter(|(_, list)| matches!(list, KindList::Forbidden));
        forbidden.map(|(kind, _)| *kind)
    }

    /// All objects.
    pub fn objects(&self) -> impl Iterator<Item = &Manifest> {
        self.kinds.iter().flat_map(|(_, list)| match list {
            KindList::NotServed | KindList::Forbidden => &[][..],
            KindList::Objects(objects) | KindList::Partial { objects, .. } => objects,
        })
    }

    /// Lists all objects of `kinds`. Passes the number of objects of a kind to `observe` after each page.
    pub async fn read(
        api: &ApiClient,
        kinds: KindSet,
        mut observe: impl FnMut(Kind, usize),
    ) -> Result<Self, WatchError> {
        let client = api.client();
        let served = discover(client).await.map_err(|error| api.error("API discovery", &error))?;
        let schemas = Kind::ALL.into_iter().filter_map(|kind| Some((kind, served.schema(kind)?))).collect();
        let mut lists = Self { schemas, ..Self::default() };
        for kind in kinds.iter() {
            let objects = match served.version(kind) {
                None => KindList::NotServed,
                Some(version) => match list(client, (kind, version), &mut observe).await {
                    Ok(Some(objects)) => KindList::Objects(objects),
                    Ok(None) => KindList::Forbidden,
                    Err(error) => return Err(api.error(&format!("listing {}", kind.resource()), &error)),
                },
            };
            lists.kinds.push((kind, objects));
        }
        Ok(lists)
    }
}
