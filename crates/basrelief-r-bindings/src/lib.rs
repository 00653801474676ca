//! The functions that R calls. This is the only file that depends on R, through the crate `savvy`, whose macros export
//! them as functions of C. `savvy-cli update` writes their declarations in `r/src`.

// An error ends the call, so its size does not matter.
#![allow(clippy::result_large_err)]

use std::time::Duration;

use basrelief::data::RawTable;
use basrelief::{FrontEnd, Result, Run, Stage};
use basrelief_r::{Answer, Arguments, FrameColumn, FrameValues, LevelKind, Value, raw_table};
use savvy::{
    FunctionArgs, FunctionSexp, ListSexp, OwnedIntegerSexp, OwnedListSexp, OwnedLogicalSexp,
    OwnedRawSexp, OwnedRealSexp, OwnedStringSexp, RawSexp, Sexp, StringSexp, TypedSexp, savvy,
    savvy_err,
};

/// The interval at which R is asked whether the user interrupts; Ctrl-C must work within a second.
const POLL: Duration = Duration::from_millis(50);

/// An error of the library for R.
fn to_r(error: basrelief::Error) -> savvy::Error {
    savvy_err!("{}", error.message(FrontEnd::R))
}

fn texts(sexp: &StringSexp) -> Vec<String> {
    sexp.iter().map(str::to_string).collect()
}

/// The arguments, from a named list of character vectors.
fn arguments(list: &ListSexp) -> savvy::Result<Arguments> {
    let read = |(name, value): (&str, Sexp)| match value.into_typed() {
        TypedSexp::String(own) => Ok((name.to_string(), texts(&own))),
        _ => Err(savvy_err!("internal fault: the argument {name} is not a character vector")),
    };
    list.iter().map(read).collect()
}

/// The table, from the list of the columns, that of their levels, and the types of the columns.
fn table(columns: &ListSexp, levels: &ListSexp, types: &StringSexp) -> savvy::Result<RawTable> {
    let wrong = |name: &str| savvy_err!("internal fault: the column {name} has no known type");
    // The values must live while the columns borrow them.
    let held: Vec<(&str, TypedSexp)> =
        columns.iter().map(|(name, values)| (name, values.into_typed())).collect();
    let mut all = Vec::with_capacity(held.len());
    for (((name, values), levels), kind) in held.iter().zip(levels.values_iter()).zip(types.iter())
    {
        let values = match (values, levels.into_typed()) {
            (TypedSexp::Real(numbers), _) => FrameValues::Numbers(numbers.as_slice()),
            (TypedSexp::Integer(codes), TypedSexp::String(levels)) => FrameValues::Levels {
                codes: codes.as_slice(),
                levels: texts(&levels),
                kind: match kind {
                    "factor" => LevelKind::Factor,
                    "ordered" => LevelKind::Ordered,
                    _ => LevelKind::Texts,
                },
            },
            _ => return Err(wrong(name)),
        };
        all.push(FrameColumn { name, values });
    }
    raw_table(&all).map_err(to_r)
}

fn value(value: Value) -> savvy::Result<Sexp> {
    match value {
        Value::Absent => Ok(savvy::NullSexp.into()),
        Value::Numbers(numbers) => OwnedRealSexp::try_from_slice(numbers)?.into(),
        Value::Integers(numbers) => OwnedIntegerSexp::try_from_slice(numbers)?.into(),
        Value::Switches(switches) => OwnedLogicalSexp::try_from_slice(switches)?.into(),
        Value::Bytes(bytes) => OwnedRawSexp::try_from_slice(bytes)?.into(),
        Value::Texts(texts) => {
            let mut all = OwnedStringSexp::new(texts.len())?;
            for (place, text) in texts.iter().enumerate() {
                match text {
                    Some(text) => all.set_elt(place, text)?,
                    None => all.set_na(place)?,
                }
            }
            all.into()
        }
        Value::List(list) => answer(list),
    }
}

