//! The example in Rust of `docs/start.md`: ranks the SNPs of `snps.csv` in the current folder, with a permutation test.
//!
//! ```sh
//! basrelief synth xor --rows 800 --features 50 --seed 1 --output snps.csv
//! cargo run -p basrelief-study --example start
//! ```

use basrelief::inference::Draws;
use basrelief::{Result, Run};
use basrelief_study::text::{Format, Look};
use basrelief_study::{Source, Study, TestPlan};

fn main() -> Result<()> {
    let run = Run::new(None)?;
    let study = Study::new(Source::new("snps.csv"), "class")
        .with_method("relieff", &[("n_neighbors", "50")])?
        .with_test(TestPlan::new(Draws::Fixed(200)));
    let (data, outcome) = study.rank(&run, &|note| eprintln!("{note}"))?;
    let ranking = study.ranking(&data, &outcome, &run);
    print!("{}", ranking.text(Format::Table, Some(3), Look::of_file()));
    Ok(())
}
