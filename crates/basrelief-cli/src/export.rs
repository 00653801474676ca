//! `basrelief export`: writes a linear map as a plain matrix, for other programs.

use std::path::{Path, PathBuf};

use basrelief::data::Table;
use basrelief::maps::{LinearMap, Map};
use basrelief::{Error, Result};
use basrelief_io::{Model, check_output, check_writable, read_model, write_table};
use basrelief_study::encoding;
use basrelief_study::pages::write_file;
use clap::ArgMatches;
use serde_json::json;

use crate::args;
use crate::exit::{Outcome, say};

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let run = args::start_run(matches)?;
    let path = |name| args::path(matches, name);
    let (Some(model_file), Some(output)) = (path("model"), path("output")) else {
        return Err(Error::Internal("the arguments of export are missing".to_string()).into());
    };
    let beside = beside(output)?;
    let model = read_model(model_file)?;
    let Map::Linear(map) = &model.map else {
        return Err(Error::File {
            path: model_file.to_path_buf(),
            action: "export it as a matrix".to_string(),
            cause: "it is a kernel map, which is not a matrix of the features".into(),
            help:
                "map the rows with `basrelief transform`, or read the model file, which contains \
                   plain arrays"
                    .into(),
        }
        .into());
    };
    let told = description(&model, map, output);
    write_table(output, &matrix(map)?, &run)?;
    write_file(&beside, &format!("{told:#}\n"))?;
    if !args::quiet(matches) {
        let (rows, columns) = (map.components(), map.names().len());
        say(&format!("wrote {}: {rows} x {columns}", output.display()));
        say(&format!("wrote {}", beside.display()));
    }
    Ok(())
}

/// The path of the description of the matrix; checks that both files can be written.
///
/// # Errors
/// The output is not a `.npy` file, or one of the two files cannot be written.
fn beside(output: &Path) -> Result<PathBuf> {
    if !output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy")) {
        return Err(Error::File {
            path: output.to_path_buf(),
            action: "write a matrix to it".to_string(),
            cause: "the ending of its name is not .npy".into(),
            help: "matrices are written as NumPy files; use a file name ending in .npy".into(),
        });
    }
    let beside = description_file(output);
    check_output(output)?;
    check_writable(&beside)?;
    Ok(beside)
}

/// The path of the description of the matrix: everything that is needed to apply it.
pub(crate) fn description_file(output: &Path) -> PathBuf {
    output.with_extension("json")
}

/// The matrix as a table, a row per component.
fn matrix(map: &LinearMap) -> Result<Table<'_>> {
    let names: Vec<String> = (1..=map.names().len()).map(|place| place.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Table::from_row_major(map.matrix().values(), map.components(), &names)
}

/// The description of the matrix: everything that is needed to apply it, and how it was computed.
fn description(model: &Model, map: &LinearMap, output: &Path) -> serde_json::Value {
    let component = |row: &[f64]| -> f64 {
        -row.iter().zip(map.mean()).map(|(entry, mean)| entry * mean).sum::<f64>()
    };
    let offset: Vec<f64> = map.matrix().iter().map(component).collect();
    let name = output.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut told = json!({
        "basrelief": env!("CARGO_PKG_VERSION"),
        "method": model.method,
        "options": model.options,
        "seed": model.seed,
        "matrix": name,
        "shape": [map.components(), map.names().len()],
        "apply": "matrix @ x + offset",
        "offset": offset,
        "mean": map.mean(),
        "features": map.names(),
    });
    if let Some(encoding) = encoding::whole(map.encoding()) {
        told["encoding"] = encoding;
    }
    told
}
