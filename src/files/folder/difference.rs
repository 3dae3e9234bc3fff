//! The events that bring a view up to date after files have changed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::Folder;
use super::content::Content;
use crate::files::cause::UnreadCause;
use crate::files::unread::Unread;
use portcullis_core::cluster::{Event, Facts};
use portcullis_core::kinds::ObjectRef;

impl Folder {
    /// The events that lead from the previous state to the current one. Like the content of a broken file, an object
    /// that can no longer be decoded keeps its last decoded facts. Without such facts it is marked as unreadable, or,
    /// if its kind has no such mark, the objects of the kind are not completely known.
    pub(super) fn difference(&mut self) -> Vec<Event> {
        self.known.begin();
        let closed = self.walk.closed.iter().map(|(folder, error)| closed(folder, error));
        let outside = self.walk.outside.iter().map(|(link, target)| outside(link, target));
        self.unread = closed.chain(self.walk.dangling.iter().map(|link| dangling(link))).chain(outside).collect();
        for unread in self.files.values().flat_map(|file| &file.contents.unread).chain(&self.unread) {
            self.known.doubt(unread);
        }
        let files = self.files.values().map(|file| &file.contents).collect();
        let content = Content {
            files,
            beside: Vec::new(),
            above: Vec::new(),
            files_above: Vec::new(),
            classes: &self.classes,
            skipped: None,
        };
        let (now, unread) = content.objects(&mut self.known, &self.objects);
        let mut events = changes(&self.objects, &now);
        events.extend(content.learned(&mut self.known));
        self.unread.extend(unread);
        self.objects = now;
        events
    }
}

/// The events that turn the objects `before` into those of `now`, deletions first.
pub(super) fn changes(before: &BTreeMap<ObjectRef, Facts>, now: &BTreeMap<ObjectRef, Facts>) -> Vec<Event> {
    let gone = before.keys().filter(|object_ref| !now.contains_key(*object_ref)).cloned().map(Event::Delete);
    let new = now.iter().filter(|(object_ref, facts)| before.get(*object_ref) != Some(*facts));
    gone.chain(new.map(|(_, facts)| Event::Apply(facts.clone()))).collect()
}

/// The entry for a folder that cannot be listed.
fn closed(folder: &Path, error: &std::io::Error) -> Unread {
    Unread::of_file(&Arc::from(folder), UnreadCause::NotOpened, format!("cannot be listed: {error}"))
}

/// The entry for a link whose target does not exist.
fn dangling(link: &Path) -> Unread {
    let message = "is a link to a file that does not exist: restore the file or remove the link";
    Unread::of_file(&Arc::from(link), UnreadCause::NotOpened, message.to_owned())
}

/// The entry for a link that is not followed, because its target is not in a given folder.
fn outside(link: &Path, target: &Path) -> Unread {
    let message = format!(
        "is a link to {} outside the given folders, which is not followed: pass the target, too, or exclude the link",
        target.display()
    );
    Unread::of_file(&Arc::from(link), UnreadCause::LinkOutside, message)
}
