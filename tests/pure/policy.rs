//! The effects of the configuration, tested by the responses to reviews.

mod asked;
mod consent;
mod errors;
mod exemptions;
mod kep;
mod layers;
mod many;
mod names;
mod reservations;
mod schema;
mod selectors;
mod unreadable;
mod waiting;
