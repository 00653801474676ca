//! Losses of k-NN for many numbers of coordinates and of neighbours at once.

use rayon::prelude::*;

use super::vote::{Ballot, Voices};
use crate::data::{Dense, Target};
use crate::error::Result;
use crate::neighbors::{KnownRows, Metric, inverse_unit};
use crate::run::Run;

/// Rows that one task tests.
const BLOCK: usize = 16;

/// Coordinates of some of the target's rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) coordinates: &'a Dense,
    /// Which rows of the target they are.
    pub(crate) rows: &'a [usize],
}

/// The sums over the rows tested of what the answers cost ([`Ballot::loss`]): for every rung of
/// `columns` (numbers of leading coordinates, ascending), for every number of neighbours in `counts`
/// (ascending, at least one; above the number of known rows all of these count). Without any
/// coordinate all known rows are neighbours.
///
/// Distances are those of [`KnownRows`], to the bit: one coordinate after the other is added to them.
pub(crate) fn losses(
    target: &Target,
    known: Rows<'_>,
    tested: Rows<'_>,
    columns: &[usize],
    counts: &[usize],
    metric: Metric,
    run: &Run,
) -> Result<Vec<f64>> {
    let places: Vec<usize> = (0..tested.coordinates.rows()).collect();
    let blocks: Vec<Vec<f64>> = if let [width] = columns
        && *width == known.coordinates.columns()
        && *width > 0
    {
        let index = KnownRows::new(known.coordinates, metric);
        let most = counts[counts.len() - 1].min(known.coordinates.rows());
        let nearest = index.nearest(tested.coordinates, most, &run.part(run.seed()))?;
        let one = |block: &[usize]| {
            let mut sums = vec![0.0; counts.len()];
            let mut ballot = Ballot::new(target, Voices::Uniform);
            for &place in block {
                let (rows, distances) = nearest.of(place);
                let found =
                    distances.iter().zip(rows).map(|(d, &row)| (*d, known.rows[row as usize]));
                add(&mut ballot, found, counts, tested.rows[place], &mut sums);
            }
            sums
        };
        places.chunks(BLOCK).map(one).collect()
    } else {
        let turned = known.coordinates.transposed();
        let inverse = match metric {
            Metric::Manhattan => 1.0,
            Metric::Euclidean => inverse_unit(known.coordinates),
        };
        let one = |block: &[usize]| {
            run.check()?;
            Ok(climb(target, known, &turned, tested, block, columns, counts, metric, inverse))
        };
        run.install(|| places.par_chunks(BLOCK).map(one).collect::<Result<_>>())?
    };
    let mut sums = vec![0.0; columns.len() * counts.len()];
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, value)| *sum += value);
    }
    Ok(sums)
}

/// The losses of a block of rows.
fn climb(
    target: &Target,
    known: Rows<'_>,
    turned: &Dense,
    tested: Rows<'_>,
    block: &[usize],
    columns: &[usize],
    counts: &[usize],
    metric: Metric,
    inverse: f64,
) -> Vec<f64> {
    let rows = known.coordinates.rows();
    let most = counts[counts.len() - 1].min(rows);
    let mut sums = vec![0.0; columns.len() * counts.len()];
    let mut ballot = Ballot::new(target, Voices::Uniform);
    let mut nearest = Vec::with_capacity(most + 1);
    let mut distances = vec![0.0; rows];
    for &place in block {
        distances.fill(0.0);
        let own = tested.coordinates.row(place);
        let mut column = 0;
        for (&width, sums) in columns.iter().zip(sums.chunks_mut(counts.len())) {
            for column in column..width {
                let line = distances.iter_mut().zip(turned.row(column));
                match metric {
                    Metric::Manhattan => {
                        let own = own[column];
                        line.for_each(|(sum, value)| *sum += (own - value).abs());
                    }
                    Metric::Euclidean => {
                        let own = own[column] * inverse;
                        line.for_each(|(sum, value)| {
                            let difference = own - value * inverse;
                            *sum += difference * difference;
                        });
                    }
                }
            }
            column = column.max(width);
            if width == 0 {
                let all = known.rows.iter().map(|&row| (0.0, row));
                add(&mut ballot, all, &vec![rows; counts.len()], tested.rows[place], sums);
                continue;
            }
            least(&distances, most, &mut nearest);
            let distance = |square: f64| match metric {
                Metric::Manhattan => square,
                Metric::Euclidean => square.sqrt() / inverse,
            };
            let found =
                nearest.iter().map(|&(square, row)| (distance(square), known.rows[row as usize]));
            add(&mut ballot, found, counts, tested.rows[place], sums);
        }
    }
    sums
}

