//! Pruning by linkage disequilibrium: of correlated variants, those with the rarer alleles are removed.
//!
//! The result is that of `plink --indep-pairwise` (Purcell et al. 2007; Chang et al. 2015). A window slides along a
//! chromosome. In the window, every variant is compared with the variants after it, by the squared correlation of the
//! numbers of copies of A1 over the founders with both genotypes known. If the correlation exceeds the threshold, the
//! variant with the lower minor allele frequency is removed; if the frequencies are equal, the second one is removed.
//! When no pair exceeds the threshold, the window moves on.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use basrelief::data::Locus;
use basrelief::wording::quoted;
use basrelief::{DataError, Result, Run};
use basrelief_kernels::{Level, PairSums, genotype_deviations, level, pair_products, pair_sums};
use rayon::prelude::*;

use super::counts::{GenotypeCounts, Groups};
use crate::cohort::Cohort;
use crate::metadata::chromosomes::{Genome, is_unplaced};
use crate::plink::bed::{Bed, Reader};

/// The relative difference below which PLINK treats numbers as equal.
const NEARLY: f64 = 1.0 / (1_u64 << 44) as f64;

/// The frequency that PLINK assumes for a variant without known alleles.
pub(super) const UNKNOWN_FREQUENCY: f64 = 0.5;

/// The size of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// A number of variants.
    Variants(usize),
    /// A distance from the first variant of the window, in thousands of base pairs.
    Kilobases(u64),
}

/// The parameters of pruning by linkage disequilibrium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LdPruning {
    window: Window,
    step: usize,
    threshold: f64,
}

impl fmt::Display for LdPruning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, threshold, .. } = self;
        match self.window {
            Window::Variants(count) => write!(f, "{count}:{step}:{threshold}"),
            Window::Kilobases(length) => write!(f, "{length}kb:{step}:{threshold}"),
        }
    }
}

impl LdPruning {
    /// Prunes squared correlations above `threshold` in a window that moves by `step` variants.
    ///
    /// # Errors
    /// The window has fewer than two variants or length 0; the step is 0 or larger than the window; the threshold is
    /// not at least 0 and below 1.
    pub fn new(window: Window, step: usize, threshold: f64) -> std::result::Result<Self, String> {
        let (is_empty, is_passed) = match window {
            Window::Variants(count) => (count < 2, step > count),
            Window::Kilobases(length) => (length == 0, false),
        };
        if is_empty {
            return Err("the window is too small for two variants".to_string());
        }
        if step == 0 || is_passed {
            return Err(format!("a step of {step} variants is 0 or larger than the window"));
        }
        if !(0.0..1.0).contains(&threshold) {
            return Err(format!("r2 {threshold} must be at least 0 and below 1"));
        }
        Ok(Self { window, step, threshold })
    }

