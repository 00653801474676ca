//! Distances of blocks of rows, computed from packed copies of the columns.
//!
//! Columns are split by kind so that no inner loop branches: numbers (exact integers where
//! they lie on grids), category codes, genotype bit planes. A missing number is coded as 0, a
//! missing code or genotype takes no part in the kernels; what is amiss is then added row by row,
//! see [`super::shares`].

use basrelief_kernels::{
    GenotypeRule, LANES, Level, NumberRule, RampRule, RowTile, TILE, add_common_bits,
    add_genotypes, add_greater, add_mismatches, add_numbers, genotype_planes, level, panels,
};

use rayon::prelude::*;

use super::grid;
use super::options::{GenotypeDiff, Metric, MissingPolicy};
use super::rounded::{Plan, RoundedRows, is_roundable};
use super::shares::{Counted, GapShares, ShareLines, ShareRule, place_of};
use super::space::{Feature, Rule, ScaledBuffers, Space};
use super::words::{RoundedNumbers, RoundedWords};
use crate::data::{MISSING_CODE, TOGETHER, Values};
use crate::error::Result;
use crate::memory::PossiblyMapped;
use crate::run::Run;

/// Rows per block: a block of results is 128 KB and stays in the second cache.
pub(crate) const BLOCK: usize = 128;

/// Features of eight rows that fill a page of memory.
pub(super) const fn features_of_page<T>() -> usize {
    4096 / (LANES * size_of::<T>())
}

/// How numbers are packed.
enum Form {
    Doubles,
    /// Rounded to so many steps.
    Words(u32),
    Shorts(Plan),
}

/// Words of 64 genotypes that are packed at a time.
const PACKED_WORDS: usize = 32;

/// Packed rows in an order of their own, ready to compute blocks of distances.
///
/// Distances are in units of `1 / unit`: whole numbers where the data allow it.
pub(crate) struct Sweep<'s> {
    space: &'s Space<'s>,
    /// Row of the table at every place.
    order: Vec<u32>,
    level: Level,
    numbers: PossiblyMapped<f64>,
    number_scales: Vec<f64>,
    number_rule: NumberRule,
    /// Sum of every row's numbers, where distances come from sums of the greater of two numbers.
    number_sums: Option<Vec<f64>>,
    /// The numbers, where they are rounded: then `numbers` is empty.
    rounded: Option<RoundedNumbers>,
    codes: PossiblyMapped<u32>,
    n_codes: usize,
    bits: PossiblyMapped<u64>,
    words: usize,
    /// Planes of a word: 3 where genotypes may be missing, else 2.
    bit_planes: usize,
    genotype_rule: GenotypeRule,
    /// Known-bits of the features that have missing values, for the policy `ignore`.
    known: Vec<u64>,
    known_words: usize,
    /// Features that may be known in every pair, and all features that count.
    complete: usize,
    active: usize,
    /// Of no feature under the policy `ignore`.
    shares: GapShares,
    unit: f64,
}

