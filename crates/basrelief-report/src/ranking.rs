//! The page of a ranking.

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use basrelief::maps::{largest_weight, without_rounding};
use basrelief::wording::{clean_document, without_noise};
use basrelief::{Error, Result};

use crate::charts::{
    BarScale, Boxes, CellView, HeatMap, Mark, Points, ShareBar, Steps, class_color,
};
use crate::columns::{self, Packed};
use crate::course::CourseView;
use crate::data::{
    Account, Course, DecidedBy, FeatureBlock, FeatureBlocks, FeatureTest, Interactions, Locus,
    PairTable, Piece, Positions, Profile, RankedFeature, Redundancy, RowMap, SelectedFeatures,
    Shown, Spread, StepCurve, TargetSummary, TestSummary,
};
use crate::manhattan::Manhattan;
use crate::mosaics::Mosaic;
use crate::page::{Frame, Key, Name, TargetView};
use crate::text::{SHORT, counted, grouped, number, percent, shortened, with_unit};

/// The number of features in the bar chart.
const BARS: usize = 30;

/// Rows of the table that are part of the document, for browsers without scripts.
const PLAIN_ROWS: usize = 50;

/// Rows of the table that are printed; the style hides the others.
const PRINTED_ROWS: usize = 30;

/// The maximum size of the table of all features in bytes.
const TABLE_BYTES: usize = 1_700_000;

/// Significant digits of weights, and of shares and probabilities.
const DIGITS: usize = 4;
const FEW_DIGITS: usize = 3;

/// The number of listed selected features, and of the features that each of them represents.
const SELECTED: usize = 100;
const REPRESENTED: usize = 10;

/// The number of listed pairs.
const PAIRS: usize = 10;

/// The contents of the page of a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingReport {
    /// The analysis and its data.
    pub account: Account,
    /// All features, best first; at least one.
    pub features: Vec<RankedFeature>,
    /// The test of their weights, if there was one.
    pub test: Option<TestSummary>,
    /// The quantity that the intervals of the weights cover, in words, if there are intervals.
    pub intervals: Option<String>,
    /// How the weights are computed, and a figure of the weights by the number of neighbors, if there are several numbers.
    pub by_neighbors: Option<(String, String)>,
    /// The resamples of the ranks, for example `100 resamples of 500 rows`.
    pub resamples: Option<String>,
    /// The selected features, if some were selected.
    pub selection: Option<SelectedFeatures>,
    /// The blocks of features, if there are any.
    pub blocks: Option<FeatureBlocks>,
    /// The option that adds a test, for example `--permutations 1000`.
    pub how_to_test: String,
    /// The best features one by one.
    pub profiles: Vec<Profile>,
    /// Interactions of the best features.
    pub interactions: Option<Shown<Interactions>>,
    /// Similarities of the best features.
    pub redundancy: Option<Shown<Redundancy>>,
    /// The rows in a plane, by the best features.
    pub map: Option<Shown<RowMap>>,
    /// The iterations that led to the weights, if the method is iterative.
    pub course: Option<Course>,
    /// The chromosomal positions of the features, if all are known.
    pub positions: Option<Positions>,
    /// The output with all features, for pages that cannot contain them, for example `--report-json FILE`.
    pub where_all: String,
}

impl RankingReport {
    /// The page: a self-contained HTML document that depends only on the data.
    ///
    /// The best 30 features are drawn, and the table contains as many of the best features as fit into two megabytes.
    ///
    /// # Errors
    /// [`Error::Internal`]: no feature, descending ranks, a weight that is not finite, or a feature's place out of range.
    pub fn to_html(&self) -> Result<String> {
        self.check()?;
        let page = RankingPage::new(self);
        let html = page.render();
        let html =
            html.map_err(|cause| Error::Internal(format!("the page of a ranking: {cause}")))?;
        Ok(clean_document(&html).into_owned())
    }

    /// The answer of the page in one sentence, as plain text.
    pub fn answer(&self) -> String {
        self.sentence().iter().map(Piece::text).collect()
    }

    fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::Internal(format!("the page of a ranking: {what}")));
        if self.features.is_empty() {
            return wrong("no feature");
        }
        if self.features.iter().any(|feature| !feature.weight.is_finite()) {
            return wrong("a weight that is not finite");
        }
        if !self.features.is_sorted_by_key(|feature| feature.rank) {
            return wrong("features that are not in the order of their ranks");
        }
        let mut places: Vec<usize> = self.profiles.iter().map(|profile| profile.feature).collect();
        if let Some(Shown::Yes(interactions)) = &self.interactions {
            places.extend(&interactions.features);
            places.extend(
                interactions.tables.iter().flat_map(|table| [table.features.0, table.features.1]),
            );
        }
        if let Some(selection) = &self.selection {
            places.extend(&selection.features);
            places.extend(selection.represented.iter().flatten().map(|(place, _)| place));
        }
        if let Some(Shown::Yes(redundancy)) = &self.redundancy {
            places.extend(&redundancy.features);
            places.extend(redundancy.groups.iter().flatten());
        }
        if let Some(positions) = &self.positions {
            let is_known =
                |&(chromosome, _): &(usize, u64)| chromosome < positions.chromosomes.len();
            if positions.places.len() != self.features.len()
                || !positions.places.iter().all(is_known)
            {
                return wrong("positions that are not those of the features");
            }
        }
        if let Some(Course::Elimination { features, ranks, .. }) = &self.course {
            places.extend(ranks.iter().map(|(place, _)| *place));
            if features.is_empty() || ranks.iter().any(|(_, ranks)| ranks.len() != features.len()) {
                return wrong("rounds without a rank");
            }
        }
        if places.iter().any(|&place| place >= self.features.len()) {
            return wrong("a feature that does not exist");
        }
        Ok(())
    }

    fn name(&self, place: usize) -> &str {
        &self.features[place].name
    }

    /// The strongest pair, as places in the ranking, and its adjusted p-value, if that is at most alpha.
    fn significant_pair(&self, alpha: f64) -> Option<(usize, usize, f64)> {
        let Some(Shown::Yes(found)) = &self.interactions else { return None };
        let p_values = found.p_values.as_ref()?;
        let tested = pairs_of(found.features.len()).zip(&found.strengths).zip(p_values);
        let strongest = tested.max_by(|a, b| a.0.1.total_cmp(b.0.1))?;
        let (((first, second), _), &(_, adjusted)) = strongest;
        (adjusted <= alpha).then(|| (found.features[first], found.features[second], adjusted))
    }

    /// The answer, with marked names.
    fn sentence(&self) -> Vec<Piece> {
        let all = self.features.len();
        let best = &self.features[0];
        let least = self.features[all - 1].weight;
        let target = self.account.target.as_ref().map(TargetSummary::name);
        let mut sentence = Sentence::default();
        if let Some(test) = &self.test {
            let is_selected =
                |feature: &&RankedFeature| feature.test.is_some_and(|test| test.selected);
            let selected: Vec<&RankedFeature> = self.features.iter().filter(is_selected).collect();
            let (how_many, verb) = match selected.len() {
                1 => ("1".to_string(), "is"),
                count => (grouped(count), "are"),
            };
            if selected.is_empty() {
                sentence.say(&format!(
                    "None of {} is significantly associated with ",
                    counted(all, "feature")
                ));
            } else {
                sentence.say(&format!(
                    "{how_many} of {} {verb} significantly associated with ",
                    counted(all, "feature")
                ));
            }
            sentence.name(target.unwrap_or("the target"));
            sentence.say(&format!(" ({})", test.criterion));
            match selected.as_slice() {
                [] => {
                    sentence.say(". ");
                    sentence.name(&best.name);
                    sentence.say(" has the largest weight.");
                    if let Some((first, second, p)) = self.significant_pair(test.alpha) {
                        sentence.say(" But ");
                        sentence.names(&[self.name(first), self.name(second)]);
                        sentence.say(&format!(
                            " interact significantly: adjusted p (max-T) {} among the pairs of the best features.",
                            number(p, FEW_DIGITS)
                        ));
                    }
                }
                [only] => {
                    sentence.say(": ");
                    sentence.name(&only.name);
                    sentence.say(".");
                }
                [first, second] => {
                    sentence.say(": ");
                    sentence.names(&[&first.name, &second.name]);
                    sentence.say(".");
                }
                [first, second, ..] => {
                    sentence.say("; ");
                    sentence.names(&[&first.name, &second.name]);
                    sentence.say(" lead.");
                }
            }
            return sentence.0;
        }
        if all == 1 {
            sentence.say("The only feature, ");
            sentence.name(&best.name);
            sentence.say(&format!(", has the weight {}.", number(best.weight, DIGITS)));
        } else if best.weight == least {
            sentence.say(&format!(
                "All {} have the same weight, {}.",
                counted(all, "feature"),
                number(least, DIGITS)
            ));
        } else if best.weight <= 0.0 {
            sentence.say(&format!(
                "None of {} has a weight above 0: no association with ",
                counted(all, "feature")
            ));
            sentence.name(target.unwrap_or("the target"));
            sentence.say(" was found.");
        } else if all == 2 {
            sentence.name(&best.name);
            sentence.say(" has the larger weight of 2 features.");
        } else {
            sentence.names(&[&best.name, &self.features[1].name]);
            sentence.say(&format!(" have the largest weights of {}.", counted(all, "feature")));
        }
        sentence.say(" Their significance was not tested: use ");
        sentence.code(&self.how_to_test);
        sentence.say(".");
        sentence.0
    }
}

