//! What is reported to the users of an object.

use super::change::{Comparison, Desired};
use super::store::Tracked;
use portcullis_core::kinds::ObjectRef;
use portcullis_core::status::Transition;
use portcullis_core::status::merge::no_room;

/// What a report is about. Of reports about one topic of an object, the newest says the most about the current state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Conditions that became bad.
    Transition,
    /// Another writer changes the status.
    Overwritten,
    /// Another manager writes the status.
    OtherManager,
    /// The status has no room.
    NoRoom,
}

/// A report about one object.
#[derive(Debug)]
pub struct Report {
    /// The object.
    pub object_ref: ObjectRef,
    /// Its UID.
    pub uid: Box<str>,
    /// What it is about.
    pub topic: Topic,
    /// The reason in CamelCase.
    pub reason: String,
    /// What it says, the newest first.
    pub notes: Vec<Note>,
}

/// A part of a report.
#[derive(Debug, PartialEq, Eq)]
pub struct Note {
    /// The condition that it is about; empty if the topic of the report says enough.
    pub condition: String,
    /// The text.
    pub text: String,
}

impl Report {
    fn new(object_ref: &ObjectRef, tracked: &Tracked, topic: Topic, reason: &str, text: String) -> Self {
        let (object_ref, uid) = (object_ref.clone(), tracked.version.uid.clone());
        let notes = vec![Note { condition: String::new(), text }];
        Self { object_ref, uid, topic, reason: reason.to_owned(), notes }
    }

    /// The text as a whole.
    pub fn text(&self) -> String {
        let notes: Vec<&str> = self.notes.iter().map(|note| &*note.text).collect();
        notes.join("; ")
    }

    /// Adds what an `older` report about the same topic says of other conditions.
    pub fn supersede(&mut self, older: Self) {
        if older.uid == self.uid {
            let others =
                older.notes.into_iter().filter(|old| !self.notes.iter().any(|new| new.condition == old.condition));
            let others: Vec<Note> = others.collect();
            self.notes.extend(others);
        }
    }

    /// A report of the conditions that became bad; `None` if there are none.
    pub fn of(object_ref: &ObjectRef, tracked: &Tracked, transitions: &[Transition]) -> Option<Self> {
        let reason = &transitions.first()?.reason;
        let note = |Transition { condition, message, .. }: &Transition| Note {
            condition: condition.clone(),
            text: message.clone(),
        };
        let notes = transitions.iter().map(note).collect();
        Some(Self { notes, ..Self::new(object_ref, tracked, Topic::Transition, reason, String::new()) })
    }

    /// Another writer has changed what Portcullis wrote.
    pub fn overwritten(object_ref: &ObjectRef, tracked: &Tracked) -> Self {
        let note = "another writer changes what Portcullis writes in the status, so repairs wait up to 10 minutes: find the writer in \
                    metadata.managedFields";
        Self::new(object_ref, tracked, Topic::Overwritten, "StatusOverwritten", note.to_owned())
    }

    /// Another manager writes the status of an IngressRoute, which would then be written in turns; `None` if none does, or if that was
    /// reported before.
    pub fn managed_by_other(object_ref: &ObjectRef, tracked: &mut Tracked, manager: &str) -> Option<Self> {
        let note = format!(
            "`{manager}` manages the status, so Portcullis does not write it: leave the class out of status.ingressRouteClasses, or \
             remove the status if `{manager}` no longer runs"
        );
        let is_new = !std::mem::replace(&mut tracked.is_reported, true);
        is_new.then(|| Self::new(object_ref, tracked, Topic::OtherManager, "StatusManagedByOther", note))
    }

    /// A list of the status has no room for own entries or conditions, since those of others are never removed; `None` if that was
    /// reported before.
    pub fn no_room(object_ref: &ObjectRef, tracked: &mut Tracked, compared: &Comparison) -> Option<Self> {
        let is_new = !std::mem::replace(&mut tracked.is_full, !compared.is_whole());
        (is_new && tracked.is_full).then(|| {
            let text = no_room(&compared.dropped, &compared.omitted).join("; ");
            tracing::warn!(object = %object_ref, "{text}");
            Self::new(object_ref, tracked, Topic::NoRoom, "StatusListFull", text)
        })
    }
}

/// The other manager of a status that is written by one manager only.
pub fn other_manager(object_ref: &ObjectRef, tracked: &mut Tracked, desired: &Desired) -> Option<Box<str>> {
    let Some(manager) = tracked.version.exclusive_manager(object_ref.kind) else {
        tracked.is_reported = false;
        return None;
    };
    desired.status.is_some().then(|| manager.into())
}

#[cfg(test)]
mod tests {
    use portcullis_core::kinds::Kind;
    use serde_json::{Map, Value, json};

    use super::*;

    #[test]
    fn a_full_list_is_reported_once_until_there_is_room() {
        let (route, mut tracked) = (ObjectRef::new(Kind::HttpRoute, "web", "shop"), Tracked::default());
        let dropped: Vec<Map<String, Value>> =
            ["a", "b"].map(|name| json!({"name": name}).as_object().cloned().unwrap_or_default()).into();
        let mut report = |dropped: &[_], omitted: &[&'static str]| {
            let compared = Comparison { change: None, dropped: dropped.to_vec(), omitted: omitted.to_vec() };
            Report::no_room(&route, &mut tracked, &compared).map(|report| report.text())
        };
        assert!(report(&[], &["Accepted"]).is_some_and(|note| note.contains("the condition Accepted")));
        assert_eq!(report(&[], &[]), None);
        let mut reported = |dropped: &[_]| report(dropped, &[]);
        assert!(reported(&dropped).is_some_and(|note| note.contains("the entries about a, b")));
        assert_eq!((reported(&dropped), reported(&[]), reported(&[])), (None, None, None));
        assert!(reported(&dropped).is_some());
    }
}