impl<'s> Sweep<'s> {
    /// Packs the rows in the order given.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn new(space: &'s Space<'s>, order: Vec<u32>, run: &Run) -> Result<Self> {
        Self::pack(space, order, Form::Doubles, run)
    }

    /// As [`new`](Self::new), of numbers rounded to up to so many steps, themselves up to
    /// [`MOST_WHOLE`](basrelief_kernels::MOST_WHOLE): distances are right up to the
    /// [`error`](Self::error) of either row, at half the cost. `None` where distances are not sums of
    /// absolute differences of numbers, or missing ones are left out.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn of_words(
        space: &'s Space<'s>,
        order: Vec<u32>,
        steps: u32,
        run: &Run,
    ) -> Result<Option<Self>> {
        let options = space.options();
        let fits = |feature: &Feature<'_>| {
            feature.rule == Rule::Inert
                || is_roundable(feature.rule)
                    && (feature.gaps.is_empty() || feature.table.is_some())
        };
        if options.metric != Metric::Manhattan
            || options.ramp.is_some()
            || !space.features().iter().all(fits)
            || space.inert().count() == space.width()
        {
            return Ok(None);
        }
        Self::pack(space, order, Form::Words(steps), run).map(Some)
    }

    /// As [`of_words`](Self::of_words), of complete numbers rounded to 15 bits: at a quarter of the
    /// cost.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn of_shorts(
        space: &'s Space<'s>,
        order: Vec<u32>,
        plan: Plan,
        run: &Run,
    ) -> Result<Self> {
        debug_assert!(plan.is_complete());
        Self::pack(space, order, Form::Shorts(plan), run)
    }

    fn pack(space: &'s Space<'s>, order: Vec<u32>, form: Form, run: &Run) -> Result<Self> {
        let options = space.options();
        let square = options.metric == Metric::Euclidean;
        let mut number_features = Vec::new();
        let mut code_features = Vec::new();
        let mut bit_features = Vec::new();
        for (index, feature) in space.features().iter().enumerate() {
            match feature.rule {
                Rule::Inert => {}
                Rule::Number { .. } => number_features.push(index),
                Rule::Copies | Rule::Mismatch { genotype: true, .. } => bit_features.push(index),
                Rule::Mismatch { .. } => code_features.push(index),
            }
        }
        let active = number_features.len() + code_features.len() + bit_features.len();

        let units = Units::of(space, &number_features, active);
        let unit = if square { units.unit * units.unit } else { units.unit };
        let ramp =
            options.ramp.map(|ramp| RampRule { equal: ramp.equal(), different: ramp.different() });
        let padded = panels(order.len()) * LANES;
        let mut rounded = None;
        match &form {
            Form::Doubles => {}
            Form::Words(steps) => {
                let words =
                    RoundedWords::new(space, &units, &number_features, &order, *steps, run)?;
                rounded = Some(RoundedNumbers::words(words, unit));
                number_features.clear();
            }
            Form::Shorts(plan) => {
                number_features.clear();
                rounded = Some(RoundedNumbers::shorts(RoundedRows::new(space, &order, plan, run)?));
            }
        }
        let gaps_among = |features: &[usize]| {
            features.iter().any(|&feature| !space.features()[feature].gaps.is_empty())
        };
        let ignore = options.missing == MissingPolicy::Ignore;
        let share_rule = |feature: usize, values: &mut [f64]| {
            let counted = match space.features()[feature].rule {
                Rule::Number { .. } => {
                    let scale = units.convert(space, feature, values);
                    Counted::Number(options.ramp.map(|ramp| (ramp, scale)))
                }
                _ => Counted::Nothing,
            };
            ShareRule { counted, square, unit }
        };

        let mut sweep = Self {
            space,
            level: level(),
            numbers: run.zeros(padded * number_features.len())?,
            number_scales: Vec::new(),
            number_sums: None,
            rounded,
            number_rule: NumberRule { square, gaps: ignore && gaps_among(&number_features), ramp },
            codes: run.zeros(padded * code_features.len())?,
            n_codes: code_features.len(),
            bits: PossiblyMapped::default(),
            words: bit_features.len().div_ceil(64),
            bit_planes: if gaps_among(&bit_features) { 3 } else { 2 },
            genotype_rule: match (options.genotype_diff, square) {
                (GenotypeDiff::Additive, false) => GenotypeRule::Copies,
                (GenotypeDiff::Additive, true) => GenotypeRule::SquaredCopies,
                (GenotypeDiff::Categorical, _) => GenotypeRule::Mismatch,
            },
            known: Vec::new(),
            known_words: 0,
            complete: active,
            active,
            shares: GapShares::new(space, &order, share_rule, run)?,
            unit,
            order,
        };
        sweep.pack_numbers(&number_features, &units, run)?;
        sweep.pack_codes(&code_features, run)?;
        sweep.pack_bits(&bit_features, run)?;
        if ignore {
            sweep.pack_known();
        }
        Ok(sweep)
    }

    /// As [`new`](Self::new), for distances that are compared with means of many: Manhattan
    /// distances of numbers are then taken by [`add_greater`], right to about 1e-13 of the
    /// mean distance.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn for_radii(space: &'s Space<'s>, order: Vec<u32>, run: &Run) -> Result<Self> {
        let mut sweep = Self::new(space, order, run)?;
        let width = sweep.number_scales.len();
        if width > 0 && sweep.number_rule == NumberRule::default() {
            sweep.number_sums = Some(sums_of_rows(&sweep.numbers, width));
        }
        Ok(sweep)
    }

    /// By how much a row's distances can be wrong, where numbers are rounded.
    pub(crate) fn error(&self, place: usize) -> Option<f64> {
        self.rounded.as_ref().and_then(|rounded| rounded.error(place))
    }

    /// Bytes that so many packed rows take.
    pub(crate) fn bytes(&self, rows: usize) -> u64 {
        let numbers = match &self.rounded {
            None => self.number_scales.len() * size_of::<f64>(),
            Some(rounded) => rounded.bytes(),
        };
        let genotypes = self.words * self.bit_planes * size_of::<u64>();
        (rows * (numbers + self.n_codes * size_of::<u32>() + genotypes)) as u64
    }

    /// Whether packed rows lie in a file.
    pub(crate) fn in_file(&self) -> bool {
        self.rounded.as_ref().is_some_and(RoundedNumbers::is_in_file)
            || matches!(self.numbers, PossiblyMapped::InFile(_))
            || matches!(self.codes, PossiblyMapped::InFile(_))
            || matches!(self.bits, PossiblyMapped::InFile(_))
    }

    /// What a difference of 1 counts.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// The shares of missing values, and these to round them.
    pub(super) fn shares(&self) -> &GapShares {
        &self.shares
    }

    pub(super) fn shares_mut(&mut self) -> &mut GapShares {
        &mut self.shares
    }

    /// Whose distances these are.
    pub(crate) fn space(&self) -> &'s Space<'s> {
        self.space
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.order.len()
    }

    /// Row of the table at every place.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    fn pack_numbers(&mut self, features: &[usize], units: &Units, run: &Run) -> Result<()> {
        // Whole pages of a file at a time.
        let at_once = if matches!(self.numbers, PossiblyMapped::InFile(_)) {
            features_of_page::<f64>()
        } else {
            TOGETHER
        };
        let mut buffers = ScaledBuffers::default();
        let mut strip: Vec<Vec<f64>> = Vec::new();
        for (start, of_strip) in (0..).step_by(at_once).zip(features.chunks(at_once)) {
            strip.resize_with(of_strip.len(), Vec::new);
            for (part, columns) in of_strip.chunks(TOGETHER).zip(strip.chunks_mut(TOGETHER)) {
                run.check()?;
                let copies = self.space.copy_scaled_together(part, &mut buffers);
                for ((&feature, values), column) in part.iter().zip(copies).zip(columns) {
                    self.number_scales.push(units.convert(self.space, feature, values));
                    if !self.number_rule.gaps && !self.space.features()[feature].gaps.is_empty() {
                        code_missing(values);
                    }
                    std::mem::swap(values, column);
                }
            }
            scatter(&strip, &self.order, features.len(), start, &mut self.numbers);
        }
        Ok(())
    }

    fn pack_codes(&mut self, features: &[usize], run: &Run) -> Result<()> {
        let mut values = Vec::new();
        let mut codes = Vec::new();
        for (place, &feature) in features.iter().enumerate() {
            run.check()?;
            self.space.copy_scaled(feature, &mut values);
            codes.clear();
            codes.extend(values.iter().map(|v| if v.is_nan() { MISSING_CODE } else { *v as u32 }));
            scatter(
                std::slice::from_ref(&codes),
                &self.order,
                features.len(),
                place,
                &mut self.codes,
            );
        }
        Ok(())
    }

    fn pack_bits(&mut self, features: &[usize], run: &Run) -> Result<()> {
        let columns: Vec<&[u8]> = features
            .iter()
            .filter_map(|&feature| match self.space.table().columns()[feature].values() {
                Values::Genotype(copies) => Some(copies.as_ref()),
                _ => None,
            })
            .collect();
        let (words, planes) = (self.words, self.bit_planes);
        let rows = panels(self.order.len()) * LANES;
        self.bits = run.zeros(rows * words * planes)?;
        let (bits, order) = (&mut *self.bits, &self.order);
        run.install(|| {
            // A word's 64 columns at a time, since they stay in the cache while their rows are put
            // in order; then panel by panel, since each is in one place.
            for (batch, columns) in columns.chunks(64 * PACKED_WORDS).enumerate() {
                let packed: Vec<Vec<u64>> = columns
                    .par_chunks(64)
                    .map(|columns| {
                        run.check()?;
                        Ok(pack_word(columns, order, rows, planes))
                    })
                    .collect::<Result<_>>()?;
                bits.par_chunks_mut(words * planes * LANES).enumerate().for_each(
                    |(panel, bits)| {
                        let first = batch * PACKED_WORDS * planes * LANES;
                        let planes_of = bits[first..].chunks_exact_mut(planes * LANES);
                        for (bits, packed) in planes_of.zip(&packed) {
                            let packed = packed.chunks_exact(rows);
                            for (bits, plane) in bits.chunks_exact_mut(LANES).zip(packed) {
                                bits.copy_from_slice(&plane[panel * LANES..][..LANES]);
                            }
                        }
                    },
                );
            }
            Ok(())
        })
    }

    /// The known-bits for the policy `ignore`.
    fn pack_known(&mut self) {
        let gappy: Vec<usize> = (0..self.space.width())
            .filter(|&f| !self.space.features()[f].gaps.is_empty())
            .collect();
        if gappy.is_empty() {
            return;
        }
        let place_of = place_of(&self.order);
        self.complete = self.active - gappy.len();
        self.known_words = gappy.len().div_ceil(64);
        // All known, then the missing ones cleared.
        self.known = vec![0; panels(self.order.len()) * LANES * self.known_words];
        for (index, &feature) in gappy.iter().enumerate() {
            let (word, bit) = (index / 64, 1_u64 << (index % 64));
            let words = self.known_words;
            let at = |row: usize| (row / LANES * words + word) * LANES + row % LANES;
            for row in 0..self.order.len() {
                self.known[at(row)] |= bit;
            }
            for &original in &self.space.features()[feature].gaps {
                self.known[at(place_of[original as usize] as usize)] &= !bit;
            }
        }
    }

    /// Distances of all rows of two runs of panels, tiled (see the kernel crate): `out` holds
    /// `a.len() * b.len()` tiles. Places beyond the last row hold numbers of no meaning.
    pub(crate) fn block(
        &self,
        a: std::ops::Range<usize>,
        b: std::ops::Range<usize>,
        scratch: &mut Scratch,
    ) {
        let Scratch { out, extra } = scratch;
        out.clear();
        out.resize(a.len() * b.len() * TILE, 0.0);
        self.add_block(a, b, out, extra);
    }

    /// As [`block`](Self::block) of a run of panels and itself, but that pairs of different panels are
    /// computed once.
    pub(crate) fn square(&self, run: std::ops::Range<usize>, scratch: &mut Scratch) {
        let Scratch { out, extra } = scratch;
        let width = run.len();
        out.clear();
        out.resize(width * width * TILE, 0.0);
        for (place, (panel, line)) in
            run.clone().zip(out.chunks_exact_mut(width * TILE)).enumerate()
        {
            self.add_block(panel..panel + 1, panel..run.end, &mut line[place * TILE..], extra);
        }
        let mut tile = [0.0; TILE];
        for (a, b) in (0..width).flat_map(|a| (a + 1..width).map(move |b| (a, b))) {
            tile.copy_from_slice(&out[(a * width + b) * TILE..][..TILE]);
            let mirrored = &mut out[(b * width + a) * TILE..][..TILE];
            for (place, distance) in mirrored.iter_mut().enumerate() {
                *distance = tile[place % LANES * LANES + place / LANES];
            }
        }
    }

    /// As [`block`](Self::block), in `out`, which holds zeros.
    fn add_block(
        &self,
        a: std::ops::Range<usize>,
        b: std::ops::Range<usize>,
        out: &mut [f64],
        extra: &mut Extra,
    ) {
        self.add_known(a.clone(), b.clone(), out, &mut extra.rounded);
        if self.known_words > 0 {
            self.rescale_by_known(a, b, out, &mut extra.tiles);
        } else {
            self.add_shares(a, b, out, extra);
        }
        out.iter_mut().for_each(|distance| *distance = round(*distance));
    }

    /// Adds the sums over the features known in both rows to `out`, which holds zeros, of missing numbers
    /// taken for 0; `whole` is memory that is used again.
    pub(super) fn add_known(
        &self,
        a: std::ops::Range<usize>,
        b: std::ops::Range<usize>,
        out: &mut [f64],
        whole: &mut Vec<u32>,
    ) {
        let width = self.number_scales.len();
        if let Some(rounded) = &self.rounded {
            rounded.fill(self.level, a.clone(), b.clone(), out, whole);
        } else if width > 0 {
            let part = |range: &std::ops::Range<usize>| {
                &self.numbers[range.start * width * LANES..range.end * width * LANES]
            };
            if let Some(sums) = &self.number_sums {
                add_greater(self.level, part(&a), part(&b), width, out);
                subtract_sums(sums, 1.0, a.start, b.clone(), out);
            } else {
                let scales = &self.number_scales;
                let (left, right) = (part(&a), part(&b));
                add_numbers(self.level, self.number_rule, left, right, width, scales, out);
            }
        }
        if self.n_codes > 0 {
            let per_panel = self.n_codes * LANES;
            let part = |range: &std::ops::Range<usize>| {
                &self.codes[range.start * per_panel..range.end * per_panel]
            };
            add_mismatches(self.level, part(&a), part(&b), self.n_codes, self.unit, out);
        }
        if self.words > 0 {
            let per_panel = self.words * self.bit_planes * LANES;
            let part = |range: &std::ops::Range<usize>| {
                &self.bits[range.start * per_panel..range.end * per_panel]
            };
            let weight = match self.genotype_rule {
                GenotypeRule::Copies => self.unit / 2.0,
                GenotypeRule::SquaredCopies => self.unit / 4.0,
                GenotypeRule::Mismatch => self.unit,
            };
            let rule = self.genotype_rule;
            let gaps = self.bit_planes == 3;
            add_genotypes(self.level, rule, gaps, part(&a), part(&b), self.words, weight, out);
        }
    }

    /// Policy `ignore`: the mean over the features known in both rows, times their number; rows
    /// without a common known feature are infinitely far.
    fn rescale_by_known(
        &self,
        a: std::ops::Range<usize>,
        b: std::ops::Range<usize>,
        out: &mut [f64],
        common: &mut Vec<f64>,
    ) {
        common.clear();
        common.resize(out.len(), self.complete as f64);
        let per_panel = self.known_words * LANES;
        let part = |range: &std::ops::Range<usize>| {
            &self.known[range.start * per_panel..range.end * per_panel]
        };
        add_common_bits(self.level, part(&a), part(&b), self.known_words, common);
        let active = self.active as f64;
        for (sum, &known) in out.iter_mut().zip(&*common) {
            *sum = if known > 0.0 { *sum / known * active } else { f64::INFINITY };
        }
    }

    /// Adds the shares of missing values. Both rows' shares are summed apart and then together, so
    /// that (i, j) and (j, i) have the same bits.
    fn add_shares(
        &self,
        a: std::ops::Range<usize>,
        b: std::ops::Range<usize>,
        out: &mut [f64],
        extra: &mut Extra,
    ) {
        let places = |range: &std::ops::Range<usize>| range.start * LANES..range.end * LANES;
        let (a_places, b_places) = (places(&a), places(&b));
        if !self.shares.any(a_places.clone()) && !self.shares.any(b_places.clone()) {
            return;
        }
        let Extra { tiles, lines, .. } = extra;
        tiles.clear();
        tiles.resize(out.len(), 0.0);
        // Places that are no row's have no lines.
        let rows = |places: &std::ops::Range<usize>| places.end.min(self.rows()) - places.start;
        self.shares.lines(a_places.clone(), b_places.clone(), lines);
        for (i, line) in lines.lines.chunks_exact(rows(&b_places)).enumerate() {
            for (j, value) in line.iter().enumerate() {
                tiles[tile_place(i, j, b.len())] = *value;
            }
        }
        self.shares.lines(b_places.clone(), a_places.clone(), lines);
        for (j, line) in lines.lines.chunks_exact(rows(&a_places)).enumerate() {
            for (i, value) in line.iter().enumerate() {
                tiles[tile_place(i, j, b.len())] += *value;
            }
        }
        for (sum, share) in out.iter_mut().zip(tiles.iter()) {
            *sum = with_shares(*sum, *share);
        }
    }
}

