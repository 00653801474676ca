//! The methods that exist.

use basrelief::methods::{MAP_METHODS, METHODS, OptionInfo, WRAPPERS};

use crate::answer::{Answer, Value};

/// The methods, maps and wrappers: `relief_methods()`. One entry per column of a data frame: `name`, `type` (`weights`,
/// `map` or `wrapper`), `task`, `purpose`, `source` and `options`, and whether it `has_k`.
pub fn methods() -> Answer {
    let mut rows: Vec<[String; 6]> = Vec::new();
    let options = |all: &[&OptionInfo]| {
        let names: Vec<&str> = all.iter().map(|option| shown(option.name)).collect();
        names.join(", ")
    };
    for info in METHODS {
        let [task, purpose, source] =
            [info.task.name(), info.purpose, info.source].map(str::to_string);
        rows.push([
            info.name.to_string(),
            "weights".to_string(),
            task,
            purpose,
            source,
            options(info.options),
        ]);
    }
    for info in MAP_METHODS {
        let task = info.task().map_or("none", |task| task.name());
        let [task, purpose, source] = [task, info.purpose, info.source].map(str::to_string);
        rows.push([
            info.name.to_string(),
            "map".to_string(),
            task,
            purpose,
            source,
            options(&info.all_options()),
        ]);
    }
    for info in WRAPPERS {
        let [task, purpose, source] = ["any", info.purpose, info.source].map(str::to_string);
        rows.push([
            info.name.to_string(),
            "wrapper".to_string(),
            task,
            purpose,
            source,
            options(info.options),
        ]);
    }
    let names = ["name", "type", "task", "purpose", "source", "options"];
    let column = |place: usize| Value::texts(rows.iter().map(|row| row[place].clone()));
    Answer(
        names.iter().enumerate().map(|(place, name)| (name.to_string(), column(place))).collect(),
    )
}

/// The name of an option as an argument of the functions of the package.
fn shown(name: &'static str) -> &'static str {
    if name == "n_neighbors" { "k" } else { name }
}
