//! Renders the status of IngressRoutes as a table and as JSON.

use serde::Serialize;

use crate::kinds::ObjectRef;
use crate::message::sanitize;
use crate::routing::delegation::IngressRouteStatus;

/// The column headings of the table.
const HEAD: [&str; 5] = ["NAMESPACE", "NAME", "STATUS", "ROOT", "DESCRIPTION"];

/// The status of one object.
#[derive(Debug, Serialize)]
pub struct StatusEntry {
    /// `Kind/namespace/name`.
    #[serde(rename = "ref")]
    pub reference: String,
    #[serde(skip)]
    object_ref: ObjectRef,
    /// The content of the object's `status`.
    pub status: IngressRouteStatus,
}

impl StatusEntry {
    /// The entry for the object at `object_ref`.
    pub fn new(object_ref: &ObjectRef, status: IngressRouteStatus) -> Self {
        let reference = format!("{}/{}/{}", object_ref.kind, object_ref.namespace, object_ref.name);
        Self { reference, object_ref: object_ref.clone(), status }
    }

    fn row(&self) -> [String; 5] {
        let roots: Vec<&str> = self.status.roots.iter().map(|root| &*root.fqdn).collect();
        let ObjectRef { namespace, name, .. } = &self.object_ref;
        let failing = self.status.conditions.iter().skip(1).filter(|condition| condition.status == "False");
        let says = std::iter::once(&self.status.description).chain(failing.map(|condition| &condition.message));
        let says: Vec<&str> = says.map(String::as_str).collect();
        let cells = [namespace, name, self.status.current_status, &*roots.join(","), &*says.join("; ")];
        cells.map(sanitize)
    }
}

/// The entries as a JSON list.
pub fn json(entries: &[StatusEntry]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(entries).map(|text| text + "\n")
}

/// The entries as a table with one line each.
pub fn table(entries: &[StatusEntry]) -> String {
    let rows: Vec<_> = std::iter::once(HEAD.map(str::to_owned)).chain(entries.iter().map(StatusEntry::row)).collect();
    let widths: [usize; 5] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let line = |row: &[String; 5]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
