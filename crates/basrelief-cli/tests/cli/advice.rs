//! What a message advises works: the advice is taken, and the command that was refused is done.

use crate::Place;

/// Options that a message mentions.
fn flags(message: &str) -> impl Iterator<Item = &str> {
    let words = message.split([' ', '\n', ',', ';', '`', '(', ')', ':']);
    words.filter(|word| word.starts_with("--"))
}

/// A command that is refused or warned of, and what can be done.
struct Case {
    line: &'static str,
    /// Parts of the message, each with the command that follows it.
    advice: &'static [(&'static str, &'static str)],
    /// What the message must not mention.
    without: &'static [&'static str],
}

fn whole_numbers(rows: u32) -> String {
    let lines = (0..rows)
        .map(|row| format!("{}.5,{}.25,{}\n", row * 37 % 101, row * 53 % 89, row % 74 + 100));
    format!("a,b,t\n{}", lines.collect::<String>())
}

fn with_class(rows: u32, classes: u32, other: impl Fn(u32) -> String) -> String {
    let lines =
        (0..rows).map(|row| format!("{}.5,{},c{}\n", row * 37 % 101, other(row), row % classes));
    format!("a,b,class\n{}", lines.collect::<String>())
}

fn prepared() -> Place {
    let place = Place::new();
    place.file("whole.csv", whole_numbers(222));
    place.file("clean.csv", with_class(60, 2, |row| format!("{}.25", row * 53 % 89)));
    place.file("three.csv", with_class(60, 3, |row| format!("{}.25", row * 53 % 89)));
    let typo = |row: u32| if row == 7 { "12 kg".into() } else { format!("{}.25", row * 53 % 89) };
    place.file("typo.csv", with_class(60, 2, typo));
    let gap = |row: u32| if row == 7 { String::new() } else { format!("{}.25", row * 53 % 89) };
    place.file("gap.csv", with_class(60, 2, gap));
    place.file("twice.csv", "1,2,2\n".to_string() + &with_class(40, 2, |_| "1".into())[10..]);
    // The same row in both classes.
    place.file("same.csv", with_class(60, 2, |_| "1".into()) + "7,3,c0\n7,3,c1\n");
    place.line("synth cohort --rows 120 --variants 200 --output c.bed --quiet").done();
    place
        .line("fit clean.csv --target class --method pca --components 1 --model pca.basrelief")
        .done();
    place
}

