//! Answers for partitions, gathered by topic.

use std::{collections::HashMap, sync::Arc};

/// Answers by topic, in the order in which topics came first. What comes later for a topic joins it; a request can
/// name a topic a million times, so this must not search.
pub(super) struct MergedTopics<P> {
    topics: Vec<(Arc<str>, Vec<P>)>,
    places: HashMap<Arc<str>, usize>,
}

impl<P> MergedTopics<P> {
    pub fn new() -> Self {
        Self { topics: Vec::new(), places: HashMap::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.topics.is_empty()
    }

    /// Adds answers to those of the topic.
    pub fn merge(&mut self, topic: &Arc<str>, answers: impl IntoIterator<Item = P>) {
        let place = *self.places.entry(topic.clone()).or_insert_with(|| {
            self.topics.push((topic.clone(), Vec::new()));
            self.topics.len() - 1
        });
        self.topics[place].1.extend(answers);
    }

    /// Adds answers as a topic of their own.
    pub fn push(&mut self, topic: &Arc<str>, answers: impl IntoIterator<Item = P>) {
        self.topics.push((topic.clone(), answers.into_iter().collect()));
    }

    pub fn into_topics(self) -> impl Iterator<Item = (Arc<str>, Vec<P>)> {
        self.topics.into_iter()
    }
}
