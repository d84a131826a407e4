"""kafka-python against a broker: kafka_python.py HOST:PORT. Prints ok at the end."""
import sys

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewPartitions, NewTopic

bootstrap = sys.argv[1]

admin = KafkaAdminClient(bootstrap_servers=bootstrap)
admin.create_topics([NewTopic("t", 2, 1)])
assert "t" in admin.list_topics()

for number, codec in enumerate([None, "gzip", "snappy", "lz4", "zstd"]):
    producer = KafkaProducer(bootstrap_servers=bootstrap, compression_type=codec, acks="all", linger_ms=20)
    sent = [
        producer.send("t", key=b"k", value=b"%d-%d" % (number, n), headers=[("h", b"1")], partition=0, timestamp_ms=1000 * number + n)
        for n in range(20)
    ]
    assert [f.get(20).offset for f in sent] == list(range(20 * number, 20 * number + 20)), codec
    producer.close()

consumer = KafkaConsumer("t", bootstrap_servers=bootstrap, group_id="g", auto_offset_reset="earliest",
                         enable_auto_commit=False, consumer_timeout_ms=20000)
values = []
for message in consumer:
    assert message.key == b"k" and message.headers == [("h", b"1")]
    values.append(message.value)
    if len(values) == 100:
        break
assert values == [b"%d-%d" % (number, n) for number in range(5) for n in range(20)]
consumer.commit()
partition = TopicPartition("t", 0)
assert consumer.committed(partition) == 100
assert consumer.end_offsets([partition]) == {partition: 100}
assert consumer.beginning_offsets([partition]) == {partition: 0}
found = consumer.offsets_for_times({partition: 3005})[partition]
assert (found.offset, found.timestamp) == (65, 3005), found
consumer.close()

assert ("g", "consumer") in [tuple(group)[:2] for group in admin.list_consumer_groups()]
offsets = admin.list_consumer_group_offsets("g")
assert offsets[partition].offset == 100, offsets
admin.create_partitions({"t": NewPartitions(3)})
assert len(admin.describe_topics(["t"])[0]["partitions"]) == 3
admin.delete_consumer_groups(["g"])
admin.delete_topics(["t"])
assert "t" not in admin.list_topics()
print("ok")
