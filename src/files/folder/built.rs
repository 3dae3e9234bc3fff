//! Texts of a folder that are not files: standard input, and what tools build.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Folder;
use crate::files::build::bases;
use crate::files::cause::UnreadCause;
use crate::files::chart;
use crate::files::chunks::chunks;
use crate::files::contents::FileContents;
use crate::files::read::{Reading, decoded, parse_as};
use crate::files::unread::Unread;

impl Folder {
    /// Adds a text as if it were the content of the file `name`, such as standard input.
    pub fn with_text(self, name: &Path, bytes: Vec<u8>) -> Self {
        let Some(text) = decoded(bytes) else {
            let message = "is not UTF-8 text".to_owned();
            let unread = vec![Unread::of_file(&Arc::from(name), UnreadCause::NotText, message)];
            return self.with_contents(name, None, FileContents { unread, ..FileContents::default() });
        };
        let contents = parse_as(name, &text, self.reading(false));
        self.with_contents(name, Some(text), contents)
    }

    /// Adds what was built from the kustomization in `folder`, as if it were the content of the file `name`. Positions in it are unknown.
    pub fn with_built(self, folder: &Path, name: &Path, text: &str) -> Self {
        if chunks(text).next().is_none() {
            return self.with_unbuilt(name, UnreadCause::NothingBuilt, NO_OBJECT.to_owned());
        }
        let contents = FileContents { bases: bases(folder), ..parse_as(name, text, self.reading(false)) };
        self.with_contents(name, None, contents)
    }

    /// Adds a template that Helm rendered. No tool fills in variables there.
    fn with_rendered(self, name: &Path, text: &str) -> Self {
        let contents = parse_as(name, text, Reading { variables: None, ..self.reading(false) });
        self.with_contents(name, None, contents)
    }

    /// Adds what Helm rendered from the chart in `chart`: each document as if its template contained it.
    pub fn with_chart(self, chart: &Path, text: &str) -> Self {
        let mut templates: BTreeMap<PathBuf, String> = BTreeMap::new();
        for chunk in chunks(text) {
            let template = chunk.text.lines().find_map(|line| line.strip_prefix("# Source: "));
            // The first folder is the name of the chart.
            let path = template.and_then(|path| path.split_once('/')).map_or(chart::FILE, |(_, path)| path);
            let rendered = templates.entry(chart.join(path)).or_default();
            rendered.push_str(chunk.text);
            rendered.push('\n');
        }
        if templates.is_empty() {
            return self.with_unbuilt(&chart.join(chart::FILE), UnreadCause::NothingBuilt, NO_RENDERED.to_owned());
        }
        templates.into_iter().fold(self, |folder, (template, text)| folder.with_rendered(&template, &text))
    }

    /// Adds a chart that only other charts use. It is skipped like an object of a kind that is not checked.
    pub fn with_library(self, chart: &Path) -> Self {
        let name = chart.join(chart::FILE);
        let warning = format!("{}: not checked: a library chart renders nothing by itself", name.display());
        self.with_contents(&name, None, FileContents { others: 1, warnings: vec![warning], ..FileContents::default() })
    }

    /// Adds a folder from which a tool could not build manifests. It may contain objects of any kind.
    pub fn with_failed_build(self, name: &Path, message: &str) -> Self {
        self.with_unbuilt(name, UnreadCause::NotBuilt, format!("cannot be built: {message}"))
    }

    fn with_unbuilt(self, name: &Path, cause: UnreadCause, message: String) -> Self {
        let unread = vec![Unread::of_file(&Arc::from(name), cause, message)];
        self.with_contents(name, None, FileContents { unread, ..FileContents::default() })
    }
}

/// The messages about folders from which nothing is built.
const NO_OBJECT: &str = "builds no object: add resources, or leave the folder out with --exclude";
const NO_RENDERED: &str = "renders no object: set the values that enable one with --values or --set, the APIs that it asks for with \
                           --api-versions, or leave the chart out with --exclude";
