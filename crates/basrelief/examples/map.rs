//! Learns a map from some rows and classifies others by their nearest neighbors under it: `cargo run --example map`.

use basrelief::data::holdout;
use basrelief::data::synth::generator;
use basrelief::evaluate::{Dimensions, KnnSettings, NestedCv, ParameterGrid};
use basrelief::methods::{Lfe, MapSettings, Scaling, fit_map};
use basrelief::{Result, Run};

/// The dimensions of the map, and the share of wrong classes of held-out rows by k-NN in it.
fn learn(run: &Run) -> Result<(usize, f64)> {
    // Three classes of noisy waves, 21 measurements of each row.
    let kind = generator("waveform")?;
    let data = kind.generate(&kind.settings(&[("rows", "300")])?, run)?;

    // A picture: the two directions that separate near rows of different classes best.
    let settings = MapSettings::new().n_components(Some(2));
    let lfe = Lfe::new().n_neighbors(5);
    let fitted = fit_map(&lfe, &data.table, Some(&data.target), &settings, run)?;
    let points = fitted.model.transform_table(&data.table, run)?;
    println!("the first row lies at {:.2?}", points.row(0));

    // The error on rows that the map has not seen; dimensions and neighbors are chosen within the others.
    let split = holdout(&data.target, None, run.seed(), |rows| rows / 3);
    let nested_cv = NestedCv {
        table: &data.table,
        target: &data.target,
        groups: None,
        weights: None,
        knn: KnnSettings::default(),
        dimensions: Dimensions::Spread,
        counts: vec![1, 5, 15],
        folds: 3,
    };
    let outcome = nested_cv.evaluate(&ParameterGrid::parse("lfe", Scaling::None)?, &split, run)?;
    println!("{} dimensions, {:.1} % wrong", outcome.dimensions, 100.0 * outcome.loss);
    Ok((points.columns(), outcome.loss))
}

fn main() -> Result<()> {
    learn(&Run::new(None)?)?;
    Ok(())
}

#[test]
fn the_map_separates_the_classes() {
    main().unwrap();
    let (dimensions, loss) = learn(&Run::new(None).unwrap()).unwrap();
    assert_eq!(dimensions, 2);
    // Guessing the largest class is wrong in about two thirds of the rows.
    assert!(loss < 0.4, "{loss}");
}
