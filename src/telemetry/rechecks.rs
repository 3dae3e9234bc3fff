//! Metrics of writes that are checked again after they were admitted.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use portcullis_core::kinds::Kind;

/// Why an admitted write was not checked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecheckDropped {
    /// Too many others were waiting.
    NoRoom,
    /// The view did not show the object: it was not stored, or was changed or deleted at once.
    WriteNotShown,
}

impl RecheckDropped {
    /// All reasons.
    pub const ALL: [Self; 2] = [Self::NoRoom, Self::WriteNotShown];

    /// The reason as a label.
    fn name(self) -> &'static str {
        match self {
            Self::NoRoom => "no-room",
            Self::WriteNotShown => "not-seen",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindOf {
    kind: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

/// What was found late, and what was not looked at.
#[derive(Debug, Default)]
pub(super) struct RecheckMetrics {
    late: Family<KindOf, Counter>,
    dropped: Family<Reason, Counter>,
}

impl RecheckMetrics {
    /// Adds the metrics to `registry`. Their series begin with 0, since Prometheus sees no increase of a series that begins with 1.
    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Objects that were admitted at the same time as another one with which they conflict, by kind";
        registry.register("late_conflicts", help, self.late.clone());
        let help = "Admitted writes that were not checked again for conflicts with others of the same time, by reason";
        registry.register("rechecks_dropped", help, self.dropped.clone());
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_validated()) {
            self.late.get_or_create(&KindOf { kind: kind.label() }).inc_by(0);
        }
        for reason in RecheckDropped::ALL {
            self.dropped.get_or_create(&Reason { reason: reason.name() }).inc_by(0);
        }
    }

    pub(super) fn found_late(&self, kind: Kind) {
        self.late.get_or_create(&KindOf { kind: kind.label() }).inc();
    }

    pub(super) fn dropped(&self, reason: RecheckDropped) {
        self.dropped.get_or_create(&Reason { reason: reason.name() }).inc();
    }
}
