//! Clients that people use, unchanged: librdkafka in this process, the others as programs.
//!
//! `programs` need a tool each (kcat, Python, Go, a JVM) and say SKIPPED where it is missing.

mod admin;
mod consuming;
mod groups;
mod librdkafka;
mod producing;
mod programs;
