//! The page of a ranking: what `rank` found as the plain data of a page.

use std::collections::BTreeMap;
use std::ffi::OsString;

use basrelief::data::{ColumnKind, Table, Target};
use basrelief::inference::Correction;
use basrelief::methods::map_method;
use basrelief::{Error, FrontEnd, Result, Run};
use basrelief_report::RankingReport;
use basrelief_report::data::{
    Account, DecidedBy, FeatureTest, RankedFeature, RowMap, Shown, TestSummary,
};
use serde_json::{Value, json};

use crate::ranking::Ranking;
use crate::report::{Page, ReportArgs, account, drawn_rows, row_groups};
use crate::text::counted;

/// Features of which the rows are mapped.
const BEST: usize = 12;

/// The page of a ranking.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn ranking_page(
    report: &ReportArgs<'_>,
    ranking: &Ranking<'_>,
    arguments: &[OsString],
    run: &Run,
) -> Result<Page> {
    let account = account_of(ranking, arguments, report.with_time());
    let data = ranking_report(ranking, account, run)?;
    let behind = || {
        let mut all = ranking.value(None);
        all["report"] = behind(&data);
        all
    };
    Ok(report.page(data.to_html()?, behind))
}

fn account_of(ranking: &Ranking<'_>, arguments: &[OsString], with_time: bool) -> Account {
    let mut account = account(ranking.subject(), arguments);
    let fact = |label: &str, text: String| (label.to_string(), text);
    let method = ranking.method_line();
    let method = method.strip_prefix("method ").unwrap_or(method).to_string();
    account.facts.push(fact("Method", method));
    account
        .facts
        .extend(ranking.tested().map(|tested| fact("Test", tested.summary().replace("<=", "≤"))));
    let (seed, threads) = ranking.run();
    account.facts.push(fact("Seed", seed.to_string()));
    if with_time {
        account.facts.push(fact(
            "Time",
            format!(
                "{:.3} s{} on {}",
                ranking.seconds(),
                ranking.test_note(),
                counted(threads, "thread")
            ),
        ));
    }
    account.facts.push(fact("Version", format!("basrelief {}", account.version)));
    let recipe = ranking.recipe();
    let own = recipe.settings.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    account.options.extend(own);
    for wrapper in recipe.wrappers {
        let name = wrapper.info().name;
        let own = wrapper.settings().iter();
        account.options.extend(own.map(|(o, value)| (format!("{name}: {o}"), value.to_string())));
    }
    let warnings = ranking.warnings().iter();
    account.warnings.extend(warnings.map(|warning| warning.message(FrontEnd::CommandLine)));
    account
}

/// The plain data of the page of a ranking.
fn ranking_report(ranking: &Ranking<'_>, account: Account, run: &Run) -> Result<RankingReport> {
    let subject = ranking.subject();
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
            missing: table.columns()[column].missing() as f64 / table.rows().max(1) as f64,
            test: tested.map(|tested| {
                let (p, adjusted, q) = tested.found(column);
                FeatureTest { p, adjusted, q, selected: tested.is_selected(column) }
            }),
        })
        .collect();
    let test = tested.map(|tested| TestSummary {
        criterion: tested.criterion().replace("<=", "≤"),
        adjusted_name: tested.adjusted_name().to_string(),
        q_name: tested.q_name().to_string(),
        chance_weight: tested.chance_weight(),
        alpha: tested.alpha(),
        chance_decides: tested.correction() == Correction::MaxT,
        decided_by: match tested.correction() {
            Correction::MaxT | Correction::MinP => DecidedBy::Adjusted,
            Correction::Fdr | Correction::Storey => DecidedBy::Q,
            Correction::None => DecidedBy::P,
        },
    });
    let best = &order[..order.len().min(BEST)];
    let map = match subject.target() {
        Some((_, Target::Classes(_))) => row_map(table, subject.target(), best, run)?,
        _ => None,
    };
    Ok(RankingReport {
        account,
        features,
        test,
        how_to_test: "--permutations 1000".to_string(),
        profiles: Vec::new(),
        interactions: None,
        redundancy: None,
        map,
        where_all: "--report-json FILE".to_string(),
    })
}

/// The rows in the two best dimensions of LFE on the columns of these features, or why not.
fn row_map(
    table: &Table<'_>,
    target: Option<(&str, &Target)>,
    best: &[usize],
    run: &Run,
) -> Result<Option<Shown<RowMap>>> {
    let Some((_, target @ Target::Classes(_))) = target else { return Ok(None) };
    let is_number = |&column: &usize| table.columns()[column].kind() != ColumnKind::Categorical;
    let columns: Vec<usize> = best.iter().copied().filter(is_number).collect();
    let left_out =
        |why: &str| Ok(Some(Shown::No(format!("A map of the rows is left out: {why}."))));
    if columns.len() < 2 {
        return left_out("it takes two of the best features that are numbers or genotypes");
    }
    let (all, table) = (table.rows(), table.select_columns(&columns));
    let is_whole = |row: &usize| table.columns().iter().all(|column| !column.value(*row).is_nan());
    let whole: Vec<usize> = (0..table.rows()).filter(is_whole).collect();
    let rows = drawn_rows(&whole, Some(target));
    if rows.len() < 3 {
        return left_out("hardly any row is complete in the best features");
    }
    let (table, target) = (table.select_rows(&rows), target.select_rows(&rows)?);
    let info = map_method("lfe")?;
    let settings = info.settings(&[("components", "2"), ("scale", "standard")])?;
    let fitted = match info.fit(&table, Some(&target), &settings, &run.part(run.seed())) {
        Ok(fitted) => fitted,
        Err(Error::Cancelled) => return Err(Error::Cancelled),
        Err(error) => {
            let why = FrontEnd::CommandLine.spell(&error.marked());
            return left_out(&why);
        }
    };
    let mapped = run.install(|| fitted.map.transform_table(&table))?;
    if mapped.columns() < 2 {
        return left_out("the best features have one dimension only");
    }
    let of_all = match (whole.len() < all, rows.len() < whole.len()) {
        (true, _) => format!(" Of {all} rows, {} are drawn, all complete.", rows.len()),
        (false, true) => format!(" Of {all} rows, {} are drawn.", rows.len()),
        (false, false) => String::new(),
    };
    let how = format!(
        "Rows in the two best dimensions that LFE, a linear map, finds of the best {} features, in \
         standard deviations. The map was made of the same rows, which flatters it.{of_all}",
        columns.len()
    );
    Ok(Some(Shown::Yes(RowMap {
        how,
        axes: ("first dimension".to_string(), "second dimension".to_string()),
        groups: row_groups(mapped.rows(), Some(&target), |row| {
            let row = mapped.row(row);
            (row[0], row[1])
        }),
    })))
}

/// What the page shows beyond the ranking, in JSON.
fn behind(report: &RankingReport) -> Value {
    let map = match &report.map {
        Some(Shown::Yes(map)) => {
            let groups: Vec<Value> = map
                .groups
                .iter()
                .map(|group| json!({"name": group.name, "points": group.points}))
                .collect();
            json!({"how": map.how, "groups": groups})
        }
        Some(Shown::No(why)) => json!({"left_out": why}),
        None => Value::Null,
    };
    json!({
        "answer": report.answer(),
        "command": report.account.command,
        "options_of_the_method": report.account.options.iter().cloned().collect::<BTreeMap<_, _>>(),
        "missing": report.features.iter().map(|feature| feature.missing).collect::<Vec<_>>(),
        "map": map,
    })
}
