//! A cohort as in association studies, with linkage disequilibrium in blocks, an interacting pair of variants
//! without marginal effects, variants with main effects, populations, and missing genotypes.
//!
//! Every person has a liability. Its variance is 1 on average over draws of the cohort; it is larger or smaller
//! if main variants are correlated, by chance or because of the populations. The liability is
//! `L = sqrt(h) S + sqrt(m / M) sum_j ± z_j + sqrt(c) A + sqrt(1 - h - m - c) e`, where
//!
//! - `S = s_a s_b / r` is the score of the pair's genotypes a and b. `s` is -1 for heterozygotes and
//!   `r = g_1 / (1 - g_1)` for both homozygotes, whose frequency is `1 - g_1`. Given either genotype, the mean of
//!   `S` over the other one is 0. The variance of `S` is 1 (as in [`super::xor`]);
//! - `z_j` are the copies of each of `M` main variants, with mean 0 and variance 1 in the cohort;
//! - `A` is the first coordinate of ancestry, which increases linearly from the first population to the last;
//! - `e` is standard normal.
//!
//! `h`, `m` and `c` are `heritability`, `main_heritability` and `confounding`. A quantitative phenotype is L; cases
//! are the people with the largest L. The two variants of the pair and the main variants lie in different blocks.
//! The pair's allele frequencies are the same in all populations, so that confounding does not affect it. Genotypes
//! are set to missing at random after the phenotype is determined.
//!
//! A child of a family inherits a random one of the two haplotypes of each founder, drawn again for every block; blocks
//! are not linked with each other, and there is no recombination within a block in these meioses. Members of a family
//! are of the same population.

use std::collections::HashSet;
use std::ops::Range;

use super::genome::Genome;
use super::linkage::{Linkage, each_chosen};
use super::options::{
    FREQUENCY, HERITABILITY, MISSING, PREVALENCE, ROWS, checked_rows_of_genotypes,
};
use super::random::Random;
use super::xor::genotype_shares;
use super::{Ancestry, Generated, GeneratorInfo, Truth};
use crate::data::{Classes, Column, MISSING_GENOTYPE, PackedGenotypes, Table, Target, Values};
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::order::descending;
use crate::parallel;
use crate::random::RandomStream;
use crate::run::Run;
use crate::wording::setting;

static VARIANTS: OptionInfo = OptionInfo {
    name: "variants",
    flag: "variants",
    kind: OptionKind::Count { least: 2 },
    default: "1000",
    help: "Number of variants, including those that determine the phenotype",
};

static BLOCK: OptionInfo = OptionInfo {
    name: "block",
    flag: "block",
    kind: OptionKind::Count { least: 1 },
    default: "20",
    help: "Variants per block; variants within a block are in linkage disequilibrium",
};

static RECOMBINATION: OptionInfo = OptionInfo {
    name: "recombination",
    flag: "recombination",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0.1",
    help: "Probability of recombination between adjacent variants; |D'| of variants at distance d is (1 - X)^d",
};

static FREQUENCIES: OptionInfo = OptionInfo {
    name: "frequencies",
    flag: "frequencies",
    kind: OptionKind::Text { grammar: "LOW:HIGH", check: |text| frequencies(text).map(drop) },
    default: "0.05:0.5",
    help: "Range of the frequencies of the counted alleles, which are uniform",
};

static MAIN: OptionInfo = OptionInfo {
    name: "main",
    flag: "main",
    kind: OptionKind::Count { least: 0 },
    default: "5",
    help: "Number of variants with main effects, which are additive and equally large",
};

static MAIN_HERITABILITY: OptionInfo = OptionInfo {
    name: "main_heritability",
    flag: "main-heritability",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0.1",
    help: "Fraction of the variance of the liability that all main effects explain",
};

static POPULATIONS: OptionInfo = OptionInfo {
    name: "populations",
    flag: "populations",
    kind: OptionKind::Count { least: 1 },
    default: "1",
    help: "Number of populations, of equal size",
};

static FST: OptionInfo = OptionInfo {
    name: "fst",
    flag: "fst",
    kind: OptionKind::Number { least: 0.0, most: 0.5 },
    default: "0.02",
    help: "F_ST: how much the allele frequencies of the populations differ",
};

