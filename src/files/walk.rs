//! Finds the manifest files of a folder, each once even if several links lead to it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::exclusion::Exclusion;

/// The files and folders found under some roots.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The files that are named like manifests.
    pub files: Vec<PathBuf>,
    /// Links that are named like manifests and whose target does not exist.
    pub dangling: Vec<PathBuf>,
    /// Links to files and folders outside the roots, with their targets. They are not followed.
    pub outside: Vec<(PathBuf, PathBuf)>,
    /// Files and folders whose names begin with a dot.
    pub hidden: Vec<PathBuf>,
    /// Files whose names show that they are templates or backups of manifests.
    pub templates: Vec<PathBuf>,
    /// Folders that cannot be listed, with the error.
    pub closed: Vec<(PathBuf, io::Error)>,
    /// The roots without a file that is named like a manifest.
    pub empty: Vec<PathBuf>,
    /// Whether a file or folder was found that is excluded whichever path leads to it.
    pub has_excluded: bool,
    /// The canonical paths of all files and folders found so far.
    visited: HashSet<PathBuf>,
    /// Links that are followed after everything else, so that a file that is also reachable without a link is listed by
    /// its own path.
    links: Vec<PathBuf>,
    /// How many paths are named like manifests, including those that were found before.
    named: usize,
    /// Files and folders that are left out.
    exclusion: Exclusion,
    /// The root that is being listed.
    root: PathBuf,
    /// The canonical paths of all roots.
    real_roots: Vec<PathBuf>,
}

/// File extensions of manifests, in any letter case.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];
/// What may follow such an extension in the name of a backup (`a.yaml~`) or of a related format (`json5`, `jsonc`).
const OTHER_DIALECTS: [&str; 3] = ["~", "5", "c"];
/// Folders of version control systems, which contain no manifests.
const TOOL_FOLDERS: [&str; 3] = [".git", ".hg", ".svn"];

impl Walk {
    /// Lists everything under `roots`, except for what is excluded. Fails if a root does not exist.
    pub fn of(roots: &[PathBuf], exclusion: &Exclusion) -> io::Result<Self> {
        let real_roots = roots.iter().filter_map(|root| fs::canonicalize(root).ok()).collect();
        let (visited, exclusion) = (exclusion.real().clone(), exclusion.clone());
        let mut walk = Self { exclusion, visited, real_roots, ..Self::default() };
        for root in roots {
            let before = walk.named;
            walk.root.clone_from(root);
            if root.as_os_str() == "-" && !root.exists() {
                let message = "standard input is not read here: pass the path of a file or folder";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
            let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", root.display()));
            let is_folder = fs::metadata(root).map_err(named)?.is_dir();
            // A root without a canonical path, such as a pipe, is identified by the given path.
            let real = fs::canonicalize(root).unwrap_or_else(|_| root.clone());
            match is_folder {
                true => walk.folder(root, &real).map_err(named)?,
                false => walk.file(root.clone(), real),
            }
            walk.follow_links();
            if walk.named == before {
                walk.empty.push(root.clone());
            }
        }
        walk.files.sort();
        walk.templates.sort();
        Ok(walk)
    }

    fn file(&mut self, path: PathBuf, real: PathBuf) {
        self.named += 1;
        self.has_excluded |= self.exclusion.real().contains(&real);
        if !self.exclusion.excludes(&self.root, &path) && self.visited.insert(real) {
            self.files.push(path);
        }
    }

    fn folder(&mut self, path: &Path, real: &Path) -> io::Result<()> {
        if !self.visited.insert(real.to_owned()) {
            self.named += 1;
            self.has_excluded |= self.exclusion.real().contains(real);
            return Ok(());
        }
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let (path, kind, name) = (entry.path(), entry.file_type()?, entry.file_name());
            let name = name.to_string_lossy();
            if self.exclusion.excludes(&self.root, &path) {
                continue;
            }
            if name.starts_with('.') {
                // A mounted volume keeps its versions under names that begin with two dots.
                let is_tool_folder = name.starts_with("..") || TOOL_FOLDERS.contains(&&*name);
                self.hidden.extend((!is_tool_folder).then_some(path));
            } else if kind.is_symlink() {
                self.links.push(path);
            } else if kind.is_dir() {
                let real = real.join(&*entry.file_name());
                if let Err(error) = self.folder(&path, &real) {
                    self.closed.push((path, error));
                }
            } else if kind.is_file() && is_manifest(&path) {
                let real = real.join(&*entry.file_name());
                self.file(path, real);
            } else if kind.is_file() && is_template(&name) {
                self.templates.push(path);
            }
        }
        Ok(())
    }

    fn follow_links(&mut self) {
        let mut links = std::mem::take(&mut self.links);
        links.sort_by(|left, right| right.cmp(left));
        while let Some(link) = links.pop() {
            match fs::canonicalize(&link) {
                Ok(real) if self.is_outside(&real) => {
                    if real.is_dir() || real.is_file() && is_manifest(&link) {
                        self.named += 1;
                        self.outside.push((link, real));
                    }
                }
                Ok(real) if real.is_dir() => {
                    if let Err(error) = self.folder(&link, &real) {
                        self.closed.push((link, error));
                    }
                    links.append(&mut self.links);
                }
                Ok(real) if real.is_file() && is_manifest(&link) => self.file(link, real),
                Ok(_) => {}
                Err(_) if is_manifest(&link) => self.dangling.push(link),
                Err(_) => {}
            }
        }
    }

    /// Whether the target of a link is neither below a root nor known already.
    fn is_outside(&self, real: &PathBuf) -> bool {
        !self.visited.contains(real) && !self.real_roots.iter().any(|root| real.starts_with(root))
    }
}

/// The number of files in `hidden` that are named like manifests. Links are not followed.
pub(super) fn count(hidden: &Path) -> usize {
    let Ok(kind) = fs::symlink_metadata(hidden) else { return 0 };
    if !kind.is_dir() {
        return usize::from(kind.is_file() && is_manifest(hidden));
    }
    let entries = fs::read_dir(hidden).into_iter().flatten().flatten();
    entries.map(|entry| count(&entry.path())).sum()
}

/// Whether the name of a file or a folder begins with a dot.
pub(super) fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// Whether a name is that of a manifest with a suffix: `a.yaml.tmpl`, `a.yml.j2`, `a.json.bak`, `a.yaml~`, `a.json5`.
fn is_template(name: &str) -> bool {
    let mut parts = name.split('.').skip(1);
    parts.any(|part| {
        let rest = EXTENSIONS.iter().find_map(|known| {
            let (start, rest) = part.split_at_checked(known.len())?;
            start.eq_ignore_ascii_case(known).then_some(rest)
        });
        rest.is_some_and(|rest| rest.is_empty() || OTHER_DIALECTS.contains(&rest))
    })
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|kind| EXTENSIONS.iter().any(|known| kind.eq_ignore_ascii_case(known)))
}
