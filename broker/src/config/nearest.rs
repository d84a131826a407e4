//! The known setting whose name is nearest to a mistyped one.

use super::table;

/// The nearest name, when one is near enough to be what was meant.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let limit = 1 + name.len() / 5;
    table::broker_settings()
        .map(|setting| (distance(name, setting.name), setting.name))
        .min()
        .filter(|(distance, _)| *distance <= limit)
        .map(|(_, name)| name)
}

/// Levenshtein's edit distance, by bytes.
fn distance(one: &str, other: &str) -> usize {
    let other = other.as_bytes();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, byte) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for column in 0..other.len() {
            let change = diagonal + usize::from(byte != other[column]);
            diagonal = row[column + 1];
            row[column + 1] = change.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_finds_its_setting_and_a_foreign_one_does_not() {
        assert_eq!(nearest("log.retension.ms"), Some("log.retention.ms"));
        assert_eq!(nearest("num.partition"), Some("num.partitions"));
        assert_eq!(nearest("confluent.balancer.enable"), None);
        assert_eq!(nearest(""), None);
    }
}
