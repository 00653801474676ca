//! The page of a ranking: what `rank` found as the plain data of a page.

use std::collections::{BTreeMap, HashMap};

use basrelief::data::{
    Column, ColumnKind, Covariates, MultiTarget, Roles, Survival, Table, Target,
};
use basrelief::inference::{Correction, Permutations, Sided};
use basrelief::methods::map_method;
use basrelief::options::OptionValue;
use basrelief::pairs::{
    BoxSummary, CUTOFF, Cells, ClassNumbers, Distribution, Interactions, Level, Measure, PairTable,
    Profile, Redundancy, SurvivalGroup, TargetSummary,
};
use basrelief::selection::Selection;
use basrelief::{Elimination, Error, FrontEnd, Result, Run};
use basrelief_report::RankingReport;
use basrelief_report::data::{
    self as page, Account, BoxGroup, Course, DecidedBy, FeatureTest, PairCell, Positions,
    RankedFeature, RowMap, Shown, Spread, StepCurve, TestSummary,
};
use serde_json::{Value, json};

use crate::glossary;
use crate::pages::{
    Page, PageOptions, account, drawn_rows, grouped, row_groups, step_curve, tell_recipe, tell_run,
};
use crate::ranking::Ranking;
use crate::resampling::Resampled;
use crate::selection::Selected;
use crate::text::{counted, page_head};
use crate::{intervals, profile};

/// Features that are shown one by one, and by which the rows are mapped.
const BEST: usize = 12;

/// Features of which all pairs are looked at.
const SEVERAL: usize = 30;

/// Pairs whose tables are shown.
const PAIR_TABLES: usize = 3;

/// Permutations of a test of pairs at most.
const PAIR_DRAWS: u64 = 1000;

/// Targets by which features are shown, if there are several.
const TARGETS: usize = 4;

/// Classes in a chart of numbers by class.
const CLASSES: usize = 8;

/// The page of a ranking.
///
/// # Errors
/// The ranking is of other columns than its table; [`Error::Cancelled`].
pub fn ranking_page(
    ranking: &Ranking<'_>,
    roles: Roles<'_>,
    options: &PageOptions,
    run: &Run,
) -> Result<Page> {
    let account = account_of(ranking, options);
    let data = ranking_report(ranking, roles, account, run)?;
    let behind = || {
        let mut all = ranking.value(None);
        all["report"] = behind(&data);
        all
    };
    Ok(options.page(data.to_html()?, behind))
}

fn account_of(ranking: &Ranking<'_>, options: &PageOptions) -> Account {
    let mut account = account(ranking.subject(), options, &glossary::OF_RANKING);
    tell_recipe(&mut account, ranking.recipe(), ranking.method_line());
    if let Some(tested) = ranking.tested() {
        account.tell("Test", tested.summary());
    }
    let (seed, threads) = ranking.run();
    let tested = ranking.tested().map(|tested| tested.seconds());
    let tested = tested.map(|time| format!(", {time:.3} s for those of permuted targets"));
    let resampled = ranking.resampled().map(|resampled| resampled.found().seconds);
    let resampled = resampled.map(|time| format!(", {time:.3} s for those of resamples"));
    let more: String = tested.into_iter().chain(resampled).collect();
    let time = format!("{:.3} s for the weights{more}", ranking.seconds());
    tell_run(
        &mut account,
        seed,
        options.with_time.then_some((time, threads)),
        (ranking.warnings(), ranking.subject().audience(), &options.files),
    );
    account
}

/// The position of a feature: from its file, or else from its name, if it has the form of `1:752566` or `chrX:1234:A:G`, the
/// usual names of variants without an ID.
fn place<'c>(column: &'c Column<'_>) -> Option<(&'c str, u64)> {
    match column.locus() {
        Some(locus) => {
            let chromosome = &*locus.chromosome;
            Some((chromosome.strip_prefix("chr").unwrap_or(chromosome), locus.position))
        }
        None => position(column.name()),
    }
}