static CONFOUNDING: OptionInfo = OptionInfo {
    name: "confounding",
    flag: "confounding",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0",
    help: "Fraction of the variance of the liability between populations, independent of genotypes",
};

static FAMILIES: OptionInfo = OptionInfo {
    name: "families",
    flag: "families",
    kind: OptionKind::Count { least: 0 },
    default: "0",
    help: "Number of families: two founders and one, two or three of their children, in turn; all others are unrelated",
};

static PHENOTYPE: OptionInfo = OptionInfo {
    name: "phenotype",
    flag: "phenotype",
    kind: OptionKind::Choice(&["case-control", "quantity"]),
    default: "case-control",
    help: "The phenotype: case-control status, or the liability itself",
};

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "cohort",
    purpose: "a cohort: linkage blocks, a pair that only interacts, main effects, populations",
    source: "liability model of Falconer (1965), populations of Balding & Nichols (1995), basrelief's blocks",
    own_options: &[
        &ROWS,
        &VARIANTS,
        &BLOCK,
        &RECOMBINATION,
        &FREQUENCIES,
        &FREQUENCY,
        &OptionInfo {
            help: "Fraction of the variance of the liability that the pair explains",
            ..HERITABILITY
        },
        &MAIN,
        &MAIN_HERITABILITY,
        &POPULATIONS,
        &FST,
        &CONFOUNDING,
        &FAMILIES,
        &PHENOTYPE,
        &OptionInfo { help: "Fraction of people who are cases", ..PREVALENCE },
        &OptionInfo { default: "0", help: "Fraction of missing genotypes", ..MISSING },
    ],
    make,
};

/// The numbers of people of families, in turn: two founders and their children.
const FAMILY_SIZES: [usize; 3] = [3, 4, 5];

/// The largest number of populations.
const MOST_POPULATIONS: usize = 20;

/// The name of the target in a file.
const TARGET: &str = "phenotype";

/// The classes of a target.
const CONTROL: &str = "control";
const CASE: &str = "case";

/// Reads the range of allele frequencies.
///
/// # Errors
/// The reason why the text is refused.
fn frequencies(text: &str) -> std::result::Result<Range<f64>, String> {
    let ends = text.split_once(':').and_then(|(low, high)| low.parse().ok().zip(high.parse().ok()));
    match ends {
        Some((low, high)) if 0.001 <= low && low <= high && high <= 0.5 => Ok(low..high),
        Some(_) => Err(format!("`{text}` is not a range between 0.001 and 0.5")),
        None => Err(format!("`{text}` is not two numbers separated by a colon")),
    }
}

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let variants = settings.count(&VARIANTS)?;
    let rows = checked_rows_of_genotypes(settings, variants)?;
    run.check()?;
    let populations = checked_populations(settings, rows)?;
    let shares = Shares::checked(settings, populations)?;
    let Pedigree { families, parents } = pedigree(rows, settings.count(&FAMILIES)?)?;
    let mut random = Random::new(run.seed());
    let ancestry = Ancestry::drawn(rows, populations, &families, &mut random);
    let layout = Layout { variants, block: settings.count(&BLOCK)? };
    let causal = Causal::drawn(&layout, settings, &mut random)?;
    let frequencies = settings.text(&FREQUENCIES)?;
    let cohort = Cohort {
        layout,
        linkage: Linkage {
            seed: run.seed(),
            recombination: settings.number(&RECOMBINATION)?,
            frequencies: self::frequencies(frequencies).map_err(Error::Internal)?,
            fst: settings.number(&FST)?,
            population: &ancestry.population,
            populations,
            parents: &parents,
        },
        causal,
        missing: settings.number(&MISSING)?,
    };
    let columns = cohort.columns(run)?;
    let liability = cohort.liability(&shares, &ancestry, &mut random);
    let target = match settings.text(&PHENOTYPE)? {
        "quantity" => Target::Real(liability),
        _ => cases(&liability, settings.number(&PREVALENCE)?),
    };
    Ok(Generated {
        truth: cohort.truth(&shares, &columns),
        table: Table::new(columns)?,
        target,
        target_name: TARGET,
        ancestry: (populations > 1).then_some(ancestry),
        families,
        parents,
    })
}