/// The distance that the kernels' sum and both rows' shares make.
pub(super) fn with_shares(sum: f64, shares: f64) -> f64 {
    // Rounding must not lead below 0.
    (sum + shares).max(0.0)
}

/// The sums of all rows of panels of some numbers per row.
pub(super) fn sums_of_rows<T: Copy>(panels: &[T], width: usize) -> Vec<f64>
where
    f64: From<T>,
{
    let mut sums = Vec::with_capacity(panels.len() / width.max(1));
    for panel in panels.chunks_exact(width.max(1) * LANES) {
        let mut of_panel = [0.0; LANES];
        for numbers in panel.as_chunks::<LANES>().0 {
            of_panel.iter_mut().zip(numbers).for_each(|(sum, &number)| *sum += f64::from(number));
        }
        sums.extend(of_panel);
    }
    sums
}

/// Turns tiled sums of the greater of two numbers into distances: of a panel `a` and the ones behind it
/// to a run of panels, from the sums of all rows; a number is so many steps.
pub(super) fn subtract_sums(
    sums: &[f64],
    step: f64,
    a: usize,
    b: std::ops::Range<usize>,
    out: &mut [f64],
) {
    let sums = sums.as_chunks::<LANES>().0;
    for (tiles, a_sums) in out.chunks_exact_mut(b.len() * TILE).zip(&sums[a..]) {
        for (tile, b_sums) in tiles.chunks_exact_mut(TILE).zip(&sums[b.clone()]) {
            for (line, a_sum) in tile.chunks_exact_mut(LANES).zip(a_sums) {
                for (sum, b_sum) in line.iter_mut().zip(b_sums) {
                    // Rounding must not lead below 0.
                    *sum = (2.0 * *sum - (a_sum + b_sum)).max(0.0) * step;
                }
            }
        }
    }
}