/// A sentence under construction.
#[derive(Debug, Default)]
struct Sentence(Vec<Piece>);

impl Sentence {
    fn say(&mut self, text: &str) {
        self.0.push(Piece::Words(text.to_string()));
    }

    fn name(&mut self, name: &str) {
        self.0.push(Piece::Name(shortened(name, 2 * SHORT)));
    }

    fn code(&mut self, text: &str) {
        self.0.push(Piece::Code(text.to_string()));
    }

    fn names(&mut self, pair: &[&str; 2]) {
        self.name(pair[0]);
        self.say(" and ");
        self.name(pair[1]);
    }
}

/// A row of the chart of the best features.
#[derive(Debug)]
struct BarRow {
    rank: String,
    name: Name,
    start: String,
    width: String,
    weight: String,
    /// The ends of the whisker of the interval, in percent, and the limits in words.
    whisker: Option<(String, String)>,
    interval: Option<String>,
    p: Option<String>,
    ranks: Option<String>,
    is_selected: bool,
    is_negative: bool,
}

/// A row of the table of all features.
#[derive(Debug)]
struct TableRow {
    cells: Vec<String>,
    name: Name,
}

/// A column of the table of all features.
#[derive(Debug)]
struct TableColumn {
    id: &'static str,
    head: String,
    is_number: bool,
}

/// The table of all features.
#[derive(Debug)]
struct FeatureTable {
    columns: Vec<TableColumn>,
    rows: Vec<TableRow>,
    kinds: Vec<&'static str>,
    all: usize,
    held: usize,
    held_text: String,
    caption: String,
    /// The number of printed rows, in words.
    printed: String,
    packed: Vec<Packed>,
}

/// A feature by itself.
#[derive(Debug)]
struct Card {
    rank: String,
    name: Name,
    facts: String,
    /// The heading of the levels.
    level_head: &'static str,
    chart: Chart,
}

/// The chart of a card.
#[derive(Debug)]
enum Chart {
    Svg(String),
    /// Curves and their legend.
    Steps(String, Vec<Key>),
    Shares(Vec<(Name, ShareBar)>),
}

/// A listed pair.
#[derive(Debug)]
struct PairRow {
    names: (Name, Name),
    loci: Option<[String; 2]>,
    strength: String,
    p: Option<[String; 2]>,
}

/// Interactions as they appear on the page.
#[derive(Debug)]
struct PairsView {
    /// The summary if no pair is significant: the section is then folded.
    fold: Option<String>,
    /// The measure with its unit, and its definition.
    measure: String,
    head: String,
    meaning: String,
    permutations: Option<String>,
    features: usize,
    map: String,
    has_p: bool,
    has_loci: bool,
    rows: Vec<PairRow>,
    tables: Vec<Mosaic>,
}

/// Similarities as they appear on the page.
#[derive(Debug)]
struct RedundancyView {
    /// The summary if no features are similar: the section is then folded.
    fold: Option<String>,
    map: String,
    cut_off: String,
    groups: Vec<Vec<Name>>,
}

/// The selected features as they appear on the page.
#[derive(Debug)]
struct SelectionView {
    rule: String,
    caption: String,
    rows: Vec<SelectedRow>,
}

#[derive(Debug)]
struct SelectedRow {
    number: usize,
    name: Name,
    rank: usize,
    weight: String,
    /// The features that it represents, and their redundancy.
    represented: Vec<(Name, String)>,
    /// The number of those that are not listed.
    more: usize,
}

/// The blocks of features as they appear on the page.
#[derive(Debug)]
struct BlocksView {
    scale: String,
    caption: String,
    is_tested: bool,
    rows: Vec<BlockRow>,
}

#[derive(Debug)]
struct BlockRow {
    name: Name,
    features: String,
    weight: String,
    /// The p-value, and the one adjusted over the blocks.
    p: Option<[String; 2]>,
}

/// The map of the rows as it appears on the page.
#[derive(Debug)]
struct MapView {
    how: String,
    map: String,
}

#[derive(Debug, Template)]
#[template(path = "ranking.html")]
struct RankingPage<'a> {
    title: String,
    frame: Frame,
    account: &'a Account,
    target: Option<TargetView>,
    sentence: Vec<Piece>,
    all: String,
    where_all: &'a str,
    scale: BarScale,
    bars: Vec<BarRow>,
    bars_caption: String,
    test: Option<&'a TestSummary>,
    p_head: String,
    intervals: Option<&'a str>,
    /// The words, and the figure in base64.
    by_neighbors: Option<(&'a str, String)>,
    resamples: Option<&'a str>,
    chance: String,
    decides: bool,
    is_two_sided: bool,
    percentile: String,
    permutations: String,
    least_p: String,
    table: FeatureTable,
    cards: Vec<Card>,
    pairs: Option<Shown<PairsView>>,
    selection: Option<SelectionView>,
    blocks: Option<BlocksView>,
    redundancy: Option<Shown<RedundancyView>>,
    map: Option<Shown<MapView>>,
    course: Option<CourseView>,
    manhattan: Option<Manhattan>,
}