/// The family and the parents of every person. Both are empty if there are no families.
#[derive(Default)]
struct Pedigree {
    families: Vec<Option<u32>>,
    parents: Vec<Option<[u32; 2]>>,
}

/// Makes the pedigree: families first, in which the founders come before the children, then unrelated people.
///
/// # Errors
/// The families have more people than there are.
fn pedigree(rows: usize, families: usize) -> Result<Pedigree> {
    let sizes = || (0..families).map(|family| FAMILY_SIZES[family % FAMILY_SIZES.len()]);
    if families == 0 {
        return Ok(Pedigree::default());
    }
    let most = (0..).scan(0, |people, family| {
        *people += FAMILY_SIZES[family % FAMILY_SIZES.len()];
        (*people <= rows).then_some(family + 1)
    });
    let most = most.last().unwrap_or(0);
    if families > most {
        let problem = format!("{families} families do not fit into {rows} people");
        let help = format!("use at most {most}, or more people with {}", setting(ROWS.name, None));
        return Err(Error::option(FAMILIES.name, problem, help));
    }
    let (mut of_family, mut parents) = (vec![None; rows], vec![None; rows]);
    let mut first = 0;
    for (family, size) in (0..).zip(sizes()) {
        of_family[first..first + size].fill(Some(family));
        parents[first + 2..first + size].fill(Some([first as u32, first as u32 + 1]));
        first += size;
    }
    Ok(Pedigree { families: of_family, parents })
}

/// Reads and checks the number of populations.
///
/// # Errors
/// More than [`MOST_POPULATIONS`], or fewer than two people per population.
fn checked_populations(settings: &Settings, rows: usize) -> Result<usize> {
    let populations = settings.count(&POPULATIONS)?;
    let most = MOST_POPULATIONS.min(rows / 2);
    if populations > most {
        let problem = format!("{rows} people cannot be from {populations} populations");
        return Err(Error::option(POPULATIONS.name, problem, format!("use at most {most}")));
    }
    Ok(populations)
}

/// Fractions of the variance of the liability.
struct Shares {
    pair: f64,
    /// The fraction of all main variants together.
    main: f64,
    populations: f64,
}

impl Shares {
    /// Reads and checks the fractions; that of main variants is 0 if there are none.
    ///
    /// # Errors
    /// The sum exceeds 1; confounding with a single population.
    fn checked(settings: &Settings, populations: usize) -> Result<Self> {
        let pair = settings.number(&HERITABILITY)?;
        let is_main = settings.count(&MAIN)? > 0;
        let main = if is_main { settings.number(&MAIN_HERITABILITY)? } else { 0.0 };
        let confounding = settings.number(&CONFOUNDING)?;
        if confounding > 0.0 && populations == 1 {
            let help =
                format!("use several populations with {}", setting(POPULATIONS.name, Some("2")));
            return Err(Error::option(CONFOUNDING.name, "there is only one population", help));
        }
        let total = pair + main + confounding;
        if total > 1.0 + 1e-9 {
            let names = [MAIN_HERITABILITY.name, CONFOUNDING.name].map(|name| setting(name, None));
            let problem = format!(
                "{pair}, with {} {main} and {} {confounding}, exceeds the total variance",
                names[0], names[1]
            );
            return Err(Error::option(
                HERITABILITY.name,
                problem,
                "choose values whose sum is at most 1",
            ));
        }
        Ok(Self { pair, main, populations: confounding })
    }

    /// The remaining fraction.
    fn rest(&self) -> f64 {
        (1.0 - self.pair - self.main - self.populations).max(0.0)
    }
}