    /// Parses the text `WINDOW:STEP:R2`. The window is a number of variants, or thousands of base pairs if `kb` follows
    /// it. Examples are `50:5:0.2` and `250kb:1:0.2`.
    ///
    /// # Errors
    /// The text does not have this form; the errors of [`new`](Self::new).
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let parts: Vec<&str> = text.split(':').map(str::trim).collect();
        let &[window, step, threshold] = &parts[..] else {
            return Err(format!("{}, but three are expected: WINDOW:STEP:R2", counted(&parts)));
        };
        let whole = |text: &str, what: &str| {
            text.parse::<u32>()
                .map_err(|_| format!("the {what} {} is not a whole number", quoted(text)))
        };
        let kilobases = window.to_ascii_lowercase();
        let window = match kilobases.strip_suffix("kb") {
            Some(length) => Window::Kilobases(u64::from(whole(length.trim(), "window")?)),
            None => Window::Variants(whole(window, "window")? as usize),
        };
        let step = whole(step, "step")? as usize;
        let threshold =
            threshold.parse().map_err(|_| format!("r2 {} is not a number", quoted(threshold)))?;
        Self::new(window, step, threshold)
    }

    /// Returns for each variant of a cohort whether it is kept, in one pass over the file. Variants of chromosome 0 are
    /// removed, because their positions are unknown.
    ///
    /// # Errors
    /// The variants are not sorted by chromosome and position; the file cannot be read, or has changed;
    /// [`basrelief::Error::Cancelled`].
    pub(super) fn kept(&self, cohort: &Cohort, run: &Run) -> Result<Vec<bool>> {
        let chromosomes = chromosomes(cohort.loci(), cohort.genome(), &cohort.variants_file())?;
        let (bed, groups) = (cohort.open_bed(run)?, Groups::of(cohort));
        run.progress().start("pruning", cohort.loci().len() as u64);
        let prune = |range: &Range<usize>| {
            if is_unplaced(&cohort.loci()[range.start].chromosome) {
                return Ok(vec![false; range.len()]);
            }
            let track = Track {
                file: &cohort.variants_of_file()[range.clone()],
                loci: &cohort.loci()[range.clone()],
                founders: groups.founders(),
                bed: &bed,
                run,
                level: level(),
            };
            self.kept_of(&track)
        };
        // The longest chromosomes come first, for a better balance between the threads.
        let mut order: Vec<usize> = (0..chromosomes.len()).collect();
        order.sort_by_key(|&chromosome| std::cmp::Reverse(chromosomes[chromosome].len()));
        let kept: Result<Vec<Vec<bool>>> = run.install(|| {
            let all = order.par_iter().with_max_len(1);
            all.map(|&chromosome| prune(&chromosomes[chromosome])).collect()
        });
        run.progress().finish();
        let mut all = vec![false; cohort.loci().len()];
        for (chromosome, kept) in order.into_iter().zip(kept?) {
            all[chromosomes[chromosome].clone()].copy_from_slice(&kept);
        }
        Ok(all)
    }

    /// Returns for each variant of one chromosome whether it is kept.
    fn kept_of(&self, track: &Track<'_>) -> Result<Vec<bool>> {
        let count = track.loci.len();
        let mut kept = vec![true; count];
        let mut reader = Ahead::new(track)?;
        let (mut start, mut end) = (0, self.first_end(track));
        // PLINK ignores a variant that is alone in the first window.
        let mut live = match end {
            1 => Vec::new(),
            _ => reader.load(0..end, &mut kept)?,
        };
        loop {
            track.run.check()?;
            self.prune_window(track.level, &mut live, end, &mut kept);
            start += self.step;
            if start >= count {
                track.run.progress().advance((count + self.step - start) as u64);
                return Ok(kept);
            }
            track.run.progress().advance(self.step as u64);
            live.retain(|variant| variant.place >= start && kept[variant.place]);
            end = end.max(start);
            let next = self.next_end(track, start, end);
            live.extend(reader.load(end..next, &mut kept)?);
            end = next;
        }
    }

    /// The end of the first window.
    fn first_end(&self, track: &Track<'_>) -> usize {
        match self.window {
            Window::Variants(count) => count.min(track.loci.len()),
            Window::Kilobases(length) => track.end_within(0, 1, length),
        }
    }

    /// The end of the window that begins at `start`, given the end of the previous window.
    fn next_end(&self, track: &Track<'_>, start: usize, end: usize) -> usize {
        match self.window {
            Window::Variants(_) => (end + self.step).min(track.loci.len()),
            Window::Kilobases(length) => track.end_within(start, end, length),
        }
    }

    /// Removes variants of a window, which ends at `end`, until no pair exceeds the threshold.
    fn prune_window(&self, level: Level, live: &mut [Variant], end: usize, kept: &mut [bool]) {
        let most = self.threshold * (1.0 + NEARLY);
        let mut is_changed = live.len() > 1;
        while is_changed {
            is_changed = false;
            for first in 0..live.len() - 1 {
                if !kept[live[first].place] {
                    continue;
                }
                // Pairs are compared only once.
                let mut others = (first + 1..live.len()).filter(|&other| {
                    live[other].place >= live[first].next && kept[live[other].place]
                });
                let found =
                    others.find(|&other| is_correlated(level, &live[first], &live[other], most));
                let Some(other) = found else {
                    live[first].next = end;
                    continue;
                };
                is_changed = true;
                if live[first].frequency < (1.0 - NEARLY) * live[other].frequency {
                    kept[live[first].place] = false;
                } else {
                    let next = others.next().map_or(end, |next| live[next].place);
                    kept[live[other].place] = false;
                    live[first].next = next;
                }
            }
        }
    }
}

/// Returns the number of parts with the noun: `1 part`, `2 parts`.
fn counted(parts: &[&str]) -> String {
    match parts.len() {
        1 => "1 part".to_string(),
        several => format!("{several} parts"),
    }
}

/// The variants of one chromosome, in order.
struct Track<'a> {
    /// Their indices in the file.
    file: &'a [u32],
    loci: &'a [Locus],
    /// The bit mask of the founders.
    founders: &'a [u64],
    bed: &'a Bed<'a>,
    run: &'a Run,
    level: Level,
}

impl Track<'_> {
    /// Returns the first index, starting at `from`, whose variant lies more than `kilobases` thousand base pairs after
    /// the variant at `start`.
    fn end_within(&self, start: usize, from: usize, kilobases: u64) -> usize {
        let last = self.loci[start].position + 1000 * kilobases;
        from + self.loci[from..].iter().take_while(|locus| locus.position <= last).count()
    }
}

