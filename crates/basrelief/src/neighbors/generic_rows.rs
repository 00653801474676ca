//! How the features of a space are packed, and the features without kernels.

use std::ops::Range;

use basrelief_kernels::{LANES, TILE, panels};

use crate::differences::{BitCode, Fold, Form, Rule, Space, SpaceOptions};
use crate::error::Result;
use crate::memory::PossiblyMapped;
use crate::run::Run;

/// The kernels that compute the distances of packed rows, chosen for every feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    /// Numbers, whose differences are added up, all on the ramp of the space if there is one.
    Numbers,
    /// Codes that are equal or not.
    Codes,
    /// Planes of bits.
    Bits(BitCode),
    /// The entries of sparse features; other rows have 0.
    Sparse,
    /// Any difference, and any fold.
    Generic,
}

impl Packing {
    /// Returns the packing of a feature; `None` if rows do not differ in it.
    pub(super) fn of_rule(rule: Rule, options: &SpaceOptions) -> Option<Self> {
        let form = rule.form();
        Some(match (form, rule.bit_code()) {
            (Form::Nothing, _) => return None,
            _ if options.metric.fold().sum().is_none() => Self::Generic,
            (_, Some(code)) => Self::Bits(code),
            (Form::Mismatch, None) => Self::Codes,
            (Form::Absolute, None) if options.ramp.is_none() => Self::Numbers,
            (Form::Ramped(ramp), None) if options.ramp == Some(ramp) => Self::Numbers,
            _ => Self::Generic,
        })
    }

    /// Returns the packing of a feature of a space; `None` if rows do not differ in it. The kernels of codes, and of
    /// numbers on a ramp, do not multiply the differences of a feature by its factor.
    pub(super) fn of_feature(space: &Space<'_>, feature: usize) -> Option<Self> {
        let options = space.options();
        let packing = Self::of_rule(space.features()[feature].rule, options)?;
        if packing == Self::Numbers && space.sparse(feature).is_some() {
            return Some(Self::Sparse);
        }
        let without_factors = match packing {
            Self::Codes => true,
            Self::Numbers => options.ramp.is_some(),
            Self::Bits(_) | Self::Sparse | Self::Generic => false,
        };
        let has_factor = space.factor(feature) != 1.0;
        Some(if without_factors && has_factor { Self::Generic } else { packing })
    }
}

/// Scaled values of features without kernels, in panels. Their differences are computed a tile at a
/// time. A missing value has its expected difference, or none if missing values are ignored.
pub(super) struct GenericRows {
    features: Vec<usize>,
    values: PossiblyMapped<f64>,
    /// Per panel, whether a value is missing.
    have_missing: Vec<bool>,
    /// Per feature, the distance of a difference of 1.
    units: Vec<f64>,
}

impl GenericRows {
    /// Packs some features of the rows in a given order.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`]; [`crate::Error::File`] if the values have to lie in a file.
    pub(super) fn new(
        space: &Space<'_>,
        order: &[u32],
        features: Vec<usize>,
        unit: f64,
        run: &Run,
    ) -> Result<Self> {
        let width = features.len();
        let mut packed = Self {
            values: run.zeros(panels(order.len()) * LANES * width)?,
            have_missing: vec![false; panels(order.len())],
            units: features.iter().map(|&feature| unit * space.factor(feature)).collect(),
            features,
        };
        let mut scaled = Vec::new();
        for (at, &feature) in packed.features.iter().enumerate() {
            run.check()?;
            space.copy_scaled(feature, &mut scaled);
            let panels = packed.values.chunks_exact_mut(width.max(1) * LANES);
            let panels = panels.zip(&mut packed.have_missing).zip(order.chunks(LANES));
            for ((panel, has_missing), rows) in panels {
                let lanes = &mut panel[at * LANES..][..LANES];
                lanes.iter_mut().zip(rows).for_each(|(out, &row)| *out = scaled[row as usize]);
                *has_missing |= lanes.iter().any(|value| value.is_nan());
            }
        }
        Ok(packed)
    }

    /// Bytes of a row.
    pub(super) fn bytes_of_row(&self) -> usize {
        self.features.len() * size_of::<f64>()
    }

    /// Joins the differences of two runs of panels with their tiled totals.
    pub(super) fn join(
        &self,
        space: &Space<'_>,
        order: &[u32],
        (a, b): (Range<usize>, Range<usize>),
        out: &mut [f64],
    ) {
        let fold = space.options().metric.fold();
        let width = self.features.len() * LANES;
        if width == 0 {
            return;
        }
        let mut differences = [0.0; TILE];
        let pairs = a.flat_map(|i| b.clone().map(move |j| (i, j)));
        for ((i, j), out) in pairs.zip(out.as_chunks_mut::<TILE>().0) {
            let values = [i, j].map(|panel| &self.values[panel * width..][..width]);
            let [rows, columns] = values.map(|values| values.as_chunks::<LANES>().0);
            let features = self.features.iter().zip(&self.units);
            for (((&feature, &unit), rows), columns) in features.zip(rows).zip(columns) {
                space.features()[feature].rule.tile(rows, columns, &mut differences);
                if self.have_missing[i] || self.have_missing[j] {
                    expect(space, feature, order, (i, j), [rows, columns], &mut differences);
                }
                join_tile(fold, unit, &differences, out);
            }
        }
    }
}

/// Joins the differences in one feature with totals.
fn join_tile(fold: &dyn Fold, unit: f64, differences: &[f64; TILE], out: &mut [f64; TILE]) {
    for (total, &difference) in out.iter_mut().zip(differences) {
        *total = fold.joined(*total, unit * fold.term(difference));
    }
}

/// Replaces differences to missing values by their expectation, or by 0 if these are ignored.
fn expect(
    space: &Space<'_>,
    feature: usize,
    order: &[u32],
    (i, j): (usize, usize),
    [rows, columns]: [&[f64; LANES]; 2],
    out: &mut [f64; TILE],
) {
    let table = space.features()[feature].table();
    for (at, out) in out.iter_mut().enumerate().filter(|(_, difference)| difference.is_nan()) {
        let (lane, other) = (at / LANES, at % LANES);
        let places = [i * LANES + lane, j * LANES + other];
        // There is nothing to expect beyond the last row.
        let [Some(&row), Some(&column)] = places.map(|place| order.get(place)) else {
            *out = 0.0;
            continue;
        };
        debug_assert!(rows[lane].is_nan() || columns[other].is_nan());
        *out = table.map_or(0.0, |table| {
            space.missing_difference(table, row as usize, rows[lane], column as usize)
        });
    }
}
