//! Distances of blocks of rows from packed copies of the columns: exact, or of rounded numbers.
//!
//! Columns are split by kind, so that inner loops do not branch: numbers (exact integers if they
//! lie on grids), category codes, and bit planes of genotypes and of categories with few levels. A
//! missing number is coded as 0, and the kernels skip missing codes. Corrections are then added row
//! by row, see [`super::corrections`].

use std::collections::HashMap;
use std::ops::Range;

use basrelief_kernels::{
    BitRule, LANES, Level, NumberRule, RampRule, TILE, add_bit_differences, add_common_bits,
    add_mismatches, add_numbers, level, panels,
};

use super::bit_columns::{BitColumns, pack_word};
use super::block_driver::BlockDistances;
use super::corrections::{CorrectionLines, MissingCorrections};
use super::eligible::PackedEligible;
use super::generic_rows::{GenericRows, Packing};
use super::pairs::place_of;
use super::quantized_rows::{Quantization, QuantizedRows};
use super::rounded_numbers::{RoundedNumbers, RoundedWords};
use super::sparse_rows::{Corrections, SparseRows};
use super::tiles::{tile_place, turned};
use crate::data::{MISSING_CODE, TOGETHER};
use crate::differences::{
    BitCode, CodedValue, CorrectionRule, MissingPolicy, ScaledBuffers, Space, Units, code_missing,
    round, with_corrections,
};
use crate::error::Result;
use crate::memory::PossiblyMapped;
use crate::parallel;
use crate::run::Run;

/// Number of features of eight rows that fill a page of memory.
pub(super) const fn features_of_page<T>() -> usize {
    4096 / (LANES * size_of::<T>())
}

/// How numbers are packed.
enum Form<'q> {
    Doubles,
    /// Rounded to this number of steps.
    Words(u32),
    /// Rounded to 15 bits.
    Shorts(&'q Quantization),
}

/// Words of 64 genotypes that are packed at a time.
const PACKED_WORDS: usize = 32;

/// Packed rows in a given order, ready to compute blocks of distances.
///
/// Distances are in units of `1 / unit`: whole numbers if the data allow it.
pub(crate) struct PackedRows<'s> {
    space: &'s Space<'s>,
    /// Row of the table at every place.
    order: Vec<u32>,
    level: Level,
    numbers: PossiblyMapped<f64>,
    number_scales: Vec<f64>,
    number_rule: NumberRule,
    /// The rounded numbers, if numbers are rounded; `numbers` is then empty.
    rounded: Option<RoundedNumbers>,
    codes: PossiblyMapped<u32>,
    n_codes: usize,
    /// Genotypes and categories with few levels, code by code.
    bits: Vec<BitPlanes>,
    /// Sparse features.
    sparse: SparseRows,
    /// Features without a kernel.
    generic: GenericRows,
    /// The known values of features with missing values, for the policy `ignore`.
    known: Vec<KnownBits>,
    /// Sum of the factors of the features that are known in every pair, and of those in which rows differ. Without
    /// factors, these are numbers of features.
    complete: f64,
    active: f64,
    /// Empty under the policy `ignore`.
    corrections: MissingCorrections,
    /// The covariates that determine matched rows, if there are any.
    eligible: Option<PackedEligible>,
    unit: f64,
}