const CASES: &[Case] = &[
    Case {
        line: "fit whole.csv --target t --method lfe --components 1 --model m.basrelief",
        advice: &[(
            "--target-type classes",
            "fit whole.csv --target t --method lfe --components 1 --model m.basrelief --target-type classes",
        )],
        without: &["rrelieff"],
    },
    Case {
        line: "rank whole.csv --target t --method relieff",
        advice: &[
            ("use rrelieff for a numeric target", "rank whole.csv --target t --method rrelieff"),
            (
                "--target-type classes",
                "rank whole.csv --target t --method relieff --target-type classes",
            ),
        ],
        without: &[],
    },
    Case {
        line: "rank typo.csv --target class",
        advice: &[
            ("--coerce", "rank typo.csv --target class --coerce"),
            ("--categorical b", "rank typo.csv --target class --categorical b"),
        ],
        without: &[],
    },
    Case {
        line: "rank typo.csv --target class --numeric b",
        advice: &[
            ("--coerce", "rank typo.csv --target class --numeric b --coerce"),
            ("--categorical", "rank typo.csv --target class --categorical b"),
        ],
        without: &[],
    },
    // Columns have the kinds of the fit.
    Case {
        line: "transform pca.basrelief typo.csv",
        advice: &[("--coerce", "transform pca.basrelief typo.csv --coerce")],
        without: &["--categorical", "--numeric", "--drop", "--target-type"],
    },
    Case {
        line: "rank three.csv --target class --method relief",
        advice: &[
            ("relieff or relief-e", "rank three.csv --target class --method relieff"),
            ("relieff or relief-e", "rank three.csv --target class --method relief-e"),
        ],
        without: &[],
    },
    Case {
        line: "rank clean.csv --target class --method swrf* --compat skrebate",
        advice: &[("swrf* takes --samples", "rank clean.csv --target class --method swrf*")],
        without: &[],
    },
    Case {
        line: "rank gap.csv --target class --method surf --compat skrebate",
        advice: &[
            (
                "--missing ignore",
                "rank gap.csv --target class --method surf --compat skrebate --missing ignore",
            ),
            ("remove --compat", "rank gap.csv --target class --method surf"),
        ],
        without: &["missing = ignore"],
    },
    Case {
        line: "rank clean.csv --target class --method surf --compat skrebate --metric euclidean",
        advice: &[(
            "remove --metric or --compat",
            "rank clean.csv --target class --method surf --compat skrebate",
        )],
        without: &[],
    },
    Case {
        line: "fit clean.csv --target class --method lfe --form fast --metric manhattan --model m.basrelief",
        advice: &[
            (
                "--form direct",
                "fit clean.csv --target class --method lfe --form direct --metric manhattan --model m.basrelief",
            ),
            (
                "--metric euclidean",
                "fit clean.csv --target class --method lfe --form fast --metric euclidean --model m.basrelief",
            ),
        ],
        without: &[],
    },
    Case {
        line: "rank same.csv --target class --method mdm --slack none",
        advice: &[("--slack 1000", "rank same.csv --target class --method mdm --slack 1000")],
        without: &["slack=1000"],
    },
    Case {
        line: "evaluate clean.csv --target class --methods relieff:neighbors=0",
        advice: &[(
            "option neighbors: 0 is less than 1",
            "evaluate clean.csv --target class --methods relieff:neighbors=1 --folds 2 --inner-folds 2",
        )],
        without: &["--neighbors"],
    },
    // No file of covariates goes with an evaluation.
    Case {
        line: "evaluate c.bed --folds 2 --permutations 9 --within center",
        advice: &[("omit the option", "quality c.bed")],
        without: &["--covar"],
    },
    Case {
        line: "rank clean.csv --target class --method irelief --covar-name b --caliper 1",
        advice: &[
            (
                "multisurf",
                "rank clean.csv --target class --method multisurf --covar-name b --caliper 1",
            ),
            (
                "--residuals",
                "rank clean.csv --target class --method rrelieff --covar-name b --residuals",
            ),
        ],
        without: &[],
    },
    Case {
        line: "rank twice.csv --target class",
        advice: &[("--no-header", "rank twice.csv --target column_3 --no-header")],
        without: &[],
    },
    Case {
        line: "sets c.bed",
        advice: &[("--by-chromosome", "sets c.bed --by-chromosome")],
        without: &[],
    },
    Case {
        line: "select clean.csv --target class --permutations 99 --top 1",
        advice: &[("--significant", "rank clean.csv --target class --permutations 99")],
        without: &[],
    },
    Case {
        line: "rank clean.csv --target class --output r.xyz",
        advice: &[("--format", "rank clean.csv --target class --output r.xyz --format csv")],
        without: &[],
    },
    Case {
        line: "rank clean.csv --target none",
        advice: &[("a, b, class", "rank clean.csv --target class")],
        without: &[],
    },
];

#[test]
fn what_is_advised_works() {
    let place = prepared();
    for case in CASES {
        // The messages are wrapped.
        let message = place.line(case.line).refused();
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        let verb = case.line.split(' ').next().unwrap();
        let help = place.line(&format!("{verb} --help")).done();
        for flag in flags(&message) {
            assert!(help.contains(flag), "{}: {verb} has no {flag}: {message}", case.line);
        }
        for words in case.without {
            assert!(!message.contains(words), "{}: `{words}` in: {message}", case.line);
        }
        for (words, line) in case.advice {
            assert!(message.contains(words), "{}: no `{words}` in: {message}", case.line);
            place.line(line).done();
        }
    }
}

/// A warning, too, mentions options that the verb has.
#[test]
fn warnings_advise_options_of_the_verb() {
    let place = Place::new();
    let names: String =
        (0..40).map(|row| format!("r{row},{},c{}\n", row * 7 % 11, row % 2)).collect();
    place.file("names.csv", format!("id,a,class\n{names}"));
    let outcome = place.line("rank names.csv --target class");
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    let told = outcome.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("leave it out with --drop id"), "{told}");
    let outcome = place.line("rank names.csv --target class --drop id");
    assert!(!outcome.err.contains("`id`"), "{}", outcome.err);
}
