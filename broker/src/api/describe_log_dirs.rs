//! DescribeLogDirs (key 35), versions 1–4: the data folder and what each partition takes in it.
//!
//! - Topics null: all. Unknown topics and partitions are left out. A size is that of the `.log` files.
//! - v3: top-level error · v4: size of the file system and what is free (KIP-827), -1 where that cannot be found out.
//! - One folder; no moves between folders, so nothing lags and nothing is a future replica.
//! - Not here: authorization.

use kafka_protocol::{
    messages::{
        DescribeLogDirsRequest, DescribeLogDirsResponse, TopicName,
        describe_log_dirs_request::DescribableLogDirTopic,
        describe_log_dirs_response::{DescribeLogDirsPartition, DescribeLogDirsResult, DescribeLogDirsTopic},
    },
    protocol::StrBytes,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

/// How much a partition takes on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionSize {
    pub topic: Arc<str>,
    pub index: i32,
    pub bytes: u64,
}

/// `sizes`: all partitions of this broker. `log_dir` is answered as it is, so it should be absolute.
pub async fn handle(
    version: i16,
    request: DescribeLogDirsRequest,
    log_dir: &Path,
    sizes: impl IntoIterator<Item = PartitionSize>,
) -> DescribeLogDirsResponse {
    let mut topics: BTreeMap<Arc<str>, Vec<DescribeLogDirsPartition>> = BTreeMap::new();
    let asked = request.topics.as_deref().map(asked_partitions);
    for size in sizes {
        let wanted = asked
            .as_ref()
            .is_none_or(|asked| asked.get(&*size.topic).is_some_and(|indexes| indexes.contains(&size.index)));
        if wanted {
            topics.entry(size.topic).or_default().push(partition(size.index, size.bytes));
        }
    }
    let mut result = DescribeLogDirsResult::default()
        .with_log_dir(StrBytes::from_string(log_dir.display().to_string()))
        .with_topics(topics.into_iter().map(|(name, partitions)| topic(&name, partitions)).collect());
    if version >= 4 {
        (result.total_bytes, result.usable_bytes) = file_system_bytes(log_dir).unwrap_or((-1, -1));
    }
    DescribeLogDirsResponse::default().with_results(vec![result])
}

fn asked_partitions(topics: &[DescribableLogDirTopic]) -> BTreeMap<&str, BTreeSet<i32>> {
    let mut asked: BTreeMap<&str, BTreeSet<i32>> = BTreeMap::new();
    for topic in topics {
        asked.entry(topic.topic.as_str()).or_default().extend(&topic.partitions);
    }
    asked
}

fn topic(name: &str, mut partitions: Vec<DescribeLogDirsPartition>) -> DescribeLogDirsTopic {
    partitions.sort_by_key(|partition| partition.partition_index);
    DescribeLogDirsTopic::default()
        .with_name(TopicName(StrBytes::from_string(name.to_owned())))
        .with_partitions(partitions)
}

fn partition(index: i32, bytes: u64) -> DescribeLogDirsPartition {
    DescribeLogDirsPartition::default()
        .with_partition_index(index)
        .with_partition_size(i64::try_from(bytes).unwrap_or(i64::MAX))
}

/// Total and usable.
fn file_system_bytes(dir: &Path) -> Option<(i64, i64)> {
    let stat = rustix::fs::statvfs(dir).ok()?;
    let bytes = |blocks: u64| i64::try_from(blocks.saturating_mul(stat.f_frsize)).unwrap_or(i64::MAX);
    Some((bytes(stat.f_blocks), bytes(stat.f_bavail)))
}

#[cfg(test)]
mod tests;