/// Where features lie, if that is known of all.
fn positions<'n>(places: impl Iterator<Item = Option<(&'n str, u64)>>) -> Option<Positions> {
    let parsed: Option<Vec<(&str, u64)>> = places.collect();
    let parsed = parsed.filter(|parsed| parsed.len() > 1)?;
    let mut chromosomes: Vec<&str> = parsed.iter().map(|(chromosome, _)| *chromosome).collect();
    // 1, 2, …, 22, X, Y, MT.
    chromosomes.sort_unstable_by_key(|name| {
        let number = name.parse::<u32>().unwrap_or(u32::MAX);
        (number, *name == "MT" || *name == "M", *name)
    });
    chromosomes.dedup();
    let of_name: HashMap<&str, usize> = chromosomes.iter().copied().zip(0..).collect();
    let places = parsed.iter().map(|(chromosome, place)| (of_name[chromosome], *place)).collect();
    Some(Positions { chromosomes: chromosomes.into_iter().map(String::from).collect(), places })
}

/// Chromosome and base pair of a name.
fn position(name: &str) -> Option<(&str, u64)> {
    let mut parts = name.split(':');
    let (chromosome, place) = (parts.next()?, parts.next()?);
    let chromosome = chromosome.strip_prefix("chr").unwrap_or(chromosome);
    let is_number = !chromosome.is_empty()
        && chromosome.len() <= 2
        && chromosome.bytes().all(|byte| byte.is_ascii_digit());
    let is_known = is_number || ["X", "Y", "XY", "M", "MT"].contains(&chromosome);
    let is_place = !place.is_empty() && place.bytes().all(|byte| byte.is_ascii_digit());
    (is_known && is_place).then(|| place.parse().ok().map(|place| (chromosome, place)))?
}

/// How the weights came about, where a fit told it. `order` holds the columns, best first.
fn course(ranking: &Ranking<'_>, order: &[usize]) -> Option<Course> {
    let report = ranking.report();
    if let Some(Elimination { features, kept, ranks }) = &report.elimination {
        let of_column: HashMap<usize, &Vec<usize>> = kept.iter().copied().zip(ranks).collect();
        let in_order = order.iter().enumerate();
        let ranks = in_order.filter_map(|(place, column)| {
            of_column.get(column).map(|ranks| (place, (*ranks).clone()))
        });
        // The outermost wrapper is the one that tells.
        let wrapper = ranking.recipe().wrappers.last().map_or("", |wrapper| wrapper.info().name);
        return Some(Course::Elimination {
            wrapper: wrapper.to_string(),
            features: features.clone(),
            ranks: ranks.collect(),
        });
    }
    if report.changes.is_empty() {
        return None;
    }
    let settings = ranking.recipe().settings;
    let tolerance = settings.iter().find_map(|(name, value)| match value {
        OptionValue::Number(value) if name == "tol" => Some(*value),
        _ => None,
    });
    Some(Course::Changes {
        changes: report.changes.clone(),
        tolerance,
        converged: report.converged == Some(true),
    })
}

