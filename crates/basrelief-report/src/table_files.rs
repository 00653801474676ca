//! Tables for other programs: LaTeX and CSV.

use std::fmt::Write;

use crate::Table;

impl Table {
    /// The table in LaTeX: a plain `tabular`, with the caption as a comment. It needs no package.
    pub fn to_latex(&self) -> String {
        let columns: String =
            self.head.iter().map(|(_, is_number)| if *is_number { 'r' } else { 'l' }).collect();
        let line = |cells: Vec<&str>| {
            let cells: Vec<String> = cells.into_iter().map(latex).collect();
            format!("{} \\\\\n", cells.join(" & "))
        };
        // A line break would end the comment.
        let caption = self.caption.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text = format!("% {caption}\n\\begin{{tabular}}{{{columns}}}\n\\hline\n");
        text.push_str(&line(self.heads()));
        text.push_str("\\hline\n");
        for (place, row) in self.rows.iter().enumerate() {
            for (_, heading) in self.groups.iter().filter(|(start, _)| *start == place) {
                let width = self.head.len();
                let heading = latex(heading);
                let _ = writeln!(text, "\\multicolumn{{{width}}}{{l}}{{{heading}}} \\\\");
            }
            text.push_str(&line(row.iter().map(String::as_str).collect()));
        }
        text.push_str("\\hline\n\\end{tabular}\n");
        text
    }

    /// The table as CSV with its heads. Headings between rows are a first column `group`.
    pub fn to_csv(&self) -> String {
        let has_groups = !self.groups.is_empty();
        let line = |group: Option<&str>, cells: Vec<&str>| {
            let cells = group.into_iter().chain(cells).map(csv_cell);
            format!("{}\n", cells.collect::<Vec<_>>().join(","))
        };
        let mut text = line(has_groups.then_some("group"), self.heads());
        for (place, row) in self.rows.iter().enumerate() {
            let group = self.groups.iter().rfind(|(start, _)| *start <= place);
            let group = group.map_or("", |(_, heading)| heading);
            let cells = row.iter().map(String::as_str).collect();
            text.push_str(&line(has_groups.then_some(group), cells));
        }
        text
    }

    fn heads(&self) -> Vec<&str> {
        self.head.iter().map(|(head, _)| head.as_str()).collect()
    }
}

/// A CSV cell, quoted if necessary.
pub fn csv_cell(text: &str) -> String {
    let plain = !text.contains(['"', ',', '\n', '\r']) && text.trim() == text && !text.is_empty();
    if plain { text.to_string() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// A text in LaTeX, with all special characters escaped.
fn latex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' | '>' | '|' | '+' | '=' | '≤' | '≥' | '±' | '×' | '²' | '³' | '−' => {
                let sign = match character {
                    '≤' => "\\le",
                    '≥' => "\\ge",
                    '±' => "\\pm",
                    '×' => "\\times",
                    '²' => "^2",
                    '³' => "^3",
                    '−' => "-",
                    other => {
                        let _ = write!(escaped, "${other}$");
                        continue;
                    }
                };
                let _ = write!(escaped, "${sign}$");
            }
            '\u{a0}' => escaped.push('~'),
            '✓' => escaped.push('+'),
            '✗' => escaped.push_str("--"),
            '\n' | '\r' | '\t' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let row = |cells: [&str; 2]| cells.map(String::from).to_vec();
        Table {
            caption: "Errors of\n50 %".to_string(),
            head: vec![("method_1".to_string(), false), ("± se".to_string(), true)],
            rows: vec![row(["a & b", "0.50"]), row(["c,\\d{^~$#}\"", "< 0.1"])],
            groups: vec![(1, "group 100%".to_string())],
            ..Table::default()
        }
    }

    #[test]
    fn latex_by_hand() {
        let lines = [
            "% Errors of 50 %",
            "\\begin{tabular}{lr}",
            "\\hline",
            "method\\_1 & $\\pm$ se \\\\",
            "\\hline",
            "a \\& b & 0.50 \\\\",
            "\\multicolumn{2}{l}{group 100\\%} \\\\",
            "c,\\textbackslash{}d\\{\\textasciicircum{}\\textasciitilde{}\\$\\#\\}\" & $<$ 0.1 \\\\",
            "\\hline",
            "\\end{tabular}",
            "",
        ];
        assert_eq!(table().to_latex(), lines.join("\n"));
    }

    #[test]
    fn csv_by_hand() {
        let lines =
            ["group,method_1,± se", "\"\",a & b,0.50", "group 100%,\"c,\\d{^~$#}\"\"\",< 0.1", ""];
        assert_eq!(table().to_csv(), lines.join("\n"));
        let plain = Table { groups: Vec::new(), ..table() };
        assert!(plain.to_csv().starts_with("method_1,± se\na & b,0.50\n"));
    }
}