/// Where the distance of two rows lies in tiles that are `width` panels wide.
pub(crate) fn tile_place(row: usize, column: usize, width: usize) -> usize {
    (row / LANES * width + column / LANES) * TILE + row % LANES * LANES + column % LANES
}

/// Rounds a distance to 36 bits, 1.5e-11 of itself.
///
/// Distances that are equal but for the rounding of their sums become equal: a ramp, a missing
/// value or columns without a common grid would else break ties at random. Whole numbers below
/// [`grid::EXACT`] stay as they are.
pub(crate) fn round(distance: f64) -> f64 {
    const DROPPED: u64 = (1 << 16) - 1;
    if distance.is_finite() {
        f64::from_bits((distance.to_bits() + (DROPPED / 2 + 1)) & !DROPPED)
    } else {
        distance
    }
}

/// Reused memory of one worker.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The tiled distances of the last block.
    pub(crate) out: Vec<f64>,
    extra: Extra,
}

/// What is needed of missing values for a block, in memory that is used again.
#[derive(Debug, Default)]
struct Extra {
    tiles: Vec<f64>,
    lines: ShareLines,
    rounded: Vec<u32>,
}

/// In which units numbers are taken, so that distances are whole numbers where they can be.
pub(super) struct Units {
    /// Units in the range of a feature; 1 where the columns' grids have no common step.
    pub(super) unit: f64,
    /// Whether all numbers are on grids, and so are whole numbers of units.
    pub(super) all_on_grid: bool,
    /// Whether sums of differences can be exact.
    exact: bool,
    ramp: bool,
}

