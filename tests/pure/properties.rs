//! Properties of all objects, compared with oracles that share no code with the tested one. All random values come from
//! a seed, which a failure prints.

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
