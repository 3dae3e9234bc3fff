//! `portcullis why`: which checks a denial names, which line of the configuration decides, and what to do.

use std::io::{IsTerminal, Read, stdin};
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use super::config::explain::{SubjectArgs, chain};
use super::{exit, print_text};
use portcullis_core::kinds::Kind;
use portcullis_core::report::catalog::CatalogEntry;
use portcullis_core::report::denial::Denial;

/// What a denial without a finding means: docs/denied.md, "It failed without a finding".
const UNANSWERED: &str = "\
No check has evaluated the write that failed: the API server got no answer of the webhook of Portcullis, which has failurePolicy: Fail. The end of the
text says why.

apply again: the API server has already repeated the review for up to 5 seconds; an object that is too large is denied each time
platform team: see /readyz?verbose and the logs of the replicas; `portcullis disarm` stops enforcement meanwhile
";

/// The text of a denial, and the configuration that decides.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The message that kubectl printed, an audit annotation, or a line of the log of the webhook; without one, it is read from
    /// standard input.
    text: Vec<String>,
    #[command(flatten)]
    subject: SubjectArgs,
}

impl WhyArgs {
    /// Prints the checks that the text names, each with what decides and what to do.
    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        let denial = Denial::read(&self.text()?);
        if denial.is_unanswered {
            print_text(UNANSWERED)?;
            if denial.checks.is_empty() {
                return Ok(ExitCode::from(exit::SUCCESS));
            }
        }
        if denial.checks.is_empty() {
            bail!(
                "the text names no check of this version: a denial of Portcullis ends in an id such as [host/path-conflict]; one without \
                 an id is from the API server or another webhook"
            );
        }
        if self.subject.namespace.is_empty() {
            self.subject.namespace = denial.namespace.unwrap_or_default();
        }
        let kind = denial.kind.unwrap_or(Kind::Ingress);
        if self.subject.namespace.is_empty() && kind.api().namespaced {
            eprintln!(
                "portcullis: note: the text does not name the namespace, which may decide; give it with --namespace"
            );
        }
        if denial.is_warning {
            eprintln!(
                "portcullis: note: the text is a warning, which denies no write; below is what decides whether the check denies"
            );
        }
        denial.user.into_iter().for_each(|user| self.subject.user.or_named(user));
        let (plan, decisions) = self.subject.decide(kind)?;
        let decided = |id: &&str| decisions.iter().find(|decision| decision.check.id == *id);
        let named = denial.checks.iter().filter_map(decided);
        let parts: Vec<String> = named
            .filter_map(|decision| {
                let id = decision.check.id;
                let advice = CatalogEntry::find(id)?.advice();
                let chain = chain(&plan, decision);
                Some(format!("{chain}\n{advice}\nThe whole page: portcullis checks show {id} --full\n"))
            })
            .collect();
        print_text(&parts.join("\n"))?;
        Ok(ExitCode::from(exit::SUCCESS))
    }

    fn text(&self) -> anyhow::Result<String> {
        if !self.text.is_empty() {
            return Ok(self.text.join(" "));
        }
        if stdin().is_terminal() {
            bail!("pass the text of the denial as an argument, or on standard input");
        }
        let mut text = String::new();
        stdin().read_to_string(&mut text)?;
        Ok(text)
    }
}