impl Units {
    /// The units of some numeric features of a space in which `active` features count.
    pub(super) fn of(space: &Space<'_>, numbers: &[usize], active: usize) -> Self {
        // A continuous column is a multiple of the unit like any other; where two rows are equal in
        // it, or do not know it, the rest of their distance is still a whole number.
        let steps: Vec<u64> =
            numbers.iter().filter_map(|&feature| steps_of(space, feature)).collect();
        let all_on_grid = steps.len() == numbers.len();
        let ramp = space.options().ramp.is_some();
        let square = space.options().metric == Metric::Euclidean;
        let exact = (!ramp)
            .then(|| grid::common_denominator(steps.into_iter(), 2, active.max(1), square))
            .flatten();
        Self {
            unit: exact.unwrap_or(1.0),
            all_on_grid: all_on_grid && exact.is_some(),
            exact: exact.is_some(),
            ramp,
        }
    }

    /// Replaces `values` by a feature's numbers in these units; returns what a ramp multiplies
    /// their differences by.
    pub(super) fn copy(&self, space: &Space<'_>, feature: usize, values: &mut Vec<f64>) -> f64 {
        space.copy_scaled(feature, values);
        self.convert(space, feature, values)
    }

    /// Brings a feature's scaled numbers into these units; returns what [`copy`](Self::copy) does.
    pub(super) fn convert(&self, space: &Space<'_>, feature: usize, values: &mut [f64]) -> f64 {
        match steps_of(space, feature) {
            // With a ramp a value is a number of grid steps where there is a grid, so that equal
            // steps make equal differences; without one it is a multiple of the unit.
            Some(steps) if self.ramp => {
                values.iter_mut().for_each(|value| *value = (*value * steps as f64).round());
                1.0 / steps as f64
            }
            Some(_) if self.exact => {
                values.iter_mut().for_each(|value| *value = (*value * self.unit).round());
                1.0
            }
            _ if self.exact => {
                values.iter_mut().for_each(|value| *value *= self.unit);
                1.0
            }
            _ => 1.0,
        }
    }