impl Ancestry {
    /// Draws the population of every person, and sets its coordinates. All populations have the same size, except that
    /// a family is of the population of its first member.
    fn drawn(
        rows: usize,
        populations: usize,
        families: &[Option<u32>],
        random: &mut Random,
    ) -> Self {
        let mut population: Vec<u32> = (0..rows).map(|row| (row % populations) as u32).collect();
        random.shuffle(&mut population);
        for (row, pair) in (1..).zip(families.windows(2)) {
            if pair[1].is_some() && pair[0] == pair[1] {
                population[row] = population[row - 1];
            }
        }
        let coordinates = coordinates(populations).into_iter().map(|of_population| {
            population.iter().map(|&own| of_population[own as usize]).collect()
        });
        Self { coordinates: coordinates.collect(), population }
    }
}

/// Coordinates of populations: orthogonal polynomials of degrees 1, 2, … in the number of the population. The first
/// coordinate therefore increases linearly from the first population to the last.
fn coordinates(populations: usize) -> Vec<Vec<f64>> {
    let mean = |one: &[f64], other: &[f64]| {
        one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>() / populations as f64
    };
    let mut basis = vec![vec![1.0; populations]];
    let step: Vec<f64> = (0..populations)
        .map(|number| 2.0 * number as f64 / (populations as f64 - 1.0).max(1.0) - 1.0)
        .collect();
    for degree in 1..populations {
        // One degree more than the last one, orthogonalized against the lower degrees; twice, because of rounding.
        let mut next: Vec<f64> =
            basis[degree - 1].iter().zip(&step).map(|(last, step)| last * step).collect();
        for lower in basis.iter().chain(&basis) {
            let held = mean(&next, lower);
            next.iter_mut().zip(lower).for_each(|(next, lower)| *next -= held * lower);
        }
        let scale = mean(&next, &next).sqrt();
        next.iter_mut().for_each(|next| *next /= scale);
        basis.push(next);
    }
    basis.split_off(1)
}

/// The division of variants into blocks.
struct Layout {
    variants: usize,
    /// Variants per block; the last block may have fewer.
    block: usize,
}

impl Layout {
    fn blocks(&self) -> usize {
        self.variants.div_ceil(self.block)
    }

    /// The variants of a block.
    fn of_block(&self, block: usize) -> Range<usize> {
        let start = block * self.block;
        start..(start + self.block).min(self.variants)
    }

    /// Draws a variant of a block.
    fn drawn(&self, block: usize, random: &mut Random) -> usize {
        let of_block = self.of_block(block);
        of_block.start + random.below(of_block.len() as u64) as usize
    }
}

/// The variants that determine the phenotype.
struct Causal {
    pair: [usize; 2],
    /// The allele frequency of the pair.
    frequency: f64,
    main: Vec<usize>,
}

impl Causal {
    /// Draws variants from different blocks.
    ///
    /// # Errors
    /// There are too few blocks.
    fn drawn(layout: &Layout, settings: &Settings, random: &mut Random) -> Result<Self> {
        let main = settings.count(&MAIN)?;
        let (blocks, needed) = (layout.blocks(), main.saturating_add(2));
        if blocks < needed {
            let problem = format!(
                "{} in blocks of {} are {blocks} blocks, fewer than the {needed} for the pair and {main} main \
                 variants",
                layout.variants, layout.block
            );
            let help = format!(
                "use at least {}, or change {} or {}",
                layout.block.saturating_mul(needed),
                setting(BLOCK.name, None),
                setting(MAIN.name, None)
            );
            return Err(Error::option(VARIANTS.name, problem, help));
        }
        let mut order: Vec<usize> = (0..blocks).collect();
        random.shuffle(&mut order);
        order.truncate(needed);
        order[..2].sort_unstable();
        order[2..].sort_unstable();
        let mut chosen = order.into_iter().map(|block| layout.drawn(block, random));
        let mut next = || chosen.next().unwrap_or_default();
        let pair = [next(), next()];
        Ok(Self { pair, main: chosen.collect(), frequency: settings.number(&FREQUENCY)? })
    }
}

/// A cohort that is being generated.
struct Cohort<'p> {
    layout: Layout,
    linkage: Linkage<'p>,
    causal: Causal,
    missing: f64,
}

