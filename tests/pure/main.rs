//! Tests that need no server, no control plane and no other process. Tests that share servers are in `tests/it`.

mod adversarial;
mod agreement;
mod annotations;
mod canary;
mod channels;
mod compare;
mod corpus;
mod data_planes;
mod defaults;
mod enforcement;
mod explain;
mod fields;
mod fuzz;
mod guides;
mod holds;
mod issuer;
mod lease;
mod matching;
mod pages;
mod policies;
mod policy;
mod properties;
mod recorded;
mod requests;
mod status;
mod tables;
