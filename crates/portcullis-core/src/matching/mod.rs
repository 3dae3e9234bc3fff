//! The algebra of hosts and paths: canonical forms, and whether one equals, covers or overlaps another.
//!
//! The input is text from manifests, and the output is values that can be compared. This module does not know the state
//! of the cluster.

pub mod alias;
pub mod annotation_effect;
pub mod annotation_names;
pub mod annotation_table;
pub mod claim_name;
pub mod claimed_host;
pub mod claims;
pub mod class_names;
pub mod compile;
pub mod conditions;
pub mod controller;
pub mod data_plane;
pub mod expressions;
pub mod gateway_dialect;
pub mod glob;
pub mod host;
pub mod host_set;
pub mod kong_fields;
pub mod listener_choice;
pub mod load_balancer_conditions;
pub mod mark;
pub mod nginx_locations;
pub mod order_annotations;
pub mod ordered_rule;
pub mod overlap;
mod overlapping_values;
pub mod path;
pub mod path_expression;
pub mod path_interpretation;
pub mod path_overlaps;
pub mod pattern;
mod plain_pattern;
pub mod predicate;
pub mod prefix_tree;
pub mod readers;
pub mod request;
pub mod route;
pub mod rule_order;
pub mod simple_expression;
pub mod skipper_predicates;

pub use claimed_host::ClaimedHost;
pub use claims::Claims;
pub use data_plane::DataPlaneHints;
pub use gateway_dialect::{GatewayDialect, Normalization};
pub use host::{Depth, Host};
pub use host_set::HostSet;
pub use mark::Mark;
pub use nginx_locations::NginxLocations;
pub use path::{Path, PathType};
pub use pattern::Pattern;
pub use predicate::{PathTest, ValueTest};
pub use readers::{Direction, Readers};
pub use route::Route;
