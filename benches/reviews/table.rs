//! The tables that a bench prints, in Markdown.

use std::fmt;

/// A measurement and its bound.
pub struct Row {
    /// What was measured.
    pub what: String,
    /// The figures before the bound, one per column.
    pub figures: Vec<String>,
    /// The value to compare with the bound, in the same unit.
    pub value: f64,
    /// The maximum value, if there is one.
    pub bound: Option<f64>,
}

/// A table.
pub struct Table {
    /// The heading of each column of figures.
    pub figures: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| what | {} | at most | held |", self.figures.join(" | "))?;
        writeln!(f, "|---|{}---|---|", "---|".repeat(self.figures.len()))?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = self.bound.map_or("-".to_owned(), |bound| format!("{bound}"));
        let held = match self.bound {
            Some(bound) if self.value <= bound => "yes",
            Some(_) => "**no**",
            None => "-",
        };
        write!(f, "| {} | {} | {bound} | {held} |", self.what, self.figures.join(" | "))
    }
}

/// A row with one figure.
pub fn figure(what: &str, value: f64, bound: Option<f64>) -> Row {
    let digits = if value.fract() == 0.0 { 0 } else { 2 };
    Row { what: what.to_owned(), figures: vec![format!("{value:.digits$}")], value, bound }
}

/// Bytes as MiB.
pub fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
