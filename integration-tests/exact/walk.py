#!/usr/bin/env python3
"""The same random walk of raw requests on two brokers, answers compared step by step.

walk.py KAFKA:PORT DAYBOOK:PORT [--seed N] [--steps 600] [--walks 3] [--only kind,..] [--show 10]
Both fresh, with the settings of ../peer. The walk depends on the seed alone, so it can be repeated; ids, times and error
texts are masked as in diff.py. Last line: `N of M steps differ`, by kind. Kafka against Kafka: 0 of 4,691.
Kinds are the functions `s_*` of Walk.
"""
import argparse, collections, io, json, os, random, re, sys, time, uuid
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from core import Probe
from compare import deep
import batch as B
from batch import batch, record
from s_groups import join_body, sync_body

NOWHERE = uuid.UUID("11111111-2222-3333-4444-555555555555")
CONFIGS = [("cleanup.policy", ("delete", "compact", "compact,delete", "", "nope", " delete ")), ("retention.ms", ("-1", "-2", "60000000", "x", "9223372036854775807", "9223372036854775808")),
           ("max.message.bytes", ("0", "-1", "300", "1048588")), ("min.insync.replicas", ("1", "2", "0")), ("compression.type", ("producer", "gzip", "zstd", "uncompressed", "lzma")),
           ("message.timestamp.type", ("CreateTime", "LogAppendTime", "create")), ("segment.bytes", ("1048576", "100", "2147483648")), ("segment.ms", ("1", "0")),
           ("no.such.key", ("1",)), ("unclean.leader.election.enable", ("true", "TRUE", "yes")), ("min.cleanable.dirty.ratio", ("0.5", "1.5", "a")), ("message.timestamp.after.max.ms", ("1000", "-1")),
           ("compression.gzip.level", ("1", "0", "10")), ("retention.bytes", ("-1", "5000")), ("delete.retention.ms", ("0", "-1"))]


def busy(x):
    """CONCURRENT_TRANSACTIONS or a loading coordinator, anywhere in the answer: asked again, as clients do"""
    if isinstance(x, dict):
        return any(k.endswith("ErrorCode") and v in (14, 15, 16, 51) or busy(v) for k, v in x.items())
    return isinstance(x, list) and any(busy(v) for v in x)


