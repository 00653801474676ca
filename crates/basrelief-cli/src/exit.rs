//! The end of a command: messages on standard error, and the exit codes 0 (success), 2 (an error in
//! the input or the options), 130 (interrupted) and 1 (any other failure).

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use basrelief::{Audience, Error, FrontEnd, Plan, Warning, wording};
use basrelief_study::text::wrapped;
use clap::error::{ContextKind, ContextValue};

use crate::terminal::width_of_messages;

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of basrelief.
    Error(Error),
    /// Standard output could not be written.
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

/// The result of every verb.
pub(crate) type Outcome = Result<(), Failure>;

/// Runs the program. A panic, which is a bug in basrelief, is reported in one line, with exit code 1.
///
/// Panics of a library that basrelief catches (a Parquet decoder on a damaged file) are not reported.
pub(crate) fn guard(program: impl FnOnce() -> u8) -> u8 {
    static LAST: Mutex<String> = Mutex::new(String::new());
    let wants_trace = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if basrelief_io::panics_are_caught() {
            return;
        }
        if wants_trace {
            usual(panic);
        }
        if let Ok(mut last) = LAST.lock() {
            *last = panic.to_string().replace('\n', " ");
        }
    }));
    catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|_| {
        let what = LAST.lock().map(|last| last.clone()).unwrap_or_default();
        report(Failure::Error(Error::Internal(what)))
    })
}

/// The exit code of a command that succeeded.
pub(crate) const SUCCESS: u8 = 0;
const FAILURE: u8 = 1;
const USER: u8 = 2;
const INTERRUPTED: u8 = 130;

/// Prints the message of clap: refused arguments, the help or the version. Returns the exit code.
pub(crate) fn usage(mut error: clap::Error) -> u8 {
    clean(&mut error);
    match error.print() {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => FAILURE,
        _ if error.use_stderr() => USER,
        _ => SUCCESS,
    }
}

/// Reports a failure on standard error and returns its exit code.
pub(crate) fn report(failure: Failure) -> u8 {
    let (message, code) = match failure {
        // The reader of the output closed it early, which is not a failure.
        Failure::Output(cause) if cause.kind() == io::ErrorKind::BrokenPipe => {
            return SUCCESS;
        }
        Failure::Output(cause) => (format!("cannot write to standard output: {cause}"), FAILURE),
        Failure::Error(error) => {
            let code = match &error {
                Error::Data(_) | Error::Option { .. } | Error::File { .. } => USER,
                Error::Cancelled => INTERRUPTED,
                _ => FAILURE,
            };
            (error.text().mention().to_string(), code)
        }
    };
    // After Ctrl-C both the work and its time limit may end the process: one of them reports it.
    if code != INTERRUPTED || !IS_INTERRUPTED.swap(true, Ordering::Relaxed) {
        say(&format!("error: {message}"));
    }
    code
}

/// Whether an interruption was reported.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the process after Ctrl-C, at any point: output files get their names only when they are complete, so that
/// no file remains half written.
pub(crate) fn interrupted() -> ! {
    std::process::exit(i32::from(report(Failure::Error(Error::Cancelled))))
}

/// Stops the process at once, after a second Ctrl-C.
pub(crate) fn at_once() -> ! {
    std::process::exit(i32::from(INTERRUPTED))
}

thread_local! {
    /// The reader of the messages of the verb that this thread runs.
    static AUDIENCE: RefCell<Audience> = RefCell::new(FrontEnd::CommandLine.into());
}

/// Runs a verb with messages for `audience`: they mention only options that the verb has.
pub(crate) fn speaking_to(audience: Audience, verb: impl FnOnce() -> u8) -> u8 {
    let before = AUDIENCE.replace(audience);
    let code = verb();
    AUDIENCE.set(before);
    code
}

/// A text in which the marked names of options are replaced by those of the verb.
pub(crate) fn spelled(text: &str) -> String {
    AUDIENCE.with_borrow(|audience| audience.spell(&text.into()))
}

/// The reader of the messages of the verb.
pub(crate) fn audience() -> Audience {
    AUDIENCE.with_borrow(Clone::clone)
}

/// Writes lines to standard error, with the option names of the command line and safe for a terminal. A failure to
/// write is ignored, because it cannot be reported.
pub(crate) fn say(line: &str) {
    let width = width_of_messages();
    for line in spelled(line).lines() {
        let line = match width {
            Some(width) => Cow::Owned(wrapped(line, width)),
            None => Cow::Borrowed(line),
        };
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Returns a function that shows notes on standard error, unless `quiet`.
pub(crate) fn note(quiet: bool) -> impl Fn(&str) {
    move |lines| {
        if !quiet {
            lines.lines().for_each(say);
        }
    }
}

/// Shows warnings on standard error, as `note:` if they report an effect that the user requested, otherwise as
/// `warning:`.
pub(crate) fn note_warnings(warnings: &[Warning]) {
    for warning in warnings {
        let label = if warning.is_requested() { "note" } else { "warning" };
        say(&format!("{label}: {}", warning.text().mention()));
    }
}

/// Shows a plan on standard error, line by line.
pub(crate) fn explain(plan: &Plan) {
    let lines = plan.lines();
    if lines.is_empty() {
        say("this method does not plan a neighbor search");
    }
    for (of, text) in lines {
        say(&format!("{of:<8} {text}"));
    }
}

/// Makes the arguments that a message of clap repeats safe for a terminal.
fn clean(error: &mut clap::Error) {
    let one = |text: &String| wording::clean(text).into_owned();
    let cleaned: Vec<(ContextKind, ContextValue)> = error
        .context()
        .filter_map(|(kind, value)| {
            let value = match value {
                ContextValue::String(text) => ContextValue::String(one(text)),
                ContextValue::Strings(texts) => {
                    ContextValue::Strings(texts.iter().map(one).collect())
                }
                // Advice may repeat an argument. Its colors are removed as well.
                ContextValue::StyledStrs(texts) if kind == ContextKind::Suggested => {
                    let plain = texts.iter().map(|text| one(&text.to_string()).into());
                    ContextValue::StyledStrs(plain.collect())
                }
                _ => return None,
            };
            Some((kind, value))
        })
        .collect();
    for (kind, value) in cleaned {
        error.insert(kind, value);
    }
}