/// The plain data of the page of a ranking.
fn ranking_report(
    ranking: &Ranking<'_>,
    roles: Roles<'_>,
    account: Account,
    run: &Run,
) -> Result<RankingReport> {
    let subject = ranking.subject();
    let front_end = subject.audience().front_end();
    let table = subject.table();
    let tested = ranking.tested();
    let order: Vec<usize> = ranking.order().collect();
    let features: Vec<RankedFeature> = ranking
        .features()
        .zip(&order)
        .map(|((name, rank, weight), &column)| RankedFeature {
            name: name.to_string(),
            kind: table.columns()[column].kind().name(),
            weight,
            rank,
            weight_interval: ranking.intervals().map(|found| found.limits[column]),
            rank_interval: ranking
                .resampled()
                .map(|resampled| resampled.feature(column).rank_interval),
            locus: table.columns()[column].locus().map(|locus| page::Locus {
                chromosome: locus.chromosome.to_string(),
                position: locus.position,
                allele: locus.counted.to_string(),
            }),
            missing: table.columns()[column].missing() as f64 / table.rows().max(1) as f64,
            test: tested.map(|tested| {
                let (p, adjusted, q) = tested.found(column);
                FeatureTest { p, adjusted, q, selected: tested.is_selected(column) }
            }),
        })
        .collect();
    let test = tested.map(|tested| TestSummary {
        criterion: tested.criterion().replace("<=", "≤"),
        adjusted_name: page_head(tested.adjusted_name()),
        q_name: tested.q_name().to_string(),
        chance_weight: tested.chance_weight(),
        alpha: tested.alpha(),
        is_two_sided: tested.sided() == Sided::Two,
        chance_decides: tested.correction() == Correction::MaxT,
        decided_by: match tested.correction() {
            Correction::MaxT | Correction::Studentized | Correction::MinP => DecidedBy::Adjusted,
            Correction::Fdr | Correction::Storey => DecidedBy::Q,
            Correction::None => DecidedBy::P,
        },
        permutations: tested.most_draws(),
        note: tested.note(),
    });
    let best = &order[..order.len().min(BEST)];
    let several = &order[..order.len().min(SEVERAL)];
    let is_matched = subject.covariates().is_some_and(Covariates::choose_neighbors);
    let (mut profiles, mut interactions, mut redundancy) = (Vec::new(), None, None);
    if let Some((_, target)) = subject.target() {
        let label = subject.target_label().unwrap_or_default();
        if let Some(survival) = target.as_survival() {
            profiles = survival_profiles(table, best, &label, survival)?;
        }
        let is_one_value = target.as_classes().is_some() || target.as_numbers().is_some();
        let with_values = if is_one_value { best } else { &[] };
        for (place, &column) in with_values.iter().enumerate() {
            let profile = Profile::new(table, column, target)?;
            let feature = table.columns()[column].name();
            profiles.push(page::Profile {
                feature: place,
                second: None,
                target: None,
                spread: spread(profile, feature, &label, target),
            });
        }
        if let Some(several) = target.as_multi().filter(|several| !several.is_tree()) {
            profiles = profiles_by_target(table, best, several)?;
        }
        if several.len() > 1 && is_one_value {
            let permutations = match tested {
                // The strength of pairs has no weights of rows.
                Some(tested) => {
                    let draws = tested.most_draws().min(PAIR_DRAWS);
                    Some((Permutations::new(target, roles, &run.part(ranking.run().0))?, draws))
                }
                None => None,
            };
            let found = match &permutations {
                Some((permutations, draws)) => {
                    Interactions::test(table, several, permutations, *draws, run)?
                }
                None => Interactions::measure(table, several, target, run)?,
            };
            let draws = permutations.as_ref().map(|(_, draws)| *draws);
            let found = (&found, is_matched, roles.groups().is_some());
            interactions = Some(interactions_of(table, target, several, found, draws)?);
        }
    }
    if several.len() > 1 {
        let found = Redundancy::new(table, several, CUTOFF, run)?;
        redundancy = Some(Shown::Yes(redundancy_of(&found)));
    }
    let map = row_map(table, subject.target(), best, front_end, run)?;
    let (how_to_test, where_all) = match front_end {
        FrontEnd::Python => ("n_features_to_select=\"max-t\"", "the attribute weights_"),
        _ => ("--permutations 1000", "--report-json FILE"),
    };
    Ok(RankingReport {
        account,
        features,
        test,
        intervals: ranking.intervals().map(intervals::summary),
        by_neighbors: match ranking.profile() {
            Some(found) => {
                let panels: Vec<(&str, usize)> =
                    best.iter().map(|&column| (table.columns()[column].name(), column)).collect();
                Some((profile::summary(found), profile::figure(found, &panels)?))
            }
            None => None,
        },
        resamples: ranking.resampled().map(Resampled::summary),
        selection: ranking.selection().map(|selected| selected_features(selected, &order)),
        blocks: ranking.blocks().map(|blocks| blocks.for_page(tested)),
        how_to_test: how_to_test.to_string(),
        profiles,
        interactions,
        redundancy,
        map,
        course: course(ranking, &order),
        positions: positions(order.iter().map(|&column| place(&table.columns()[column]))),
        where_all: where_all.to_string(),
    })
}

