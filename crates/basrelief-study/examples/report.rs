//! Ranks the columns of a file and writes the page of the ranking.
//!
//! ```sh
//! cargo run --example report -- patients.csv outcome report.html
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};

use basrelief::inference::Draws;
use basrelief::{Result, Run};
use basrelief_study::{PageFile, PageOptions, Source, Study, TestPlan, ranking_page};

/// Ranks the columns of `data` by ReliefF with a permutation test, and writes the page.
fn report(data: &Path, target: &str, page: PathBuf) -> Result<()> {
    let run = Run::new(None)?;
    // Refused now rather than after the work.
    let page = PageFile::new(page, false)?;
    let study = Study::new(Source::new(data), target)
        .with_method("relieff", &[("n_neighbors", "10")])?
        .with_test(TestPlan::new(Draws::Fixed(199)));
    let (data, outcome) = study.rank(&run, &|note| eprintln!("{note}"))?;
    let ranking = study.ranking(&data, &outcome, &run);
    for (name, rank, weight) in ranking.features().take(5) {
        println!("{rank}. {name} {weight:+.4}");
    }
    page.write(&ranking_page(&ranking, data.roles(), &PageOptions::default(), &run)?.html)
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, data, target, page] = arguments.as_slice() else {
        return Err("give a file, the column of the target and a file for the page".into());
    };
    Ok(report(Path::new(data), target, page.into())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_a_file_shows_what_ranks_first() -> std::result::Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let (data, page) = (folder.path().join("flowers.csv"), folder.path().join("page.html"));
        let rows: String = (0..60)
            .map(|row| format!("{},{},{}\n", row % 2 * 5 + row % 3, row * 7 % 11, row % 2))
            .collect();
        std::fs::write(&data, format!("width,noise,kind\n{rows}"))?;
        report(&data, "kind", page.clone())?;
        let html = std::fs::read_to_string(&page)?;
        assert!(html.contains("width") && html.contains("</html>"));
        // An existing page is not replaced.
        let error = report(&data, "kind", page).unwrap_err();
        assert!(error.to_string().contains("exists"), "{error}");
        Ok(())
    }
}
