//! Reads a `server.properties` file: Java's properties format, as far as people use it.
//!
//! Comments (`#`, `!`), continuation lines, the separators `=`, `:` and blanks, and Java's escapes. Of a key given
//! twice the last value counts, as in Java.

use super::ConfigMap;

/// The settings in the text of a properties file.
pub(super) fn parse(text: &str) -> ConfigMap {
    logical_lines(text).iter().filter_map(|line| key_and_value(line)).collect()
}

/// Lines without comments and blank ones, continuation lines joined.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let line = line.trim_start();
        // Inside a continuation a '#' is text like any other.
        if open.is_none() && (line.is_empty() || line.starts_with(['#', '!'])) {
            continue;
        }
        let mut whole = open.take().unwrap_or_default();
        if ends_in_odd_backslashes(line) {
            whole.push_str(&line[..line.len() - 1]);
            open = Some(whole);
        } else {
            whole.push_str(line);
            lines.push(whole);
        }
    }
    lines.extend(open);
    lines
}

fn ends_in_odd_backslashes(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

fn key_and_value(line: &str) -> Option<(String, String)> {
    let end = end_of_key(line);
    let rest = line[end..].trim_start();
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start();
    let key = unescape(&line[..end]);
    // Kafka trims values when it reads them, so trailing blanks never count.
    (!key.is_empty()).then(|| (key, unescape(value).trim_end().to_owned()))
}

/// The key ends at the first separator or blank that is not escaped.
fn end_of_key(line: &str) -> usize {
    let mut escaped = false;
    for (index, character) in line.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '=' | ':' => return index,
            blank if blank.is_whitespace() => return index,
            _ => {}
        }
    }
    line.len()
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('t') => plain.push('\t'),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('f') => plain.push('\u{c}'),
            Some('u') => plain.extend(unicode(&mut characters)),
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

/// The character of four hexadecimal digits; none when they are not that.
fn unicode(characters: &mut std::str::Chars<'_>) -> Option<char> {
    let digits: String = characters.clone().take(4).collect();
    let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4)?;
    characters.nth(3);
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<(String, String)> {
        parse(text).into_iter().collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
    }

    #[test]
    fn separators_comments_and_blank_lines_are_javas() {
        let text = "# a comment\n! another\n\n  a=1\nb : 2\nc 3\nd=\ne\n f = x = y \n";
        let expected = pairs(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", ""), ("e", ""), ("f", "x = y")]);
        assert_eq!(parsed(text), expected);
    }

    #[test]
    fn a_backslash_at_the_end_joins_the_next_line() {
        let text = "listeners=A://:1,\\\n   B://:2\npath=C:\\\\\nlast=1\\";
        assert_eq!(parsed(text), pairs(&[("last", "1"), ("listeners", "A://:1,B://:2"), ("path", "C:\\")]));
    }

    #[test]
    fn escapes_are_resolved_in_keys_and_values() {
        let text = "a\\ b\\=c=tab\\there\\u00e9\\q\nbad=\\u12";
        assert_eq!(parsed(text), pairs(&[("a b=c", "tab\thereéq"), ("bad", "12")]));
    }

    #[test]
    fn the_last_value_of_a_key_counts_and_windows_line_ends_are_fine() {
        assert_eq!(parsed("a=1\r\na=2\r\n"), pairs(&[("a", "2")]));
    }
}
