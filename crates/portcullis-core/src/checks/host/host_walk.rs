//! A walk over the hosts of Ingresses in other namespaces, in turns, each of which holds the view for a short time.
//!
//! Other checks that may deny look up what they compare. Below a wildcard, the cost depends on what others store: all their hosts are
//! visited where a proxy orders rules across hosts or hosts have owners.

use std::ops::ControlFlow;

use crate::checks::{CLAIMS_PER_TURN, Context};
use crate::cluster::{HostBelow, Reach};

/// Visits the hosts within each reach, from where the previous turn has stopped on. Each reach has the index of an own host, in
/// ascending order, which `visit` gets, too. A visit that breaks ends the walk within its reach.
pub(super) fn walk<'h, 'c>(
    cx: &Context<'c>,
    reaches: impl Iterator<Item = (usize, Reach<'h>)>,
    mut visit: impl FnMut(usize, HostBelow<'c>) -> ControlFlow<()>,
) {
    let (first, mut last) = cx.part.stopped_at().map_or((0, None), |(first, last)| (first, Some(last)));
    let mut left = CLAIMS_PER_TURN;
    for (index, reach) in reaches.skip_while(|(index, _)| *index < first) {
        for below in cx.cluster.ingress_hosts(reach, last.take().as_ref()) {
            let is_elsewhere = below.facts.object_ref.namespace != cx.namespace();
            let is_over = is_elsewhere && visit(index, below).is_break();
            left -= 1;
            if left == 0 {
                return cx.part.stop_at(index, below.cursor());
            }
            if is_over {
                break;
            }
        }
    }
}
