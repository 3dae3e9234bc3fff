//! Portcullis: admission checks for a cluster's north-south traffic.
