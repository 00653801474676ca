//! Neighbours by distance instead of number: everyone nearer than a radius, and on request
//! everyone farther.
//!
//! The radius comes from the distances themselves: the mean over all pairs (SURF), or the mean
//! and standard deviation of a row's own distances (MultiSURF). A row's distances are computed
//! when its neighbours are asked for, 8 to 64 rows at a time; only where there are at most 2048
//! rows are all distances computed once, for both rows of a pair, and kept (32 MB).

use basrelief_kernels::{LANES, TILE, panels};
use rayon::prelude::*;

use super::nearest::{Grouping, Neighbor, PairSource};
use super::options::Metric;
use super::space::Space;
use super::sweep::{BLOCK, Scratch, Sweep, tile_place};
use crate::error::Result;
use crate::run::Run;

/// Distances closer to a threshold than this share of it are on it: neither near nor far. It is
/// twice the spacing of rounded distances.
const ON_THRESHOLD: f64 = 3e-11;

/// Rows up to which all distances are kept.
const MOST_KEPT: usize = 2048;

/// Distances that are computed at a time, in bytes, unless eight rows' are more.
const BLOCK_BYTES: usize = 1 << 20;

/// Who is near, and who is far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RadiusRule {
    /// Near: nearer than the mean distance of all pairs; far: farther (SURF, SURF*).
    MeanOfPairs,
    /// As `MeanOfPairs`, but the mean is that of the whole matrix of distances, where every row has
    /// the distance 0 to itself (the radius of scikit-rebate).
    MeanOfMatrix,
    /// Near: nearer than the row's mean distance less half its standard deviation; far: farther
    /// than the mean plus half (MultiSURF, MultiSURF*).
    OwnMean,
    /// As `MeanOfPairs`, and a neighbour at distance d counts `|2 / (1 + exp(4 (d - mean) / sd)) -
    /// 1|` with mean and standard deviation of all pairs (SWRF*).
    Sigmoid,
}

/// Near rows of every sampled row and, on request, far ones.
///
/// Groups 0 to G - 1 are the near rows of the grouping's G groups, groups G to 2G - 1 the far
/// ones where they are wanted. The weights of a group are 1 over its size, times the sigmoid's value where there is one.
pub struct RadiusNeighbors<'s, 'c> {
    sweep: Sweep<'s>,
    grouping: Grouping<'c>,
    sampled: usize,
    rule: RadiusRule,
    with_far: bool,
    euclidean: bool,
    /// Mean and standard deviation of all pairs; not used by `OwnMean`.
    pairs: Spread,
    /// All distances, row by row, where rows are few; else empty.
    kept: Vec<f64>,
}

