//! Measures the refusal of a second root for a host in a cluster with many roots.

use anyhow::Result;

use crate::ingress_route;
use crate::payload::{Payload, Verdict};
use crate::product::Product;
use crate::rounds::{self, Plan};
use crate::{Own, ours, payload, print, refuses};

/// The number of roots in the index.
pub const ROOTS: usize = 30_000;

/// Measures and prints it.
pub fn bench(own: &Own, plan: Plan) -> Result<()> {
    let product = Product::over_files(&own.folder.path().join("delegations"), ingress_route::roots(ROOTS))?;
    let contenders = [own.contender("floor", &own.floor, None), ours(&product, Some(3.2))];
    let payload = payload::second_root();
    refuses(&contenders[1], &payload, plan)?;
    print(&rounds::measure(&contenders, &Payload { verdict: Verdict::Either, ..payload }, plan)?);
    Ok(())
}
