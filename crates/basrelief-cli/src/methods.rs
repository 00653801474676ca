//! `basrelief methods`: what the registry lists.

use basrelief::methods::wrappers::{WRAPPERS, WrapperInfo};
use basrelief::methods::{METHODS, MethodInfo, OptionInfo};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::exit::Outcome;
use crate::output::{Destination, Format};

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let destination = Destination::from_args(matches)?;
    let text = match destination.format() {
        Format::Json => {
            let methods: Vec<Value> = METHODS.iter().map(|info| as_json(info)).collect();
            let wrappers: Vec<Value> = WRAPPERS.iter().map(|info| wrapper_as_json(info)).collect();
            let all = json!({
                "basrelief": env!("CARGO_PKG_VERSION"),
                "methods": methods,
                "wrappers": wrappers,
            });
            format!("{all:#}\n")
        }
        _ => as_text(),
    };
    destination.write(&text)
}

fn option_as_json(option: &OptionInfo) -> Value {
    json!({
        "name": option.name,
        "flag": format!("--{}", option.flag),
        "values": option.kind.grammar(),
        "default": option.default,
        "help": option.help,
    })
}

fn wrapper_as_json(info: &WrapperInfo) -> Value {
    let options: Vec<Value> = info
        .options
        .iter()
        .map(|option| {
            let mut described = option_as_json(option);
            // A wrapper's options are written behind its name.
            described["flag"] = format!("--wrap {}:{}=", info.name, option.flag).into();
            described
        })
        .collect();
    json!({
        "name": info.name,
        "purpose": info.purpose,
        "source": info.source,
        "options": options,
    })
}

fn as_json(info: &MethodInfo) -> Value {
    let options: Vec<Value> = info.options.iter().map(|option| option_as_json(option)).collect();
    json!({
        "name": info.name,
        "task": info.task.name(),
        "purpose": info.purpose,
        "source": info.source,
        "options": options,
    })
}

fn as_text() -> String {
    let mut text = String::new();
    for info in METHODS {
        text.push_str(&format!(
            "{}  ({}; {})\n    {}\n",
            info.name,
            info.task.name(),
            info.source,
            info.purpose
        ));
        let options: Vec<String> = info
            .options
            .iter()
            .map(|option| format!("--{} {}", option.flag, option.default))
            .collect();
        if !options.is_empty() {
            text.push_str(&format!("    options and defaults: {}\n", options.join(" ")));
        }
    }
    text.push_str("\nWrappers around any of them (--wrap):\n");
    for info in WRAPPERS {
        let options: Vec<String> = info
            .options
            .iter()
            .map(|option| format!("{}={}", option.flag, option.default))
            .collect();
        text.push_str(&format!(
            "{}  ({})\n    {}\n    options and defaults: {}:{}\n",
            info.name,
            info.source,
            info.purpose,
            info.name,
            options.join(",")
        ));
    }
    text.push_str("\nWhat the options mean: basrelief rank --help\n");
    text
}