/// The selected features as a page shows them; `order` holds the columns, best first.
fn selected_features(selected: &Selected, order: &[usize]) -> page::SelectedFeatures {
    let places: HashMap<usize, usize> = order.iter().copied().zip(0..).collect();
    let Selection { features, represented } = &selected.selection;
    let others = |all: &Vec<(usize, f64)>| {
        all.iter().map(|&(other, redundancy)| (places[&other], redundancy)).collect()
    };
    page::SelectedFeatures {
        rule: selected.rule_in_words(),
        features: features.iter().map(|feature| places[feature]).collect(),
        represented: represented.iter().map(others).collect(),
    }
}

/// The best features by each of several targets, in the rows where it is known; for the first [`TARGETS`] targets.
fn profiles_by_target(
    table: &Table<'_>,
    best: &[usize],
    several: &MultiTarget,
) -> Result<Vec<page::Profile>> {
    let count = several.count().min(TARGETS);
    let parts = (0..count).map(|at| several.part(at)).collect::<Result<Vec<_>>>()?;
    let mut all = Vec::with_capacity(BEST);
    for (feature, &column) in best.iter().enumerate().take(BEST / count.max(1)) {
        let alone = table.select_columns(&[column]);
        let name = table.columns()[column].name();
        for (at, (target, rows)) in parts.iter().enumerate() {
            let profile = Profile::new(&alone.select_rows(rows), 0, target)?;
            let spread = spread(profile, name, &several.names()[at], target);
            all.push(page::Profile { feature, second: None, target: Some(at), spread });
        }
    }
    Ok(all)
}

/// Kaplan-Meier estimates by the values of the best features, after those by the values of the best two together.
fn survival_profiles(
    table: &Table<'_>,
    best: &[usize],
    target: &str,
    survival: &Survival,
) -> Result<Vec<page::Profile>> {
    let of = |columns: &[usize], (feature, second): (usize, Option<usize>)| {
        let (groups, shown) = SurvivalGroup::by_levels(table, columns, survival, CLASSES)?;
        let curves = shown.into_iter().map(step_curve).collect();
        let spread = Spread::Survival { target: target.to_string(), curves, groups };
        Ok(page::Profile { feature, second, target: None, spread })
    };
    let pair = best.get(..2).map(|pair| of(pair, (0, Some(1))));
    let each = best.iter().enumerate().map(|(place, &column)| of(&[column], (place, None)));
    pair.into_iter().chain(each).collect()
}

/// A profile as a page shows it.
fn spread(profile: Profile, feature: &str, target_name: &str, target: &Target) -> Spread {
    let five = |summary: BoxSummary| {
        [
            summary.lower_whisker,
            summary.lower_quartile,
            summary.median,
            summary.upper_quartile,
            summary.upper_whisker,
        ]
    };
    match profile.distribution {
        Distribution::NumbersByClass { grid, classes } => {
            let (shown, axis) = most_frequent(target, feature);
            let ends = (grid.first().copied().unwrap_or(0.0), grid.last().copied().unwrap_or(0.0));
            let group = |(class, found): (usize, ClassNumbers)| BoxGroup {
                name: found.name,
                class,
                count: found.summary.map_or(0, |summary| summary.rows),
                five: found.summary.map(five),
                density: (ends.0, ends.1, found.density),
            };
            let classes = classes.into_iter().enumerate();
            Spread::Boxes {
                axis,
                groups: classes.filter(|(class, _)| shown.contains(class)).map(group).collect(),
            }
        }
        Distribution::LevelsByClass { levels, counts, .. } => Spread::Shares {
            levels: levels.into_iter().map(|level| level.name).zip(counts).collect(),
        },
        Distribution::NumbersAndTarget { points, means } => Spread::Points {
            target: target_name.to_string(),
            points,
            means: means.iter().filter_map(|bin| Some((bin.center, bin.target.mean?))).collect(),
        },
        Distribution::LevelsAndTarget { levels, boxes } => Spread::Boxes {
            axis: target_name.to_string(),
            groups: levels
                .into_iter()
                .zip(boxes)
                .map(|(level, summary)| BoxGroup {
                    name: level.name,
                    class: 0,
                    count: summary.rows,
                    five: Some(five(summary)),
                    density: (0.0, 0.0, Vec::new()),
                })
                .collect(),
        },
    }
}

