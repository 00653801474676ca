//! Kinship of all pairs of people, with the estimator KING-robust.
//!
//! The estimate for two people `i` and `j` is that of Manichaikul et al. (2010, Bioinformatics 26:2867, equation 11)
//! for people of different families:
//!
//! `kinship = 1/2 - sum_v (x_iv - x_jv)^2 / (4 min(H_i, H_j))`
//!
//! where `x` is the number of copies of an allele (0, 1 or 2), the sum is over the variants at which both genotypes are
//! known, and `H` is the number of these variants at which the person is heterozygous. The expected value is 1/2 for
//! duplicates and identical twins, 1/4 for parents and children and for full siblings, 1/8 for second-degree relatives,
//! and 0 for unrelated people of one population. It does not depend on allele frequencies and is negative for people
//! of different populations. Family IDs are not used.
//!
//! `plink2 --make-king-table` reports the same numbers. As in PLINK 2, variants on X, Y and MT are not counted.
//!
//! Genotypes are packed person by person, in bit planes, and all counts follow from sums over pairs of rows that the
//! engine of basrelief also uses: the squared differences `S` and the differences `D` of the copies, summed over
//! variants. The number of opposite homozygotes is `(S - D) / 2`. All sums are integers, so the result does not depend
//! on blocks or the number of threads.

use std::ops::Range;

use basrelief::wording::setting;
use basrelief::{DataError, Error, Result, Run};
use basrelief_kernels::{
    BitRule, LANES, Level, TILE, add_bit_differences, add_common_bits, genotype_planes, level,
    panels,
};
use rayon::prelude::*;

use super::counts::{CohortQuality, missing_of_people};
use crate::cohort::Cohort;
use crate::plink::bed::Bed;

/// Genotypes per word of a plane.
const WORD: usize = 64;

/// People per block, which is compared with another block at a time.
const BLOCK_PEOPLE: usize = 64;

/// The largest number of pairs that are kept. Their table has about 700 MB.
const MOST_PAIRS: usize = 12_000_000;

/// The counts of two people, over the variants at which both genotypes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KinshipPair {
    /// The indices of both people in the cohort, the larger one first, as in PLINK 2.
    pub people: [u32; 2],
    /// The number of variants at which both genotypes are known.
    pub variants: u32,
    /// The number of variants at which both people are heterozygous.
    pub both_heterozygous: u32,
    /// The number of variants at which the people have no allele in common (IBS 0).
    pub opposite: u32,
    /// The number of variants at which only this person is heterozygous.
    pub only_heterozygous: [u32; 2],
}

impl KinshipPair {
    /// The kinship coefficient. It is not a number if no variant is known in both people or if the people have the
    /// same homozygous genotypes, and negative infinity if only one of two different people is heterozygous nowhere.
    pub fn kinship(&self) -> f64 {
        let [one, other] = self.only_heterozygous.map(u64::from);
        let squares = 4 * u64::from(self.opposite) + one + other;
        estimate(squares as f64, (u64::from(self.both_heterozygous) + one.min(other)) as f64)
    }
}

/// The kinship coefficient, from the sum of squared differences and the smaller number of heterozygous variants.
fn estimate(squares: f64, heterozygous: f64) -> f64 {
    0.5 - squares / (4.0 * heterozygous)
}

/// Returns the pairs of people of a cohort whose kinship coefficient is above `cutoff`, or all pairs without a cutoff:
/// in the order of PLINK 2, which is that of the person with the larger index, then of the other one. Memory is three
/// bits per genotype, or less if the run allows less; the pairs that are kept; and blocks.
///
/// # Errors
/// The cutoff is not between 0 and 0.5; no variant is on an autosome; more than 12 million pairs would be kept; the
/// file cannot be read, or has changed; [`Error::Cancelled`].
pub fn kinship(cohort: &Cohort, cutoff: Option<f64>, run: &Run) -> Result<Vec<KinshipPair>> {
    if let Some(cutoff) = cutoff {
        check_king_cutoff(cutoff)?;
    }
    let people = cohort.samples().len();
    let all = people * people.saturating_sub(1) / 2;
    if cutoff.is_none() && all > MOST_PAIRS {
        return Err(Error::option(
            "king_table",
            format!("{people} people have {all} pairs, too many for a table of all"),
            format!(
                "keep only related pairs with {}, for example with second-degree relatives and closer",
                setting("king_cutoff", Some("0.0884"))
            ),
        ));
    }
    let variants = autosomal(cohort)?;
    let bed = cohort.open_bed(run)?;
    let has_missing = missing_of_people(cohort, run)?.iter().any(|missing| *missing > 0);
    let source = Pairs { bed, cohort, variants, has_missing, cutoff, run, level: level() };
    source.found(people)
}

