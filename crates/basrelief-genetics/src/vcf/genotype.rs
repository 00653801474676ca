//! Genotypes in the format of GT in VCF.

/// A genotype: the number of each allele, or `None` if the allele is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// One allele.
    Haploid(Option<u32>),
    /// Two alleles.
    Diploid(Option<u32>, Option<u32>),
}

impl Call {
    /// Parses a text such as `0/1`, `1|0`, `./.` or `1`. `alternatives` is the number of alleles in ALT.
    ///
    /// # Errors
    /// The text is not a genotype; the error is the reason.
    pub(super) fn parse(text: &[u8], alternatives: u32) -> Result<Self, String> {
        let is_separator = |byte: &u8| matches!(byte, b'/' | b'|');
        // In VCF 4.4, the first allele may also have a phasing prefix.
        let alleles = text.split_first().filter(|(first, _)| is_separator(first));
        let alleles = alleles.map_or(text, |(_, rest)| rest);
        let mut numbers =
            alleles.split(|byte| is_separator(byte)).map(|text| allele(text, alternatives));
        let first = numbers.next().unwrap_or_else(|| allele(b"", alternatives))?;
        let second = numbers.next().transpose()?;
        match (second, numbers.count()) {
            (None, _) => Ok(Call::Haploid(first)),
            (Some(second), 0) => Ok(Call::Diploid(first, second)),
            (_, more) => Err(format!("{} alleles, but a person has two", more + 2)),
        }
    }
}

/// Parses the number of an allele; `None` is missing.
fn allele(text: &[u8], alternatives: u32) -> Result<Option<u32>, String> {
    if text == b"." {
        return Ok(None);
    }
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(text).ok().filter(|_| is_number);
    let Some(number) = number else {
        return Err("not a genotype such as 0/1, 1|0 or ./.".to_string());
    };
    // A number that overflows also exceeds the number of alleles.
    let number = number.parse().unwrap_or(u32::MAX);
    match number <= alternatives {
        true => Ok(Some(number)),
        false => {
            let count = match alternatives {
                0 => "no allele".to_string(),
                1 => "1 allele".to_string(),
                several => format!("{several} alleles"),
            };
            Err(format!("the allele number is too large for ALT, which has {count}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read() {
        let parse = |text: &str| Call::parse(text.as_bytes(), 1);
        assert_eq!(parse("0/1"), Ok(Call::Diploid(Some(0), Some(1))));
        assert_eq!(parse("1|0"), Ok(Call::Diploid(Some(1), Some(0))));
        assert_eq!(parse("|1|0"), Ok(Call::Diploid(Some(1), Some(0))));
        assert_eq!(parse("./1"), Ok(Call::Diploid(None, Some(1))));
        assert_eq!(parse("."), Ok(Call::Haploid(None)));
        assert_eq!(parse("/1"), Ok(Call::Haploid(Some(1))));
        assert_eq!(parse("00001/1"), Ok(Call::Diploid(Some(1), Some(1))));
        for wrong in
            ["", "/", "0/", "0//1", "0/2", "0/1/1", "a/b", "+1/0", "0/-1", "0/99999999999", "0 1"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(Call::parse(b"0/1", 0).unwrap_err().contains("no allele"));
    }
}
