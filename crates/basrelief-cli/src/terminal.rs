//! The width and the characters of standard output and standard error.

use std::io::{self, IsTerminal};

use basrelief_study::text::{DEFAULT_WIDTH, Look};

/// The look of tables on standard output.
pub(crate) fn look_of_standard_output() -> Look {
    if !io::stdout().is_terminal() {
        return Look { width: DEFAULT_WIDTH, colors: false, ascii: locale_is_ascii() };
    }
    let width = terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| width.0.into());
    let set =
        |name| std::env::var_os(name).is_some_and(|value: std::ffi::OsString| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    Look { width, colors: !set("NO_COLOR") && !dumb, ascii: locale_is_ascii() }
}

/// Whether the locale does not support Unicode. Without a locale (as in a container, or on Windows), Unicode is
/// assumed.
fn locale_is_ascii() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var_os(name).filter(|value| !value.is_empty()));
    set.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}

/// The width at which messages on standard error are wrapped: that of the terminal. `None` where standard error is
/// not a terminal, so that programs find every message in one line.
pub(crate) fn width_of_messages() -> Option<usize> {
    let terminal = io::stderr().is_terminal().then(terminal_size::terminal_size);
    terminal.map(|size| size.map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0).max(40)))
}