impl<'a> RankingPage<'a> {
    fn new(report: &'a RankingReport) -> Self {
        let features = &report.features;
        let best = &features[..features.len().min(BARS)];
        let weights: Vec<f64> = best.iter().map(|feature| feature.weight).collect();
        let test = report.test.as_ref();
        let chance = test.and_then(|test| test.chance_weight);
        let below = test.and_then(|test| negative_threshold(test, &weights));
        let limits: Vec<(f64, f64)> =
            best.iter().filter_map(|feature| feature.weight_interval).collect();
        let scale = BarScale::new(&weights, &limits, chance, below);
        let greatest = largest_size(features);
        let bars = best.iter().map(|feature| {
            let weight = without_rounding(feature.weight, greatest);
            let (start, width) = scale.bar(weight);
            BarRow {
                rank: grouped(feature.rank),
                name: Name::new(&feature.name),
                start,
                width,
                weight: number(weight, DIGITS),
                whisker: feature.weight_interval.map(|limits| scale.whisker(limits)),
                interval: feature.weight_interval.map(interval),
                p: feature.test.map(|found| {
                    let value = match test.map(|test| test.decided_by) {
                        Some(DecidedBy::Adjusted) => found.adjusted,
                        Some(DecidedBy::Q) => Some(found.q),
                        _ => Some(found.p),
                    };
                    value.map_or(String::new(), |value| number(value, FEW_DIGITS))
                }),
                ranks: feature.rank_interval.map(ranks),
                is_selected: feature.test.is_some_and(|test| test.selected),
                is_negative: weight < 0.0,
            }
        });
        let bars: Vec<BarRow> = bars.collect();
        let p_head = test.map(|test| match test.decided_by {
            DecidedBy::P => "p".to_string(),
            DecidedBy::Adjusted => test.adjusted_name.clone(),
            DecidedBy::Q => test.q_name.clone(),
        });
        let alpha = test.map_or(0.0, |test| test.alpha);
        Self {
            title: format!("Ranking of {}", shortened(&report.account.data, 60)),
            frame: Frame::new(),
            account: &report.account,
            target: report.account.target.as_ref().map(TargetView::new),
            sentence: report.sentence(),
            all: grouped(features.len()),
            where_all: &report.where_all,
            scale,
            bars,
            bars_caption: best_of(best.len(), features.len()),
            test,
            p_head: p_head.unwrap_or_default(),
            intervals: report.intervals.as_deref(),
            by_neighbors: report
                .by_neighbors
                .as_ref()
                .map(|(words, figure)| (words.as_str(), STANDARD.encode(figure.as_bytes()))),
            resamples: report.resamples.as_deref(),
            chance: chance.map_or(String::new(), |weight| number(weight, DIGITS)),
            decides: test.is_some_and(|test| test.chance_decides),
            is_two_sided: test.is_some_and(|test| test.is_two_sided),
            percentile: percentile(alpha),
            permutations: test.map_or(String::new(), |test| grouped(test.permutations as usize)),
            least_p: test.map_or(String::new(), |test| {
                number(1.0 / (test.permutations as f64 + 1.0), FEW_DIGITS)
            }),
            table: feature_table(features, test),
            cards: report.profiles.iter().map(|profile| card(report, profile)).collect(),
            pairs: shown(&report.interactions, |pairs| pairs_view(report, pairs)),
            selection: report.selection.as_ref().map(|found| selection_view(report, found)),
            blocks: report.blocks.as_ref().map(blocks_view),
            redundancy: shown(&report.redundancy, |found| redundancy_view(report, found)),
            map: shown(&report.map, |map| MapView {
                how: map.how.clone(),
                map: Points::of_map(map).render().unwrap_or_default(),
            }),
            manhattan: report.positions.as_ref().map(|positions| {
                let all: Vec<f64> = features.iter().map(|feature| feature.weight).collect();
                let below = test.and_then(|test| negative_threshold(test, &all));
                let thresholds: Vec<f64> = chance.into_iter().chain(below).collect();
                Manhattan::new(features, positions, &thresholds)
            }),
            course: report
                .course
                .as_ref()
                .map(|course| CourseView::new(course, |place| report.name(place))),
        }
    }
}

/// `95th percentile` for a level of 0.05.
fn percentile(alpha: f64) -> String {
    let rank = (100.0 * (1.0 - alpha) * 1e6).round() / 1e6;
    let ending = match rank {
        11.0 | 12.0 | 13.0 => "th",
        _ if rank % 10.0 == 1.0 => "st",
        _ if rank % 10.0 == 2.0 => "nd",
        _ if rank % 10.0 == 3.0 => "rd",
        _ => "th",
    };
    format!("{rank}{ending} percentile")
}

/// The limits of an interval.
fn interval((lower, upper): (f64, f64)) -> String {
    format!("{} to {}", number(lower, FEW_DIGITS), number(upper, FEW_DIGITS))
}

/// A range of ranks.
fn ranks((least, greatest): (usize, usize)) -> String {
    match least == greatest {
        true => grouped(least),
        false => format!("{} to {}", grouped(least), grouped(greatest)),
    }
}

/// The view of a part, or the reason why it is omitted.
fn shown<T, V>(part: &Option<Shown<T>>, view: impl Fn(&T) -> V) -> Option<Shown<V>> {
    part.as_ref().map(|part| match part {
        Shown::Yes(found) => Shown::Yes(view(found)),
        Shown::No(why) => Shown::No(why.clone()),
    })
}

/// `The best 30 of 100 features` or `All 4 features`.
fn best_of(shown: usize, all: usize) -> String {
    match (shown < all, all) {
        (true, _) => format!("The best {} of {}", grouped(shown), counted(all, "feature")),
        (false, 1) => "The only feature".to_string(),
        (false, _) => format!("All {}", counted(all, "feature")),
    }
}

fn has_adjusted(features: &[RankedFeature]) -> bool {
    features.iter().any(|feature| feature.test.is_some_and(|test| test.adjusted.is_some()))
}

/// The null threshold of negative weights, where a two-sided test and any of the weights have one.
fn negative_threshold(test: &TestSummary, weights: &[f64]) -> Option<f64> {
    let is_shown = test.is_two_sided && weights.iter().any(|&weight| weight < 0.0);
    test.chance_weight.filter(|_| is_shown).map(|chance| -chance)
}

/// The largest absolute weight.
fn largest_size(features: &[RankedFeature]) -> f64 {
    largest_weight(features.iter().map(|feature| feature.weight))
}

