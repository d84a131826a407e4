//! The types a setting can have, and Kafka's rules for reading and printing their values.
//!
//! Nothing here knows which settings exist. Source of the rules: Kafka's `ConfigDef`, checked against a broker.

/// What kind of value a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Boolean,
    String,
    Int,
    Short,
    Long,
    Double,
    List,
    Class,
    Password,
}

impl Type {
    /// The number DescribeConfigs uses (KIP-569).
    pub fn code(self) -> i8 {
        match self {
            Type::Boolean => 1,
            Type::String => 2,
            Type::Int => 3,
            Type::Short => 4,
            Type::Long => 5,
            Type::Double => 6,
            Type::List => 7,
            Type::Class => 8,
            Type::Password => 9,
        }
    }

    /// Kafka's name of the type, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Type::Boolean => "boolean",
            Type::String => "string",
            Type::Int => "int",
            Type::Short => "short",
            Type::Long => "long",
            Type::Double => "double",
            Type::List => "list",
            Type::Class => "class",
            Type::Password => "password",
        }
    }

    /// Reads a value; blanks around it do not count. The error says what is allowed.
    pub fn parse(self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        match self {
            Type::Boolean => parse_boolean(text),
            Type::Int => parse_integer(text, i64::from(i32::MIN)..=i64::from(i32::MAX)),
            Type::Short => parse_integer(text, i64::from(i16::MIN)..=i64::from(i16::MAX)),
            Type::Long => parse_integer(text, i64::MIN..=i64::MAX),
            Type::Double => text
                .parse()
                .ok()
                .filter(|number: &f64| !number.is_nan())
                .map(Value::Double)
                .ok_or_else(|| "a number".into()),
            Type::List => Ok(Value::List(split_list(text))),
            Type::String | Type::Class | Type::Password => Ok(Value::Text(text.to_owned())),
        }
    }
}

/// A value that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Boolean(bool),
    /// INT, SHORT and LONG.
    Integer(i64),
    Double(f64),
    /// STRING, CLASS and PASSWORD.
    Text(String),
    List(Vec<String>),
}

impl Value {
    /// The value as Kafka prints it: `TRUE` becomes `true`, ` 5 ` becomes `5`.
    pub fn to_text(&self) -> String {
        match self {
            Value::Boolean(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            Value::Double(value) => double_text(*value),
            Value::Text(value) => value.clone(),
            Value::List(items) => items.join(","),
        }
    }
}

fn parse_boolean(text: &str) -> Result<Value, String> {
    if text.eq_ignore_ascii_case("true") {
        Ok(Value::Boolean(true))
    } else if text.eq_ignore_ascii_case("false") {
        Ok(Value::Boolean(false))
    } else {
        Err("true or false".into())
    }
}

fn parse_integer(text: &str, range: std::ops::RangeInclusive<i64>) -> Result<Value, String> {
    text.parse()
        .ok()
        .filter(|number| range.contains(number))
        .map(Value::Integer)
        .ok_or_else(|| format!("a whole number from {} to {}", range.start(), range.end()))
}

fn split_list(text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    text.split(',').map(|item| item.trim().to_owned()).collect()
}

/// Java's way to print a double, since tools compare the text: plain from 0.001 up to 10,000,000, else `1.5E10`.
fn double_text(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{value:?}");
    }
    let text = format!("{value:E}");
    match text.split_once('E') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0E{exponent}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_plain_decimal_with_an_optional_sign() {
        for (text, expected) in [(" 5 ", 5), ("+5", 5), ("-1", -1), ("007", 7)] {
            assert_eq!(Type::Long.parse(text), Ok(Value::Integer(expected)), "{text:?}");
        }
        for text in ["", "abc", "1.5", "0x10", "1_000", "5 5", "9223372036854775808"] {
            assert!(Type::Long.parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn each_integer_type_has_its_own_range() {
        assert!(Type::Short.parse("32767").is_ok() && Type::Short.parse("32768").is_err());
        assert!(Type::Int.parse("-2147483648").is_ok() && Type::Int.parse("2147483648").is_err());
    }

    #[test]
    fn booleans_ignore_case_and_know_no_other_words() {
        assert_eq!(Type::Boolean.parse("TRUE"), Ok(Value::Boolean(true)));
        assert_eq!(Type::Boolean.parse(" false "), Ok(Value::Boolean(false)));
        assert!(["yes", "1", ""].iter().all(|text| Type::Boolean.parse(text).is_err()));
    }

    #[test]
    fn lists_drop_blanks_around_items_and_the_empty_text_is_the_empty_list() {
        assert_eq!(Type::List.parse("a , b").map(|list| list.to_text()), Ok("a,b".into()));
        assert_eq!(Type::List.parse("  "), Ok(Value::List(vec![])));
    }

    #[test]
    fn doubles_print_as_java_prints_them() {
        let cases = [
            (0.5, "0.5"),
            (0.0, "0.0"),
            (1.0, "1.0"),
            (1e7, "1.0E7"),
            (0.0001, "1.0E-4"),
            (123456.75, "123456.75"),
            (f64::MAX, "1.7976931348623157E308"),
        ];
        for (value, expected) in cases {
            assert_eq!(Value::Double(value).to_text(), expected);
        }
        assert!(Type::Double.parse("NaN").is_err());
    }
}
