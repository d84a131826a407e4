//! The one thing that a broker reads in the metadata of consumers: which topics they subscribe.

use std::{collections::BTreeSet, sync::Arc};

/// The topics in the bytes of a ConsumerProtocol subscription, of any version: the names come first in all of them.
/// `None` if the bytes are something else; they are the clients' own affair.
pub(super) fn subscribed_topics(mut metadata: &[u8]) -> Option<BTreeSet<Arc<str>>> {
    let version = take_i16(&mut metadata)?;
    if version < 0 {
        return None;
    }
    let count = take_i32(&mut metadata)?;
    let mut topics = BTreeSet::new();
    for _ in 0..usize::try_from(count).ok()? {
        let length = usize::try_from(take_i16(&mut metadata)?).ok()?;
        let name = metadata.split_off(..length)?;
        topics.insert(Arc::from(std::str::from_utf8(name).ok()?));
    }
    // The user data, nullable, closes version 0.
    let user_data = take_i32(&mut metadata)?;
    metadata.split_off(..usize::try_from(user_data).unwrap_or(0))?;
    Some(topics)
}

fn take_i16(bytes: &mut &[u8]) -> Option<i16> {
    bytes.split_off(..2).map(|taken| i16::from_be_bytes(taken.try_into().expect("two bytes were taken")))
}

fn take_i32(bytes: &mut &[u8]) -> Option<i32> {
    bytes.split_off(..4).map(|taken| i32::from_be_bytes(taken.try_into().expect("four bytes were taken")))
}

#[cfg(test)]
pub(in crate::coordinator) fn subscription_to(topics: &[&str]) -> bytes::Bytes {
    let mut bytes = vec![0, 1];
    bytes.extend(i32::try_from(topics.len()).expect("few topics").to_be_bytes());
    for topic in topics {
        bytes.extend(i16::try_from(topic.len()).expect("short names").to_be_bytes());
        bytes.extend(topic.as_bytes());
    }
    bytes.extend((-1i32).to_be_bytes());
    bytes.extend([0, 0, 0, 0]);
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_read_and_the_rest_is_left_alone() {
        let topics = subscribed_topics(&subscription_to(&["b", "a"])).expect("well formed");
        assert_eq!(topics.into_iter().collect::<Vec<_>>(), ["a".into(), "b".into()] as [Arc<str>; 2]);
    }

    #[test]
    fn foreign_bytes_are_nobodys_subscription() {
        let good = subscription_to(&["topic"]);
        for length in 0..good.len() - 4 {
            assert_eq!(subscribed_topics(&good[..length]), None, "{length} bytes");
        }
        assert_eq!(subscribed_topics(&[0, 0, 0x7f, 0xff, 0xff, 0xff]), None);
        assert_eq!(subscribed_topics(&[1]), None);
    }
}