impl Cohort<'_> {
    fn rows(&self) -> usize {
        self.linkage.population.len()
    }

    /// Generates the genotypes, including missing ones, block by block on all threads.
    fn columns(&self, run: &Run) -> Result<Vec<Column<'static>>> {
        let Layout { variants, block, .. } = self.layout;
        let length = PackedGenotypes::bytes_of(self.rows());
        run.progress().start("drawing genotypes", variants as u64);
        let packed = PackedGenotypes::columns(self.rows(), variants, run, |all| {
            run.install(|| {
                let blocks = all.chunks_mut(length.saturating_mul(block)).enumerate();
                parallel::try_for_each(blocks, |(block, out)| {
                    run.check()?;
                    self.fill(block, out, length);
                    run.progress().advance((out.len() / length) as u64);
                    Ok(())
                })
            })
        });
        run.progress().finish();
        let genome = Genome::new(self.layout.blocks(), block);
        let column = |(variant, genotypes)| {
            let locus = genome.locus(variant);
            Column::packed(locus.id.clone(), genotypes).with_locus(locus)
        };
        Ok((0..).zip(packed?).map(column).collect())
    }

    /// Replaces `out` by the packed genotypes of a block, `length` bytes per variant.
    fn fill(&self, block: usize, out: &mut [u8], length: usize) {
        let stream = RandomStream::MissingGenotypes;
        let mut random = Random::of_part(self.linkage.seed, stream, block as u64);
        self.draw(block, out.len() / length, |variant, copies| {
            each_chosen(&mut random, self.missing, copies.len(), |_, row| {
                copies[row] = MISSING_GENOTYPE;
            });
            PackedGenotypes::pack(copies, &mut out[variant * length..][..length]);
        });
    }

    /// Passes the first `width` variants of a block to `take`, without missing genotypes.
    fn draw(&self, block: usize, width: usize, take: impl FnMut(usize, &mut [u8])) {
        let start = self.layout.of_block(block).start;
        let is_fixed = |place: usize| self.causal.pair.contains(&(start + place));
        let fixed = |place: usize| is_fixed(place).then_some(self.causal.frequency);
        self.linkage.block(block, width, fixed, take);
    }

    /// The copies of a variant in all people, without missing genotypes.
    fn copies(&self, variant: usize) -> Vec<u8> {
        let block = variant / self.layout.block;
        let place = variant - self.layout.of_block(block).start;
        let mut found = Vec::new();
        self.draw(block, place + 1, |at, copies| {
            if at == place {
                found.extend_from_slice(copies);
            }
        });
        found
    }

    /// The liability of all people.
    fn liability(&self, shares: &Shares, ancestry: &Ancestry, random: &mut Random) -> Vec<f64> {
        let rest = shares.rest().sqrt();
        let mut liability: Vec<f64> = (0..self.rows()).map(|_| rest * random.normal()).collect();
        let mut add = |share: f64, scores: &[f64]| {
            let factor = share.sqrt();
            liability.iter_mut().zip(scores).for_each(|(all, score)| *all += factor * score);
        };
        let [one, other] = self.causal.pair.map(|variant| self.copies(variant));
        let scores = pair_scores(self.causal.frequency);
        let together = one.iter().zip(&other);
        let of_pair = together.map(|(&a, &b)| scores[usize::from(a)][usize::from(b)]);
        add(shares.pair, &of_pair.collect::<Vec<f64>>());
        for &variant in &self.causal.main {
            let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
            let scores = standardized(&self.copies(variant), sign);
            add(shares.main / self.causal.main.len() as f64, &scores);
        }
        if let Some(first) = ancestry.coordinates.first() {
            add(shares.populations, first);
        }
        liability
    }

    /// The known truth about the columns.
    fn truth(&self, shares: &Shares, columns: &[Column<'_>]) -> Truth {
        let pair = if shares.pair > 0.0 { &self.causal.pair[..] } else { &[] };
        let main = if shares.main > 0.0 { &self.causal.main[..] } else { &[] };
        let relevant = [pair, main].concat();
        let names = |variants: &[usize]| -> Vec<String> {
            variants.iter().map(|&variant| columns[variant].name().to_string()).collect()
        };
        let are_relevant: HashSet<usize> = relevant.iter().copied().collect();
        let neighbors =
            relevant.iter().flat_map(|variant| self.layout.of_block(variant / self.layout.block));
        let linked: Vec<usize> = neighbors.filter(|other| !are_relevant.contains(other)).collect();
        let constant: Vec<usize> =
            (0..columns.len()).filter(|&variant| is_constant(&columns[variant])).collect();
        Truth {
            interacting: (!pair.is_empty()).then(|| names(pair)).into_iter().collect(),
            relevant: names(&relevant),
            linked: names(&linked),
            constant: names(&constant),
            ..Truth::default()
        }
    }
}

