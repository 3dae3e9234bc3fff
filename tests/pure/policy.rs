//! What the words of the configuration mean, seen through the answers to reviews.

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
