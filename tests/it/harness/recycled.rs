//! Control planes that trials leave, for later trials: a start takes three seconds of CPU time, and the CRDs of the Gateway API take as
//! much.

use super::control_plane::{ControlPlane, Flavour};
use serde_json::Value;
use std::sync::{Mutex, MutexGuard};

/// How many are kept. Each occupies 400 MiB.
const KEPT: usize = 3;

static LEFT: Mutex<Vec<ControlPlane>> = Mutex::new(Vec::new());

/// A control plane that a trial with the same flags left: the one that lacks the fewest of these CRDs, or else any.
pub(super) fn take(flavour: Flavour, crds: &[Value]) -> Option<ControlPlane> {
    let mut left = left();
    let candidates = left.iter().enumerate().filter(|(_, candidate)| candidate.flavour() == flavour);
    let (best, _) = candidates.max_by_key(|(_, candidate)| candidate.common_crds(crds))?;
    Some(left.remove(best))
}

/// Keeps a control plane, in place of the one that has waited longest if there are many.
pub(super) fn keep(control_plane: ControlPlane) {
    let outdated = {
        let mut left = left();
        left.push(control_plane);
        (left.len() > KEPT).then(|| left.remove(0))
    };
    outdated.iter().for_each(ControlPlane::stop);
}

/// Stops all that are kept.
pub(super) fn stop() {
    left().drain(..).for_each(|control_plane| control_plane.stop());
}

fn left() -> MutexGuard<'static, Vec<ControlPlane>> {
    LEFT.lock().expect("no holder panics")
}