/// The classes that a chart has room for, those with most rows, and what its axis says.
fn most_frequent(target: &Target, feature: &str) -> (Vec<usize>, String) {
    let Some(classes) = target.as_classes() else { return (Vec::new(), feature.to_string()) };
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.sort_by_key(|&class| std::cmp::Reverse(classes.counts()[class]));
    order.truncate(CLASSES);
    let axis = match order.len() < classes.len() {
        true => format!("in the {CLASSES} largest of {} classes", classes.len()),
        false => feature.to_string(),
    };
    (order, axis)
}

/// Interactions as a page shows them, of the features that stand first in the ranking. The ranking, but not the
/// interactions, may be `is_matched` by covariates. `is_grouped` if rows are not independent.
fn interactions_of(
    table: &Table<'_>,
    target: &Target,
    columns: &[usize],
    (found, is_matched, is_grouped): (&Interactions, bool, bool),
    permutations: Option<u64>,
) -> Result<Shown<page::Interactions>> {
    let strongest = found.strongest(PAIR_TABLES);
    if strongest.first().is_none_or(|pair| pair.strength <= 0.0) {
        let count = counted(columns.len(), "feature");
        return Ok(Shown::No(format!(
            "No two of the best {count} explain more together than separately."
        )));
    }
    let mut tables = Vec::new();
    for pair in strongest.iter().filter(|pair| pair.strength > 0.0) {
        let cells = PairTable::new(table, columns[pair.first], columns[pair.second], target)?;
        let width = cells.second.len();
        let all: Vec<PairCell> = match &cells.cells {
            Cells::Classes { counts, .. } => counts.iter().cloned().map(PairCell::Counts).collect(),
            Cells::Real(values) => {
                let cell = |one: &TargetSummary| PairCell::Mean(one.rows, one.mean.unwrap_or(0.0));
                values.iter().map(cell).collect()
            }
        };
        let names = |levels: &[Level]| levels.iter().map(|level| level.name.clone()).collect();
        tables.push(page::PairTable {
            features: (pair.first, pair.second),
            levels: (names(&cells.first), names(&cells.second)),
            cells: all.chunks(width.max(1)).map(<[PairCell]>::to_vec).collect(),
        });
    }
    let (measure, meaning) = match found.measure {
        Measure::InteractionGain => {
            ("interaction gain", "in bits, minus its expectation by chance")
        }
        Measure::PartialR2 => (
            "partial R²",
            "the share of the variance not explained by both features that their product explains, adjusted for its \
             number of terms",
        ),
    };
    let p_values = found.pairs.iter().map(|pair| pair.p_value.zip(pair.adjusted)).collect();
    Ok(Shown::Yes(page::Interactions {
        measure: measure.to_string(),
        unit: found.measure.unit().map(str::to_string),
        meaning: {
            let groups = if is_grouped { ", as for independent rows" } else { "" };
            let covariates = if is_matched { "; not adjusted for the covariates" } else { "" };
            format!("{meaning}{groups}{covariates}")
        },
        features: (0..columns.len()).collect(),
        strengths: found.pairs.iter().map(|pair| pair.strength).collect(),
        p_values,
        permutations,
        tables,
    }))
}

/// Redundancy as a page shows it, of the features that stand first in the ranking.
fn redundancy_of(found: &Redundancy) -> page::Redundancy {
    let order = &found.order;
    let mut similarities = Vec::new();
    for (place, &one) in order.iter().enumerate() {
        let others = order[place + 1..].iter();
        similarities.extend(others.map(|&other| found.correlation(one, other).unwrap_or(0.0)));
    }
    page::Redundancy {
        features: order.clone(),
        similarities,
        groups: found.groups.clone(),
        cut_off: found.cutoff,
    }
}

