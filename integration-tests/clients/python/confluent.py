"""confluent-kafka against a broker: confluent.py HOST:PORT. Prints ok at the end."""
import sys

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewPartitions, NewTopic, OffsetSpec

bootstrap = sys.argv[1]
admin = AdminClient({"bootstrap.servers": bootstrap})


def done(futures):
    return {key: future.result(20) for key, future in futures.items()}


done(admin.create_topics([NewTopic("t", 2, 1, config={"retention.ms": "60000"})]))
config = done(admin.describe_configs([ConfigResource(ConfigResource.Type.TOPIC, "t")]))
assert [c["retention.ms"].value for c in config.values()] == ["60000"]

errors = []
producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "compression.type": "zstd"})
for n in range(1000):
    producer.produce("t", key=str(n % 7), value=str(n), partition=n % 2, on_delivery=lambda e, m: e and errors.append(e))
assert producer.flush(20) == 0 and not errors, errors

consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "g", "auto.offset.reset": "earliest", "enable.auto.commit": False})
consumer.subscribe(["t"])
values = {0: [], 1: []}
while sum(map(len, values.values())) < 1000:
    message = consumer.poll(20)
    assert message is not None and message.error() is None, message and message.error()
    values[message.partition()].append(int(message.value()))
assert values == {0: list(range(0, 1000, 2)), 1: list(range(1, 1000, 2))}
consumer.commit(asynchronous=False)
consumer.close()

described = done(admin.describe_consumer_groups(["g"]))["g"]
assert str(described.state).endswith("EMPTY"), described.state
partitions = [TopicPartition("t", 0), TopicPartition("t", 1)]
offsets = done(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions("g")]))["g"]
assert sorted((p.partition, p.offset) for p in offsets.topic_partitions) == [(0, 500), (1, 500)]
ends = done(admin.list_offsets({p: OffsetSpec.latest() for p in partitions}))
assert [r.offset for r in ends.values()] == [500, 500]
done(admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions("g", [TopicPartition("t", 0, 7)])]))
change = ConfigEntry("retention.ms", "70000", incremental_operation=AlterConfigOpType.SET)
done(admin.incremental_alter_configs([ConfigResource(ConfigResource.Type.TOPIC, "t", incremental_configs=[change])]))
done(admin.create_partitions([NewPartitions("t", 3)]))
done(admin.delete_records([TopicPartition("t", 0, 100)]))
done(admin.delete_consumer_groups(["g"]))
cluster = admin.describe_cluster().result(20)
assert [node.id for node in cluster.nodes] == [1] and cluster.controller.id == 1
done(admin.delete_topics(["t"]))
assert "t" not in admin.list_topics(timeout=20).topics
print("ok")
