//! Differences that are accepted, in a file beside the objects.

use jiff::civil::Date;
use serde::Deserialize;
use thiserror::Error;

use super::HostResult;

/// The content of a file of accepted differences.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The differences.
    pub accept: Vec<AcceptedDifference>,
}

/// A difference that is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedDifference {
    /// The host as `compare` prints it; absent for every host.
    pub host: Option<String>,
    /// A part of the text about what differs.
    pub difference: String,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it is.
    pub expires: Date,
}

impl AcceptedDifference {
    /// Why it is accepted, and how long.
    fn why(&self) -> String {
        format!("{} (until {})", self.reason, self.expires)
    }
}

/// Whether a text contains these words: `web/p` is not a part of `web/prod`.
fn has_words(text: &str, words: &str) -> bool {
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '-';
    let touches =
        |beside: Option<char>, own: Option<char>| beside.is_some_and(is_of_word) && own.is_some_and(is_of_word);
    text.match_indices(words).any(|(start, _)| {
        let (before, after) = (text[..start].chars().next_back(), text[start + words.len()..].chars().next());
        !touches(before, words.chars().next()) && !touches(after, words.chars().next_back())
    })
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct AcceptedError(String);

impl Accepted {
    /// Parses the text of a file.
    pub fn parse(text: &str) -> Result<Self, AcceptedError> {
        let read: Self = serde_saphyr::from_str(text).map_err(|error| AcceptedError(error.to_string()))?;
        match read.accept.iter().any(|entry| entry.difference.trim().is_empty()) {
            true => Err(AcceptedError("`difference` is empty: use a part of the text that is printed".to_owned())),
            false => Ok(read),
        }
    }

    /// Marks the differences that are accepted on this day, and removes what is accepted of what is not compared and of `unread`. Returns
    /// a note about each text that is removed, and about each entry that accepts nothing.
    pub fn apply(&self, hosts: &mut [HostResult], unread: &mut Vec<String>, today: Date) -> Vec<String> {
        let mut is_used = vec![false; self.accept.len()];
        let entry = |host: Option<&str>, text: &str| {
            self.accept.iter().position(|entry| {
                let is_of_host = entry.host.as_deref().is_none_or(|own| Some(own) == host);
                entry.expires >= today && is_of_host && has_words(text, &entry.difference)
            })
        };
        let mut notes = Vec::new();
        let mut retain = |texts: &mut Vec<String>, host: Option<&str>, is_used: &mut [bool]| {
            texts.retain(|text| match entry(host, text) {
                None => true,
                Some(index) => {
                    is_used[index] = true;
                    notes.push(format!("accepted, {}: {text}", self.accept[index].why()));
                    false
                }
            });
        };
        retain(unread, None, &mut is_used);
        for host in hosts {
            let name = host.host.to_string();
            retain(&mut host.not_compared, Some(&name), &mut is_used);
            for difference in &mut host.differences {
                // Everything that differs must be accepted.
                let texts = difference.reasons();
                let entries: Option<Vec<usize>> = texts.iter().map(|text| entry(Some(&name), text)).collect();
                let Some(entries) = entries else { continue };
                entries.iter().for_each(|entry| is_used[*entry] = true);
                difference.accepted = entries.first().map(|entry| self.accept[*entry].why());
            }
        }
        let unused = self.accept.iter().zip(is_used).filter(|(_, is_used)| !is_used);
        notes.extend(unused.map(|(entry, _)| match entry.expires < today {
            true => format!("`{}` is accepted only until {}", entry.difference, entry.expires),
            false => format!("`{}` is accepted, and nothing differs like that", entry.difference),
        }));
        notes
    }
}
