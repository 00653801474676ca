//! `basrelief completions` and `basrelief man`: completion scripts for shells, and manual pages.

use std::path::Path;

use basrelief::Error;
use basrelief_io::check_replaceable;
use basrelief_study::pages::write_file;
use clap::ArgMatches;
use clap_complete::Shell;

use crate::args;
use crate::exit::{Failure, Outcome, say};
use crate::output::print;
use crate::verbs;

/// Prints the script that completes the program's arguments in a shell.
pub(crate) fn completions(matches: &ArgMatches) -> Outcome {
    let shell = matches.get_one::<Shell>("shell").copied();
    let shell = shell.ok_or_else(|| Error::Internal("the shell is missing".to_string()))?;
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut verbs::command(), "basrelief", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Prints the manual page of the program or of a verb, or writes all of them to a folder.
pub(crate) fn man(matches: &ArgMatches) -> Outcome {
    let mut command = verbs::command();
    command.build();
    if let Some(folder) = args::path(matches, "output") {
        std::fs::create_dir_all(folder).map_err(|cause| Error::File {
            path: folder.to_path_buf(),
            action: "create the folder".to_string(),
            cause: cause.into(),
            help: "name another folder".into(),
        })?;
        write_pages(&command, "basrelief", folder, args::replaces(matches)?)?;
        say(&format!("wrote manual pages to {}", folder.display()));
        return Ok(());
    }
    let page = match matches.get_one::<String>("verb") {
        None => page(command, "basrelief")?,
        Some(verb) => {
            let found = command.find_subcommand(verb).cloned().ok_or_else(|| {
                Error::option("verb", format!("`{verb}` is not a verb"), "see basrelief --help")
            })?;
            page(found, &format!("basrelief-{verb}"))?
        }
    };
    print(&page)
}

/// Writes the pages of a command and of its subcommands.
fn write_pages(command: &clap::Command, name: &str, folder: &Path, replace: bool) -> Outcome {
    let text = page(command.clone(), name)?;
    let file = folder.join(format!("{name}.1"));
    check_replaceable(&file, replace)?;
    write_file(&file, &text)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        write_pages(verb, &format!("{name}-{}", verb.get_name()), folder, replace)?;
    }
    Ok(())
}

/// A page in the format of `man`.
fn page(command: clap::Command, name: &str) -> Result<String, Failure> {
    let mut text = Vec::new();
    let named = command.display_name(name.to_string());
    clap_mangen::Man::new(named).render(&mut text).map_err(Failure::Output)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