/// Checks a cutoff of kinship coefficients.
///
/// # Errors
/// It is not between 0 and 0.5.
pub fn check_king_cutoff(cutoff: f64) -> Result<()> {
    if cutoff > 0.0 && cutoff < 0.5 {
        return Ok(());
    }
    Err(Error::option(
        "king_cutoff",
        format!("{cutoff} is not between 0 and 0.5"),
        "give a kinship coefficient: relatives of the first degree are above 0.177, of the second degree above 0.0884, \
         of the third degree above 0.0442",
    ))
}

/// The places in the file of the variants that count: all except those of which some people have fewer than two copies.
fn autosomal(cohort: &Cohort) -> Result<Vec<u32>> {
    let all = cohort.loci().iter().zip(cohort.variants_of_file());
    let variants: Vec<u32> = all
        .filter(|(locus, _)| CohortQuality::has_frequency(cohort, locus))
        .map(|(_, place)| *place)
        .collect();
    if variants.is_empty() {
        let help = "keep autosomes; kinship is computed only from variants of which all people have two copies";
        let problem =
            "all selected variants are on X, Y or MT, so that kinship cannot be estimated";
        return Err(DataError::new(problem, help).in_file(&cohort.variants_file()).into());
    }
    Ok(variants)
}

/// The people and variants that are compared.
struct Pairs<'a> {
    bed: Bed<'a>,
    cohort: &'a Cohort,
    variants: Vec<u32>,
    has_missing: bool,
    cutoff: Option<f64>,
    run: &'a Run,
    level: Level,
}

/// The genotypes of consecutive people of the cohort.
struct Packed {
    /// The people of the cohort.
    people: Range<usize>,
    /// For every panel of people and every word of variants, the planes *at least one copy*, *two copies*, and, if
    /// genotypes are missing, *known*.
    panels: Vec<u64>,
    /// The number of heterozygous genotypes of every person.
    heterozygous: Vec<f64>,
}

/// The planes *known* and *heterozygous* of some panels, each as panels of its own.
struct Single {
    known: Vec<u64>,
    heterozygous: Vec<u64>,
}

