//! The program `basrelief`, which calls the library of this crate.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(basrelief_cli::run(std::env::args_os()))
}
