//! One list of each kind of a live cluster: the view that comes of it, and the objects.

use super::ClusterArgs;
use crate::cluster::{Cluster, Event, Facts, Knowledge};
use crate::files::Manifest;
use crate::kinds::{Kind, KindSet};
use crate::watch;

/// What a cluster holds of `kinds`, read once; the objects are those of `kept`. Kinds that may not be read are told on standard error, with
/// `consequence`.
pub(super) async fn read(
    args: &ClusterArgs,
    kinds: KindSet,
    kept: KindSet,
    consequence: &str,
) -> anyhow::Result<(Cluster, Vec<Manifest>)> {
    let client = watch::client(args.kubeconfig.as_deref(), args.context.as_deref()).await?;
    let (mut cluster, mut all) = (Cluster::default(), Vec::new());
    let served = watch::discover(&client).await?;
    served.schemas().into_iter().for_each(|event| cluster.apply(event));
    for kind in kinds.iter() {
        let Some(version) = served.version(kind) else {
            cluster.apply(Event::Learned(kind, Knowledge::NotServed));
            continue;
        };
        match watch::list(&client, kind, version).await? {
            Some(objects) => {
                take_in(&mut cluster, kind, &objects);
                all.extend(objects.into_iter().filter(|_| kept.contains(kind)));
            }
            None => {
                eprintln!("portcullis: {} may not be read: {consequence}", kind.resource());
                cluster.apply(Event::Learned(kind, Knowledge::Forbidden));
            }
        }
    }
    Ok((cluster, all))
}

/// Enters the objects into the view.
fn take_in(cluster: &mut Cluster, kind: Kind, objects: &[Manifest]) {
    let mut knowledge = Knowledge::Complete;
    for object in objects {
        let read = object.object().ok().map(|object| Facts::of(&object));
        match read.or_else(|| Facts::of_unreadable(&object.place, &object.json)) {
            Some(facts) => cluster.apply(Event::Put(facts)),
            // It is there, but nobody can say what it is.
            None => knowledge = Knowledge::Partial,
        }
    }
    cluster.apply(Event::Learned(kind, knowledge));
}