    /// As [`convert`](Self::convert) of some features' values without a ramp, in the lanes of a tile.
    pub(super) fn convert_tile(&self, space: &Space<'_>, features: &[usize], tile: &mut [RowTile]) {
        if !self.exact {
            return;
        }
        // All lanes at once: those without a feature are 0, and stay so.
        for RowTile(values) in &mut *tile {
            values.iter_mut().for_each(|value| *value *= self.unit);
        }
        for (lane, &feature) in features.iter().enumerate() {
            if steps_of(space, feature).is_some() {
                tile.iter_mut().for_each(|RowTile(values)| values[lane] = values[lane].round());
            }
        }
    }
}

/// Steps of the grid that a feature's numbers lie on, if they do.
fn steps_of(space: &Space<'_>, feature: usize) -> Option<u64> {
    match space.features()[feature].rule {
        Rule::Number { steps, .. } => steps,
        _ => None,
    }
}

/// The planes of up to 64 columns of genotypes, plane by plane a word per row, the table's rows in the
/// order given and up to `rows` of zeros behind them.
fn pack_word(columns: &[&[u8]], order: &[u32], rows: usize, planes: usize) -> Vec<u64> {
    let all_rows = columns.first().map_or(0, |column| column.len());
    let mut of_table = vec![0; planes * all_rows];
    let mut copies = vec![[0_u8; 64]; columns.len()];
    let found = &mut [[0; 64]; 3][..planes];
    for first in (0..all_rows).step_by(64) {
        let part = first..all_rows.min(first + 64);
        copy_square(columns, first, &mut copies);
        genotype_planes(level(), &copies, found);
        for (plane, found) in of_table.chunks_exact_mut(all_rows).zip(&*found) {
            plane[part.clone()].copy_from_slice(&found[..part.len()]);
        }
    }
    // Words are put in order, rather than their 64 genotypes one by one.
    let mut packed = vec![0; planes * rows];
    for (packed, plane) in
        packed.chunks_exact_mut(rows.max(1)).zip(of_table.chunks_exact(all_rows.max(1)))
    {
        packed.iter_mut().zip(order).for_each(|(word, &row)| *word = plane[row as usize]);
    }
    packed
}