/// Whether the squared correlation of two variants, over the founders with both genotypes known, exceeds `most`.
/// `false` if one of the variants is constant among these founders.
fn is_correlated(level: Level, a: &Variant, b: &Variant, most: f64) -> bool {
    let (one, other) = (&a.own, &b.own);
    // This decides most pairs of a rare and a common variant.
    if greatest_correlation(possible_products(one, other), one, other) <= most {
        return false;
    }
    let products = pair_products(level, &a.planes, &b.planes);
    if one.missing == 0 && other.missing == 0 {
        let sums = [one.sum(), other.sum()];
        let squares = [one.squares(), other.squares()];
        return exceeds(&PairSums { people: one.people, sums, squares, products }, most);
    }
    let bound = greatest_correlation([products], one, other);
    bound > most && exceeds(&pair_sums(level, &a.planes, &b.planes), most)
}

/// Whether the squared correlation of two variants exceeds `most`.
fn exceeds(pair: &PairSums, most: f64) -> bool {
    let PairSums { people, sums, squares, products } = *pair;
    let covariance = (products * people - sums[0] * sums[1]) as f64;
    let [one, other] = [0, 1].map(|of| (squares[of] * people - sums[of] * sums[of]) as f64);
    one > 0.0 && other > 0.0 && covariance * covariance / (one * other) > most
}

/// Returns the smallest and the largest possible sum of products of two variants, given the counts of each. These are
/// the sums for people sorted by both variants, in opposite orders and in the same order. A missing genotype counts as
/// 0, like a heterozygous one.
fn possible_products(one: &OwnSums, other: &OwnSums) -> [i64; 2] {
    let everybody = one.people + one.missing;
    let greatest = |[above, below]: [i64; 2], [other_above, other_below]: [i64; 2]| {
        above.min(other_above) + below.min(other_below)
            - (above + other_below - everybody).max(0)
            - (below + other_above - everybody).max(0)
    };
    let [above, below] = other.homozygous;
    [-greatest(one.homozygous, [below, above]), greatest(one.homozygous, [above, below])]
}

/// Returns an upper bound of the squared correlation of two variants, from the sums of each and from `products`, which
/// contains bounds of the sum of products. People without a genotype of one variant may have any genotype of the other.
/// Excluding them therefore changes the sum and the sum of squares of the other variant by at most their number. The
/// bound is infinite if nothing can be concluded.
fn greatest_correlation<const N: usize>(products: [i64; N], one: &OwnSums, other: &OwnSums) -> f64 {
    let everybody = (one.people + one.missing) as f64;
    let [lacks_one, lacks_other] = [one.missing, other.missing].map(|missing| missing as f64);
    let [sum_one, sum_other] = [one.sum(), other.sum()].map(|sum| sum as f64);
    let (least, most) =
        (everybody - lacks_one - lacks_other, everybody - lacks_one.max(lacks_other));
    let least_variance = |own: &OwnSums, lacks: f64| {
        (own.squares() as f64 - lacks).max(0.0) * least - (own.sum().abs() as f64 + lacks).powi(2)
    };
    let variances = [least_variance(one, lacks_other), least_variance(other, lacks_one)];
    if variances.iter().any(|variance| *variance <= 0.0) {
        return f64::INFINITY;
    }
    let of_missing =
        sum_one.abs() * lacks_one + sum_other.abs() * lacks_other + lacks_one * lacks_other;
    let greatest_covariance = |products: i64| {
        let products = products as f64;
        (products * (least + most) / 2.0 - sum_one * sum_other).abs()
            + products.abs() * (most - least) / 2.0
            + of_missing
    };
    // The bound is convex in the sum of products, so its maximum lies at one of the ends.
    let covariance = products.into_iter().map(greatest_covariance).fold(0.0, f64::max);
    // The factor is larger than any rounding error.
    covariance * covariance / (variances[0] * variances[1]) * (1.0 + 1e-9)
}

/// The sums of a variant over the founders with a known genotype, as in [`PairSums`].
#[derive(Clone, Copy)]
struct OwnSums {
    people: i64,
    /// The numbers of genotypes that count as 1 and as -1.
    homozygous: [i64; 2],
    /// The number of founders without a genotype.
    missing: i64,
}

impl OwnSums {
    fn new(counts: &GenotypeCounts) -> Self {
        let homozygous = [counts.homozygous_a1, counts.homozygous_a2].map(i64::from);
        let (people, missing) = (i64::from(counts.known()), i64::from(counts.missing));
        Self { people, homozygous, missing }
    }

