//! Selects the SNPs whose weights are larger than chance alone makes them: `cargo run --example select`.

use basrelief::data::Roles;
use basrelief::data::synth::{Generated, generator};
use basrelief::inference::{
    Correction, Draws, NoStore, PermutationTest, Permutations, Sided, Significance,
};
use basrelief::maps::FeatureRanking;
use basrelief::methods::wrappers::for_targets;
use basrelief::methods::{Problem, method};
use basrelief::{Result, Run};

/// 400 people with 20 SNPs, of which two determine the class together.
fn people(run: &Run) -> Result<Generated> {
    let kind = generator("xor")?;
    kind.generate(&kind.settings(&[("rows", "400")])?, run)
}

/// The weights, and a test that controls the family-wise error rate at 5 % (max-T).
fn select(data: &Generated, run: &Run) -> Result<(FeatureRanking, Significance)> {
    let relieff = method("relieff")?;
    let settings = relieff.settings(&[("n_neighbors", "30")])?;
    let problem = Problem::new(&data.table, &data.target)?;
    let weights = relieff.fit(&problem, &settings, run)?.model;

    let permutations = Permutations::new(&data.target, Roles::default(), run)?;
    let test = PermutationTest {
        permutations: &permutations,
        draws: Draws::Fixed(199),
        sided: Sided::One,
        correction: Correction::MaxT,
        alpha: 0.05,
    };
    // The neighbors do not depend on the target, so they are searched once for all permutations.
    let mut prepared = for_targets(relieff, &settings, &[], &problem, run)?;
    let found = test.run(&mut *prepared, weights.weights(), &NoStore, run)?;
    Ok((weights, found))
}

fn main() -> Result<()> {
    let run = Run::new(None)?.with_seed(1);
    let data = people(&run)?;
    let (weights, found) = select(&data, &run)?;
    for feature in weights.order().into_iter().filter(|&feature| found.selected[feature]) {
        let (name, p) = (&weights.names()[feature], found.p_values[feature]);
        println!("{name:<10} {:+.3}  p = {p:.3}", weights.weights()[feature]);
    }
    Ok(())
}

#[test]
fn the_two_relevant_snps_are_selected() {
    main().unwrap();
    let run = Run::new(None).unwrap().with_seed(1);
    let data = people(&run).unwrap();
    let (weights, found) = select(&data, &run).unwrap();
    let names = weights.names().iter().zip(&found.selected);
    let selected: Vec<&String> =
        names.filter(|(_, selected)| **selected).map(|(name, _)| name).collect();
    assert!(data.truth.relevant.iter().all(|name| selected.contains(&name)), "{selected:?}");
}