/// Copies 64 rows of some columns from the first given on, or as many as there are.
pub(crate) fn copy_square(columns: &[&[u8]], first: usize, out: &mut [[u8; 64]]) {
    for (out, column) in out.iter_mut().zip(columns) {
        let rows = &column[first..];
        match rows.first_chunk() {
            // Of a length that the compiler knows, for which no function is called.
            Some(rows) => *out = *rows,
            None => out[..rows.len()].copy_from_slice(rows),
        }
    }
}

/// Codes missing numbers as 0.
pub(crate) fn code_missing(values: &mut [f64]) {
    // Every one is written, so that many are at once.
    values.iter_mut().for_each(|value| *value = if value.is_nan() { 0.0 } else { *value });
}

/// Writes the values of neighbouring features, from `first` on, into the panels.
fn scatter<T: Copy>(columns: &[Vec<T>], order: &[u32], width: usize, first: usize, out: &mut [T]) {
    for (panel, rows) in order.chunks(LANES).enumerate() {
        let at = (panel * width + first) * LANES;
        for (out, values) in out[at..].chunks_exact_mut(LANES).zip(columns) {
            out.iter_mut().zip(rows).for_each(|(out, &row)| *out = values[row as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};
    use crate::neighbors::SpaceOptions;

    #[test]
    fn a_square_is_the_block_of_a_run_and_itself() {
        let rows = 5 * LANES + 3;
        let numbers = |step: f64| {
            let number = |row: usize| (step * row as f64).fract();
            (0..rows).map(|row| if row % 7 == 2 { f64::NAN } else { number(row) }).collect()
        };
        let copies: Vec<u8> = (0..rows).map(|row| (row * row % 4) as u8).collect();
        let table = Table::new(vec![
            Column::from_values("a", numbers(0.618)).unwrap(),
            Column::genotype("b", copies.into()).unwrap(),
            Column::from_values("c", (0..rows).map(|row| (row as f64).sin()).collect()).unwrap(),
        ])
        .unwrap();
        let run = Run::new(Some(1)).unwrap();
        for missing in [MissingPolicy::Expected, MissingPolicy::Pessimistic, MissingPolicy::Ignore]
        {
            for metric in [Metric::Manhattan, Metric::Euclidean] {
                let options = SpaceOptions { metric, missing, ..SpaceOptions::default() };
                let space = Space::new(&table, None, options, &run).unwrap();
                let sweep =
                    Sweep::for_radii(&space, (0..rows as u32).rev().collect(), &run).unwrap();
                let (mut whole, mut once) = (Scratch::default(), Scratch::default());
                for run in [0..panels(rows), 1..4, 2..3] {
                    sweep.block(run.clone(), run.clone(), &mut whole);
                    sweep.square(run.clone(), &mut once);
                    let bits = |tiles: &[f64]| -> Vec<u64> {
                        // Places beyond the last row hold numbers of no meaning.
                        let there = rows.min(run.end * LANES) - run.start * LANES;
                        let places = (0..there).flat_map(|i| (0..there).map(move |j| (i, j)));
                        places.map(|(i, j)| tiles[tile_place(i, j, run.len())].to_bits()).collect()
                    };
                    assert_eq!(bits(&whole.out), bits(&once.out), "{missing:?} {metric:?} {run:?}");
                }
            }
        }
    }
}
