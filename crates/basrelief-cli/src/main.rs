//! The program `basrelief`; all of it is in the library beside it.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(basrelief_cli::run(std::env::args_os()))
}
