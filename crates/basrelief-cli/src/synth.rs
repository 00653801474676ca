//! `basrelief synth`: generates data sets with a known truth.

use std::path::Path;

use basrelief::data::synth::{Ancestry, Generated, GeneratorInfo, generator, repeated};
use basrelief::data::{Categories, Column, Table, Target};
use basrelief::methods::Settings;
use basrelief::{Error, Result, Run};
use basrelief_genetics::{CohortContent, check_cohort_output, is_bed, write_cohort};
use basrelief_io::{check_output, check_writable, write_csv_to, write_table};
use basrelief_study::pages::write_file;
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args;
use crate::exit::{Outcome, say};
use crate::output::print_data;
use basrelief_study::text::counted;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let Some((kind, matches)) = matches.subcommand() else {
        return Err(Error::Internal("the kind is missing".to_string()).into());
    };
    let info = generator(kind)?;
    let settings = info.settings(&args::given(info.options(), matches))?;
    let run = args::start_run(matches)?;
    let output = args::path(matches, "output");
    let truth = args::path(matches, "truth");
    if let Some(path) = output {
        if is_bed(path) { check_cohort_output(path)? } else { check_output(path)? }
    }
    if let Some(path) = truth {
        check_writable(path)?;
    }

    let repeats = matches.try_get_one::<usize>("rows-per-subject").ok().flatten().copied();
    if repeats.is_some() && output.is_some_and(is_bed) {
        let problem = "a cohort has one genotype per person";
        let help = "write a table, such as .csv, or omit the option";
        return Err(Error::option("rows_per_subject", problem, help).into());
    }
    let data = info.generate(&settings, &run)?;
    let (data, subject) = match repeats {
        None => (data, None),
        Some(times) => {
            let (data, subject) = repeated(data, times, run.seed())?;
            (data, Some(subject))
        }
    };
    match output {
        Some(path) if is_bed(path) => write_cohort_of(path, &data, &run)?,
        Some(path) => write_table(path, &whole_table(&data, subject)?, &run)?,
        None => {
            let mut text = Vec::new();
            write_csv_to(&mut text, &whole_table(&data, subject)?, None, &run)?;
            print_data(&String::from_utf8_lossy(&text))?;
        }
    }
    if let Some(path) = truth {
        write_file(path, &truth_json(info, &settings, &run, &data))?;
    }
    if let Some(output) = output.filter(|_| !args::quiet(matches)) {
        say(&format!(
            "wrote {}: {}, {}; relevant: {}",
            output.display(),
            counted(data.table.rows(), "row"),
            counted(data.table.width(), "feature"),
            data.truth.relevant.join(", ")
        ));
        // A .npy file has no names.
        let has_names = output.extension().is_none_or(|own| !own.eq_ignore_ascii_case("npy"));
        let width = data.table.width();
        let name = |own: &str, place: usize| match has_names {
            true => own.to_string(),
            false => format!("x{}", width + place),
        };
        let target = match &data.target {
            // The target of a cohort is its phenotype.
            _ if is_bed(output) => String::new(),
            Target::Survival(_) => {
                format!(" --time {} --event {}", name(data.target_name, 1), name("event", 2))
            }
            _ => format!(" --target {}", name(data.target_name, 1)),
        };
        let group = match (repeats.is_some(), data.families.is_empty()) {
            (true, _) => " --group subject",
            (false, true) => "",
            (false, false) if is_bed(output) => " --group fid",
            (false, false) => " --group family",
        };
        let target = target + group;
        say(&format!("rank it with: basrelief rank {}{target}", output.display()));
    }
    Ok(())
}

/// Writes the features and the target (the last column) in the format that the ending of the file specifies.
pub(crate) fn write_data(path: &Path, data: &Generated, run: &Run) -> Result<()> {
    write_table(path, &whole_table(data, None)?, run)
}

/// Writes the files of a cohort. The family ID of a person with relatives is the family (`family1`, `family2`, …). If
/// there are no families but several populations, it is the population (`pop1`, `pop2`, …). With several populations,
/// the coordinates of ancestry (`PC1`, `PC2`, …) are covariates; if there are also families, so is the population.
fn write_cohort_of(bed: &Path, data: &Generated, run: &Run) -> Result<()> {
    let populations = |Ancestry { population, .. }: &Ancestry| -> Vec<String> {
        population.iter().map(|number| format!("pop{}", number + 1)).collect()
    };
    let populations = data.ancestry.as_ref().map(populations);
    let coordinates = data.ancestry.iter().flat_map(|ancestry| &ancestry.coordinates);
    let mut covariates: Vec<(String, Vec<String>)> = coordinates
        .zip(1..)
        .map(|(values, number)| {
            (format!("PC{number}"), values.iter().map(f64::to_string).collect())
        })
        .collect();
    let families = match (families(data), populations) {
        (None, populations) => populations,
        (families, None) => families,
        (families, Some(populations)) => {
            covariates.push(("population".to_string(), populations));
            families
        }
    };
    let content = CohortContent {
        table: &data.table,
        target: &data.target,
        families: families.as_deref(),
        parents: &data.parents,
        covariates: &covariates,
    };
    write_cohort(bed, &content, run)
}

/// The family ID of people without relatives.
const NO_FAMILY: &str = "0";

/// The family of every row: `family1`, `family2`, …, and `0` for people without relatives; `None` if there are no
/// families.
fn families(data: &Generated) -> Option<Vec<String>> {
    let name = |family: &Option<u32>| match family {
        Some(number) => format!("family{}", number + 1),
        None => NO_FAMILY.to_string(),
    };
    (!data.families.is_empty()).then(|| data.families.iter().map(name).collect())
}

/// The table of the features, the subject of every row if rows are repeated, the family if there are families, and the
/// target, which is the last column.
fn whole_table<'d>(data: &'d Generated, subject: Option<Column<'d>>) -> Result<Table<'d>> {
    let target = data.target.columns(data.target_name)?;
    // In a table, people without relatives are families of one.
    let family = families(data).map(|names| {
        let own = (1..).zip(names).map(|(row, name)| match name.as_str() {
            NO_FAMILY => format!("person{row}"),
            _ => name,
        });
        let own: Vec<String> = own.collect();
        let labels = own.iter().map(|name| Some(name.as_str()));
        Column::categorical("family", Categories::from_texts(labels))
    });
    let columns = data.table.columns().iter().cloned().chain(subject).chain(family).chain(target);
    Table::new(columns.collect())
}

/// The truth about a generated data set, and everything that is needed to generate it again.
pub(crate) fn truth_json(
    info: &GeneratorInfo,
    settings: &Settings,
    run: &Run,
    data: &Generated,
) -> String {
    let mut all = json!({
        "basrelief": env!("CARGO_PKG_VERSION"),
        "kind": info.name,
        "options": settings.to_json(),
        "seed": run.seed(),
        "target": data.target_name,
    });
    if let Value::Object(fields) = &mut all {
        fields.extend(data.truth.to_json());
    }
    format!("{all:#}\n")
}