impl Pairs<'_> {
    fn words(&self) -> usize {
        self.variants.len().div_ceil(WORD)
    }

    fn planes(&self) -> usize {
        2 + usize::from(self.has_missing)
    }

    /// The words of a panel.
    fn of_panel(&self) -> usize {
        self.words() * self.planes() * LANES
    }

    /// Compares all pairs of people. If the genotypes of all people do not fit in memory, two parts of the people are
    /// held at a time.
    fn found(&self, people: usize) -> Result<Vec<KinshipPair>> {
        let mut part = people.next_multiple_of(BLOCK_PEOPLE).max(BLOCK_PEOPLE);
        let bytes = |part: usize| (2 * panels(part) * self.of_panel() * size_of::<u64>()) as u64;
        while part > BLOCK_PEOPLE && !self.run.memory().holds(bytes(part)) {
            part = (part / 2).next_multiple_of(BLOCK_PEOPLE);
        }
        let mut found = Vec::new();
        for start in (0..people).step_by(part) {
            let own = self.packed(start..(start + part).min(people))?;
            for other_start in (0..start).step_by(part) {
                let other = self.packed(other_start..other_start + part)?;
                self.add(&own, &other, &mut found)?;
            }
            self.add(&own, &own, &mut found)?;
        }
        found.sort_unstable_by_key(|pair| pair.people);
        Ok(found)
    }

    /// Reads and packs the genotypes of some people.
    fn packed(&self, people: Range<usize>) -> Result<Packed> {
        let places = &self.cohort.people_of_file()[people.clone()];
        let mut all = vec![0; panels(people.len()) * self.of_panel()];
        let (planes, stride, words) = (self.planes(), self.bed.stride(), self.words());
        let of_group = self.of_panel() * (WORD / LANES);
        self.bed.each_piece(&self.variants, |first, bytes| {
            self.run.install(|| {
                let groups = all.par_chunks_mut(of_group).zip(places.par_chunks(WORD));
                groups.for_each(|(out, places)| {
                    let mut rows = [[0; WORD]; 3];
                    let mut columns = [[0; WORD]; WORD];
                    for (word, bytes) in (first / WORD..).zip(bytes.chunks(WORD * stride)) {
                        let count = bytes.len() / stride;
                        for (column, bytes) in columns.iter_mut().zip(bytes.chunks(stride)) {
                            unpack(bytes, places, column);
                        }
                        genotype_planes(self.level, &columns[..count], &mut rows[..planes]);
                        for (plane, row) in rows[..planes].iter().enumerate() {
                            for (panel, lanes) in row.as_chunks::<LANES>().0.iter().enumerate() {
                                let place = ((panel * words + word) * planes + plane) * LANES;
                                if let Some(out) = out.get_mut(place..place + LANES) {
                                    out.copy_from_slice(lanes);
                                }
                            }
                        }
                    }
                });
            });
        })?;
        let heterozygous = self.run.install(|| {
            let counts = all.par_chunks(self.of_panel()).flat_map_iter(|panel| {
                let mut counts = [0_u32; LANES];
                for word in panel.chunks_exact(planes * LANES) {
                    for (lane, count) in counts.iter_mut().enumerate() {
                        *count += (word[lane] & !word[LANES + lane]).count_ones();
                    }
                }
                counts.map(f64::from)
            });
            counts.collect()
        });
        Ok(Packed { people, panels: all, heterozygous })
    }

    /// Adds the pairs of a person of `own` with a person of `other` who has a smaller index.
    fn add(&self, own: &Packed, other: &Packed, found: &mut Vec<KinshipPair>) -> Result<()> {
        let run = self.run;
        let is_same = own.people == other.people;
        // Small cohorts are divided among all threads.
        let block = (own.people.len() / (4 * run.threads())).next_multiple_of(LANES);
        let block = block.clamp(LANES, BLOCK_PEOPLE);
        let starts: Vec<usize> = (0..own.people.len()).step_by(block).rev().collect();
        let others = |start: usize| match is_same {
            true => (start + block).min(own.people.len()),
            false => other.people.len(),
        };
        let total: usize = starts.iter().map(|&start| others(start) * block).sum();
        run.progress().start("comparing people", total as u64);
        let compare = |&start: &usize| -> Result<Vec<KinshipPair>> {
            let mut found = Vec::new();
            let mut block = Block::new(self, own, start..(start + block).min(own.people.len()));
            for first in (0..others(start)).step_by(BLOCK_PEOPLE) {
                run.check()?;
                let people = first..(first + BLOCK_PEOPLE).min(others(start));
                run.progress().advance((people.len() * block.people.len()) as u64);
                block.compare(other, people, &mut found);
                if found.len() > MOST_PAIRS {
                    return Err(self.too_many());
                }
            }
            Ok(found)
        };
        let all: Result<Vec<Vec<KinshipPair>>> =
            run.install(|| starts.par_iter().with_max_len(1).map(compare).collect());
        run.progress().finish();
        for pairs in all? {
            if found.len() + pairs.len() > MOST_PAIRS {
                return Err(self.too_many());
            }
            found.extend(pairs);
        }
        Ok(())
    }

    fn too_many(&self) -> Error {
        let cutoff = self.cutoff.unwrap_or_default();
        Error::option(
            "king_cutoff",
            format!(
                "more than {MOST_PAIRS} pairs of people have a kinship coefficient above {cutoff}"
            ),
            "use a higher cutoff",
        )
    }

    /// The panels of some people of a part; the first one begins a panel.
    fn panels_of<'p>(&self, packed: &'p Packed, people: &Range<usize>) -> &'p [u64] {
        let of_panel = self.of_panel();
        &packed.panels[people.start / LANES * of_panel..panels(people.end) * of_panel]
    }

    /// The planes *known* and *heterozygous* of some panels.
    fn single(&self, panels: &[u64]) -> Single {
        let mut single = Single { known: Vec::new(), heterozygous: Vec::new() };
        for word in panels.chunks_exact(3 * LANES) {
            let (one, two, known) = (&word[..LANES], &word[LANES..2 * LANES], &word[2 * LANES..]);
            single.known.extend(known);
            single.heterozygous.extend(one.iter().zip(two).map(|(one, two)| one & !two));
        }
        single
    }
}

/// A block of people that is compared with others.
struct Block<'a> {
    pairs: &'a Pairs<'a>,
    packed: &'a Packed,
    people: Range<usize>,
    panels: &'a [u64],
    /// Made when a pair may be above the cutoff.
    single: Option<Single>,
    squares: Vec<f64>,
}

impl<'a> Block<'a> {
    fn new(pairs: &'a Pairs<'a>, packed: &'a Packed, people: Range<usize>) -> Self {
        let panels = pairs.panels_of(packed, &people);
        Self { pairs, packed, people, panels, single: None, squares: Vec::new() }
    }

