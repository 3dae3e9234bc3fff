//! The product over a cluster full of roots: what it costs to refuse a second root of a host.

use anyhow::Result;

use crate::ingress_route;
use crate::payload::{Payload, Verdict};
use crate::product::Product;
use crate::rounds::{self, Plan};
use crate::{Own, ours, payload, print, refuses};

/// How many roots the index holds.
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
