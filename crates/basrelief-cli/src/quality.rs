//! `basrelief quality`: genotype counts, frequencies, missing genotypes and Hardy-Weinberg tests of a cohort.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use basrelief::{Error, Result};
use basrelief_genetics::{CohortQuality, write_king_table};
use basrelief_io::check_writable;
use basrelief_study::pages::write_file;
use basrelief_study::quality::QualityListing;
use basrelief_study::text::counted;
use basrelief_study::{CohortChoice, Related};
use clap::ArgMatches;

use crate::args;
use crate::cohort;
use crate::exit::{Outcome, audience, note_warnings, say};
use crate::outputs::Outputs;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let (bed, choice) = cohort_of(matches)?;
    let outputs = Outputs::from_args(matches, arguments, &["json", "csv"])?;
    let list = args::path(matches, "write-snplist");
    let table = args::path(matches, "king-table");
    for file in [list, table].into_iter().flatten() {
        check_writable(file)?;
    }
    if table.is_some() && choice.relatives.is_some_and(|relatives| relatives.are_excluded) {
        let problem = "there are no relatives to write, because they are excluded";
        let help = "omit one of both options";
        return Err(Error::option("king_table", problem, help).into());
    }
    let run = args::start_run(matches)?;
    let start = Instant::now();

    let cohort = choice.open(bed, &run)?;
    let quality = CohortQuality::of(&cohort, &run)?;
    let related = match (choice.grouped_above(), table) {
        (None, None) => None,
        (cutoff, _) => Some(Related::find(&cohort, cutoff, &run)?),
    };
    let audience = audience();
    let listing =
        QualityListing::new(bed, &cohort, &quality, &audience, &run).with_related(related.as_ref());
    let (top, of_people) = (matches.get_one("top").copied(), matches.get_flag("people"));
    let (format, look) = (outputs.format(), outputs.look());
    // Files are written after everything that can fail.
    let seconds = start.elapsed().as_secs_f64();
    let page = outputs.page(|options| listing.page(options, seconds, &run))?;
    let result = listing.text(format, top, of_people, look);
    outputs.write(page, &result)?;
    if let Some(list) = list {
        let names: String = cohort.names().iter().map(|name| format!("{name}\n")).collect();
        write_file(list, &names)?;
    }
    if let (Some(table), Some(related)) = (table, &related) {
        write_king_table(table, &cohort, related.above(), &run)?;
    }
    if !args::quiet(matches) {
        note_warnings(cohort.warnings());
        if let Some(list) = list {
            let count = counted(cohort.names().len(), "variant");
            say(&format!("wrote the names of {count} to {}", list.display()));
        }
        if let (Some(table), Some(related)) = (table, &related) {
            let count = counted(related.above().len(), "pair");
            say(&format!(
                "wrote the kinship coefficients of {count} of people to {}",
                table.display()
            ));
        }
        outputs.say_pages();
    }
    outputs.open()
}

/// The cohort that the arguments name.
///
/// # Errors
/// The file is none.
fn cohort_of(matches: &ArgMatches) -> Result<(&Path, CohortChoice)> {
    let bed = cohort::data_path(matches)
        .ok_or_else(|| Error::Internal("the data argument is missing".to_string()))?;
    let choice = cohort::choice(matches)?.ok_or_else(|| Error::File {
        path: bed.to_path_buf(),
        action: "read it as a cohort".to_string(),
        cause: "its name ends with none of .bed, .pgen, .ped, .tped, .vcf and .vcf.gz".into(),
        help: "name a .bed file (with .bim and .fam), a .pgen, .ped or .tped file, or a VCF".into(),
    })?;
    Ok((bed, choice))
}