fn answer(all: Answer) -> savvy::Result<Sexp> {
    let mut list = OwnedListSexp::new(all.0.len(), true)?;
    for (place, (name, own)) in all.0.into_iter().enumerate() {
        list.set_name_and_value(place, &name, value(own)?)?;
    }
    list.into()
}

/// Does `work` on other threads, while R handles interrupts and shows progress by calling `seen`.
fn interruptible(
    run: Run,
    seen: &FunctionSexp,
    work: impl FnOnce(&Run) -> Result<Answer> + Send,
) -> savvy::Result<Sexp> {
    let call = |stage: Option<&Stage>| -> savvy::Result<()> {
        let none = Stage::default();
        let Stage { name, done, total } = stage.unwrap_or(&none);
        let mut arguments = FunctionArgs::new();
        arguments.add("stage", name.as_str())?;
        arguments.add("done", *done as f64)?;
        arguments.add("total", *total as f64)?;
        seen.call(arguments).map(drop)
    };
    answer(run.watched(POLL, call, work)?.map_err(to_r)?)
}

/// Does `work` with a data frame and the arguments of a call, as [`interruptible`] does.
fn of_frame(
    (columns, levels, types): (&ListSexp, &ListSexp, &StringSexp),
    settings: &ListSexp,
    seen: &FunctionSexp,
    work: impl FnOnce(RawTable, &Arguments, &Run) -> Result<Answer> + Send,
) -> savvy::Result<Sexp> {
    let (table, settings) = (table(columns, levels, types)?, arguments(settings)?);
    let run = settings.run().map_err(to_r)?;
    interruptible(run, seen, |run| work(table, &settings, run))
}

/// Weights of the features of a data frame, or of a cohort if there are no columns.
#[savvy]
fn rank(
    columns: ListSexp,
    levels: ListSexp,
    types: StringSexp,
    settings: ListSexp,
    seen: FunctionSexp,
) -> savvy::Result<Sexp> {
    let frame = (&columns, &levels, &types);
    of_frame(frame, &settings, &seen, |table, settings, run| {
        basrelief_r::rank(Some(table), settings, run)
    })
}

/// Weights by the rules of CORElearn.
#[savvy]
fn attr_eval(
    columns: ListSexp,
    levels: ListSexp,
    types: StringSexp,
    settings: ListSexp,
    seen: FunctionSexp,
) -> savvy::Result<Sexp> {
    let frame = (&columns, &levels, &types);
    of_frame(frame, &settings, &seen, basrelief_r::attr_eval)
}

/// A map that is learned from a data frame.
#[savvy]
fn learn(
    columns: ListSexp,
    levels: ListSexp,
    types: StringSexp,
    settings: ListSexp,
    seen: FunctionSexp,
) -> savvy::Result<Sexp> {
    let frame = (&columns, &levels, &types);
    of_frame(frame, &settings, &seen, basrelief_r::learn)
}

/// The rows of a data frame, mapped.
#[savvy]
fn transform(
    model: RawSexp,
    columns: ListSexp,
    levels: ListSexp,
    types: StringSexp,
    settings: ListSexp,
    seen: FunctionSexp,
) -> savvy::Result<Sexp> {
    let model = model.to_vec();
    let frame = (&columns, &levels, &types);
    of_frame(frame, &settings, &seen, |table, settings, run| {
        basrelief_r::transform(&model, table, settings, run)
    })
}

/// What a model contains.
#[savvy]
fn summary(model: RawSexp) -> savvy::Result<Sexp> {
    answer(basrelief_r::summary(model.as_slice()).map_err(to_r)?)
}

/// The people and variants of a cohort.
#[savvy]
fn people(settings: ListSexp, seen: FunctionSexp) -> savvy::Result<Sexp> {
    let settings = arguments(&settings)?;
    let run = settings.run().map_err(to_r)?;
    interruptible(run, &seen, |run| basrelief_r::people(&settings, run))
}

/// The methods that exist.
#[savvy]
fn methods() -> savvy::Result<Sexp> {
    answer(basrelief_r::methods())
}