    /// Adds the pairs with some people of a part whose indices are smaller.
    fn compare(&mut self, other: &Packed, others: Range<usize>, found: &mut Vec<KinshipPair>) {
        let Pairs { has_missing, level, .. } = *self.pairs;
        let (words, of_panel) = (self.pairs.words(), self.pairs.of_panel());
        let other_panels = self.pairs.panels_of(other, &others);
        let counts = [self.panels.len() / of_panel, other_panels.len() / of_panel];
        self.squares.clear();
        self.squares.resize(counts[0] * counts[1] * TILE, 0.0);
        let rule = BitRule::SquaredCopies;
        let panels = (self.panels, other_panels);
        add_bit_differences(
            level,
            rule,
            has_missing,
            panels.0,
            panels.1,
            words,
            1.0,
            &mut self.squares,
        );
        let mut other_single = None;
        for tile in 0..counts[0] * counts[1] {
            let (panel, other_panel) = (tile / counts[1], tile % counts[1]);
            let first = [self.people.start + panel * LANES, others.start + other_panel * LANES];
            let squares = &self.squares[tile * TILE..][..TILE];
            let is_above = |place: usize| {
                let [one, two] = [first[0] + place / LANES, first[1] + place % LANES];
                let people = [self.packed.people.start + one, other.people.start + two];
                one < self.people.end
                    && two < others.end
                    && people[1] < people[0]
                    && self.pairs.cutoff.is_none_or(|cutoff| {
                        // More heterozygous genotypes than those known in both people do not decrease the estimate.
                        let heterozygous = [self.packed.heterozygous[one], other.heterozygous[two]];
                        estimate(squares[place], heterozygous[0].min(heterozygous[1])) > cutoff
                    })
            };
            let above: Vec<usize> = (0..TILE).filter(|&place| is_above(place)).collect();
            if above.is_empty() {
                continue;
            }
            let own = &self.panels[panel * of_panel..][..of_panel];
            let with = &other_panels[other_panel * of_panel..][..of_panel];
            let mut differences = [0.0; TILE];
            let rule = BitRule::Copies;
            add_bit_differences(level, rule, has_missing, own, with, words, 1.0, &mut differences);
            let [mut variants, mut own_het, mut other_het] = [[0.0; TILE]; 3];
            if has_missing {
                let own = self.single.get_or_insert_with(|| self.pairs.single(self.panels));
                let with = other_single.get_or_insert_with(|| self.pairs.single(other_panels));
                let size = words * LANES;
                let (own_places, with_places) = (
                    panel * size..(panel + 1) * size,
                    other_panel * size..(other_panel + 1) * size,
                );
                let own = [&own.known, &own.heterozygous].map(|all| &all[own_places.clone()]);
                let with = [&with.known, &with.heterozygous].map(|all| &all[with_places.clone()]);
                add_common_bits(level, own[0], with[0], words, &mut variants);
                add_common_bits(level, own[1], with[0], words, &mut own_het);
                add_common_bits(level, own[0], with[1], words, &mut other_het);
            } else {
                for place in 0..TILE {
                    variants[place] = self.pairs.variants.len() as f64;
                    let of = |packed: &Packed, person: usize| {
                        packed.heterozygous.get(person).copied().unwrap_or_default()
                    };
                    own_het[place] = of(self.packed, first[0] + place / LANES);
                    other_het[place] = of(other, first[1] + place % LANES);
                }
            }
            for place in above {
                let [one, two] = [first[0] + place / LANES, first[1] + place % LANES];
                let people = [self.packed.people.start + one, other.people.start + two];
                let opposite = (squares[place] - differences[place]) / 2.0;
                let only_one = differences[place] - 2.0 * opposite;
                let both = (own_het[place] + other_het[place] - only_one) / 2.0;
                let pair = KinshipPair {
                    people: people.map(|person| person as u32),
                    variants: variants[place] as u32,
                    both_heterozygous: both as u32,
                    opposite: opposite as u32,
                    only_heterozygous: [own_het[place] - both, other_het[place] - both]
                        .map(|count| count as u32),
                };
                if self.pairs.cutoff.is_none_or(|cutoff| pair.kinship() > cutoff) {
                    found.push(pair);
                }
            }
        }
    }
}

/// Unpacks the genotypes of some people of a variant: copies of A1, 3 if missing, also behind the last of these people.
fn unpack(bytes: &[u8], people: &[u32], out: &mut [u8; WORD]) {
    const COPIES: [u8; 4] = [2, 3, 1, 0];
    out.fill(3);
    for (out, &person) in out.iter_mut().zip(people) {
        *out = COPIES[usize::from(bytes[person as usize / 4] >> (2 * (person % 4)) & 0b11)];
    }
}
