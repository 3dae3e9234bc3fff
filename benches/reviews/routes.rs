//! Measures the review of a large HTTPRoute in a cluster with many HTTPRoutes, and the memory of the index.

use std::hint::black_box;

use anyhow::Result;
use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::kinds::decode;

use crate::objects::{self, Object};
use crate::product::Product;
use crate::rounds::{self, Plan};
use crate::table::{Table, figure, mebibytes};
use crate::{Own, cpu, gateways, http_route, ours, payload, print};

/// The number of HTTPRoutes in the index, without the reviewed one.
pub const HTTP_ROUTES: usize = 10_000;

/// Measures and prints both.
pub fn bench(own: &Own, plan: Plan) -> Result<()> {
    // This comes first, before anything else has allocated and freed memory.
    let memory = memory()?;
    let others = gateways::all().chain(http_route::http_routes(HTTP_ROUTES));
    let product = Product::over_files(&own.folder.path().join("routes"), others)?;
    let contenders = [
        own.contender("floor", &own.floor, None),
        own.contender("axum + hyper + rustls, canned", &own.framework, None),
        ours(&product, Some(9.0)),
    ];
    print(&rounds::measure(&contenders, &payload::route(), plan)?);
    let rows = vec![
        figure("the index of 10,000 HTTPRoutes, MiB", memory, Some(60.0)),
        figure("over files, with HTTPRoutes: start to ready, s", product.start.as_secs_f64(), None),
    ];
    println!("{}", Table { figures: vec!["measured"], rows });
    Ok(())
}

/// The growth of this process, in MiB, when its view applies the routes. A product over files would need more, since it
/// also keeps the texts.
fn memory() -> Result<f64> {
    let mut cluster = Cluster::with(SyncState::Complete);
    objects::rest().chain(gateways::all()).try_for_each(|object| put(&mut cluster, &object))?;
    let before = cpu::resident(std::process::id())?;
    http_route::http_routes(HTTP_ROUTES).try_for_each(|object| put(&mut cluster, &object))?;
    let after = cpu::resident(std::process::id())?;
    drop(black_box(cluster));
    Ok(mebibytes(after.saturating_sub(before)))
}

fn put(cluster: &mut Cluster, object: &Object) -> Result<()> {
    cluster.apply(Event::Apply(Facts::of(&decode(object.kind, &object.json)?)));
    Ok(())
}