    fn sum(&self) -> i64 {
        self.homozygous[0] - self.homozygous[1]
    }

    fn squares(&self) -> i64 {
        self.homozygous[0] + self.homozygous[1]
    }

    /// Whether at least two different genotypes occur.
    fn varies(&self) -> bool {
        self.squares() * self.people != self.sum() * self.sum()
    }
}

/// A variant in the window.
struct Variant {
    place: usize,
    /// The index of the first variant with which this one has not been compared yet.
    next: usize,
    planes: Vec<u64>,
    own: OwnSums,
    /// The minor allele frequency among the founders.
    frequency: f64,
}

/// Reads the variants of a chromosome from start to end, many at a time.
struct Ahead<'a> {
    track: &'a Track<'a>,
    reader: Reader<'a>,
    bytes: Vec<u8>,
    /// The indices of the variants in `bytes`.
    read: Range<usize>,
}

/// The approximate number of bytes read at a time.
const AHEAD: usize = 1 << 20;

impl<'a> Ahead<'a> {
    fn new(track: &'a Track<'a>) -> Result<Self> {
        Ok(Self { track, reader: track.bed.reader()?, bytes: Vec::new(), read: 0..0 })
    }

    /// Returns the variants at some indices, none of which precede those of the last call. Marks variants that are
    /// constant among the founders as not kept.
    fn load(&mut self, places: Range<usize>, kept: &mut [bool]) -> Result<Vec<Variant>> {
        places
            .map(|place| {
                let variant = self.variant(place)?;
                kept[place] = variant.own.varies();
                Ok(variant)
            })
            .collect()
    }

    fn variant(&mut self, place: usize) -> Result<Variant> {
        let Track { bed, file, founders, level, .. } = *self.track;
        let stride = bed.stride();
        if !self.read.contains(&place) {
            let end = (place + (AHEAD / stride).max(1)).min(file.len());
            self.bytes.resize((end - place) * stride, 0);
            bed.read_variants(&mut self.reader, &file[place..end], &mut self.bytes)?;
            self.read = place..end;
        }
        let packed = &self.bytes[(place - self.read.start) * stride..][..stride];
        let mut planes = vec![0; 3 * founders.len()];
        genotype_deviations(level, packed, founders, &mut planes);
        let counts = GenotypeCounts::of(level, packed, founders);
        let frequency = counts.minor_allele_frequency().unwrap_or(UNKNOWN_FREQUENCY);
        Ok(Variant { place, next: place + 1, planes, own: OwnSums::new(&counts), frequency })
    }
}

/// Returns the range of variants of each chromosome.
///
/// # Errors
/// The variants of a chromosome are not contiguous, or a position is smaller than the preceding one.
fn chromosomes(loci: &[Locus], genome: Genome, bim: &Path) -> Result<Vec<Range<usize>>> {
    let refuse = |problem: String| {
        let help = "sort the cohort, as plink --make-bed does";
        Err(DataError::new(problem, help).in_file(bim).into())
    };
    // A chromosome may have several names, such as 23 and X. The canonical form of each name is computed once.
    let mut usual: HashMap<&str, String> = HashMap::new();
    for locus in loci {
        let name = &*locus.chromosome;
        usual.entry(name).or_insert_with(|| genome.usual(name));
    }
    let usual_of = |locus: &Locus| &usual[&*locus.chromosome];
    let mut seen: HashSet<&String> = HashSet::new();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for of_one in loci.chunk_by(|one, next| {
        Arc::ptr_eq(&one.chromosome, &next.chromosome) || usual_of(one) == usual_of(next)
    }) {
        let start = ranges.last().map_or(0, |range| range.end);
        let chromosome = &of_one[0].chromosome;
        if !seen.insert(usual_of(&of_one[0])) {
            return refuse(format!(
                "the variants of chromosome {} are not contiguous; they continue at {}",
                quoted(chromosome),
                quoted(&of_one[0].id)
            ));
        }
        let mut pairs = of_one.windows(2);
        if let Some([one, next]) = pairs.find(|pair| pair[0].position > pair[1].position) {
            return refuse(format!(
                "the variant {} at {} of chromosome {} comes after {} at {}",
                quoted(&next.id),
                next.position,
                quoted(chromosome),
                quoted(&one.id),
                one.position
            ));
        }
        ranges.push(start..start + of_one.len());
    }
    Ok(ranges)
}

#[cfg(test)]
mod tests {
    use basrelief_kernels::GENOTYPES;

    use super::*;