impl<'s, 'c> RadiusNeighbors<'s, 'c> {
    /// Prepares the search; rules that need it look at all pairs once.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn new(
        space: &'s Space<'s>,
        sampled: &[u32],
        grouping: Grouping<'c>,
        rule: RadiusRule,
        with_far: bool,
        run: &Run,
    ) -> Result<Self> {
        let order = super::nearest::sampled_first(space.rows(), sampled, grouping);
        let mut source = Self {
            sweep: Sweep::new(space, order, run)?,
            grouping,
            sampled: sampled.len(),
            rule,
            with_far,
            euclidean: space.options().metric == Metric::Euclidean,
            pairs: Spread::default(),
            kept: Vec::new(),
        };
        let rows = space.rows();
        let keep = sampled.len() == rows && rows <= MOST_KEPT;
        if keep || rule != RadiusRule::OwnMean {
            (source.pairs, source.kept) = run.install(|| source.all_pairs(keep, run))?;
        }
        if rule == RadiusRule::MeanOfMatrix {
            let cells = 2.0 * source.pairs.count;
            source.pairs.mean *= cells / (cells + space.rows() as f64);
        }
        Ok(source)
    }

    /// Number of groups among near rows; as many again among far ones where they are wanted.
    pub fn groups(&self) -> usize {
        self.grouping.count()
    }

    /// The distance that a sweep's number stands for, in its unit.
    fn length(&self, distance: f64) -> f64 {
        if self.euclidean { distance.sqrt() } else { distance }
    }

    /// Mean and spread of the distances of all pairs that know a feature in common, and with
    /// `keep` the distances themselves, row by row. Every pair is looked at once; blocks are merged
    /// in a fixed order.
    fn all_pairs(&self, keep: bool, run: &Run) -> Result<(Spread, Vec<f64>)> {
        let rows = self.sweep.rows();
        let blocks = rows.div_ceil(BLOCK);
        let span = |block: usize| block * BLOCK..((block + 1) * BLOCK).min(rows);
        let pairs: Vec<(usize, usize)> =
            (0..blocks).flat_map(|a| (a..blocks).map(move |b| (a, b))).collect();
        run.progress().start("measuring distances", pairs.len() as u64);
        let parts = pairs
            .par_iter()
            .map_init(Scratch::default, |scratch, &(a, b)| {
                run.check()?;
                let (left, right) = (span(a), span(b));
                let width = panels(right.end) - right.start / LANES;
                self.sweep.block(
                    left.start / LANES..panels(left.end),
                    right.start / LANES..panels(right.end),
                    scratch,
                );
                let mut spread = Spread::default();
                let mut kept = Vec::new();
                for i in 0..left.len() {
                    let of_row =
                        (0..right.len()).map(|j| self.length(scratch.out[tile_place(i, j, width)]));
                    if keep {
                        kept.extend(of_row.clone());
                    }
                    let once = of_row.skip(if a == b { i + 1 } else { 0 });
                    spread = spread.merged(Spread::of(once.filter(|d| d.is_finite())));
                }
                run.progress().advance(1);
                Ok((spread, kept))
            })
            .collect::<Result<Vec<_>>>()?;
        run.progress().finish();
        let spread = parts.iter().fold(Spread::default(), |all, part| all.merged(part.0));
        if !keep {
            return Ok((spread, Vec::new()));
        }
        let place = |a: usize, b: usize| a * blocks - a * a.saturating_sub(1) / 2 + b - a;
        let mut distances = vec![0.0; rows * rows];
        distances.par_chunks_mut(BLOCK * rows).enumerate().for_each(|(a, lines)| {
            for (i, line) in lines.chunks_exact_mut(rows).enumerate() {
                for b in 0..blocks {
                    let line = &mut line[span(b)];
                    if a <= b {
                        let width = line.len();
                        line.copy_from_slice(&parts[place(a, b)].1[i * width..(i + 1) * width]);
                    } else {
                        let (width, kept) = (span(a).len(), &parts[place(b, a)].1);
                        line.iter_mut().enumerate().for_each(|(j, d)| *d = kept[j * width + i]);
                    }
                }
            }
        });
        Ok((spread, distances))
    }

    /// Below the first distance a row is near, above the second it is far.
    fn thresholds(&self, distances: &[f64], own: usize) -> (f64, f64) {
        let (near, far) = match self.rule {
            RadiusRule::MeanOfPairs | RadiusRule::MeanOfMatrix | RadiusRule::Sigmoid => {
                (self.pairs.mean, self.pairs.mean)
            }
            RadiusRule::OwnMean => {
                let others = distances
                    .iter()
                    .enumerate()
                    .filter(|(place, distance)| *place != own && distance.is_finite());
                let spread = Spread::of(others.map(|(_, distance)| *distance));
                let half = spread.deviation() / 2.0;
                (spread.mean - half, spread.mean + half)
            }
        };
        (near - near.abs() * ON_THRESHOLD, far + far.abs() * ON_THRESHOLD)
    }

    /// What a neighbour at a distance counts before its group is averaged.
    fn strength(&self, distance: f64) -> f64 {
        if self.rule != RadiusRule::Sigmoid {
            return 1.0;
        }
        let deviation = self.pairs.deviation();
        if deviation == 0.0 {
            return 1.0;
        }
        let z = 4.0 * (distance - self.pairs.mean) / deviation;
        // 2 / (1 + exp(z)) - 1 is the hyperbolic tangent of -z / 2.
        (z / 2.0).tanh().abs()
    }
}