/// The table of all features: the first rows as text, and all rows as packed columns for the script.
fn feature_table(features: &[RankedFeature], test: Option<&TestSummary>) -> FeatureTable {
    let column = |id, head: &str, is_number| TableColumn { id, head: head.to_string(), is_number };
    let mut columns = vec![column("rank", "Rank", true), column("name", "Feature", false)];
    let has_loci = has_loci(features);
    if has_loci {
        columns.push(column("chrom", "CHROM", false));
        columns.push(column("pos", "POS", true));
        columns.push(column("allele", "A1", false));
    }
    let kinds = kinds(features);
    let has_kinds = kinds.len() > 1;
    if has_kinds {
        columns.push(column("kind", "Kind", false));
    }
    columns.push(column("weight", "Weight", true));
    let has_adjusted = has_adjusted(features);
    if let Some(test) = test {
        if has_adjusted {
            columns.push(column("adjusted", &test.adjusted_name, true));
        }
        columns.push(column("p", "p", true));
        columns.push(column("q", &test.q_name, true));
    }
    columns.push(column("missing", "Missing", true));
    let greatest = largest_size(features);
    let row = |feature: &RankedFeature| {
        let mut cells = vec![grouped(feature.rank), String::new()];
        if let Some(locus) = feature.locus.as_ref().filter(|_| has_loci) {
            cells.push(locus.chromosome.clone());
            cells.push(locus.position.to_string());
            cells.push(locus.allele.clone());
        }
        if has_kinds {
            cells.push(feature.kind.to_string());
        }
        cells.push(number(without_rounding(feature.weight, greatest), DIGITS));
        if test.is_some() {
            let found = |value: fn(&FeatureTest) -> Option<f64>| {
                let value = feature.test.as_ref().and_then(value);
                value.map_or(String::new(), |value| number(value, FEW_DIGITS))
            };
            if has_adjusted {
                cells.push(found(|test| test.adjusted));
            }
            cells.push(found(|test| Some(test.p)));
            cells.push(found(|test| Some(test.q)));
        }
        cells.push(percent(feature.missing));
        TableRow { cells, name: Name::new(&feature.name) }
    };
    let rows = features.iter().take(PLAIN_ROWS).map(row).collect();
    let mut held = features.len();
    let packed = loop {
        let packed = packed(&features[..held], &kinds, (has_loci, has_adjusted));
        let bytes: usize = packed.iter().map(|column| column.text.len()).sum();
        if bytes <= TABLE_BYTES || held <= PLAIN_ROWS {
            break packed;
        }
        // A little less than in proportion, so that the second attempt usually succeeds.
        let share = 0.97 * TABLE_BYTES as f64 / bytes as f64;
        held = ((held as f64 * share) as usize).max(PLAIN_ROWS);
    };
    let all = features.len();
    let kind = match kinds.as_slice() {
        [kind] => format!("; kind: {kind}"),
        _ => String::new(),
    };
    let printed = format!("{} of {} printed", grouped(all.min(PRINTED_ROWS)), counted(all, "row"));
    let caption = format!("{}{kind}", best_of(held, all));
    FeatureTable {
        columns,
        rows,
        kinds,
        all,
        held,
        held_text: grouped(held),
        caption,
        printed,
        packed,
    }
}

/// The kinds of the features, each once.
fn kinds(features: &[RankedFeature]) -> Vec<&'static str> {
    let mut kinds: Vec<&'static str> = features.iter().map(|feature| feature.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Whether the positions and alleles of all features are known.
fn has_loci(features: &[RankedFeature]) -> bool {
    features.iter().all(|feature| feature.locus.is_some())
}

/// A position and an allele in a cell: `2:191528660 G`.
fn locus_cell(locus: &Locus) -> String {
    format!(
        "{}:{} {}",
        shortened(&locus.chromosome, 6),
        locus.position,
        shortened(&locus.allele, 8)
    )
}

/// A position and an allele in a sentence.
fn locus_words(locus: &Locus) -> String {
    format!("{}:{}, A1 {}", locus.chromosome, grouped(locus.position as usize), locus.allele)
}

/// The columns of the table for the script.
fn packed(
    features: &[RankedFeature],
    kinds: &[&str],
    (has_loci, has_adjusted): (bool, bool),
) -> Vec<Packed> {
    let names: Vec<&str> = features.iter().map(|feature| feature.name.as_str()).collect();
    let of = |value: fn(&RankedFeature) -> f64| features.iter().map(value).collect::<Vec<f64>>();
    let of_test = |value: fn(&FeatureTest) -> f64| {
        let one = |feature: &RankedFeature| feature.test.as_ref().map_or(0.0, value);
        features.iter().map(one).collect::<Vec<f64>>()
    };
    let kind = |feature: &RankedFeature| {
        kinds.iter().position(|kind| *kind == feature.kind).unwrap_or(0) as u64
    };
    let mut before = 0;
    let ranks = features.iter().map(|feature| {
        let difference = (feature.rank - before) as u64;
        before = feature.rank;
        difference
    });
    let mut packed: Vec<Packed> = columns::names(&names).into();
    packed.push(columns::integers("rank", &ranks.collect::<Vec<_>>()));
    if kinds.len() > 1 {
        packed.push(columns::integers("kind", &features.iter().map(kind).collect::<Vec<_>>()));
    }
    if has_loci {
        let loci: Vec<&Locus> = features.iter().filter_map(|one| one.locus.as_ref()).collect();
        let chromosomes: Vec<&str> = loci.iter().map(|locus| locus.chromosome.as_str()).collect();
        let alleles: Vec<&str> = loci.iter().map(|locus| locus.allele.as_str()).collect();
        let positions: Vec<u64> = loci.iter().map(|locus| locus.position).collect();
        packed.extend(columns::texts(["chroms", "chrom"], &chromosomes));
        packed.push(columns::integers("pos", &positions));
        packed.extend(columns::texts(["alleles", "allele"], &alleles));
    }
    let greatest = largest_size(features);
    let weights = of(|feature| feature.weight);
    let weights: Vec<f64> = weights.iter().map(|&one| without_rounding(one, greatest)).collect();
    packed.push(columns::decimals("weight", &weights, DIGITS));
    packed.push(columns::decimals(
        "missing",
        &of(|feature| (feature.missing * 1000.0).round() / 1000.0),
        FEW_DIGITS,
    ));
    if features.iter().any(|feature| feature.test.is_some()) {
        packed.push(columns::decimals("p", &of_test(|test| test.p), FEW_DIGITS));
        packed.push(columns::decimals("q", &of_test(|test| test.q), FEW_DIGITS));
    }
    if has_adjusted {
        let adjusted = of_test(|test| test.adjusted.unwrap_or(0.0));
        packed.push(columns::decimals("adjusted", &adjusted, FEW_DIGITS));
    }
    packed
}

fn card(report: &RankingReport, profile: &Profile) -> Card {
    let feature = &report.features[profile.feature];
    let weight = without_rounding(feature.weight, largest_size(&report.features));
    let mut facts: Vec<String> = feature.locus.iter().map(locus_words).collect();
    if kinds(&report.features).len() > 1 {
        facts.push(feature.kind.to_string());
    }
    facts.push(format!("weight {}", number(weight, DIGITS)));
    if let Some(limits) = feature.weight_interval {
        facts.push(format!("95 % interval {}", interval(limits)));
    }
    if let (Some(found), Some(test)) = (feature.test, &report.test) {
        // The p-value that is corrected for the number of features is first.
        let (name, corrected) = match (test.decided_by, found.adjusted) {
            (DecidedBy::Q, _) | (_, None) => (&test.q_name, found.q),
            (_, Some(adjusted)) => (&test.adjusted_name, adjusted),
        };
        facts.push(format!("{name} {}", number(corrected, FEW_DIGITS)));
        facts.push(format!("p {}", number(found.p, FEW_DIGITS)));
    }
    if let Some(interval) = feature.rank_interval {
        facts.push(format!("rank {} in 95 % of resamples", ranks(interval)));
    }
    if feature.missing > 0.0 {
        facts.push(format!("{} missing", percent(feature.missing)));
    }
    let all = report.account.target.as_ref();
    // One of several targets.
    let target = profile.target.and_then(|at| all?.several().get(at));
    let name = match (profile.second, target) {
        (Some(second), _) => format!("{} and {}", feature.name, report.name(second)),
        (None, Some(target)) => format!("{} by {}", feature.name, target.name()),
        (None, None) => feature.name.clone(),
    };
    let svg =
        |drawn: std::result::Result<String, askama::Error>| Chart::Svg(drawn.unwrap_or_default());
    let chart = match &profile.spread {
        Spread::Boxes { axis, groups } => svg(Boxes::new(&feature.name, axis, groups).render()),
        Spread::Points { target, points, means } => {
            svg(Points::of_feature(&feature.name, target, points, means).render())
        }
        Spread::Survival { target, curves, .. } => {
            let key = |(at, curve): (usize, &StepCurve)| Key {
                color: class_color(at),
                mark: Mark::of(class_color(at)),
                name: Name::new(&format!(
                    "{} ({} rows, {} events)",
                    curve.name,
                    grouped(curve.rows),
                    grouped(curve.events)
                )),
                rows: grouped(curve.rows),
            };
            let drawn = Steps::new(&name, target, curves).render().unwrap_or_default();
            Chart::Steps(drawn, curves.iter().enumerate().map(key).collect())
        }
        Spread::Shares { levels } => {
            let classes = target.or(all).map(TargetSummary::class_names).unwrap_or_default();
            let bar = |(name, counts): &(String, Vec<usize>)| {
                (Name::new(name), ShareBar::new(counts, &classes))
            };
            Chart::Shares(levels.iter().map(bar).collect())
        }
    };
    Card {
        rank: match profile.second {
            Some(second) => {
                format!("{} and {}", grouped(feature.rank), grouped(report.features[second].rank))
            }
            None => grouped(feature.rank),
        },
        name: Name::new(&name),
        facts: match (&profile.spread, profile.second) {
            (Spread::Survival { curves, groups, .. }, Some(_)) if curves.len() < *groups => {
                format!("the {} largest of {groups} groups of rows by both values", curves.len())
            }
            (_, Some(_)) => "rows by both values".to_string(),
            _ => facts.join(", "),
        },
        level_head: match feature.kind {
            "genotype" => "Genotype",
            "ordinal" => "Level",
            _ => "Category",
        },
        chart,
    }
}

