//! Which files of a folder are manifests: each once, whatever links lead to it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What is found under some roots.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The files with manifests.
    pub files: Vec<PathBuf>,
    /// Links to nowhere that are named like manifests.
    pub dangling: Vec<PathBuf>,
    /// Files and folders whose names begin with a dot.
    pub hidden: Vec<PathBuf>,
    /// Files whose names say that manifests are made from them, or were kept of them.
    pub templates: Vec<PathBuf>,
    /// Folders that cannot be listed, and why.
    pub closed: Vec<(PathBuf, io::Error)>,
    /// The roots under which no file is named like a manifest.
    pub empty: Vec<PathBuf>,
    /// Where everything that was met really is.
    met: HashSet<PathBuf>,
    /// Links that are followed once everything else was met, so that what is met twice has its own name.
    links: Vec<PathBuf>,
    /// How many files are named like manifests; what was met before counts too.
    named: usize,
}

/// The extensions of manifests, in any case.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];
/// What follows such an extension in the name of a backup, or of a language beside it.
const OTHER_DIALECTS: [&str; 3] = ["~", "5", "c"];
/// Folders of tools, in which nobody keeps manifests.
const OF_TOOLS: [&str; 3] = [".git", ".hg", ".svn"];

impl Walk {
    /// Everything under `roots`. An error means that one of them is not there.
    pub fn of(roots: &[PathBuf]) -> io::Result<Self> {
        let mut walk = Self::default();
        for root in roots {
            let before = walk.named;
            if root.as_os_str() == "-" && !root.exists() {
                let message = "`-` is not read as standard input: pass /dev/stdin, or the path of a file or folder";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
            let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", root.display()));
            let is_folder = fs::metadata(root).map_err(named)?.is_dir();
            // What has no path of its own, such as a pipe, is met once by the name that was given.
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
        if self.met.insert(real) {
            self.files.push(path);
        }
    }

    fn folder(&mut self, path: &Path, real: &Path) -> io::Result<()> {
        if !self.met.insert(real.to_owned()) {
            self.named += 1;
            return Ok(());
        }
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let (path, kind, name) = (entry.path(), entry.file_type()?, entry.file_name());
            let name = name.to_string_lossy();
            if name.starts_with('.') {
                // A mounted volume keeps its versions under names with two dots.
                let is_of_tools = name.starts_with("..") || OF_TOOLS.contains(&&*name);
                self.hidden.extend((!is_of_tools).then_some(path));
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
}

/// How many files below `hidden` are named like manifests; links are not followed.
pub(super) fn count(hidden: &Path) -> usize {
    let Ok(kind) = fs::symlink_metadata(hidden) else { return 0 };
    if !kind.is_dir() {
        return usize::from(kind.is_file() && is_manifest(hidden));
    }
    let entries = fs::read_dir(hidden).into_iter().flatten().flatten();
    entries.map(|entry| count(&entry.path())).sum()
}

/// Whether a name is that of a manifest but for what follows: `a.yaml.tmpl`, `a.yml.j2`, `a.json.bak`, `a.yaml~`, `a.json5`.
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
