//! The writes for which a check has another setting than for all others, as expressions of CEL. Policies leave them to the webhook.

use jiff::Timestamp;
use portcullis_core::checks::registry;
use portcullis_core::config::{CheckSetting, Config, Expiry, Match, Validity};
use portcullis_core::finding::Action;

use super::cel::{matches, quoted};

/// These writes.
pub(super) struct Exemptions {
    /// A condition for each kind of them.
    pub writes: Vec<String>,
    /// Which of the conditions select more writes than the configuration does, each as a sentence.
    pub left_out: Vec<String>,
}

impl Exemptions {
    /// The writes that have other settings of the check `id` under a configuration.
    pub(super) fn of(id: &str, config: &Config, now: Timestamp) -> Self {
        let mut exemptions = Self { writes: Vec::new(), left_out: Vec::new() };
        let Some(check) = registry::find(id) else { return exemptions };
        let family = id.split('/').next().unwrap_or_default();
        let applies = |pattern: &str| pattern == id || pattern == "*" || pattern.strip_suffix("/*") == Some(family);
        // Options may differ, too.
        let differs = |setting: &CheckSetting| setting.action != Some(Action::Deny) || !check.options.is_empty();
        for (position, exemption) in config.exemptions.iter().enumerate() {
            let is_of_check = exemption.checks.iter().any(|pattern| applies(pattern));
            if is_of_check && Expiry::validity(exemption.expires, now) != Validity::Over {
                exemptions.add(&exemption.only, format!("writes that exemptions[{position}] selects"));
            }
        }
        for (position, layer) in config.overrides.iter().enumerate() {
            let lowers = layer.checks.iter().any(|(pattern, setting)| applies(pattern) && differs(setting));
            let theme =
                layer.themes.iter().any(|(theme, action)| theme.value == check.theme && *action != Action::Deny);
            if lowers || theme || layer.profile.is_some() || layer.max_action.is_some() {
                exemptions.add(&layer.only, format!("writes that overrides[{position}] selects"));
            }
        }
        for (pattern, setting) in config.checks.iter().filter(|(pattern, _)| applies(pattern)) {
            if let Some(only) = setting.only.as_ref().filter(|_| differs(setting)) {
                exemptions.add(only, format!("writes that the match of {} selects", pattern.as_str()));
            }
        }
        if let Some(label) = &config.namespace_profile_label {
            exemptions.writes.push(format!("({} in variables.labels)", quoted(label)));
            let profiles = format!("namespaces with the label {}, which choose a profile", label.as_str());
            exemptions.left_out.push(profiles);
        }
        exemptions
    }

    fn add(&mut self, written: &Match, what: String) {
        let (expression, is_wider) = matches(written);
        self.writes.push(expression);
        if is_wider {
            self.left_out.push(format!("{what}, regardless of `ingressClasses` and `extra`"));
        }
    }
}