/// The `count` least distances and their rows; of equal ones the first.
fn least(distances: &[f64], count: usize, nearest: &mut Vec<(f64, u32)>) {
    nearest.clear();
    for (row, &distance) in distances.iter().enumerate() {
        if nearest.len() == count {
            if distance >= nearest[count - 1].0 {
                continue;
            }
            nearest.pop();
        }
        let place = nearest.partition_point(|other| other.0 <= distance);
        nearest.insert(place, (distance, row as u32));
    }
}

/// Adds what the answers of the first `counts` neighbours cost.
fn add(
    ballot: &mut Ballot<'_>,
    found: impl Iterator<Item = (f64, usize)>,
    counts: &[usize],
    truth: usize,
    sums: &mut [f64],
) {
    ballot.clear();
    let mut rung = 0;
    for (neighbors, (distance, row)) in (1..).zip(found) {
        ballot.add(row, distance);
        while rung < counts.len() && counts[rung] == neighbors {
            sums[rung] += ballot.loss(truth);
            rung += 1;
        }
    }
    sums[rung..].iter_mut().for_each(|sum| *sum += ballot.loss(truth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Classes;

    #[test]
    fn rungs_are_the_searches_one_by_one() {
        let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.0 - 1.0;
        let known = Dense::new((0..60 * 4).map(number).collect(), 60, 4);
        let tested = Dense::new((0..40 * 4).map(|k| number(k + 500)).collect(), 40, 4);
        let run = Run::new(Some(2)).unwrap();
        let labels: Vec<String> = (0..100).map(|row| (row * 7 % 3).to_string()).collect();
        let targets = [
            Target::Classes(Classes::from_labels(&labels)),
            Target::Real((0..100).map(|row| number(row * 3)).collect()),
        ];
        let (own, held): (Vec<usize>, Vec<usize>) = ((0..60).collect(), (60..100).collect());
        for target in &targets {
            for metric in [Metric::Manhattan, Metric::Euclidean] {
                let (columns, counts) = ([0, 1, 3, 4], [1, 4, 60, 99]);
                let all = Rows { coordinates: &known, rows: &own };
                let test = Rows { coordinates: &tested, rows: &held };
                let found = losses(target, all, test, &columns, &counts, metric, &run).unwrap();
                // All rows are neighbours, whatever the number.
                assert_eq!(found[..4], [found[7]; 4]);
                for (rung, &width) in columns.iter().enumerate().skip(1) {
                    let cut = |rows: &Dense| {
                        let values = rows.iter().flat_map(|row| row[..width].to_vec()).collect();
                        Dense::new(values, rows.rows(), width)
                    };
                    let (known, tested) = (cut(&known), cut(&tested));
                    let all = Rows { coordinates: &known, rows: &own };
                    let test = Rows { coordinates: &tested, rows: &held };
                    let alone = losses(target, all, test, &[width], &counts, metric, &run);
                    assert_eq!(found[rung * 4..][..4], alone.unwrap(), "{metric:?} {width}");
                }
            }
        }
    }

    #[test]
    fn the_least_are_sorted_and_the_first_of_equals() {
        let mut found = Vec::new();
        least(&[3.0, 1.0, 2.0, 1.0, 2.0, 0.5], 4, &mut found);
        assert_eq!(found, [(0.5, 5), (1.0, 1), (1.0, 3), (2.0, 2)]);
    }
}
