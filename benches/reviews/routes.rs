//! The product over a cluster full of HTTPRoutes: what the review of a large one costs, and what memory the others take.

use anyhow::Result;

use crate::product::Product;
use crate::rounds::{self, Plan};
use crate::table::{Table, figure, mebibytes};
use crate::{Own, cpu, gateways, ours, payload, print};

/// How many HTTPRoutes the index holds beside the reviewed one.
pub const HTTP_ROUTES: usize = 10_000;

/// Measures both and prints them.
pub fn bench(own: &Own, plan: Plan) -> Result<()> {
    let start = |name, count| {
        let others = gateways::all().chain(gateways::http_routes(count));
        Product::over_files(&own.folder.path().join(name), others)
    };
    let (without, product) = (start("gateways", 0)?, start("routes", HTTP_ROUTES)?);
    let resident = |product: &Product| anyhow::Ok(mebibytes(cpu::resident(product.server.pid())?));
    let (before, after) = (resident(&without)?, resident(&product)?);
    drop(without);
    let contenders = [
        own.contender("floor", &own.floor, None),
        own.contender("axum + hyper + rustls, canned", &own.framework, None),
        ours(&product, Some(9.0)),
    ];
    print(&rounds::measure(&contenders, &payload::route(), plan)?);
    let rows = vec![
        figure("over files: Gateways alone, resident, MiB", before, None),
        figure("over files: 10,000 HTTPRoutes more, resident, MiB", after - before, Some(60.0)),
        figure("over files, with HTTPRoutes: start to ready, s", product.start.as_secs_f64(), None),
    ];
    println!("{}", Table { figures: vec!["measured"], rows });
    Ok(())
}
