//! Finds the lines and columns of findings and of repeated definitions. Files are read again for this, so that a folder does not keep
//! their texts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::cause::UnreadCause;
use super::folder::Folder;
use super::manifest::{Manifest, Origin};
use super::positions::Node;
use super::unread::Unread;
use portcullis_core::field::{FieldPath, Segment};
use portcullis_core::kinds::DecodeError;
use portcullis_core::report::Position;

/// Finds positions in the files of a folder. It keeps the last file and document, so manifests should come in order.
#[derive(Debug)]
pub struct Locator<'f> {
    folder: &'f Folder,
    last: Option<LocatedFile>,
}

#[derive(Debug)]
struct LocatedFile {
    path: Arc<Path>,
    text: String,
    /// The offset of the first byte of each line.
    lines: Vec<usize>,
    /// The last document, by its number.
    document: Option<(usize, Node)>,
}

impl<'f> Locator<'f> {
    /// A locator for the manifests of `folder`.
    pub const fn new(folder: &'f Folder) -> Self {
        Self { folder, last: None }
    }

    /// The position of a field of the manifest or, if it is absent, of the nearest field above it. An empty address is
    /// that of the object. `None` if the file has changed and cannot be read any more.
    pub fn position(&mut self, manifest: &Manifest, at: &FieldPath) -> Option<Position> {
        if self.last.as_ref().is_none_or(|last| last.path != manifest.file) {
            let text = self.folder.text(&manifest.file)?;
            self.last = Some(LocatedFile::new(Arc::clone(&manifest.file), text));
        }
        self.last.as_mut()?.position(self.folder, &manifest.origin, at)
    }

    /// A document that is not read, with its position. That of an object that cannot be decoded is the first field of the wrong type.
    pub fn located(&mut self, unread: &Unread) -> Unread {
        let position = unread.position.or_else(|| {
            let object_ref = unread.object.as_ref().filter(|_| unread.cause == UnreadCause::WrongType)?;
            let is_it = |manifest: &&Manifest| {
                manifest.object_ref == *object_ref
                    && Some(manifest.origin.document) == unread.document
                    && manifest.file == unread.file
            };
            let manifest = self.folder.manifests().find(is_it)?;
            self.position(manifest, &DecodeError::of(object_ref.kind, &manifest.json).at)
        });
        Unread { position, ..unread.clone() }
    }

    /// The definitions of objects that differ from the first definition of the same object, as documents that are not read where only
    /// the first counts.
    pub fn other_definitions(&mut self) -> Vec<Unread> {
        let (mut first, mut others) = (BTreeMap::new(), Vec::new());
        for manifest in self.folder.manifests() {
            let before: &Manifest = first.entry(&manifest.object_ref).or_insert(manifest);
            if before.json != manifest.json {
                let unread = Unread::of_definition(manifest, &before.file);
                others.push(Unread { position: self.position(manifest, &FieldPath::default()), ..unread });
            }
        }
        others
    }
}

impl LocatedFile {
    fn new(path: Arc<Path>, text: String) -> Self {
        let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
        let lines = [0].into_iter().chain(starts).collect();
        Self { path, text, lines, document: None }
    }

    fn position(&mut self, folder: &Folder, origin: &Origin, at: &FieldPath) -> Option<Position> {
        let filled = folder.filled(&self.text);
        let document = match self.document.take() {
            Some((number, node)) if number == origin.document => node,
            _ => Node::of(filled.text.get(origin.bytes.clone())?),
        };
        let items = origin.items.iter().flat_map(|index| [Segment::Field("items".into()), Segment::Index(*index)]);
        let path: Vec<Segment> = items.chain(at.segments().iter().cloned()).collect();
        let offset = document.find(&path);
        let offset = filled.offset(origin.bytes.start + offset);
        self.document = Some((origin.document, document));
        self.line_and_column(offset)
    }

    fn line_and_column(&self, offset: usize) -> Option<Position> {
        let line = self.lines.partition_point(|start| *start <= offset);
        let before = self.text.get(*self.lines.get(line.checked_sub(1)?)?..offset)?;
        let column = before.trim_start_matches('\u{feff}').chars().count() + 1;
        Some(Position { line, column })
    }
}