/// The pairs of places in the order of their values.
fn pairs_of(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)))
}

fn pairs_view(report: &RankingReport, found: &Interactions) -> PairsView {
    let names: Vec<&str> = found.features.iter().map(|&place| report.name(place)).collect();
    let pairs: Vec<(usize, usize)> = pairs_of(names.len()).collect();
    let mut order: Vec<usize> = (0..pairs.len().min(found.strengths.len())).collect();
    order.sort_by(|&a, &b| found.strengths[b].total_cmp(&found.strengths[a]).then(a.cmp(&b)));
    let greatest = order.first().map_or(0.0, |&pair| found.strengths[pair]);
    let locus = |place: usize| report.features[found.features[place]].locus.as_ref();
    let rows = order.iter().take(PAIRS).map(|&pair| PairRow {
        names: (Name::new(names[pairs[pair].0]), Name::new(names[pairs[pair].1])),
        loci: locus(pairs[pair].0)
            .zip(locus(pairs[pair].1))
            .map(|(first, second)| [locus_cell(first), locus_cell(second)]),
        strength: number(without_noise(found.strengths[pair], greatest), FEW_DIGITS),
        p: found.p_values.as_ref().map(|values| {
            let (p, adjusted) = values[pair];
            [number(adjusted, FEW_DIGITS), number(p, FEW_DIGITS)]
        }),
    });
    let rows: Vec<PairRow> = rows.collect();
    let unit = found.unit.as_deref();
    let label = match rows.first() {
        Some(row) => format!(
            "Heat map of the {} of every pair; the strongest is {} with {}: {}",
            found.measure,
            row.names.0.short,
            row.names.1.short,
            with_unit(row.strength.clone(), unit)
        ),
        None => format!("Heat map of the {}", found.measure),
    };
    let shades = (0.0, greatest.max(f64::MIN_POSITIVE));
    let map = HeatMap::new(label, &names, &found.strengths, shades, unit);
    let measure = capitalized(&found.measure);
    let smallest = found
        .p_values
        .as_ref()
        .map(|values| values.iter().map(|(_, adjusted)| *adjusted).fold(1.0, f64::min));
    let alpha = report.test.as_ref().map_or(0.0, |test| test.alpha);
    PairsView {
        fold: smallest.filter(|smallest| *smallest > alpha).map(|smallest| {
            format!(
                "No pair is significant (smallest adjusted p (max-T) {})",
                number(smallest, FEW_DIGITS)
            )
        }),
        has_loci: rows.iter().all(|row| row.loci.is_some()),
        head: unit.map_or(measure.clone(), |unit| format!("{measure} ({unit})")),
        measure: found.measure.clone(),
        meaning: found.meaning.clone(),
        permutations: found.permutations.map(|count| grouped(count as usize)),
        features: names.len(),
        map: map.render().unwrap_or_default(),
        has_p: found.p_values.is_some(),
        rows,
        tables: found.tables.iter().map(|table| pair_view(report, found, table)).collect(),
    }
}

/// The text with a capital letter.
fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}

fn pair_view(report: &RankingReport, found: &Interactions, table: &PairTable) -> Mosaic {
    let is_it = |&(first, second): &(usize, usize)| {
        let pair = (found.features[first], found.features[second]);
        pair == table.features || (pair.1, pair.0) == table.features
    };
    let place = pairs_of(found.features.len()).position(|pair| is_it(&pair));
    let strength = place.and_then(|place| found.strengths.get(place));
    let mut facts: Vec<String> = strength
        .map(|strength| {
            let strength = with_unit(number(*strength, FEW_DIGITS), found.unit.as_deref());
            format!("{} {strength}", found.measure)
        })
        .into_iter()
        .collect();
    if let (Some(place), Some(values)) = (place, &found.p_values) {
        facts.push(format!("adjusted p (max-T) {}", number(values[place].1, FEW_DIGITS)));
    }
    for place in [table.features.0, table.features.1] {
        let feature = &report.features[place];
        let locus = |locus: &Locus| format!("{}: {}", feature.name, locus_words(locus));
        facts.extend(feature.locus.as_ref().map(locus));
    }
    let names = (report.name(table.features.0), report.name(table.features.1));
    let target = report.account.target.as_ref();
    Mosaic::new(names, facts.join("; "), &table.levels, &table.cells, target)
}

fn selection_view(report: &RankingReport, found: &SelectedFeatures) -> SelectionView {
    let row = |index: usize| {
        let (place, others) = (found.features[index], &found.represented[index]);
        let listed = |&(other, redundancy): &(usize, f64)| {
            (Name::new(report.name(other)), self::number(redundancy, FEW_DIGITS))
        };
        SelectedRow {
            number: index + 1,
            name: Name::new(report.name(place)),
            rank: report.features[place].rank,
            weight: self::number(report.features[place].weight, DIGITS),
            represented: others.iter().take(REPRESENTED).map(listed).collect(),
            more: others.len().saturating_sub(REPRESENTED),
        }
    };
    let rows: Vec<SelectedRow> = (0..found.features.len().min(SELECTED)).map(row).collect();
    let caption = match found.features.len() {
        all if all > rows.len() => format!("The first {} of {} selected features", rows.len(), all),
        _ => "The selected features and those that they represent".to_string(),
    };
    SelectionView { rule: found.rule.clone(), caption, rows }
}