impl PairSource for RadiusNeighbors<'_, '_> {
    fn len(&self) -> usize {
        self.sampled
    }

    fn expected_pairs(&self, _place: usize) -> usize {
        self.sweep.rows()
    }

    fn visit(
        &self,
        places: std::ops::Range<usize>,
        visit: &mut dyn FnMut(u32, usize, &[Neighbor]),
    ) {
        let rows = self.sweep.rows();
        let groups = self.groups();
        let mut scratch = Scratch::default();
        let last_panel = panels(places.end);
        // Several panels at once, so that the others are read less often.
        let at_once = (BLOCK_BYTES / (panels(rows) * TILE * size_of::<f64>())).clamp(1, 8);
        let mut computed = 0..0;
        let mut distances = Vec::with_capacity(rows);
        let mut lists: Vec<Vec<Neighbor>> =
            vec![Vec::new(); if self.with_far { 2 * groups } else { groups }];
        for place in places {
            let panel = place / LANES;
            if !computed.contains(&panel) {
                computed = panel..(panel + at_once).min(last_panel);
                self.sweep.block(computed.clone(), 0..panels(rows), &mut scratch);
            }
            let own = place - computed.start * LANES;
            distances.clear();
            distances.extend(
                (0..rows)
                    .map(|other| self.length(scratch.out[tile_place(own, other, panels(rows))])),
            );
            let (near, far) = self.thresholds(&distances, place);
            let row = self.sweep.order()[place];
            let own_code = self.grouping.code(row as usize);
            lists.iter_mut().for_each(Vec::clear);
            for (other, &distance) in distances.iter().enumerate() {
                if other == place || !distance.is_finite() {
                    continue;
                }
                let part = match distance {
                    d if d < near => 0,
                    d if self.with_far && d > far => groups,
                    _ => continue,
                };
                let other_row = self.sweep.order()[other];
                let code = self.grouping.code(other_row as usize);
                let group = part + self.grouping.group(own_code, code);
                lists[group].push(Neighbor { row: other_row, weight: self.strength(distance) });
            }
            for (group, list) in lists.iter_mut().enumerate() {
                let size = list.len() as f64;
                list.iter_mut().for_each(|neighbor| neighbor.weight /= size);
                visit(row, group, list);
            }
        }
    }
}

/// Count, mean and sum of squared deviations, mergeable without loss (Chan, Golub & LeVeque 1983).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Spread {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    /// Of some numbers, in two passes.
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let (mut count, mut sum) = (0.0, 0.0);
        for value in values.clone() {
            count += 1.0;
            sum += value;
        }
        if count == 0.0 {
            return Self::default();
        }
        let mean = sum / count;
        let squares = values.map(|value| (value - mean) * (value - mean)).sum();
        Self { count, mean, squares }
    }

    fn merged(self, other: Self) -> Self {
        let count = self.count + other.count;
        if count == 0.0 {
            return self;
        }
        let apart = other.mean - self.mean;
        Self {
            count,
            mean: self.mean + apart * other.count / count,
            squares: self.squares
                + other.squares
                + apart * apart * self.count * other.count / count,
        }
    }

    /// Population standard deviation.
    fn deviation(self) -> f64 {
        if self.count == 0.0 { 0.0 } else { (self.squares / self.count).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_merge_to_the_whole() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let whole = Spread::of(values.into_iter());
        let parts = Spread::of(values[..3].iter().copied())
            .merged(Spread::default())
            .merged(Spread::of(values[3..].iter().copied()));
        assert!((whole.mean - parts.mean).abs() < 1e-15);
        assert!((whole.deviation() - parts.deviation()).abs() < 1e-14);
        assert!((whole.mean - 3.875).abs() < 1e-15);
        assert!((whole.deviation() - (52.875_f64 / 8.0).sqrt()).abs() < 1e-14);
    }
}
