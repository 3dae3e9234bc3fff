//! The effects of the configuration, tested by the responses to reviews.

mod added_claims;
mod claims_of_findings;
mod consent;
mod effect;
mod errors;
mod exemptions;
mod files;
mod first_holder;
mod first_namespace;
mod ineffective;
mod kep;
mod layers;
mod losses;
mod max_action;
mod misspelled;
mod names;
mod omitted_findings;
mod overrides;
mod required_options;
mod reservations;
mod review_fixture;
mod schema;
mod selectors;
mod unknown_age;
mod unreadable;
mod waiting;
