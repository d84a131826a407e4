//! Clients that are programs. Each test is skipped, loudly, where its program is missing.

mod go;
mod java;
mod kcat;
mod python;