/// The rows in the two best dimensions of LFE on the columns of these features, or why not.
fn row_map(
    table: &Table<'_>,
    target: Option<(&str, &Target)>,
    best: &[usize],
    front_end: FrontEnd,
    run: &Run,
) -> Result<Option<Shown<RowMap>>> {
    let target = target.map(|(_, target)| target).filter(|target| target.as_classes().is_some());
    let Some(target) = target else { return Ok(None) };
    let is_number = |&column: &usize| table.columns()[column].kind() != ColumnKind::Categorical;
    let columns: Vec<usize> = best.iter().copied().filter(is_number).collect();
    let left_out =
        |why: &str| Ok(Some(Shown::No(format!("The map of the rows is omitted: {why}."))));
    if columns.len() < 2 {
        return left_out("it requires two numeric or genotype features among the best");
    }
    let (all, table) = (table.rows(), table.select_columns(&columns));
    let is_whole = |row: &usize| table.columns().iter().all(|column| !column.value(*row).is_nan());
    let whole: Vec<usize> = (0..table.rows()).filter(is_whole).collect();
    let rows = drawn_rows(&whole, Some(target));
    if rows.len() < 3 {
        return left_out("fewer than three rows are complete in the best features");
    }
    let (table, target) = (table.select_rows(&rows), target.select_rows(&rows)?);
    let info = map_method("lfe")?;
    let settings = info.settings(&[("components", "2"), ("scale", "standard")])?;
    let fitted = match info.fit(&table, Some(&target), &settings, &run.part(run.seed())) {
        Ok(fitted) => fitted,
        Err(Error::Cancelled) => return Err(Error::Cancelled),
        Err(error) => {
            let why = error.message(front_end);
            return left_out(&why);
        }
    };
    let mapped = run.install(|| fitted.model.transform_table(&table, run))?;
    if mapped.columns() < 2 {
        return left_out("the best features have only one dimension");
    }
    let of_all = match (whole.len() < all, rows.len() < whole.len()) {
        (true, _) => {
            format!(" Of {} rows, {} are drawn, all complete.", grouped(all), grouped(rows.len()))
        }
        (false, true) => {
            format!(" Of {} rows, {} are drawn.", grouped(all), grouped(rows.len()))
        }
        (false, false) => String::new(),
    };
    let how = format!(
        "Rows in the first two components of LFE: weighted sums of the best {} features, in standard deviations, \
         that separate the classes. Both axes have the same scale. The map was learned from these rows and separates \
         them better than new rows.{of_all}",
        columns.len()
    );
    Ok(Some(Shown::Yes(RowMap {
        how,
        axes: ("component 1".to_string(), "component 2".to_string()),
        one_unit: true,
        groups: row_groups(mapped.rows(), Some(&target), |row| {
            let row = mapped.row(row);
            (row[0], row[1])
        }),
    })))
}

