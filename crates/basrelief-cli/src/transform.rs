//! `basrelief transform`: maps the rows of a file with a saved model.

use basrelief::data::{Column, DenseMatrix, Table};
use basrelief::{Error, Result};
use basrelief_io::{check_output, read_model, write_csv_to, write_table};
use basrelief_study::text::counted;
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, note_warnings, say};
use crate::input::source;
use crate::names::list;
use crate::output::print_data;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let mut source = source(matches)?;
    let run = args::start_run(matches)?;
    let model_file = args::path(matches, "model")
        .ok_or_else(|| Error::Internal("the model argument is missing".to_string()))?;
    let output = args::path(matches, "output");
    if let Some(file) = output {
        check_output(file)?;
    }
    let model = read_model(model_file)?;
    // The columns keep the kinds that they had in the fit of the map, whatever the values look like here.
    source.take_as_encoded(model.map.encoding());

    // A model identifies its variants by their names, on any chromosome.
    source.take_all_chromosomes();
    let (table, _) = source.features(&run)?;
    let kept = list(matches, "keep")?
        .iter()
        .map(|name| table.find(name))
        .collect::<Result<Vec<_>>>()
        .map_err(|error| error.in_file(source.name()))?;
    let (mapped, warnings) = model
        .map
        .transform_with_warnings(&table, &run)
        .map_err(|error| error.in_file(source.name()))?;
    run.check()?;
    let mut columns = components(&mapped, &model.method)?;
    columns.extend(table.select_columns(&kept).into_columns());
    let result = Table::new(columns)?;
    match output {
        Some(file) => write_table(file, &result, &run)?,
        None => {
            let mut text = Vec::new();
            write_csv_to(&mut text, &result, None, &run)?;
            print_data(&String::from_utf8_lossy(&text))?;
        }
    }
    if !args::quiet(matches) {
        note_warnings(&warnings);
    }
    if let Some(file) = output
        && !args::quiet(matches)
    {
        let (rows, components) = (mapped.rows(), model.map.components());
        say(&format!(
            "wrote {}: {}, {} of {}",
            file.display(),
            counted(rows, "row"),
            counted(components, "component"),
            model.method
        ));
    }
    Ok(())
}

/// One column per component: `lfe_1`, `lfe_2`, ….
fn components(mapped: &DenseMatrix, method: &str) -> Result<Vec<Column<'static>>> {
    (0..mapped.columns())
        .map(|component| {
            let values = mapped.iter().map(|row| row[component]).collect();
            Column::from_values(format!("{method}_{}", component + 1), values)
        })
        .collect()
}