class Walk:
    """One broker's side: its own ids, the same random numbers."""

    def __init__(self, addr, seed):
        h, p = addr.rsplit(":", 1)
        self.out, self.r, self.n = io.StringIO(), random.Random(seed), 0
        self.p = Probe(h, int(p), self.out, prefix="w%08x" % (seed & 0xffffffff))
        self.p.start("walk")
        self.ids, self.parts, self.members, self.pids, self.seqs, self.gone = {}, {}, {}, {}, {}, []

    # --- draws
    def pick(self, *x): return self.r.choice(x)
    def some(self, x, k=3): return [self.r.choice(x) for _ in range(self.r.randint(1, k))]
    def name(self): return self.p.t("t%d" % self.r.randrange(6))
    def topic(self): return self.pick(*(sorted(self.parts) * 4 or [self.name()]), self.name())
    def part(self): return self.pick(0, 0, 0, 1, 1, 2, 5, -1)
    def group(self): return self.p.t("g%d" % self.r.randrange(4))
    def txid(self): return self.p.t("x%d" % self.r.randrange(3))
    def tid(self, t): return self.ids.get(t, NOWHERE)
    def offset(self): return self.pick(0, 0, 1, 2, 3, 5, 7, 10, 20, 40, -1, -2, 1 << 40)

    def do(self, label, api, v, body, **k):
        return self.p.do(label, api, v, body, **k)

    def settle(self, t):
        for _ in range(60):
            m = self.p.ask("Metadata", 12, {"Topics": [{"Name": t}], "AllowAutoTopicCreation": False})["Topics"][0]
            n = len(m["Partitions"])
            if m["ErrorCode"] == 0 and n >= self.parts.get(t, 1):
                l = self.p.ask("ListOffsets", 4, {"ReplicaId": -1, "Topics": [{"Name": t, "Partitions": [{"PartitionIndex": i, "CurrentLeaderEpoch": -1, "Timestamp": -1} for i in range(n)]}]})
                if all(x["ErrorCode"] == 0 for x in l["Topics"][0]["Partitions"]):
                    if self.ids.get(t) != m["TopicId"]:
                        self.n += 1
                        self.p.maps.setdefault("id", {})[str(m["TopicId"])] = "<%s #%d>" % (t, self.n)
                    self.ids[t], self.parts[t] = m["TopicId"], n
                    return
            time.sleep(0.05)

    # --- steps
    def s_create(self):
        t, v, vo = self.name(), self.pick(2, 4, 5, 7), self.r.random() < .2
        cfg = [{"Name": k, "Value": self.r.choice(vals)} for k, vals in self.some(CONFIGS, 2)] if self.r.random() < .6 else []
        n = self.pick(1, 1, 2, 3, -1, 0, -2)
        r = self.do("create", "CreateTopics", v, {"Topics": [{"Name": t, "NumPartitions": n, "ReplicationFactor": self.pick(1, 1, 1, -1, 2, 0), "Assignments": [], "Configs": cfg}], "timeoutMs": 10000, "validateOnly": vo})
        if isinstance(r, dict) and r["Topics"][0]["ErrorCode"] == 0 and not vo:
            self.parts[t] = max(n, 1)
            self.settle(t)

    def s_delete(self):
        t, v = self.topic(), self.pick(1, 3, 5, 6)
        byid = v == 6 and self.r.random() < .5
        b = {"Topics": [{"Name": None, "TopicId": self.tid(t)} if byid else {"Name": t}]} if v == 6 else {"TopicNames": [t]}
        if self.r.random() < .6: return
        r = self.do("delete", "DeleteTopics", v, dict(b, TimeoutMs=5000))
        if isinstance(r, dict) and r["Responses"][0]["ErrorCode"] == 0:
            self.parts.pop(t, None), self.ids.pop(t, None)
            for k in [k for k in self.seqs if k[1] == t]: del self.seqs[k]
            for _ in range(60):
                if self.p.ask("Metadata", 12, {"Topics": [{"Name": t}], "AllowAutoTopicCreation": False})["Topics"][0]["ErrorCode"] == 3: break
                time.sleep(0.05)

    def s_partitions(self):
        t, vo = self.topic(), self.r.random() < .3
        r = self.do("partitions", "CreatePartitions", self.pick(0, 2, 3), {"Topics": [{"Name": t, "Count": self.pick(0, 1, 2, 3, 4), "Assignments": None}], "TimeoutMs": 5000, "ValidateOnly": vo})
        if isinstance(r, dict) and r["Results"][0]["ErrorCode"] == 0 and not vo:
            self.parts[t] += 1
            self.settle(t)

    def s_metadata(self):
        v = self.pick(0, 1, 4, 8, 9, 10, 12, 13)
        ts = [self.topic() for _ in range(self.r.randint(1, 3))]
        b = {"Topics": [{"Name": t} for t in dict.fromkeys(ts)]}
        if v >= 12 and self.r.random() < .4: b = {"Topics": [{"TopicId": self.tid(ts[0]), "Name": None}]}
        if v >= 4: b["AllowAutoTopicCreation"] = False
        elif any(t not in self.parts for t in ts): return
        if v >= 8: b["IncludeTopicAuthorizedOperations"] = self.r.random() < .5
        self.do("metadata", "Metadata", v, b)

    def batch(self, t, part):
        r, k = self.r, {}
        n = self.pick(1, 1, 2, 5, 20)
        rec = [record(i, self.pick(b"k", b"a", None), self.pick(b"v", b"", None, b"z" * 300), ts=self.pick(0, 0, i, -i, 5), headers=self.pick((), ((b"h", b"1"),), ((b"h", None), (b"h", b"")))) for i in range(n)]
        if r.random() < .7:
            k = dict(codec=self.pick(0, 0, 0, 1, 2, 3, 4), ts=B.NOW - self.pick(0, 0, 1000, 86400000))
        else:
            k = dict(codec=self.pick(0, 1, 2, 3, 4, 5, 12), ts=self.pick(B.NOW, 0, -1, 1000, B.NOW + 10 ** 8, B.NOW * 1000))
            for f, vals in (("lod", (n - 1, n, 0, -1)), ("count", (n, n + 1, 0, -1, 1)), ("magic", (2, 2, 1, 3)), ("crc", (None, None, 7)), ("epoch", (-1, 0, 9)), ("base", (0, 5, -1)), ("attrs", (None, None, 8, 16, 32, 64, 128, 5, 7)),
                            ("pid", (-1, -1, 9 * 10 ** 8, -2)), ("pepoch", (-1, 0)), ("seq", (-1, 0, 3))):
                if r.random() < .25: k[f] = r.choice(vals)
        b = batch(records=rec, **k)
        x = r.random()
        return b + b if x < .03 else b[:-1] if x < .05 else b + b"\0\0" if x < .07 else b"" if x < .08 else None if x < .09 else b

    def s_produce(self):
        t, part, v = self.topic(), self.part(), self.pick(3, 5, 7, 8, 9, 10, 11, 13)
        self.p.doproduce("produce", t, self.batch(t, part), part=part, v=v, acks=self.pick(-1, -1, 1, 2), tid=self.tid(t))

    def s_idempotent(self):
        i = self.r.randrange(2)
        if i not in self.pids or self.r.random() < .1:
            r = self.p.initpid()
            self.pids[i] = (r["ProducerId"], r["ProducerEpoch"])
        t, part, n = self.topic(), self.pick(0, 0, 1), self.pick(1, 1, 3)
        pid, ep = self.pids[i]
        key = (i, t, part)
        want = self.seqs.get(key, 0)
        seq = max(0, want + self.pick(0, 0, 0, 0, -1, -3, -9, 1, 4))
        r = self.p.doproduce("idempotent", t, batch(n=n, pid=pid, pepoch=max(0, ep + self.pick(0, 0, 0, 0, 1, -1)), seq=seq), part=part, v=self.pick(3, 8, 9, 12))
        if isinstance(r, dict) and r["Responses"][0]["PartitionResponses"][0]["ErrorCode"] == 0: self.seqs[key] = max(want, seq + n)

    def s_fetch(self):
        t, v = self.topic(), self.pick(4, 5, 7, 9, 11, 12, 13, 15, 17, 18)
        self.p.dofetch("fetch", t, self.offset(), part=self.part(), v=v, tid=self.tid(t), wait=self.pick(0, 30), minb=self.pick(0, 1, 1000), maxb=self.pick(1, 400, 1 << 20), pmax=self.pick(0, 1, 200, 1 << 20), iso=self.pick(0, 0, 1),
                       cle=self.pick(-1, -1, 0, 1), lfe=self.pick(-1, -1, 0, 1))

    def s_list(self):
        t, v = self.topic(), self.r.randint(1, 10)
        q = {"PartitionIndex": self.part(), "Timestamp": self.pick(-1, -1, -2, -2, -3, -4, -5, -6, 0, 1000, B.NOW - 1000, B.NOW, 1 << 60)}
        if v >= 4: q["CurrentLeaderEpoch"] = self.pick(-1, -1, 0, 1)
        b = {"ReplicaId": -1, "Topics": [{"Name": t, "Partitions": [q]}]}
        if v >= 2: b["IsolationLevel"] = self.pick(0, 1)
        if v >= 10: b["TimeoutMs"] = 1000
        self.do("list", "ListOffsets", v, b)

    def s_epoch(self):
        self.do("epoch", "OffsetForLeaderEpoch", self.pick(2, 3, 4), {"ReplicaId": -1, "Topics": [{"Topic": self.topic(), "Partitions": [{"Partition": self.part(), "CurrentLeaderEpoch": self.pick(-1, 0, 1), "LeaderEpoch": self.pick(0, 1, -1)}]}]})

    def s_trim(self):
        self.do("trim", "DeleteRecords", self.pick(0, 1, 2), {"Topics": [{"Name": self.topic(), "Partitions": [{"PartitionIndex": self.part(), "Offset": self.pick(-1, 0, 1, 2, 4, 1000, -2)}]}], "TimeoutMs": 2000})

    def s_commit(self):
        v, g = self.r.randint(2, 9), self.group()
        m, gen = self.members.get(g, ("", -1)) if self.r.random() < .5 else ("", -1)
        b = {"GroupId": g, "GenerationIdOrMemberEpoch": gen + self.pick(0, 0, 0, 1), "MemberId": m, "Topics": [{"Name": self.topic(), "Partitions": [{"PartitionIndex": self.part(), "CommittedOffset": self.pick(0, 3, -1, 1 << 40), "CommittedMetadata": self.pick("", None, "m", "x" * 5000)}]}]}
        if v <= 4: b["RetentionTimeMs"] = -1
        if v >= 6: b["Topics"][0]["Partitions"][0]["CommittedLeaderEpoch"] = self.pick(-1, 0, 4)
        self.do("commit", "OffsetCommit", v, b)

    def s_committed(self):
        v, ts = self.r.randint(1, 9), [{"Name": self.topic(), "PartitionIndexes": self.some((0, 1, 2, 9))}]
        if v >= 2 and self.r.random() < .4: ts = None
        b = {"Groups": [{"GroupId": self.group(), "Topics": ts} for _ in range(self.pick(1, 1, 2))]} if v >= 8 else {"GroupId": self.group(), "Topics": ts}
        if v >= 7: b["RequireStable"] = self.r.random() < .3
        self.do("committed", "OffsetFetch", v, b)

    def s_uncommit(self):
        self.do("uncommit", "OffsetDelete", 0, {"GroupId": self.group(), "Topics": [{"Name": self.topic(), "Partitions": [{"PartitionIndex": self.part()}]}]})

    def s_join(self):
        g, v = self.group(), self.pick(2, 4, 5, 6, 9)
        m = self.members.get(g, (None, 0))[0]
        if m is None and self.r.random() < .3:
            return self.do("join unknown", "JoinGroup", v, join_body(self.p, g, "nope", v=v))
        k = dict(sess=30000, reb=30000, protos=self.pick((("range", b"\1"),), (("range", b"\1"), ("roundrobin", b"\2")), ()), ptype=self.pick("consumer", "consumer", "consumer", ""))
        r = self.do("join", "JoinGroup", v, join_body(self.p, g, m or "", v=v, **k), timeout=3)
        if isinstance(r, dict) and r["ErrorCode"] in (0, 79): self.members[g] = (r["MemberId"], r["GenerationId"])

    def s_sync(self):
        g = self.group()
        m, gen = self.members.get(g, ("nope", 1))
        v = self.pick(0, 3, 5)
        b = sync_body(g, gen + self.pick(0, 0, 0, 1), m, [(m, b"as")], v=v, pt=self.pick("consumer", "consumer", "x"))
        if v < 5: b.pop("ProtocolType", None), b.pop("ProtocolName", None)
        if v < 3: b.pop("GroupInstanceId", None)
        self.do("sync", "SyncGroup", v, b, timeout=3)

    def s_heartbeat(self):
        g = self.group()
        m, gen = self.members.get(g, ("nope", 1))
        v = self.pick(0, 3, 4)
        self.do("heartbeat", "Heartbeat", v, dict({"GroupId": g, "GenerationId": gen + self.pick(0, 0, 0, 1, -1), "MemberId": m}, **({"GroupInstanceId": None} if v >= 3 else {})))

    def s_leave(self):
        if self.r.random() < .6: return
        g, v = self.group(), self.pick(1, 3, 5)
        m = self.members.pop(g, ("nope", 0))[0]
        self.do("leave", "LeaveGroup", v, {"GroupId": g, "Members": [dict({"MemberId": m, "GroupInstanceId": None}, **({"Reason": "r"} if v >= 5 else {}))]} if v >= 3 else {"GroupId": g, "MemberId": m})

    def s_groups(self):
        x = self.r.random()
        if x < .4: self.do("describe groups", "DescribeGroups", self.pick(0, 3, 5, 6), {"Groups": list(dict.fromkeys([self.group(), self.group()]))})
        elif x < .6: self.do("list groups", "ListGroups", self.pick(0, 3, 4, 5), {"StatesFilter": [], "TypesFilter": []},
                                pick=lambda r: dict(r, Groups=[g for g in r["Groups"] if g["GroupId"].startswith(self.p.prefix)]))
        elif x < .75:
            g = self.group()
            r = self.do("delete groups", "DeleteGroups", self.pick(0, 2), {"GroupsNames": [g]})
        else: self.do("describe 848", "ConsumerGroupDescribe", self.pick(0, 1), {"GroupIds": [self.group(), self.p.t("c0")]},
                     pick=lambda r: dict(r, Groups=[dict(g, Members=sorted([m["MemberEpoch"], m["SubscribedTopicNames"]] for m in g["Members"])) for g in r["Groups"]]))

    def s_consumer(self):
        g, k = self.p.t("c%d" % self.r.randrange(2)), self.r.randrange(2)
        me = self.gone
        m, ep, subs = self.members.get((g, k), (str(uuid.UUID(int=self.r.getrandbits(128) | 1)), 0, None))
        b = {"GroupId": g, "MemberId": m, "MemberEpoch": ep + self.pick(0, 0, 0, 0, 5), "InstanceId": None, "RackId": None, "RebalanceTimeoutMs": 30000 if ep == 0 else -1,
             "SubscribedTopicNames": sorted(set(self.some([self.p.t("t%d" % i) for i in range(3)]))) if ep == 0 or self.r.random() < .3 else None, "SubscribedTopicRegex": None, "ServerAssignor": self.pick(None, None, "range", "uniform", "nope"), "TopicPartitions": [] if ep == 0 else None}
        if ep and self.r.random() < .2: b["MemberEpoch"] = -1
        r = self.do("heartbeat 848", "ConsumerGroupHeartbeat", 1, b)
        if isinstance(r, dict) and r["ErrorCode"] == 0:
            if b["MemberEpoch"] == -1: self.members.pop((g, k), None)
            else: self.members[(g, k)] = (m, r["MemberEpoch"], None)
        time.sleep(0.02)

    def s_txn(self):
        x = self.txid()
        st = self.pids.get(x)
        if st is None or self.r.random() < .15:
            for _ in range(100):
                r = self.p.ask("InitProducerId", 4, {"TransactionalId": x, "TransactionTimeoutMs": 60000, "ProducerId": -1, "ProducerEpoch": -1})
                if r["ErrorCode"] not in (14, 15, 16, 51): break
                time.sleep(0.05)
            self.p.emit("init txn", "InitProducerId", 4, r)
            if r["ErrorCode"] == 0: self.pids[x] = st = (r["ProducerId"], r["ProducerEpoch"])
            for k in [k for k in self.seqs if k[0] == x]: del self.seqs[k]
            if st is None: return
        pid, ep = st
        t, part = self.topic(), self.pick(0, 0, 1)
        y = self.r.random()
        if y < .25:
            self.again("add partitions", "AddPartitionsToTxn", 3, {"V3AndBelowTransactionalId": x, "V3AndBelowProducerId": pid, "V3AndBelowProducerEpoch": ep + self.pick(0, 0, 0, 1), "V3AndBelowTopics": [{"Name": t, "Partitions": sorted(set(self.some((0, 0, 1, 7))))}]})
        elif y < .6:
            s = self.seqs.get((x, t, part), 0)
            r = self.p.doproduce("txn produce", t, batch(n=2, pid=pid, pepoch=ep, seq=s, txn=self.r.random() < .95), part=part, v=self.pick(9, 11), txn=self.pick(x, x, x, None))
            if isinstance(r, dict) and r["Responses"][0]["PartitionResponses"][0]["ErrorCode"] == 0: self.seqs[(x, t, part)] = s + 2
        elif y < .7:
            self.again("add offsets", "AddOffsetsToTxn", 3, {"TransactionalId": x, "ProducerId": pid, "ProducerEpoch": ep, "GroupId": self.p.t("tg")})
        elif y < .8:
            self.do("txn commit", "TxnOffsetCommit", 3, {"TransactionalId": x, "GroupId": self.p.t("tg"), "ProducerId": pid, "ProducerEpoch": ep, "GenerationIdOrMemberEpoch": -1, "MemberId": "", "GroupInstanceId": None, "Topics": [{"Name": t, "Partitions": [{"PartitionIndex": part, "CommittedOffset": 1, "CommittedLeaderEpoch": -1, "CommittedMetadata": ""}]}]})
        else:
            self.again("end", "EndTxn", 3, {"TransactionalId": x, "ProducerId": pid, "ProducerEpoch": ep + self.pick(0, 0, 0, 0, 1), "Committed": self.r.random() < .6})
            for _ in range(100):
                s = self.p.ask("DescribeTransactions", 0, {"TransactionalIds": [x]})["TransactionStates"][0]["TransactionState"]
                if not s.startswith("Prepare"): break
                time.sleep(0.03)
            time.sleep(0.05)

    def again(self, label, api, v, body):
        for _ in range(100):
            r = self.p.ask(api, v, body)
            if not busy(r): break
            time.sleep(0.03)
        self.p.emit(label, api, v, r)

    def s_txn_admin(self):
        x = self.r.random()
        if x < .4: self.do("producers", "DescribeProducers", 0, {"Topics": [{"Name": self.topic(), "PartitionIndexes": [0, 9]}]}, pick=lambda r: {"Topics": [{"Partitions": [{"PartitionIndex": q["PartitionIndex"], "ErrorCode": q["ErrorCode"], "n": len(q["ActiveProducers"]), "open": sorted(z["CurrentTxnStartOffset"] for z in q["ActiveProducers"])} for q in t["Partitions"]]} for t in r["Topics"]]})
        elif x < .7: self.do("describe txn", "DescribeTransactions", 0, {"TransactionalIds": [self.txid()]})
        else: self.do("list txn", "ListTransactions", self.pick(0, 1), {"StateFilters": self.pick([], ["Ongoing"], ["Nope"]), "ProducerIdFilters": [], "DurationFilter": -1}, pick=lambda r: dict(r, TransactionStates=sorted(s["TransactionalId"] + " " + s["TransactionState"] for s in r["TransactionStates"] if s["TransactionalId"].startswith(self.p.prefix))))

    def s_configs(self):
        t = self.topic()
        if self.r.random() < .5:
            return self.do("configs", "DescribeConfigs", self.pick(1, 3, 4), {"Resources": [{"ResourceType": 2, "ResourceName": t, "ConfigurationKeys": self.pick(None, [k for k, _ in self.some(CONFIGS)])}], "IncludeSynonyms": self.r.random() < .5, "IncludeDocumentation": False})
        k, vals = self.r.choice(CONFIGS)
        self.do("alter", "IncrementalAlterConfigs", self.pick(0, 1), {"Resources": [{"ResourceType": 2, "ResourceName": t, "Configs": [{"Name": k, "ConfigOperation": self.pick(0, 0, 0, 1, 2, 3, 4), "Value": self.pick(*vals, None)}]}], "ValidateOnly": self.r.random() < .2})
        time.sleep(0.1)

    def s_dirs(self):
        self.do("dirs", "DescribeLogDirs", self.pick(1, 3, 4), {"Topics": [{"Topic": self.topic(), "Partitions": [0, 1]}]}, pick=lambda r: dict(r, Results=[{k: v for k, v in x.items() if k not in ("TotalBytes", "UsableBytes", "LogDir")} for x in r["Results"]]))

    def step(self, kinds):
        kind = self.r.choice(kinds)
        state = self.r.getrandbits(64)  # a step draws from its own source, so that one differing answer does not shift the rest
        keep, self.r = self.r, random.Random(state)
        pos = self.out.tell()
        try:
            getattr(self, "s_" + kind)()
        except Exception as e:  # an answer that no client could use
            self.p.emit("broke", kind, None, {"exception": repr(e)[:200]})
        self.r = keep
        self.out.seek(pos)
        return kind, [json.loads(l) for l in self.out.read().splitlines()]