impl<'s> PackedRows<'s> {
    /// Packs the rows in the given order.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn new(space: &'s Space<'s>, order: Vec<u32>, run: &Run) -> Result<Self> {
        Self::pack(space, order, Form::Doubles, run)
    }

    /// As [`new`](Self::new), with numbers rounded to at most `steps` steps, which must not exceed
    /// [`MOST_WHOLE`](basrelief_kernels::MOST_WHOLE). Distances are correct up to the
    /// [`error`](Self::error) of either row, at half the cost. They must be sums of absolute
    /// differences of numbers, and missing values must not be ignored.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn of_words(
        space: &'s Space<'s>,
        order: Vec<u32>,
        steps: u32,
        run: &Run,
    ) -> Result<Self> {
        Self::pack(space, order, Form::Words(steps), run)
    }

    /// As [`of_words`](Self::of_words), for numbers without missing values that can be rounded to
    /// 15 bits: at a quarter of the cost.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn of_shorts(
        space: &'s Space<'s>,
        quantization: &Quantization,
        order: Vec<u32>,
        run: &Run,
    ) -> Result<Self> {
        Self::pack(space, order, Form::Shorts(quantization), run)
    }

    fn pack(space: &'s Space<'s>, order: Vec<u32>, form: Form<'_>, run: &Run) -> Result<Self> {
        let options = space.options();
        let square = options.metric.is_euclidean();
        let by_packing = |wanted: &dyn Fn(Packing) -> bool| -> Vec<usize> {
            let packing =
                |&feature: &usize| Packing::of_feature(space, feature).is_some_and(wanted);
            (0..space.width()).filter(packing).collect()
        };
        let mut number_features = by_packing(&|packing| packing == Packing::Numbers);
        let code_features = by_packing(&|packing| packing == Packing::Codes);
        let generic_features = by_packing(&|packing| packing == Packing::Generic);
        let (active, units) = {
            let active = by_packing(&|_| true);
            let in_units =
                by_packing(&|packing| matches!(packing, Packing::Numbers | Packing::Sparse));
            (sum_of_factors(space, &active), Units::new(space, &in_units, active.len()))
        };
        let sparse_features = by_packing(&|packing| packing == Packing::Sparse);
        let unit = if square { units.unit * units.unit } else { units.unit };
        let ramp =
            options.ramp.map(|ramp| RampRule { equal: ramp.equal(), different: ramp.different() });
        let padded = panels(order.len()) * LANES;
        let rounded = match &form {
            Form::Doubles => None,
            Form::Words(steps) => {
                let features = std::mem::take(&mut number_features);
                let words = RoundedWords::new(space, &units, &features, &order, *steps, run)?;
                Some(RoundedNumbers::words(words, unit))
            }
            Form::Shorts(rounding) => {
                number_features.clear();
                Some(RoundedNumbers::shorts(QuantizedRows::new(space, rounding, &order, run)?))
            }
        };
        let any_missing_in = |features: &[usize]| {
            features.iter().any(|&feature| !space.features()[feature].missing_rows().is_empty())
        };
        let sparse = match sparse_features.is_empty() {
            true => SparseRows::default(),
            false => SparseRows::new(space, &place_of(&order), &units, &sparse_features, run)?,
        };
        let ignore = options.missing == MissingPolicy::Ignore;
        let gaps = ignore && any_missing_in(&number_features);
        let mut rows = Self {
            space,
            level: level(),
            numbers: run.zeros(padded * number_features.len())?,
            number_scales: Vec::new(),
            rounded,
            number_rule: NumberRule { square, gaps, ramp },
            codes: run.zeros(padded * code_features.len())?,
            n_codes: code_features.len(),
            bits: Vec::new(),
            sparse,
            known: Vec::new(),
            complete: active,
            active,
            generic: GenericRows::new(space, &order, generic_features, unit, run)?,
            corrections: corrections(space, &order, (&units, unit), run)?,
            eligible: space.eligible().map(|eligible| PackedEligible::new(eligible, &order)),
            unit,
            order,
        };
        rows.pack_numbers(&number_features, &units, run)?;
        rows.pack_codes(&code_features, run)?;
        for code in BitCode::ALL {
            let features = by_packing(&|packing| packing == Packing::Bits(code));
            for (factor, features) in by_factor(space, features) {
                let form = (code, square, any_missing_in(&features), factor);
                rows.bits.push(BitPlanes::new(space, &rows.order, form, &features, run)?);
            }
        }
        if ignore {
            rows.pack_known();
        }
        Ok(rows)
    }

    /// Maximum error of a row's distances, if numbers are rounded.
    pub(crate) fn error(&self, place: usize) -> Option<f64> {
        self.rounded.as_ref().and_then(|rounded| rounded.error(place))
    }

    /// The distance of a difference of 1.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// The corrections for missing values.
    pub(super) fn corrections(&self) -> &MissingCorrections {
        &self.corrections
    }

    pub(super) fn corrections_mut(&mut self) -> &mut MissingCorrections {
        &mut self.corrections
    }

    /// The space of the distances.
    pub(crate) fn space(&self) -> &'s Space<'s> {
        self.space
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.order.len()
    }

    /// Whether rows have masses.
    pub(super) fn have_masses(&self) -> bool {
        self.space.masses().is_some()
    }

    /// As how many rows the row at a place counts.
    pub(super) fn mass(&self, place: usize) -> f64 {
        self.space.masses().map_or(1.0, |masses| masses[self.order[place] as usize])
    }

    /// Row of the table at every place.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    fn pack_numbers(&mut self, features: &[usize], units: &Units, run: &Run) -> Result<()> {
        // Complete pages of a file at a time.
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
                    self.number_scales.push(convert(self.space, units, feature, values));
                    if !self.number_rule.gaps
                        && !self.space.features()[feature].missing_rows().is_empty()
                    {
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

    /// Packs the bits of known values for the policy `ignore`.
    fn pack_known(&mut self) {
        let with_missing: Vec<usize> = (0..self.space.width())
            .filter(|&f| !self.space.features()[f].missing_rows().is_empty())
            .collect();
        if with_missing.is_empty() {
            return;
        }
        let place_of = place_of(&self.order);
        let is_complete = |&feature: &usize| {
            let own = &self.space.features()[feature];
            !own.rule.is_constant() && own.missing_rows().is_empty()
        };
        let complete: Vec<usize> = (0..self.space.width()).filter(is_complete).collect();
        self.complete = sum_of_factors(self.space, &complete);
        for (factor, features) in by_factor(self.space, with_missing) {
            let words = features.len().div_ceil(64);
            // Sets the bits of all values, and then clears those of missing values.
            let mut bits = vec![0; panels(self.order.len()) * LANES * words];
            for (index, &feature) in features.iter().enumerate() {
                let (word, bit) = (index / 64, 1_u64 << (index % 64));
                let at = |row: usize| (row / LANES * words + word) * LANES + row % LANES;
                for row in 0..self.order.len() {
                    bits[at(row)] |= bit;
                }
                for &original in self.space.features()[feature].missing_rows() {
                    bits[at(place_of[original as usize] as usize)] &= !bit;
                }
            }
            self.known.push(KnownBits { bits, words, factor });
        }
    }

    /// Adds distances to `out`, which contains zeros.
    fn add_block(&self, a: Range<usize>, b: Range<usize>, out: &mut [f64], scratch: &mut Scratch) {
        self.add_unrounded(a.clone(), b.clone(), out, scratch);
        out.iter_mut().for_each(|distance| *distance = round(*distance));
        if let Some(eligible) = &self.eligible {
            eligible.part(a, &b, out);
        }
    }

    /// Adds distances to `out`, which contains zeros, as sums that are not rounded. Rows that may not be neighbors have
    /// distances too.
    pub(super) fn add_unrounded(
        &self,
        a: Range<usize>,
        b: Range<usize>,
        out: &mut [f64],
        scratch: &mut Scratch,
    ) {
        self.add_known(a.clone(), b.clone(), out, &mut scratch.rounded);
        self.sparse.add((&a, &b), out, &mut scratch.sparse);
        if self.known.is_empty() {
            self.add_corrections(a, b, out, scratch);
        } else {
            self.rescale_by_known(a, b, out, &mut scratch.tiles);
        }
    }

    /// Adds the sums over the features known in both rows to `out`, which contains zeros; missing
    /// numbers count as 0. `whole` is reused memory.
    pub(super) fn add_known(
        &self,
        a: Range<usize>,
        b: Range<usize>,
        out: &mut [f64],
        whole: &mut Vec<u32>,
    ) {
        let width = self.number_scales.len();
        if let Some(rounded) = &self.rounded {
            rounded.fill(self.level, a.clone(), b.clone(), out, whole);
        } else if width > 0 {
            let part = |range: &Range<usize>| {
                &self.numbers[range.start * width * LANES..range.end * width * LANES]
            };
            let scales = &self.number_scales;
            let (left, right) = (part(&a), part(&b));
            add_numbers(self.level, self.number_rule, left, right, width, scales, out);
        }
        if self.n_codes > 0 {
            let per_panel = self.n_codes * LANES;
            let part =
                |range: &Range<usize>| &self.codes[range.start * per_panel..range.end * per_panel];
            add_mismatches(self.level, part(&a), part(&b), self.n_codes, self.unit, out);
        }
        let mut counts = Vec::new();
        for bits in &self.bits {
            let panels = (a.clone(), b.clone());
            if bits.factor == 1.0 {
                bits.add(self.level, self.unit, panels, out);
                continue;
            }
            // Sums without the factor are exact, in whatever parts an instruction set adds them.
            counts.clear();
            counts.resize(out.len(), 0.0);
            bits.add(self.level, self.unit, panels, &mut counts);
            out.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += bits.factor * count);
        }
        self.generic.join(self.space, &self.order, (a, b), out);
    }

    /// Applies the policy `ignore`: a sum becomes the mean over the features known in both rows,
    /// times the number of all features. With factors, the mean is weighted by them, and the number is their sum. Rows
    /// without a common known feature are infinitely far.
    fn rescale_by_known(
        &self,
        a: Range<usize>,
        b: Range<usize>,
        out: &mut [f64],
        tiles: &mut Vec<f64>,
    ) {
        tiles.clear();
        tiles.resize(2 * out.len(), 0.0);
        let (common, counts) = tiles.split_at_mut(out.len());
        common.fill(self.complete);
        for known in &self.known {
            let per_panel = known.words * LANES;
            let part =
                |range: &Range<usize>| &known.bits[range.start * per_panel..range.end * per_panel];
            if self.space.has_factors() {
                counts.fill(0.0);
                add_common_bits(self.level, part(&a), part(&b), known.words, counts);
                let counted = common.iter_mut().zip(&*counts);
                counted.for_each(|(common, count)| *common += known.factor * count);
            } else {
                add_common_bits(self.level, part(&a), part(&b), known.words, common);
            }
        }
        // A sum is scaled to all features; a maximum stays that of the known features.
        let is_sum = self.space.options().metric.fold().sum().is_some();
        for (total, &known) in out.iter_mut().zip(&*common) {
            *total = match known > 0.0 {
                true if is_sum => *total / known * self.active,
                true => *total,
                false => f64::INFINITY,
            };
        }
    }

    /// Adds the corrections for missing values. Those of the two rows are summed separately and
    /// then added, so that (i, j) and (j, i) have the same bits.
    fn add_corrections(
        &self,
        a: Range<usize>,
        b: Range<usize>,
        out: &mut [f64],
        scratch: &mut Scratch,
    ) {
        let places = |range: &Range<usize>| range.start * LANES..range.end * LANES;
        let (a_places, b_places) = (places(&a), places(&b));
        if !self.corrections.any(a_places.clone()) && !self.corrections.any(b_places.clone()) {
            return;
        }
        let Scratch { tiles, lines, .. } = scratch;
        tiles.clear();
        tiles.resize(out.len(), 0.0);
        // Lanes without a row have no lines.
        let rows = |places: &Range<usize>| places.end.min(self.rows()) - places.start;
        self.corrections.lines(a_places.clone(), b_places.clone(), lines);
        for (i, line) in lines.lines.chunks_exact(rows(&b_places)).enumerate() {
            for (j, value) in line.iter().enumerate() {
                tiles[tile_place(i, j, b.len())] = *value;
            }
        }
        self.corrections.lines(b_places.clone(), a_places.clone(), lines);
        for (j, line) in lines.lines.chunks_exact(rows(&a_places)).enumerate() {
            for (i, value) in line.iter().enumerate() {
                tiles[tile_place(i, j, b.len())] += *value;
            }
        }
        for (sum, correction) in out.iter_mut().zip(tiles.iter()) {
            *sum = with_corrections(*sum, *correction);
        }
    }
}

