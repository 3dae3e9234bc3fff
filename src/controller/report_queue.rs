//! The reports that wait to be sent as Events: a bounded number, of which each object has one about each topic.

use std::collections::VecDeque;

use super::report::Report;

/// The number of reports that may wait. At 10 Events in a second, the last one is sent after less than two minutes.
const LIMIT: usize = 1_000;

/// The reports that wait, the oldest first.
#[derive(Debug, Default)]
pub struct ReportQueue(VecDeque<Report>);

impl ReportQueue {
    /// Adds a report, which replaces an older one about the same topic of the object, in its place, and takes over what that one says of
    /// other conditions. Returns whether another report was dropped: the oldest one, which says the least about the current state.
    pub fn add(&mut self, mut report: Report) -> bool {
        let is_same = |known: &&mut Report| known.topic == report.topic && known.object_ref == report.object_ref;
        if let Some(known) = self.0.iter_mut().find(is_same) {
            std::mem::swap(known, &mut report);
            known.supersede(report);
            return false;
        }
        self.0.push_back(report);
        self.0.len() > LIMIT && self.0.pop_front().is_some()
    }

    /// Removes the report that has waited longest.
    pub fn take(&mut self) -> Option<Report> {
        self.0.pop_front()
    }

    /// Whether no report waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all reports. Returns how many there were.
    pub fn clear(&mut self) -> usize {
        self.0.drain(..).count()
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::{Note, Topic};
    use super::*;
    use portcullis_core::kinds::{Kind, ObjectRef};

    fn report(number: usize, topic: Topic, reason: &str) -> Report {
        let object_ref = ObjectRef::new(Kind::HttpRoute, "web", &number.to_string());
        Report { object_ref, uid: "u".into(), topic, reason: reason.to_owned(), notes: Vec::new() }
    }

    fn with_note(uid: &str, reason: &str, condition: &str, text: &str) -> Report {
        let note = Note { condition: condition.to_owned(), text: text.to_owned() };
        Report { uid: uid.into(), notes: vec![note], ..report(1, Topic::Transition, reason) }
    }

    #[test]
    fn the_newest_report_about_a_topic_replaces_older_ones() {
        let mut queue = ReportQueue::default();
        let all = [
            report(1, Topic::Transition, "a"),
            report(2, Topic::Transition, "b"),
            report(1, Topic::Overwritten, "c"),
            report(1, Topic::Transition, "d"),
        ];
        for report in all {
            assert!(!queue.add(report));
        }
        let reasons: Vec<String> = std::iter::from_fn(|| queue.take()).map(|report| report.reason).collect();
        assert_eq!(reasons, ["d", "b", "c"]);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_condition_that_became_bad_is_reported_although_another_one_follows() {
        let mut queue = ReportQueue::default();
        queue.add(with_note("u", "NotAllowed", "Accepted", "Accepted=False: old"));
        queue.add(with_note("u", "BackendNotFound", "ResolvedRefs", "ResolvedRefs=False: no Service"));
        queue.add(with_note("u", "NoMatchingParent", "Accepted", "Accepted=False: new"));
        let report = queue.take().expect("one report about the object");
        assert_eq!(report.text(), "Accepted=False: new; ResolvedRefs=False: no Service");
        assert_eq!((&*report.reason, queue.is_empty()), ("NoMatchingParent", true));
        queue.add(with_note("u", "NotAllowed", "Accepted", "Accepted=False: old"));
        queue.add(with_note("v", "BackendNotFound", "ResolvedRefs", "ResolvedRefs=False: no Service"));
        let report = queue.take().expect("one report about the object");
        assert_eq!(report.text(), "ResolvedRefs=False: no Service", "the other one was about a deleted object");
    }

    #[test]
    fn the_oldest_report_gives_way() {
        let mut queue = ReportQueue::default();
        let dropped = (0..LIMIT + 3).filter(|number| queue.add(report(*number, Topic::Transition, "a"))).count();
        assert_eq!((dropped, queue.take().map(|report| report.object_ref.name)), (3, Some("3".to_owned())));
        assert_eq!((queue.clear(), queue.is_empty()), (LIMIT - 1, true));
    }
}