def clock(line):
    """both brokers wrote their own time: control batches, LogAppendTime"""
    m = re.search(r"(_ts|[Tt]imestamp|TimeMs): (\d{13}) / (\d{13})$", line)
    return m and all(int(t) > B.NOW + 3000 for t in m.groups()[1:])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("a"), ap.add_argument("b"), ap.add_argument("--only", default="")
    ap.add_argument("--seed", type=int, default=int(time.time())), ap.add_argument("--steps", type=int, default=600)
    ap.add_argument("--walks", type=int, default=3), ap.add_argument("--show", type=int, default=10)
    a = ap.parse_args()
    weight = dict(create=3, produce=6, fetch=6, idempotent=4, list=4, commit=3, committed=3, txn=6, configs=3, consumer=3)
    kinds = [k for n in dir(Walk) if n.startswith("s_") for k in [n[2:]] * weight.get(n[2:], 1) if not a.only or k in a.only.split(",")]
    bad, total, shown = collections.Counter(), 0, 0
    for w in range(a.walks):
        A, Z = Walk(a.a, a.seed + w), Walk(a.b, a.seed + w)
        for side in (A, Z):
            side.p.coordinator("x")
            if "txn" in kinds:
                side.p.coordinator("x", 1), side.p.initpid(side.p.t("warm"))
            for i in range(3):
                side.p.create(side.p.t("t%d" % i), i + 1)
                side.parts[side.p.t("t%d" % i)] = i + 1
                side.settle(side.p.t("t%d" % i))
        for n in range(a.steps):
            (kind, x), (_, y) = A.step(kinds), Z.step(kinds)
            out = []
            if len(x) != len(y): out.append("%d answers / %d" % (len(x), len(y)))
            for o, q in zip(x, y): deep(o["ans"], q["ans"], "", out, False)
            out = [l for l in out if not clock(l)]
            total += bool(x or y)
            if out:
                bad[kind] += 1
                shown += 1
                if shown <= a.show:
                    print("seed %d step %d %s (%s v%s)" % (a.seed + w, n, x[-1]["l"] if x else kind, x[-1]["api"] if x else "", x[-1]["v"] if x else ""))
                    for l in out[:6]: print("    " + l[:300])
    print("%d of %d steps differ (seed %d); %s" % (sum(bad.values()), total, a.seed, ", ".join("%s %d" % kv for kv in bad.most_common())))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
