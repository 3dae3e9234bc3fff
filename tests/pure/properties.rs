//! Laws that hold for every object, held against oracles that share no code with what they judge. All randomness comes from a seed,
//! which a failure names.

mod agree;
mod agree_http_proxy;
mod attach;
mod balance;
mod delegation;
mod discretion;
mod drawn;
mod given_back;
mod hosts;
mod index;
mod meets;
mod needs;
mod owners;
mod ratchet;
mod same;