/// Converts a feature's scaled numbers into units, times its factor; returns the factor that a ramp applies to their
/// differences.
fn convert(space: &Space<'_>, units: &Units, feature: usize, values: &mut [f64]) -> f64 {
    let scale = units.convert(space, feature, values);
    let factor = space.factor(feature);
    if factor != 1.0 {
        values.iter_mut().for_each(|value| *value *= factor);
    }
    scale
}

/// The sum of the factors of some features.
fn sum_of_factors(space: &Space<'_>, features: &[usize]) -> f64 {
    features.iter().map(|&feature| space.factor(feature)).sum()
}

/// Some features by their factors, in the order in which these appear.
fn by_factor(space: &Space<'_>, features: Vec<usize>) -> Vec<(f64, Vec<usize>)> {
    let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    for feature in features {
        let factor = space.factor(feature);
        let place = *places.entry(factor.to_bits()).or_insert_with(|| {
            groups.push((factor, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(feature);
    }
    groups
}

/// Bits of the known values of features with missing values that have the same factor.
struct KnownBits {
    bits: Vec<u64>,
    /// Words of 64 features per row.
    words: usize,
    factor: f64,
}

/// The corrections for missing values in sums over coded values, in which a difference of 1 adds
/// `unit` times the factor of its feature. Generic features need none.
fn corrections(
    space: &Space<'_>,
    order: &[u32],
    (units, unit): (&Units, f64),
    run: &Run,
) -> Result<MissingCorrections> {
    let options = space.options();
    let packing = |feature: usize| Packing::of_feature(space, feature);
    let rule = |feature: usize, values: &mut [f64]| {
        let counted = match packing(feature) {
            Some(Packing::Numbers | Packing::Sparse) => {
                let scale = convert(space, units, feature, values);
                CodedValue::Number(options.ramp.map(|ramp| (ramp, scale)))
            }
            _ => CodedValue::Nothing,
        };
        let unit = unit * space.factor(feature);
        CorrectionRule { counted, square: options.metric.is_euclidean(), unit }
    };
    let is_corrected = |feature: usize| packing(feature) != Some(Packing::Generic);
    MissingCorrections::new(space, order, is_corrected, rule, run)
}

/// Bit planes of packed rows under one rule.
struct BitPlanes {
    rule: BitRule,
    bits: PossiblyMapped<u64>,
    /// Words of 64 features per plane and row.
    words: usize,
    /// Whether a plane after those of the values marks known values.
    with_missing: bool,
    /// The factor of the features.
    factor: f64,
}

impl BitPlanes {
    /// Packs some features of one code and one factor; `square` states whether differences of copies are squared,
    /// and `with_missing` whether values may be missing.
    fn new(
        space: &Space<'_>,
        order: &[u32],
        (code, square, with_missing, factor): (BitCode, bool, bool, f64),
        features: &[usize],
        run: &Run,
    ) -> Result<Self> {
        let rule = match code.rule() {
            BitRule::Copies if square => BitRule::SquaredCopies,
            rule => rule,
        };
        let planes = rule.planes() + usize::from(with_missing);
        let words = features.len().div_ceil(64);
        let rows = panels(order.len()) * LANES;
        let mut packed_bits = run.zeros(rows * words * planes)?;
        let bits = &mut *packed_bits;
        run.install(|| {
            // The 64 columns of a word are packed at a time, because they stay in the cache while
            // their rows are reordered. The words are then copied panel by panel, because a panel
            // is contiguous.
            for (batch, features) in features.chunks(64 * PACKED_WORDS).enumerate() {
                let pack = |columns: &mut BitColumns, features: &[usize]| {
                    run.check()?;
                    let columns = columns.read(space, code, features);
                    Ok(pack_word(code, &columns, order, rows, planes))
                };
                let packed: Vec<Vec<u64>> = parallel::try_map_with(features.chunks(64), pack)?;
                let panels = bits.chunks_mut(words * planes * LANES).enumerate();
                parallel::for_each(panels, |(panel, bits)| {
                    let first = batch * PACKED_WORDS * planes * LANES;
                    let planes_of = bits[first..].chunks_exact_mut(planes * LANES);
                    for (bits, packed) in planes_of.zip(&packed) {
                        let packed = packed.chunks_exact(rows);
                        for (bits, plane) in bits.chunks_exact_mut(LANES).zip(packed) {
                            bits.copy_from_slice(&plane[panel * LANES..][..LANES]);
                        }
                    }
                });
            }
            Ok::<_, crate::Error>(())
        })?;
        Ok(Self { rule, bits: packed_bits, words, with_missing, factor })
    }

    /// Elements per row.
    fn per_row(&self) -> usize {
        self.words * (self.rule.planes() + usize::from(self.with_missing))
    }

    /// Adds the differences of two runs of panels to their tiled distances; a difference of 1 adds
    /// `unit`, without the factor.
    fn add(&self, level: Level, unit: f64, (a, b): (Range<usize>, Range<usize>), out: &mut [f64]) {
        let per_panel = self.per_row() * LANES;
        let part =
            |range: &Range<usize>| &self.bits[range.start * per_panel..range.end * per_panel];
        let weight = match self.rule {
            BitRule::Copies => unit / 2.0,
            BitRule::SquaredCopies => unit / 4.0,
            BitRule::Mismatch | BitRule::MismatchOfFour => unit,
        };
        let (left, right) = (part(&a), part(&b));
        add_bit_differences(
            level,
            self.rule,
            self.with_missing,
            left,
            right,
            self.words,
            weight,
            out,
        );
    }
}

/// Reused memory of one worker.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Corrections or counts, tiled.
    tiles: Vec<f64>,
    lines: CorrectionLines,
    rounded: Vec<u32>,
    sparse: Corrections,
}

impl BlockDistances for PackedRows<'_> {
    type Distance = f64;
    type Scratch = Scratch;

    fn bytes(&self, rows: usize) -> u64 {
        let numbers = match &self.rounded {
            None => self.number_scales.len() * size_of::<f64>(),
            Some(rounded) => rounded.bytes(),
        };
        let bits = self.bits.iter().map(|bits| bits.per_row() * size_of::<u64>());
        let bits: usize = bits.sum();
        let codes = self.n_codes * size_of::<u32>();
        let sparse = self.sparse.bytes_of_row();
        (rows * (numbers + codes + bits + sparse + self.generic.bytes_of_row())) as u64
    }

    fn block(&self, a: Range<usize>, b: Range<usize>, out: &mut Vec<f64>, scratch: &mut Scratch) {
        out.clear();
        out.resize(a.len() * b.len() * TILE, 0.0);
        self.add_block(a, b, out, scratch);
    }

    fn square(&self, run: Range<usize>, out: &mut Vec<f64>, scratch: &mut Scratch) {
        if !self.sparse.is_empty() {
            // Lists of columns are merged once for the complete blocks.
            self.block(run.clone(), run, out, scratch);
            return;
        }
        let width = run.len();
        out.clear();
        out.resize(width * width * TILE, 0.0);
        for (place, (panel, line)) in
            run.clone().zip(out.chunks_exact_mut(width * TILE)).enumerate()
        {
            self.add_block(panel..panel + 1, panel..run.end, &mut line[place * TILE..], scratch);
        }
        let tiles = out.as_chunks_mut::<TILE>().0;
        for (a, b) in (0..width).flat_map(|a| (a + 1..width).map(move |b| (a, b))) {
            tiles[b * width + a] = turned(&tiles[a * width + b]);
        }
    }
}

/// Writes the values of adjacent features, from `first` on, into the panels.
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
    use crate::differences::{Metric, SpaceOptions};

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
                let order = (0..rows as u32).rev().collect();
                let packed = PackedRows::new(&space, order, &run).unwrap();
                let mut scratch = Scratch::default();
                let (mut whole, mut once) = (Vec::new(), Vec::new());
                for run in [0..panels(rows), 1..4, 2..3] {
                    packed.block(run.clone(), run.clone(), &mut whole, &mut scratch);
                    packed.square(run.clone(), &mut once, &mut scratch);
                    let bits = |tiles: &[f64]| -> Vec<u64> {
                        // Lanes beyond the last row contain meaningless numbers.
                        let there = rows.min(run.end * LANES) - run.start * LANES;
                        let places = (0..there).flat_map(|i| (0..there).map(move |j| (i, j)));
                        places.map(|(i, j)| tiles[tile_place(i, j, run.len())].to_bits()).collect()
                    };
                    assert_eq!(bits(&whole), bits(&once), "{missing:?} {metric:?} {run:?}");
                }
            }
        }
    }
}
