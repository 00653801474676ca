//! `basrelief reproduce`: the experiments of the papers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use basrelief::data::{ColumnKind, TargetKind};
use basrelief::methods::Settings;
use basrelief::wording::LINE_END;
use basrelief::{Error, Run};
use basrelief_papers::{
    AddedSet, DataFolder, PROTOCOLS, ProtocolInfo, Results, Verdict, protocol, reproduce,
};
use basrelief_report::data::{Account, Piece};
use basrelief_report::{Block, Section, SectionsReport, Table};
use basrelief_study::RowRoles;
use basrelief_study::Source;
use basrelief_study::pages::{option_texts, reference, tell_run};
use basrelief_study::subject::contents;
use basrelief_study::text::counted;
use clap::ArgMatches;
use serde_json::Value;

use crate::args;
use crate::exit::{Failure, Outcome, audience, note_warnings, say, spelled};
use crate::output::print;
use crate::report::{Report, command_line, file_names};

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(Error::Internal("the experiment is missing".to_string()).into());
    };
    let directory = args::path(matches, "output")
        .ok_or_else(|| Error::Internal("the output argument is missing".to_string()))?;
    let data = DataFolder::find(args::path(matches, "data"))?;
    let is_all = name == args::EVERYTHING;
    let chosen = match is_all {
        true => None,
        false => {
            let info = protocol(name)?;
            Some((info, info.settings(&args::given(info.options.iter().copied(), matches))?))
        }
    };
    let report = Report::from_args(matches, arguments)?;
    args::figure_style(matches)?;
    let run = args::start_run(matches)?;
    let start = Instant::now();
    let (page, failure) = match chosen {
        Some((info, settings)) => {
            let added = added(info, matches, &run)?;
            let results = one(info, &settings, (&data, &added), directory, matches, &run)?;
            (page_of_one(info, &settings, &results), None)
        }
        None => {
            let (outcomes, failure) = all(&data, directory, matches, &run)?;
            (page_of_all(&outcomes), failure)
        }
    };
    if let Some(report) = &report {
        let seconds = report.options.with_time.then(|| start.elapsed().as_secs_f64());
        let page = with_run(page, arguments, &run, seconds);
        report.write(&report.options.page(page.to_html()?, || Value::Null))?;
        if !args::quiet(matches) {
            report.files().for_each(|file| say(&format!("wrote {}", file.display())));
        }
    }
    match (failure, report) {
        (Some(failure), _) => Err(failure),
        (None, report) => report.map_or(Ok(()), |report| report.open()),
    }
}

/// The outcome of one experiment when all are run.
enum Experiment {
    Done(Results),
    /// The reasons for missing results, in sentences.
    Missing(Vec<String>),
}