/// The content of the page in JSON, without the ranking.
fn behind(report: &RankingReport) -> Value {
    let name = |place: &usize| report.features[*place].name.as_str();
    let missing: Vec<f64> = report.features.iter().map(|feature| feature.missing).collect();
    let options: BTreeMap<_, _> = report.account.options.iter().cloned().collect();
    let profiles: Vec<Value> = report
        .profiles
        .iter()
        .map(|profile| {
            let mut shown =
                json!({"feature": name(&profile.feature), "spread": spread_json(&profile.spread)});
            if let Some(at) = profile.target {
                let all = report.account.target.as_ref();
                let several = all.map_or(&[][..], page::TargetSummary::several);
                shown["target"] = several.get(at).map(page::TargetSummary::name).into();
            }
            shown
        })
        .collect();
    json!({
        "answer": report.answer(),
        "command": report.account.command,
        "options_of_the_method": options,
        "missing": missing,
        "profiles": profiles,
        "interactions": shown_json(&report.interactions, |found| {
            let count = found.features.len();
            let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
            let pairs: Vec<Value> = pairs
                .zip(&found.strengths)
                .enumerate()
                .map(|(place, ((one, other), strength))| {
                    let p = found.p_values.as_ref().map(|values| values[place]);
                    json!({
                        "features": [name(&found.features[one]), name(&found.features[other])],
                        "strength": strength,
                        "p_value": p.map(|p| p.0),
                        "adjusted_p_value": p.map(|p| p.1),
                    })
                })
                .collect();
            json!({"measure": found.measure, "unit": found.unit, "pairs": pairs})
        }),
        "redundancy": shown_json(&report.redundancy, |found| json!({
            "features": found.features.iter().map(name).collect::<Vec<_>>(),
            "correlations": found.similarities,
            "cut_off": found.cut_off,
            "groups": found
                .groups
                .iter()
                .map(|group| group.iter().map(name).collect::<Vec<_>>())
                .collect::<Vec<_>>(),
        })),
        "course": report.course.as_ref().map(|course| match course {
            Course::Changes { changes, tolerance, converged } => {
                json!({"changes": changes, "tolerance": tolerance, "converged": converged})
            }
            Course::Elimination { wrapper, features, ranks } => {
                let rank = |(place, ranks): &(usize, Vec<usize>)| json!({"feature": name(place), "ranks": ranks});
                let ranks: Vec<Value> = ranks.iter().map(rank).collect();
                json!({"wrapper": wrapper, "features": features, "ranks": ranks})
            }
        }),
        "map": shown_json(&report.map, |map| {
            let group = |group: &page::RowGroup| json!({"name": group.name, "points": group.points});
            json!({"how": map.how, "groups": map.groups.iter().map(group).collect::<Vec<_>>()})
        }),
    })
}

/// A part of the page, or the reason why it is left out, in JSON.
fn shown_json<T>(part: &Option<Shown<T>>, json: impl Fn(&T) -> Value) -> Value {
    match part {
        Some(Shown::Yes(found)) => json(found),
        Some(Shown::No(why)) => json!({"left_out": why}),
        None => Value::Null,
    }
}

fn spread_json(spread: &Spread) -> Value {
    match spread {
        Spread::Boxes { axis, groups } => {
            let group = |group: &BoxGroup| {
                json!({
                    "name": group.name,
                    "rows": group.count,
                    "whiskers_and_quartiles": group.five,
                    "density_from": group.density.0,
                    "density_to": group.density.1,
                    "density": group.density.2,
                })
            };
            json!({"of": axis, "groups": groups.iter().map(group).collect::<Vec<_>>()})
        }
        Spread::Shares { levels } => {
            let level = |(name, counts): &(String, Vec<usize>)| json!({"name": name, "rows_by_class": counts});
            json!({"levels": levels.iter().map(level).collect::<Vec<_>>()})
        }
        Spread::Points { target, points, means } => {
            json!({"target": target, "points": points, "means": means})
        }
        Spread::Survival { target, curves, .. } => {
            let group = |curve: &StepCurve| {
                json!({
                    "name": curve.name,
                    "rows": curve.rows,
                    "events": curve.events,
                    "last_time": curve.last,
                    "steps": curve.steps,
                })
            };
            json!({"target": target, "groups": curves.iter().map(group).collect::<Vec<_>>()})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_from_names_of_variants_only() {
        let of_names = |names: &[&'static str]| positions(names.iter().map(|name| position(name)));
        let found = of_names(&["chr2:5:A:G", "X:7", "10:3", "MT:1", "2:9"]).unwrap();
        assert_eq!(found.chromosomes, ["2", "10", "X", "MT"]);
        assert_eq!(found.places, [(0, 5), (2, 7), (1, 3), (3, 1), (0, 9)]);
        let others: [&[&str]; 6] =
            [&["1:5"], &["1:5", "rs7"], &["1:5", "1:x"], &["ward:5", "1:5"], &["1:", "1:5"], &[]];
        for names in others {
            assert_eq!(of_names(names), None, "{names:?}");
        }
        assert_eq!(position("1:99999999999999999999999"), None);
    }
}
