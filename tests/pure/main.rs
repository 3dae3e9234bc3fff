//! Tests that need no server, no control plane and no other process. What shares servers is in `tests/it`.

mod adversarial;
mod agreement;
mod channels;
mod corpus;
mod data_planes;
mod defaults;
mod explain;
mod fields;
mod fuzz;
mod matching;
mod policy;
mod properties;
mod tables;
