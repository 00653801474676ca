//! Tests of cohorts through the public interface. One binary, because linking takes longer than running.

mod kinship;
mod ped;
mod plink;
mod plink2;
mod quality;
mod texts;
mod vcf;

use basrelief::Run;

fn run() -> Run {
    Run::new(Some(1)).unwrap()
}