/// Whether a column of genotypes has at most one value.
fn is_constant(column: &Column<'_>) -> bool {
    match column.values() {
        Values::Genotype(genotypes) => {
            genotypes.counts()[..usize::from(MISSING_GENOTYPE)]
                .iter()
                .filter(|count| **count > 0)
                .count()
                < 2
        }
        _ => false,
    }
}

/// The score of every combination of genotypes of the pair. Its mean is 0 given either genotype, and its variance 1.
fn pair_scores(frequency: f64) -> [[f64; 3]; 3] {
    let shares = genotype_shares(frequency);
    let ratio = shares[1] / (1.0 - shares[1]);
    let scores = [ratio, -1.0, ratio];
    scores.map(|one| scores.map(|other| one * other / ratio))
}

/// Scales copies to mean 0 and variance 1, times `sign`; all are 0 if the copies are constant.
fn standardized(copies: &[u8], sign: f64) -> Vec<f64> {
    let rows = copies.len() as f64;
    let values = || copies.iter().map(|&copies| f64::from(copies));
    let mean = values().sum::<f64>() / rows;
    let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / rows;
    let scale = if variance > 0.0 { sign / variance.sqrt() } else { 0.0 };
    values().map(|value| scale * (value - mean)).collect()
}

/// Cases are the people with the largest liability. Their fraction is the prevalence, with at least one case and one
/// control.
fn cases(liability: &[f64], prevalence: f64) -> Target {
    let rows = liability.len();
    let count = ((prevalence * rows as f64).round() as usize).clamp(1, rows - 1);
    let order = descending(liability);
    let mut labels = vec![CONTROL; rows];
    order[..count].iter().for_each(|&row| labels[row] = CASE);
    Target::Classes(Classes::from_labels(&labels))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated(given: &[(&str, &str)], threads: usize) -> Generated {
        let run = Run::new(Some(threads)).unwrap().with_seed(3);
        INFO.generate(&INFO.settings(given).unwrap(), &run).unwrap()
    }

    fn refused(given: &[(&str, &str)]) -> String {
        let run = Run::new(Some(1)).unwrap();
        INFO.settings(given)
            .and_then(|settings| INFO.generate(&settings, &run))
            .unwrap_err()
            .to_string()
    }

    fn copies(data: &Generated, name: &str) -> Vec<f64> {
        let column = &data.table.columns()[data.table.find(name).unwrap()];
        (0..column.len()).map(|row| column.value(row)).collect()
    }

    /// The fraction of the variance of `values` between the groups `of`.
    fn explained(values: &[f64], of: &[usize]) -> f64 {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let groups = of.iter().max().map_or(0, |last| last + 1);
        let (mut sums, mut counts) = (vec![0.0; groups], vec![0.0; groups]);
        for (value, &group) in values.iter().zip(of) {
            sums[group] += value - mean;
            counts[group] += 1.0;
        }
        let between = sums.iter().zip(&counts).filter(|(_, count)| **count > 0.0);
        let all: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        between.map(|(sum, count)| sum * sum / count).sum::<f64>() / all
    }

    fn codes(values: &[f64]) -> Vec<usize> {
        values.iter().map(|&value| value as usize).collect()
    }

    #[test]
    fn the_pair_tells_nothing_alone_and_much_together_and_main_variants_their_share() {
        let given = [
            ("rows", "20000"),
            ("variants", "200"),
            ("phenotype", "quantity"),
            ("main", "2"),
            ("main-heritability", "0.2"),
            ("heritability", "0.3"),
            ("populations", "3"),
            ("confounding", "0.1"),
            ("fst", "0"),
        ];
        let data = generated(&given, 2);
        let Target::Real(liability) = &data.target else { panic!("a quantity") };
        let variance = liability.iter().map(|value| value * value).sum::<f64>() / 20_000.0;
        assert!((variance - 1.0).abs() < 0.05, "{variance}");
        let [one, other] = [0, 1].map(|at| codes(&copies(&data, &data.truth.interacting[0][at])));
        let together: Vec<usize> = one.iter().zip(&other).map(|(a, b)| 3 * a + b).collect();
        for alone in [&one, &other] {
            assert!(explained(liability, alone) < 0.001);
        }
        let found = explained(liability, &together);
        assert!((found - 0.3).abs() < 0.02, "{found}");
        for name in &data.truth.relevant[2..] {
            let found = explained(liability, &codes(&copies(&data, name)));
            assert!((found - 0.1).abs() < 0.015, "{name}: {found}");
        }
        let ancestry = data.ancestry.as_ref().unwrap();
        let of: Vec<usize> = ancestry.population.iter().map(|&own| own as usize).collect();
        let found = explained(liability, &of);
        assert!((found - 0.1).abs() < 0.015, "{found}");
        // The linked variants are exactly the other variants in the blocks of causal ones.
        assert_eq!(data.truth.linked.len(), 4 * 19);
        assert!(data.truth.linked.iter().all(|name| data.truth.irrelevant.contains(name)));
    }

    #[test]
    fn where_prevalence_differs_among_populations_innocent_variants_look_guilty() {
        let given = |confounding| {
            [
                ("rows", "4000"),
                ("variants", "1000"),
                ("block", "1"),
                ("main", "0"),
                ("populations", "2"),
                ("fst", "0.1"),
                ("confounding", confounding),
            ]
        };
        let strongest = |data: &Generated| {
            let classes = data.target.classes("x").unwrap();
            let is_case: Vec<f64> = classes.codes().iter().map(|&code| f64::from(code)).collect();
            let innocent = data.truth.irrelevant.iter();
            innocent
                .map(|name| explained(&is_case, &codes(&copies(data, name))))
                .fold(0.0, f64::max)
        };
        assert!(strongest(&generated(&given("0"), 1)) < 0.006);
        assert!(strongest(&generated(&given("0.2"), 1)) > 0.03);
    }

    #[test]
    fn cases_missing_genotypes_and_places_are_as_asked() {
        let given = [
            ("rows", "1003"),
            ("variants", "50"),
            ("block", "4"),
            ("prevalence", "0.2"),
            ("missing", "0.03"),
        ];
        let data = generated(&given, 1);
        let classes = data.target.classes("x").unwrap();
        assert_eq!(
            (classes.names(), classes.counts()),
            (&["case".into(), "control".into()][..], &[201, 802][..])
        );
        let counts = data.table.columns().iter().map(|column| match column.values() {
            Values::Genotype(genotypes) => genotypes.counts(),
            _ => panic!("a genotype"),
        });
        let missing = counts.map(|counts| counts[3]).sum::<usize>() as f64 / (50.0 * 1003.0);
        assert!((missing - 0.03).abs() < 0.004, "{missing}");
        for (place, column) in data.table.columns().iter().enumerate() {
            assert_eq!(column.locus().unwrap().id, format!("snp{}", place + 1));
        }
        assert_eq!(data.ancestry, None);
        // Missing genotypes do not change anything else.
        let complete = generated(&given[..4], 1);
        assert_eq!(data.target, complete.target);
        let (some, all) = (copies(&data, "snp7"), copies(&complete, "snp7"));
        assert!(some.iter().zip(&all).all(|(some, all)| some.is_nan() || some == all));
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        let given =
            [("rows", "101"), ("variants", "300"), ("missing", "0.1"), ("populations", "4")];
        let (one, three) = (generated(&given, 1), generated(&given, 3));
        let bits = |data: &Generated| -> Vec<Vec<u64>> {
            let values = data.table.names().into_iter().map(|name| copies(data, &name));
            values.map(|values| values.into_iter().map(f64::to_bits).collect()).collect()
        };
        assert_eq!(bits(&one), bits(&three));
        assert_eq!(
            (one.target, one.ancestry, one.truth),
            (three.target, three.ancestry, three.truth)
        );
    }

    #[test]
    fn coordinates_are_uncorrelated_and_the_first_goes_evenly() {
        for populations in [2, 3, 7, MOST_POPULATIONS] {
            let all = coordinates(populations);
            assert_eq!(all.len(), populations - 1);
            let mean =
                |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / populations as f64;
            for (place, one) in all.iter().enumerate() {
                assert!(mean(&mut one.iter().copied()).abs() < 1e-9);
                for (other_place, other) in all.iter().enumerate() {
                    let product = mean(&mut one.iter().zip(other).map(|(a, b)| a * b));
                    let wanted = f64::from(u8::from(place == other_place));
                    assert!((product - wanted).abs() < 1e-9, "{place} {other_place}: {product}");
                }
            }
            let steps: Vec<f64> = all[0].windows(2).map(|two| two[1] - two[0]).collect();
            assert!(steps.iter().all(|step| *step > 0.0 && (step - steps[0]).abs() < 1e-9));
        }
    }

    /// Children have one allele of each founder at every variant, and siblings share half of them on average.
    #[test]
    fn children_inherit_from_founders() {
        let given = [
            ("rows", "40"),
            ("variants", "2000"),
            ("block", "5"),
            ("families", "9"),
            ("populations", "3"),
            ("fst", "0.1"),
        ];
        let data = generated(&given, 2);
        let plain = generated(&[&given[..3], &given[4..]].concat(), 1);
        assert_eq!(data.families[..8], [0, 0, 0, 1, 1, 1, 1, 2].map(Some));
        assert_eq!(data.families[36..], [None; 4]);
        assert_eq!(data.parents[..5], [None, None, Some([0, 1]), None, None]);
        assert_eq!(data.parents[5..7], [Some([3, 4]); 2]);
        assert_eq!((plain.families, plain.parents), (Vec::new(), Vec::new()));
        let population = &data.ancestry.as_ref().unwrap().population;
        let mut squares = 0.0;
        for name in data.table.names() {
            let copies = copies(&data, &name);
            for (child, parents) in data.parents.iter().enumerate() {
                let Some(parents) = parents else { continue };
                let [one, other] = parents.map(|parent| copies[parent as usize]);
                // A homozygous founder transmits the known allele.
                let least = f64::from(u8::from(one == 2.0)) + f64::from(u8::from(other == 2.0));
                let most =
                    2.0 - f64::from(u8::from(one == 0.0)) - f64::from(u8::from(other == 0.0));
                assert!((least..=most).contains(&copies[child]), "{name} {child}");
                assert_eq!(population[child], population[parents[0] as usize]);
            }
            squares += (copies[5] - copies[6]).powi(2);
        }
        let heterozygous = |row: usize| {
            let names = data.table.names();
            names.iter().filter(|name| copies(&data, name)[row] == 1.0).count() as f64
        };
        let kinship = 0.5 - squares / (4.0 * heterozygous(5).min(heterozygous(6)));
        assert!((kinship - 0.25).abs() < 0.06, "{kinship}");
        let message = refused(&[("rows", "20"), ("families", "6")]);
        assert!(message.contains("use at most 5"), "{message}");
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for (given, words) in [
            (&[("confounding", "0.1")][..], "there is only one population"),
            (&[("variants", "100"), ("main", "4")], "use at least 120"),
            (
                &[("heritability", "0.6"), ("main-heritability", "0.5")],
                "exceeds the total variance",
            ),
            (&[("populations", "21")], "use at most 20"),
            (&[("rows", "10"), ("populations", "6")], "use at most 5"),
            (&[("frequencies", "0.3")], "not two numbers separated by a colon"),
            (&[("frequencies", "0.3:0.2")], "not a range between 0.001 and 0.5"),
            (&[("rows", "1000000"), ("variants", "40000")], "use at most 800000 rows"),
        ] {
            let message = refused(given);
            assert!(message.contains(words), "{given:?}: {message}");
        }
    }
}