    /// The smallest and the largest sums are those of sorted people.
    #[test]
    fn possible_products_are_those_of_sorted_people() {
        const PEOPLE: usize = 7;
        let all: Vec<[i64; 2]> = (0..=PEOPLE as i64)
            .flat_map(|above| (0..=PEOPLE as i64 - above).map(move |below| [above, below]))
            .collect();
        let values = |[above, below]: [i64; 2]| -> Vec<i64> {
            let between = PEOPLE as i64 - above - below;
            let runs = [(-1, below), (0, between), (1, above)];
            runs.into_iter().flat_map(|(value, count)| vec![value; count as usize]).collect()
        };
        for &one in &all {
            for &other in &all {
                let own = [one, other].map(|homozygous| OwnSums {
                    people: PEOPLE as i64,
                    homozygous,
                    missing: 0,
                });
                let (a, b) = (values(one), values(other));
                let least: i64 = a.iter().zip(b.iter().rev()).map(|(a, b)| a * b).sum();
                let greatest: i64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
                assert_eq!(possible_products(&own[0], &own[1]), [least, greatest]);
            }
        }
    }

    /// No pair exceeds its bound, and without missing genotypes the bound is exact.
    #[test]
    fn bounds_are_bounds() {
        const WORDS: usize = 3;
        let mut state = 1_u64;
        let mut packed = |missing: u64| -> Vec<u8> {
            let mut genotype = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_041);
                let number = state >> 33;
                let known = [0b00, 0b10, 0b11][(number / 100 % 3) as usize];
                if number % 100 < missing { 0b01 } else { known }
            };
            let bytes = 0..WORDS * GENOTYPES / 4;
            bytes.map(|_| (0..4).fold(0, |byte, at| byte | genotype() << (2 * at))).collect()
        };
        let mask = [u64::MAX; WORDS];
        let mut tight = 0;
        for round in 0..300 {
            let [a, b] = [round % 3, round % 7].map(|missing| {
                let mut planes = vec![0; 3 * WORDS];
                genotype_deviations(Level::Portable, &packed(missing), &mask, &mut planes);
                planes
            });
            let own = [&a, &b].map(|planes| {
                let sums = pair_sums(Level::Portable, planes, planes);
                let missing = (WORDS * GENOTYPES) as i64 - sums.people;
                let [sum, squares] = [sums.sums[0], sums.squares[0]];
                let homozygous = [(squares + sum) / 2, (squares - sum) / 2];
                OwnSums { people: sums.people, homozygous, missing }
            });
            let pair = pair_sums(Level::Portable, &a, &b);
            let products = pair_products(Level::Portable, &a, &b);
            assert_eq!(products, pair.products);
            let bound = greatest_correlation([products], &own[0], &own[1]);
            let possible = possible_products(&own[0], &own[1]);
            assert!((possible[0]..=possible[1]).contains(&products), "round {round}");
            assert!(bound <= greatest_correlation(possible, &own[0], &own[1]), "round {round}");
            assert!(!exceeds(&pair, bound), "round {round}");
            tight += usize::from(bound < 0.2);
            if own.iter().all(|own| own.missing == 0) && bound > 0.0 {
                assert!(exceeds(&pair, bound * (1.0 - 1e-6)), "round {round}");
            }
        }
        assert!(tight > 100, "bounds that save no work: {tight}");
    }

    #[test]
    fn prunings_are_written_as_parts() {
        for (text, window, step, threshold) in [
            ("50:5:0.2", Window::Variants(50), 5, 0.2),
            ("250kb:1:0", Window::Kilobases(250), 1, 0.0),
        ] {
            let pruning = LdPruning::parse(text).unwrap();
            assert_eq!(pruning, LdPruning { window, step, threshold });
            assert_eq!(pruning.to_string(), text);
        }
        assert_eq!(LdPruning::parse("250 KB : 1: 0.5"), LdPruning::parse("250kb:1:0.5"));
        for (text, problem) in [
            ("50:5", "2 parts"),
            ("50:5:0.2:1", "4 parts"),
            ("1:1:0.2", "too small for two variants"),
            ("0kb:1:0.2", "too small for two variants"),
            ("50:0:0.2", "a step of 0"),
            ("50:51:0.2", "a step of 51"),
            ("50:5:1", "r2 1 must be"),
            ("50:5:NaN", "r2 NaN must be"),
            ("-50:5:0.2", "window `-50` is not a whole number"),
            ("50:five:0.2", "step `five` is not a whole number"),
            ("50:5:half", "r2 `half` is not a number"),
        ] {
            let found = LdPruning::parse(text).unwrap_err();
            assert!(found.contains(problem), "{text}: {found}");
        }
    }
}
