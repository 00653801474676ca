//! How a command ends: messages to standard error, and the exit codes 0 (done), 2 (the user's
//! input or options), 130 (interrupted), 1 (anything else).

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

/// Why a command did not finish.
#[derive(Debug)]
pub(crate) enum Failure {
    /// basrelief's own errors.
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

/// Runs the whole program; a panic, which is a fault of ours, ends in one line and exit code 1.
///
/// Panics that a library raises and we catch (a Parquet decoder on a damaged file) say nothing.
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

/// Done.
pub(crate) const SUCCESS: u8 = 0;
const FAILURE: u8 = 1;
const USER: u8 = 2;
const INTERRUPTED: u8 = 130;

/// Ends after clap refused the arguments, or printed help or the version.
pub(crate) fn usage(mut error: clap::Error) -> u8 {
    clean(&mut error);
    match error.print() {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => FAILURE,
        _ if error.use_stderr() => USER,
        _ => SUCCESS,
    }
}

/// Tells the failure and gives its exit code.
pub(crate) fn report(failure: Failure) -> u8 {
    let (message, code) = match failure {
        // The reader of our output has seen enough: not our failure.
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

/// Ends the process after Ctrl-C, whatever it is doing: outputs are renamed to their names when they are
/// complete, so none is left half written.
pub(crate) fn interrupted() -> ! {
    std::process::exit(i32::from(report(Failure::Error(Error::Cancelled))))
}

/// Stops the process at once, as after a second Ctrl-C.
pub(crate) fn at_once() -> ! {
    std::process::exit(i32::from(INTERRUPTED))
}

thread_local! {
    /// The reader of the messages of the verb that this thread runs.
    static AUDIENCE: RefCell<Audience> = RefCell::new(FrontEnd::CommandLine.into());
}

/// Runs a verb whose messages are read by `audience`: they advise no options that the verb lacks.
pub(crate) fn speaking_to(audience: Audience, verb: impl FnOnce() -> u8) -> u8 {
    let before = AUDIENCE.replace(audience);
    let code = verb();
    AUDIENCE.set(before);
    code
}

/// A text with mentions, in the words of the verb.
pub(crate) fn spelled(text: &str) -> String {
    AUDIENCE.with_borrow(|audience| audience.spell(&text.into()))
}

/// The reader of the messages of the verb.
pub(crate) fn audience() -> Audience {
    AUDIENCE.with_borrow(Clone::clone)
}

/// Writes lines to standard error, in the words of the command line and safe for a terminal. A failure to write is
/// ignored, because there is no place to report it.
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

/// Shows the notes of long work, unless the user wants none.
pub(crate) fn note(quiet: bool) -> impl Fn(&str) {
    move |lines| {
        if !quiet {
            lines.lines().for_each(say);
        }
    }
}

/// Shows warnings on standard error; `warning:` is for what the user did not ask for.
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
        say("this method plans no search of neighbors");
    }
    for (of, text) in lines {
        say(&format!("{of:<8} {text}"));
    }
}

/// Makes what clap repeats of the arguments safe for a terminal.
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
                // Advice, which may repeat an argument; its colors go with the rest.
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