/// Runs all experiments; the first failure of one does not keep the others from being run, and is returned
/// with them.
type Experiments = (Vec<(&'static ProtocolInfo, Experiment)>, Option<Failure>);

fn all(
    data: &DataFolder,
    directory: &Path,
    matches: &ArgMatches,
    run: &Run,
) -> Result<Experiments, Failure> {
    let (mut outcomes, mut first) = (Vec::new(), None);
    for &info in PROTOCOLS {
        if !info.has_data(data) {
            let advice = info.advice(data);
            say(&format!("{} is left out:{LINE_END}{}", info.name, advice.join(LINE_END.as_ref())));
            outcomes.push((info, Experiment::Missing(advice)));
            continue;
        }
        let settings = info.settings::<&str, &str>(&[])?;
        match one(info, &settings, (data, &[]), &directory.join(info.name), matches, run) {
            Ok(results) => {
                print("\n")?;
                outcomes.push((info, Experiment::Done(results)));
            }
            Err(Failure::Error(
                error @ (Error::Data(_) | Error::Option { .. } | Error::File { .. }),
            )) => {
                // The others may succeed; the first error is returned at the end.
                say(&format!("{} failed: {}", info.name, error.text().mention()));
                let told = format!("It failed: {}", spelled(error.text().mention().as_ref()));
                outcomes.push((info, Experiment::Missing(vec![told])));
                first.get_or_insert(Failure::Error(error));
            }
            Err(other) => return Err(other),
        }
    }
    Ok((outcomes, first))
}

fn one(
    info: &ProtocolInfo,
    settings: &Settings,
    data: (&DataFolder, &[AddedSet]),
    directory: &Path,
    matches: &ArgMatches,
    run: &Run,
) -> Result<Results, Failure> {
    let start = Instant::now();
    let figures = args::figure_style(matches)?;
    let results =
        reproduce(info, settings, matches.get_flag("quick"), data, (directory, figures), run)?;
    print(&results.summary())?;
    if !args::quiet(matches) {
        say(&format!("wrote figures, numbers and this summary to {}", directory.display()));
        say(&format!("done in {:.1} s", start.elapsed().as_secs_f64()));
    }
    Ok(results)
}

/// Reads the data sets that the user adds to those of the paper: numbers without missing values, and classes.
fn added(info: &ProtocolInfo, matches: &ArgMatches, run: &Run) -> Result<Vec<AddedSet>, Failure> {
    if !info.adds {
        return Ok(Vec::new());
    }
    let files = matches.get_many::<PathBuf>("add").unwrap_or_default();
    let target = matches.get_one::<String>("target").map_or("", String::as_str);
    let mut sets: Vec<AddedSet> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for file in files {
        let mut source = Source::new(file);
        source.kinds.all = Some(ColumnKind::Numeric);
        let name = source.name().to_string_lossy();
        let name = Path::new(&*name).file_name().map_or(&*name, |name| name.to_str().unwrap_or(""));
        if names.iter().any(|known| known == name) {
            let problem = format!("two data sets are called `{name}`");
            return Err(Error::option("add", problem, "rename one of the files").into());
        }
        let data = source.read(target, TargetKind::Classes, &RowRoles::default(), None, run)?;
        let fingerprint = contents(&data.table, &data.target, data.roles());
        note_warnings(&data.warnings);
        let set = AddedSet::new(name.to_string(), data.table, data.target, fingerprint)
            .map_err(|error| error.in_file(source.name()))?;
        sets.push(set);
        names.push(name.to_string());
    }
    Ok(sets)
}

/// The page with the command, the version and the facts of every run.
fn with_run(
    mut page: SectionsReport,
    arguments: &[OsString],
    run: &Run,
    seconds: Option<f64>,
) -> SectionsReport {
    page.account.command = Some(command_line(arguments));
    page.account.version = env!("CARGO_PKG_VERSION").to_string();
    page.account.references.insert(0, reference());
    let time = seconds.map(|seconds| (format!("{seconds:.1} s"), run.threads()));
    let files = file_names(arguments);
    tell_run(&mut page.account, run.seed(), time, (&[], &audience(), &files));
    page
}

/// The page of an experiment: the paper's claims and numbers next to ours.
fn page_of_one(info: &ProtocolInfo, settings: &Settings, results: &Results) -> SectionsReport {
    let mut account = Account {
        data: info.name.to_string(),
        options: option_texts(settings).collect(),
        ..Account::default()
    };
    account.references = vec![info.source.to_string()];
    account.tell("Experiment", info.purpose);
    account.tell("Source", info.source);
    let answer = match results.claims.len() {
        0 => format!("{}: our numbers and those of the paper.", info.purpose),
        _ => {
            let basis = match results.basis.as_str() {
                "" => String::new(),
                basis => format!(" ({basis})"),
            };
            format!("{}{basis}.", verdicts("paper's", results.verdicts()))
        }
    };
    let sections = [
        Section::new("Method", opening(results)),
        Section::new("The paper's claims", claims(results).into_iter().map(Block::Table).collect()),
        Section::new("Numbers", results.tables.iter().cloned().map(Block::Table).collect()),
        Section::new("Figures", figures(info, results)),
        Section::new("Remarks", results.remarks.iter().cloned().map(Block::Text).collect()),
    ];
    SectionsReport {
        title: format!("{}: {}", info.name, info.purpose),
        answer: vec![Piece::Words(answer)],
        account,
        sections: sections.into_iter().filter(|section| !section.blocks.is_empty()).collect(),
    }
}

/// The page of all experiments: how many claims hold of each, then a section of each.
fn page_of_all(outcomes: &[(&ProtocolInfo, Experiment)]) -> SectionsReport {
    let (mut rows, mut sums, mut done) = (Vec::new(), [0; 3], 0);
    for (info, outcome) in outcomes {
        let counts = match outcome {
            Experiment::Done(results) => {
                done += 1;
                let verdicts = results.verdicts();
                sums.iter_mut().zip(verdicts).for_each(|(sum, count)| *sum += count);
                verdicts.map(|count| count.to_string())
            }
            Experiment::Missing(_) => ["", "", ""].map(String::from),
        };
        let name = [info.name.to_string()].into_iter();
        rows.push(name.chain(counts).chain([info.purpose.to_string()]).collect());
    }
    let head = [
        ("Experiment", false),
        ("Hold", true),
        ("Do not hold", true),
        ("Undecided", true),
        ("Purpose", false),
    ];
    let overview = Table {
        caption: "Checks of the papers' claims; an experiment without numbers was not run"
            .to_string(),
        head: head.map(|(head, is_number)| (head.to_string(), is_number)).to_vec(),
        rows,
        ..Table::default()
    };
    let mut sections =
        vec![Section { heading: "Overview".to_string(), blocks: vec![Block::Table(overview)] }];
    for (info, outcome) in outcomes {
        let mut blocks = vec![Block::Text(format!("{}. Source: {}.", info.purpose, info.source))];
        match outcome {
            Experiment::Done(results) => {
                blocks.extend(opening(results));
                blocks.extend(claims(results).map(Block::Table));
                blocks.extend(results.tables.iter().cloned().map(Block::Table));
                blocks.extend(figures(info, results));
                blocks.extend(results.remarks.iter().cloned().map(Block::Text));
            }
            Experiment::Missing(why) => blocks.extend(why.iter().cloned().map(Block::Text)),
        }
        sections.push(Section { heading: info.name.to_string(), blocks });
    }
    let answer = format!(
        "{done} of {} experiments were run. {}.",
        outcomes.len(),
        verdicts("papers'", sums)
    );
    let mut account = Account { data: args::EVERYTHING.to_string(), ..Account::default() };
    account.tell("Experiments", format!("{done} of {}", outcomes.len()));
    SectionsReport {
        title: "The papers' experiments".to_string(),
        answer: vec![Piece::Words(answer)],
        account,
        sections,
    }
}

/// The numbers of claims that hold, do not hold and are undecided, in a sentence without a full stop.
fn verdicts(whose: &str, [holds, fails, open]: [usize; 3]) -> String {
    let undecided = match open {
        0 => String::new(),
        1 => ", 1 is undecided".to_string(),
        _ => format!(", {open} are undecided"),
    };
    let hold = if holds == 1 { "holds" } else { "hold" };
    let not = if fails == 1 { "does not" } else { "do not" };
    let and = if open == 0 { " and" } else { "," };
    let checks = counted(holds + fails + open, "check");
    format!("Of {checks} of the {whose} claims, {holds} {hold} here{and} {fails} {not}{undecided}")
}

/// The description of the experiment, paragraph by paragraph.
fn opening(results: &Results) -> Vec<Block> {
    let paragraphs = results.opening.split("\n\n").map(|text| text.trim().replace('\n', " "));
    paragraphs.filter(|text| !text.is_empty()).map(Block::Text).collect()
}

/// The claims with a verdict and its numbers on each of their subjects; `None` without claims.
fn claims(results: &Results) -> Option<Table> {
    let note = match results.note {
        "" => String::new(),
        note => format!(" ({note})"),
    };
    let (mut rows, mut groups) = (Vec::new(), Vec::new());
    for claim in results.claims.iter().filter(|claim| !claim.findings.is_empty()) {
        groups.push((rows.len(), claim.text.to_string()));
        for (about, finding) in &claim.findings {
            let verdict = match finding.verdict {
                Verdict::Holds => "✓",
                Verdict::Fails => "✗",
                Verdict::Open => "?",
            };
            rows.push(vec![
                about.to_string(),
                // On one line.
                format!("{verdict} {}", finding.verdict.words()).replace(' ', "\u{a0}"),
                finding.evidence.clone(),
            ]);
        }
    }
    let head =
        ["Data set", "Verdict", "Results here"].map(|head| (head.to_string(), false)).to_vec();
    let caption = format!("The claims of the paper, and whether they hold here{note}");
    (!rows.is_empty()).then_some(Table { caption, head, rows, groups, ..Table::default() })
}

fn figures(info: &ProtocolInfo, results: &Results) -> Vec<Block> {
    let figures = results.files.iter().filter(|(name, _)| name.ends_with(".svg"));
    let figure = |(name, svg): &(&str, String)| Block::Figure {
        svg: svg.clone(),
        alt: format!("{}, {name}; the folder of the results contains its numbers", info.purpose),
    };
    figures.map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use basrelief_papers::{Claim, Finding};

    /// A claim that holds on a set and fails on another, and a table.
    fn results() -> Results {
        let finding = |verdict| Finding { verdict, evidence: "1 < 2 & 3".to_string() };
        let findings = vec![("iris", finding(Verdict::Holds)), ("wine", finding(Verdict::Fails))];
        Results {
            opening: "First\nlines.\n\nSecond.\n".to_string(),
            claims: vec![Claim { text: "It is so.", findings }],
            note: "in cm",
            remarks: vec!["glass is left out".to_string()],
            files: vec![("a.csv", "1".to_string()), ("a.svg", "<svg></svg>".to_string())],
            ..Results::default()
        }
    }

    #[test]
    fn the_page_of_all_has_a_section_of_each() {
        let [first, second, third] = [0, 1, 2].map(|place| PROTOCOLS[place]);
        let outcomes = [
            (first, Experiment::Done(results())),
            (second, Experiment::Missing(vec!["no data".to_string()])),
            (third, Experiment::Done(results())),
        ];
        let page = page_of_all(&outcomes);
        let headings: Vec<&str> = page.sections.iter().map(|one| one.heading.as_str()).collect();
        assert_eq!(headings, ["Overview", first.name, second.name, third.name]);
        assert_eq!(
            page.answer[0].text(),
            "2 of 3 experiments were run. Of 4 checks of the papers' claims, 2 hold here and 2 do not."
        );
        let Block::Table(overview) = &page.sections[0].blocks[0] else { panic!("a table") };
        assert_eq!(overview.rows[0][..4], [first.name, "1", "1", "0"]);
        assert_eq!(overview.rows[1][..4], [second.name, "", "", ""]);
        assert_eq!(page.sections[2].blocks.last(), Some(&Block::Text("no data".to_string())));
        let html = page.to_html().unwrap();
        for (text, count) in [
            ("<p>First lines.</p>", 2),
            ("whether they hold here (in cm)</caption>", 2),
            (">It is so.</th>", 2),
            ("<td>✓\u{a0}holds</td><td>1 &#60; 2 &#38; 3</td>", 2),
            ("<td>✗\u{a0}does\u{a0}not\u{a0}hold</td>", 2),
            ("<img src", 2),
            ("<p>glass is left out</p>", 2),
            ("<p>no data</p>", 1),
        ] {
            assert_eq!(html.matches(text).count(), count, "{text}: {html}");
        }
    }

    #[test]
    fn the_answer_states_the_basis_and_counts_undecided_claims_if_there_are_any() {
        let info = PROTOCOLS[0];
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let answer =
            |results: &Results| page_of_one(info, &settings, results).answer[0].text().to_string();
        let mut found = results();
        found.basis = "paired t-tests, 3 splits of 2 of 4 data sets".to_string();
        let wanted = "Of 2 checks of the paper's claims, 1 holds here and 1 does not (paired t-tests, 3 splits of 2 of 4 \
                      data sets).";
        assert_eq!(answer(&found), wanted);
        found.basis.clear();
        found.claims[0].findings[0].1.verdict = Verdict::Open;
        let wanted = "Of 2 checks of the paper's claims, 0 hold here, 1 does not, 1 is undecided.";
        assert_eq!(answer(&found), wanted);
    }

    #[test]
    fn the_page_of_one_leaves_out_what_there_is_not() {
        let info = PROTOCOLS[0];
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let headings = |results: &Results| {
            let page = page_of_one(info, &settings, results);
            page.sections.into_iter().map(|section| section.heading).collect::<Vec<_>>()
        };
        let all = ["Method", "The paper's claims", "Figures", "Remarks"];
        assert_eq!(headings(&results()), all);
        assert!(headings(&Results::default()).is_empty());
    }
}
