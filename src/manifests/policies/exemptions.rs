//! The writes for which a check has another setting than for all others, as expressions of CEL. Policies leave them to the webhook.

use jiff::Timestamp;
use portcullis_core::checks::ignore::names;
use portcullis_core::checks::resolve::exempted;
use portcullis_core::checks::{Profile, registry};
use portcullis_core::config::{CheckSetting, Config, Expiry, Match, Validity};
use portcullis_core::finding::Action;

use super::cel::matches;

/// These writes.
pub(super) struct Exemptions {
    /// A condition for each kind of them.
    pub writes: Vec<String>,
    /// Which writes these are, in words.
    pub left_out: Vec<String>,
}

impl Exemptions {
    /// The writes that have other settings of the check `id` under a configuration.
    pub(super) fn of(id: &str, config: &Config, now: Timestamp) -> Self {
        let mut exemptions = Self { writes: Vec::new(), left_out: Vec::new() };
        let Some(check) = registry::find(id) else { return exemptions };
        let applies = |pattern: &str| names(pattern, id);
        // Options may differ, too.
        let has_options = !check.options.is_empty();
        let differs = |setting: &CheckSetting| setting.action != Some(Action::Deny) || has_options;
        for position in exempted(check, config) {
            let exemption = &config.exemptions[position];
            if Expiry::validity(exemption.expires, now) != Validity::Over {
                exemptions.add(&exemption.only, format!("exemptions[{position}]"));
            }
        }
        for (position, layer) in config.overrides.iter().enumerate() {
            let of_check = layer.checks.iter().any(|(pattern, setting)| applies(pattern) && differs(setting));
            let of_theme =
                layer.themes.iter().any(|(theme, action)| theme.value == check.theme && *action != Action::Deny);
            let denies = |profile: &&Profile| check.actions.of(**profile) == Action::Deny && !has_options;
            let denying = || Profile::ALL.iter().filter(denies).map(|profile| profile.name());
            let of_profile =
                layer.profile.as_ref().is_some_and(|profile| denying().all(|name| name != profile.as_str()));
            let of_maximum = layer.max_action.as_ref().is_some_and(|most| most.value.action() != Action::Deny);
            if of_check || of_theme || of_profile || of_maximum {
                exemptions.add(&layer.only, format!("overrides[{position}]"));
            }
        }
        for (pattern, setting) in config.checks.iter().filter(|(pattern, _)| applies(pattern)) {
            if let Some(only) = setting.only.as_ref().filter(|_| differs(setting)) {
                exemptions.add(only, format!("the match of {}", pattern.as_str()));
            }
        }
        exemptions
    }

    fn add(&mut self, written: &Match, by: String) {
        let (expression, is_wider) = matches(written);
        self.writes.push(expression);
        self.left_out.push(match is_wider {
            true => format!("writes that {by} selects, whatever its `ingressClasses` and `extra`"),
            false => format!("writes that {by} selects"),
        });
    }
}
