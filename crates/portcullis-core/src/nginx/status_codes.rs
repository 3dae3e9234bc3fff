//! Lists of status codes in annotations and in the ConfigMap of the controller.

/// The status codes of a list.
pub(super) fn codes(list: &str) -> Vec<u16> {
    list.split(',').filter_map(|code| code.trim().parse().ok()).collect()
}
