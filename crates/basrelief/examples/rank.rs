//! Ranks the features of a table with a missing value, a category and noise: `cargo run --example rank`.

use basrelief::Result;
use basrelief::data::{Categories, Column, Table, Target};
use basrelief::methods::ReliefF;

/// Patients: the diagnosis depends on the pressure and on whether they smoke, and not on the height.
fn patients() -> Result<(Table<'static>, Target)> {
    let (mut pressure, mut height, mut smokes, mut diagnosis) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for patient in 0..60_u32 {
        let high = patient % 2 == 0;
        let smoker = patient % 3 == 0;
        pressure.push(f64::from(if high { 150 } else { 110 } + patient % 7));
        height.push(f64::from(150 + (patient * 37) % 50));
        smokes.push(Some(if smoker { "yes" } else { "no" }));
        diagnosis.push(if high || smoker { "ill" } else { "healthy" });
    }
    // A measurement that is missing.
    pressure[5] = f64::NAN;
    let table = Table::new(vec![
        Column::numeric("pressure", pressure)?,
        Column::numeric("height", height)?,
        Column::categorical("smokes", Categories::from_texts(smokes)),
    ])?;
    Ok((table, Target::from_labels(&diagnosis)))
}

fn main() -> Result<()> {
    let (table, target) = patients()?;
    let fitted = ReliefF::new().n_neighbors(5).fit(&table, &target)?;
    for feature in fitted.model.order() {
        println!("{:<10} {:+.3}", fitted.model.names()[feature], fitted.model.weights()[feature]);
    }
    for warning in &fitted.report.warnings {
        eprintln!("warning: {warning}");
    }
    Ok(())
}

#[test]
fn the_height_is_last() {
    main().unwrap();
    let (table, target) = patients().unwrap();
    let fitted = ReliefF::new().n_neighbors(5).fit(&table, &target).unwrap();
    assert_eq!(fitted.model.order()[2], 1);
}
