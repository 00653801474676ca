//! Worksheets.

use std::io::Write;

use basrelief_io::ReadOptions;

use super::{Sample, assert_says, names, numbers, texts};

/// The rows of a worksheet: numbers, texts, a date and an error.
pub(crate) const SHEET: &str = r#"<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c>
<c r="B1" t="inlineStr"><is><t>b, c</t></is></c><c r="C1" t="inlineStr"><is><t>day</t></is></c></row>
<row r="3"><c r="A3"><v>1.5</v></c><c r="B3" t="inlineStr"><is><t>x "y"</t></is></c><c r="C3" s="1"><v>45000</v></c></row>
<row r="4"><c r="A4" t="e"><v>#N/A</v></c><c r="B4" t="b"><v>1</v></c></row>"#;

/// A workbook of worksheets, given by their names and rows.
pub(crate) fn workbook(sheets: &[(&str, &str)]) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    let numbered = || sheets.iter().zip(1..);
    let list: String = numbered()
        .map(|((name, _), id)| format!(r#"<sheet name="{name}" sheetId="{id}" r:id="rId{id}"/>"#))
        .collect();
    let targets: String = numbered()
        .map(|(_, id)| {
            format!(r#"<Relationship Id="rId{id}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{id}.xml"/>"#)
        })
        .collect();
    let types: String = numbered()
        .map(|(_, id)| {
            format!(
                r#"<Override PartName="/xl/worksheets/sheet{id}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>"#
            )
        })
        .collect();
    let mut files = vec![
        (
            "[Content_Types].xml".to_string(),
            format!(
                r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>{types}</Types>"#
            ),
        ),
        (
            "_rels/.rels".to_string(),
            format!(
                r#"<Relationships xmlns="{PACKAGE}"><Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/workbook.xml".to_string(),
            format!(
                r#"<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{list}</sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels".to_string(),
            format!(
                r#"<Relationships xmlns="{PACKAGE}">{targets}<Relationship Id="rId99" Type="{RELATIONS}/styles" Target="styles.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/styles.xml".to_string(),
            format!(
                r#"<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#
            ),
        ),
    ];
    for ((_, rows), id) in numbered() {
        let (rows, merged) = rows.split_once("<mergeCells").unwrap_or((rows, ""));
        let merged = if merged.is_empty() { String::new() } else { format!("<mergeCells{merged}") };
        let text = format!(
            r#"<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData>{merged}</worksheet>"#
        );
        files.push((format!("xl/worksheets/sheet{id}.xml"), text));
    }
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_worksheet_is_a_table() {
    let table = Sample::new("a.xlsx", workbook(&[("data", SHEET)])).read().unwrap();
    assert_eq!(names(&table), ["a", "b, c", "day"]);
    let first = numbers(&table.columns[0]);
    assert!(first[0] == 1.5 && first[1].is_nan());
    assert_eq!(texts(&table.columns[1]), [Some("x \"y\""), Some("true")]);
    assert_eq!(texts(&table.columns[2]), [Some("2023-03-15"), None]);
    // The line of a message is the row of the worksheet.
    assert_eq!(table.columns[1].lines, [3, 4]);
    let transposed = ReadOptions { transpose: true, ..ReadOptions::default() };
    let table = Sample::new("a.xlsx", workbook(&[("data", SHEET)])).read_with(&transposed).unwrap();
    assert_eq!(texts(table.row_names.as_ref().unwrap()), [Some("b, c"), Some("day")]);
}

#[test]
fn one_of_several_worksheets_is_named() {
    let other = r#"<row r="1"><c r="A1" t="inlineStr"><is><t>z</t></is></c></row><row r="2"><c r="A2"><v>3</v></c></row>"#;
    let book = Sample::new("a.xlsx", workbook(&[("Data", SHEET), ("notes", other), ("empty", "")]));
    let message = book.read().unwrap_err().to_string();
    assert_says(&message, &["3 worksheets: `Data`, `notes`, `empty`", "sheet=Data"]);
    let named =
        |sheet: &str| ReadOptions { sheet: Some(sheet.to_string()), ..ReadOptions::default() };
    let table = book.read_with(&named("notes")).unwrap();
    assert_eq!((names(&table), numbers(&table.columns[0])), (vec!["z"], vec![3.0]));
    let message = book.read_with(&named("data")).unwrap_err().to_string();
    assert_says(&message, &["there is no worksheet `data`", "did you mean `Data`"]);
    assert_says(&book.message_with(&named("empty")), &["the worksheet `empty` is empty"]);
}

#[test]
fn bad_workbooks_are_refused() {
    let merged = format!(r#"{SHEET}<mergeCells count="1"><mergeCell ref="B3:C4"/></mergeCells>"#);
    let message = Sample::new("a.xlsx", workbook(&[("data", &merged)])).message();
    assert_says(&message, &["B3:C4", "`data`", "are merged", "split"]);
    assert_says(&Sample::new("a.xlsx", "a,b\n1,2\n").message(), &["as a workbook", ".csv"]);
    let ragged =
        r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="B2"><v>3</v></c></row>"#;
    // An empty name is a column without a name.
    let table = Sample::new("a.xlsx", workbook(&[("data", ragged)])).read().unwrap();
    assert_eq!(names(&table), ["1", "column_2"]);
    let far = r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>3</v></c></row>"#;
    assert_says(&Sample::new("a.xlsx", workbook(&[("data", far)])).message(), &["16384 columns"]);
}