fn blocks_view(found: &FeatureBlocks) -> BlocksView {
    let row = |block: &FeatureBlock| BlockRow {
        name: Name::new(&block.name),
        features: grouped(block.features),
        weight: self::number(block.weight, DIGITS),
        p: block.p.map(|(p, adjusted)| [p, adjusted].map(|p| self::number(p, FEW_DIGITS))),
    };
    let rows: Vec<BlockRow> = found.blocks.iter().take(SELECTED).map(row).collect();
    let caption = match found.blocks.len() {
        all if all > rows.len() => format!("The best {} of {} blocks", rows.len(), grouped(all)),
        _ => "All blocks".to_string(),
    };
    let is_tested = rows.iter().any(|row| row.p.is_some());
    BlocksView { scale: found.scale.clone(), caption, is_tested, rows }
}

fn redundancy_view(report: &RankingReport, found: &Redundancy) -> RedundancyView {
    let names: Vec<&str> = found.features.iter().map(|&place| report.name(place)).collect();
    let groups: Vec<Vec<Name>> = found
        .groups
        .iter()
        .filter(|group| group.len() > 1)
        .map(|group| group.iter().map(|&place| Name::new(report.name(place))).collect())
        .collect();
    let label = format!(
        "Heat map of the similarity of the features, {} with a similarity of at least {}",
        counted(groups.len(), "group"),
        found.cut_off
    );
    let largest = found.similarities.iter().copied().fold(0.0, f64::max);
    RedundancyView {
        fold: groups.is_empty().then(|| {
            format!(
                "No two of the best {} features have a similarity of {} or more (largest {})",
                names.len(),
                found.cut_off,
                number(largest, FEW_DIGITS)
            )
        }),
        map: HeatMap::new(label, &names, &found.similarities, (0.0, 1.0), None)
            .render()
            .unwrap_or_default(),
        cut_off: found.cut_off.to_string(),
        groups,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{BoxGroup, PairCell, RowGroup};
    use crate::page::{SCRIPT, STYLE};

    fn feature(name: &str, rank: usize, weight: f64) -> RankedFeature {
        RankedFeature {
            name: name.to_string(),
            kind: "numeric",
            weight,
            rank,
            missing: 0.0,
            weight_interval: None,
            rank_interval: None,
            test: None,
            locus: None,
        }
    }

    /// A ranking with these weights, largest first.
    fn report(features: &[(&str, f64)]) -> RankingReport {
        let features = features.iter().enumerate();
        RankingReport {
            account: Account {
                data: "d.csv".to_string(),
                target: Some(TargetSummary::Classes {
                    name: "class".to_string(),
                    classes: vec![("yes".to_string(), 3), ("no".to_string(), 5)],
                }),
                command: Some("basrelief rank d.csv --target class".to_string()),
                version: "1.2.3".to_string(),
                ..Account::default()
            },
            features: features.map(|(place, (name, w))| feature(name, place + 1, *w)).collect(),
            test: None,
            intervals: None,
            by_neighbors: None,
            resamples: None,
            how_to_test: "--permutations 1000".to_string(),
            profiles: Vec::new(),
            interactions: None,
            selection: None,
            blocks: None,
            redundancy: None,
            map: None,
            course: None,
            positions: None,
            where_all: "--report-json FILE".to_string(),
        }
    }

    /// The same ranking with a test, in which the first `selected` features are significant.
    fn tested(features: &[(&str, f64)], selected: usize) -> RankingReport {
        let mut report = report(features);
        for (place, feature) in report.features.iter_mut().enumerate() {
            let p = 0.01 * (place + 1) as f64;
            let selected = place < selected;
            feature.test = Some(FeatureTest { p, adjusted: Some(2.0 * p), q: 3.0 * p, selected });
        }
        report.test = Some(TestSummary {
            criterion: "adjusted p (max-T) ≤ 0.05".to_string(),
            adjusted_name: "adjusted p (max-T)".to_string(),
            q_name: "q (FDR)".to_string(),
            chance_weight: Some(0.2),
            is_two_sided: false,
            alpha: 0.05,
            chance_decides: true,
            decided_by: DecidedBy::Adjusted,
            permutations: 1000,
            note: None,
        });
        report
    }

    /// Interactions of three features.
    fn interactions(strengths: [f64; 3], p_values: Option<[(f64, f64); 3]>) -> Interactions {
        Interactions {
            measure: "interaction gain".to_string(),
            unit: Some("bits".to_string()),
            meaning: "in short".to_string(),
            features: vec![0, 1, 2],
            strengths: strengths.to_vec(),
            permutations: p_values.map(|_| 99),
            p_values: p_values.map(Vec::from),
            tables: Vec::new(),
        }
    }

    const FOUR: [(&str, f64); 4] = [("a", 0.5), ("b", 0.3), ("c", 0.25), ("d", -0.1)];

    #[test]
    fn the_sentence_reports_the_findings() {
        for (selected, wanted) in [
            (
                3,
                "3 of 4 features are significantly associated with class (adjusted p (max-T) ≤ 0.05); a and b \
                 lead.",
            ),
            (
                2,
                "2 of 4 features are significantly associated with class (adjusted p (max-T) ≤ 0.05): a and b.",
            ),
            (
                1,
                "1 of 4 features is significantly associated with class (adjusted p (max-T) ≤ 0.05): a.",
            ),
            (
                0,
                "None of 4 features is significantly associated with class (adjusted p (max-T) ≤ 0.05). a has \
                 the largest weight.",
            ),
        ] {
            assert_eq!(tested(&FOUR, selected).answer(), wanted);
        }
    }

    #[test]
    fn a_significant_pair_is_named_if_no_feature_is_significant() {
        for (selected, adjusted, is_named) in [(0, 0.01, true), (0, 0.2, false), (1, 0.01, false)] {
            let mut report = tested(&FOUR, selected);
            let p_values = [(0.5, 1.0), (0.5, 1.0), (0.01, adjusted)];
            let found = interactions([0.1, 0.2, 0.7], Some(p_values));
            report.interactions = Some(Shown::Yes(found));
            let sentence = " But b and c interact significantly: adjusted p (max-T) 0.0100 among the pairs of the best \
                            features.";
            assert_eq!(report.answer().contains(sentence), is_named, "{}", report.answer());
        }
    }

    #[test]
    fn without_a_test_the_sentence_names_the_option_for_one() {
        let hint = " Their significance was not tested: use --permutations 1000.";
        for (features, wanted) in [
            (&FOUR[..], "a and b have the largest weights of 4 features."),
            (&FOUR[..2], "a has the larger weight of 2 features."),
            (&FOUR[..1], "The only feature, a, has the weight 0.5000."),
            (&[("x", 0.0), ("y", 0.0)], "All 2 features have the same weight, 0."),
            (
                &[("x", -0.1), ("y", -0.2)],
                "None of 2 features has a weight above 0: no association with class was found.",
            ),
        ] {
            assert_eq!(report(features).answer(), format!("{wanted}{hint}"));
        }
    }

    #[test]
    fn the_page_describes_its_contents() {
        let html = tested(&FOUR, 2).to_html().unwrap();
        for text in [
            "<h1><bdi title=\"d.csv\">Ranking of d.csv</bdi></h1>",
            "<caption>All 4 features</caption>",
            "<caption>All 4 features; kind: numeric</caption>",
            "<p class=\"print\" id=\"printed\">4 of 4 rows printed</p>",
            "The null threshold (95th percentile of the largest weight under permutations) is 0.2000",
            "threshold<tspan class=\"roomy\"> 0.2000</tspan>",
            "yes 37.5 %, no 62.5 %",
            "<td class=\"num\">0.5000</td><td class=\"num\">0.0200</td>",
        ] {
            assert!(html.contains(text), "{text}");
        }
        // Three bars' cells: significant, not, and below zero.
        assert_eq!(html.matches("class=\"weight selected\"").count(), 2);
        assert_eq!(html.matches("class=\"weight\"").count(), 1);
        assert_eq!(html.matches("class=\"weight negative\"").count(), 1);
        let elements = html.replace(SCRIPT, "").replace(STYLE, "");
        let tags: Vec<&str> = elements.split('<').filter_map(|tag| tag.split('>').next()).collect();
        for outside in ["http:", "https:", "src=", "url(", "@import", " on", "style="] {
            let found = tags.iter().find(|tag| tag.contains(outside));
            assert_eq!(found, None, "{outside}");
        }
    }

    #[test]
    fn positions_and_alleles_are_in_the_table_the_cards_and_the_pairs() {
        let mut report = tested(&FOUR, 2);
        for (place, feature) in report.features.iter_mut().enumerate() {
            let (chromosome, allele) = (["2", "X"][place % 2].to_string(), "G".to_string());
            feature.locus = Some(Locus { chromosome, position: 1_234_567 + place as u64, allele });
        }
        let spread = Spread::Shares { levels: vec![("0".to_string(), vec![1, 2])] };
        report.profiles = vec![Profile { feature: 1, second: None, target: None, spread }];
        let p_values = [(0.01, 0.03), (0.5, 1.0), (0.5, 1.0)];
        let table = PairTable {
            features: (0, 1),
            levels: (vec!["0".to_string()], vec!["1".to_string()]),
            cells: vec![vec![PairCell::Counts(vec![1, 2])]],
        };
        let found =
            Interactions { tables: vec![table], ..interactions([0.4, 0.1, -0.1], Some(p_values)) };
        report.interactions = Some(Shown::Yes(found));
        let html = report.to_html().unwrap();
        let text = text_of(&html).replace('\n', "");
        for wanted in [
            "RankFeatureCHROMPOSA1Weightadjusted",
            "1a21234567G0.5000",
            "X:1,234,568, A1 G, weight 0.3000",
            "FeatureCHROM:POS A1withCHROM:POS A1Interaction",
            "a2:1234567 GbX:1234568 G0.400",
            "a: 2:1,234,567, A1 G; b: X:1,234,568, A1 G",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        for column in ["chroms", "chrom", "pos", "alleles", "allele"] {
            assert!(html.contains(&format!("type=\"text/plain\" data-column=\"{column}\"")));
        }
        // Without the position of one feature there are no columns.
        report.features[3].locus = None;
        assert!(!report.to_html().unwrap().contains(">CHROM<"));
    }

    #[test]
    fn a_kind_that_differs_is_a_column() {
        let mut report = report(&FOUR);
        report.features[1].kind = "genotype";
        let text = text_of(&report.to_html().unwrap()).replace('\n', "");
        assert!(text.contains("RankFeatureKindWeight") && !text.contains("; kind: "), "{text}");
    }

    #[test]
    fn sections_without_a_finding_are_folded() {
        let mut report = tested(&FOUR, 2);
        let similar = |groups| Redundancy {
            features: vec![2, 0, 1],
            similarities: vec![0.4, 0.1, 0.2],
            groups,
            cut_off: 0.7,
        };
        let folds = |adjusted: f64, groups: Vec<Vec<usize>>, report: &mut RankingReport| {
            let p_values = [(0.5, 1.0), (0.5, 1.0), (0.01, adjusted)];
            report.interactions = Some(Shown::Yes(interactions([0.1, 0.2, 0.7], Some(p_values))));
            report.redundancy = Some(Shown::Yes(similar(groups)));
            report.to_html().unwrap()
        };
        let html = folds(0.41, Vec::new(), &mut report);
        for summary in [
            "<summary>No pair is significant (smallest adjusted p (max-T) 0.410)</summary>",
            "<summary>No two of the best 3 features have a similarity of 0.7 or more (largest 0.400)</summary>",
        ] {
            assert!(html.contains(summary), "{summary}: {html}");
        }
        let html = folds(0.05, vec![vec![2, 0], vec![1]], &mut report);
        assert!(!html.contains("<details class=\"fold\">"), "{html}");
    }

    #[test]
    fn a_note_on_false_discovery_rates_is_on_the_page() {
        let mut report = tested(&FOUR, 2);
        report.test.as_mut().unwrap().note = Some("q cannot be below 0.41".to_string());
        assert!(report.to_html().unwrap().contains("q cannot be below 0.41"));
    }

    #[test]
    fn an_adjusted_target_keeps_the_counts_of_its_classes() {
        let mut report = report(&FOUR);
        let before = report.account.target.take().unwrap();
        report.account.target = Some(TargetSummary::Real {
            name: "class, adjusted for PC1 (residuals)".to_string(),
            least: 0.0,
            greatest: 1.0,
            counts: vec![3, 5],
            before: Some(Box::new(before)),
        });
        let text = text_of(&report.to_html().unwrap());
        for wanted in [
            "Target: class, adjusted for PC1 (residuals)",
            "Before the adjustment: class",
            "5 rows",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
    }

    #[test]
    fn hostile_names_are_text() {
        let long = "x".repeat(10_000);
        let names = [
            "<script>alert(1)</script>",
            "\"><img src=x onerror=alert(1)>",
            "</script><!--",
            "\u{202e}txet",
            "it's & \\ \u{2028}",
            &long,
        ];
        let features: Vec<(&str, f64)> = names
            .iter()
            .enumerate()
            .map(|(place, name)| (*name, 0.5 - 0.1 * place as f64))
            .collect();
        let mut report = tested(&features, 3);
        report.account.data = names[0].to_string();
        report.account.command = Some(names[2].to_string());
        report.account.facts = vec![(names[1].to_string(), names[2].to_string())];
        report.account.options = report.account.facts.clone();
        report.account.warnings = vec![names[0].to_string()];
        report.account.target = Some(TargetSummary::Classes {
            name: names[1].to_string(),
            classes: vec![(names[0].to_string(), 1), (names[1].to_string(), 2)],
        });
        let counts = vec![vec![PairCell::Counts(vec![1, 2])]];
        report.profiles = vec![Profile {
            feature: 0,
            second: None,
            target: None,
            spread: Spread::Shares { levels: vec![(names[1].to_string(), vec![1, 2])] },
        }];
        report.interactions = Some(Shown::Yes(Interactions {
            measure: names[0].to_string(),
            unit: Some(names[1].to_string()),
            meaning: names[2].to_string(),
            tables: vec![PairTable {
                features: (0, 1),
                levels: (vec![names[0].to_string()], vec![names[1].to_string()]),
                cells: counts,
            }],
            ..interactions([0.1, 0.2, 0.3], None)
        }));
        report.redundancy = Some(Shown::No(names[0].to_string()));
        let html = report.to_html().unwrap();
        let without_script = html.replace(SCRIPT, "");
        // The script of the page, and the columns of the table.
        assert_eq!(without_script.matches("<script>").count(), 1);
        assert!(!without_script.contains("<img") && !without_script.contains("<!--"));
        assert!(!without_script.contains(&"x".repeat(1001)));
        assert!(html.contains("&#60;script&#62;alert(1)&#60;/script&#62;"));
    }

    #[test]
    fn the_same_report_gives_the_same_page() {
        assert!(tested(&FOUR, 2).to_html().unwrap() == tested(&FOUR, 2).to_html().unwrap());
        assert!(tested(&FOUR, 2).to_html().unwrap() != tested(&FOUR, 1).to_html().unwrap());
    }

    #[test]
    fn pages_are_small() {
        let page = |count: usize| {
            let mut report = report(&FOUR);
            report.features = (0..count)
                .map(|place| {
                    // Names in no order, as ranked features have.
                    let name = format!("rs{}", (place * 7919 + 13) % count);
                    feature(&name, place + 1, 1.0 / (place + 1) as f64 - 1e-4)
                })
                .collect();
            report.to_html().unwrap()
        };
        assert!(page(1000).len() < 300_000);
        let large = page(500_000);
        assert!(large.len() < 2_000_000, "{}", large.len());
        assert!(large.contains("data-rows=\"500000\""));
    }

    #[test]
    fn a_page_reports_features_that_do_not_fit() {
        // Random names do not compress (generator: Marsaglia 2003).
        let mut bits = 1_u64;
        let mut name = || {
            let mut text = String::new();
            for _ in 0..300 {
                bits ^= bits << 13;
                bits ^= bits >> 7;
                bits ^= bits << 17;
                text.push(char::from(b'0' + (bits % 64) as u8));
            }
            text
        };
        let mut report = report(&FOUR);
        report.features =
            (0..20_000).map(|place| feature(&name(), place + 1, -(place as f64))).collect();
        let html = report.to_html().unwrap();
        assert!(html.len() < 2_000_000, "{}", html.len());
        assert!(html.contains("The page contains the best "));
        assert!(html.contains("; --report-json FILE contains all."));
    }

    /// The text between the tags of a page.
    fn text_of(html: &str) -> String {
        html.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text).collect()
    }

    #[test]
    fn corrected_p_values_are_first() {
        let mut report = tested(&FOUR, 2);
        let spread = Spread::Shares { levels: vec![("0".to_string(), vec![1, 2])] };
        report.profiles = vec![Profile { feature: 1, second: None, target: None, spread }];
        let p_values = [(0.01, 0.03), (0.5, 1.0), (0.5, 1.0)];
        report.interactions = Some(Shown::Yes(interactions([0.4, 2.8e-14, -0.1], Some(p_values))));
        let html = report.to_html().unwrap();
        let text = text_of(&html);
        for wanted in [
            // The adjusted p-value 0.04 precedes the p-value 0.02.
            "weight 0.3000, adjusted p (max-T) 0.0400, p 0.0200",
            "With 1,000 permutations no p-value can be below 0.000999, which is 1/(1,000 + 1).",
            "RankFeatureWeightadjusted p (max-T)pq (FDR)Missing",
            "2b0.30000.04000.02000.06000 %",
            "FeaturewithInteraction gain (bits)adjusted p (max-T)p",
            "ab0.4000.03000.0100",
            // Rounding noise.
            "ac01.000.500",
            "the interaction gain, in short. The p-values are based on 99 permutations.",
        ] {
            assert!(text.replace('\n', "").contains(wanted), "{wanted}: {text}");
        }
        assert!(html.contains(">0.4 bits</text>"));
        report.test.as_mut().unwrap().decided_by = DecidedBy::Q;
        let text = text_of(&report.to_html().unwrap());
        assert!(text.contains("weight 0.3000, q (FDR) 0.0600, p 0.0200"), "{text}");
    }

    #[test]
    fn rounding_noise_in_weights_is_zero() {
        let html = report(&[("a", 0.5), ("b", 1e-9), ("c", 2.8e-15)]).to_html().unwrap();
        let text = text_of(&html).replace('\n', "");
        assert!(text.contains("2b1.000e-90 %3c00 %"), "{text}");
    }

    #[test]
    fn the_legend_of_a_map_has_the_shapes_of_its_points() {
        let mut report = report(&FOUR);
        let group = |class: usize, point: (f64, f64)| RowGroup {
            name: ["yes", "no"][class].to_string(),
            class,
            points: vec![point],
        };
        let map = |one_unit| RowMap {
            how: "how".to_string(),
            axes: ("a".to_string(), "b".to_string()),
            one_unit,
            groups: vec![group(0, (0.0, 0.0)), group(1, (4.0, 2.0))],
        };
        report.map = Some(Shown::Yes(map(true)));
        let html = report.to_html().unwrap();
        let (_, part) = html.split_once("<section id=\"map\"").unwrap();
        assert_eq!(part.matches("<circle class=\"f0\"").count(), 1);
        assert_eq!(part.matches("<path class=\"f1\" d=\"M0 12h12L6 0z\"").count(), 1);
        // Twice as wide as high: 4 units from 54 to 334, 2 from 154 to 14.
        for text in ["viewBox=\"0 0 360 198\"", "d=\"M54 154h0\"", "d=\"M334 14m-2 2h4l-2-4z\""] {
            assert!(part.contains(text), "{text}: {part}");
        }
        // Axes with different units fill the plot.
        report.map = Some(Shown::Yes(map(false)));
        assert!(report.to_html().unwrap().contains("viewBox=\"0 0 360 290\""));
    }

    #[test]
    fn commands_break_between_words_only() {
        let html = report(&FOUR).to_html().unwrap();
        let wanted = "<code>basrelief rank d.csv <span class=\"word\">--target</span> class</code>";
        assert!(html.contains(wanted));
    }

    #[test]
    fn heat_maps_and_cards_are_drawn() {
        let mut report = report(&FOUR);
        report.profiles = vec![
            Profile {
                feature: 1,
                second: None,
                target: None,
                spread: Spread::Boxes {
                    axis: "b".to_string(),
                    groups: vec![BoxGroup {
                        name: "yes".to_string(),
                        class: 0,
                        count: 3,
                        five: Some([0.0, 1.0, 2.0, 3.0, 4.0]),
                        density: (0.0, 4.0, vec![0.0, 1.0, 0.0]),
                    }],
                },
            },
            Profile {
                feature: 0,
                second: None,
                target: None,
                spread: Spread::Points {
                    target: "y".to_string(),
                    points: vec![(0.0, 1.0), (1.0, 2.0)],
                    means: vec![(0.0, 1.0), (1.0, 2.0)],
                },
            },
        ];
        report.redundancy = Some(Shown::Yes(Redundancy {
            features: vec![2, 0, 1],
            similarities: vec![0.9, 0.1, 0.2],
            groups: vec![vec![2, 0], vec![1]],
            cut_off: 0.7,
        }));
        let html = report.to_html().unwrap();
        for text in [
            "yes: median 2, quartiles 1 and 3, 3 rows",
            "y against a: the mean changes from 1 to 2",
            "Groups with a similarity of 0.7 or more:",
            "<li><bdi>c</bdi>, <bdi>a</bdi></li>",
        ] {
            assert!(html.contains(text), "{text}");
        }
    }

    #[test]
    fn invalid_reports_are_refused() {
        let refused = |report: &RankingReport| report.to_html().unwrap_err().to_string();
        assert!(refused(&report(&[])).contains("no feature"));
        assert!(refused(&report(&[("a", f64::NAN)])).contains("not finite"));
        let mut fallen = report(&FOUR);
        fallen.features.swap(0, 1);
        assert!(refused(&fallen).contains("order of their ranks"));
        let mut strange = report(&FOUR);
        strange.profiles = vec![Profile {
            feature: 9,
            second: None,
            target: None,
            spread: Spread::Shares { levels: Vec::new() },
        }];
        assert!(refused(&strange).contains("does not exist"));
    }
}
