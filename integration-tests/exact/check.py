#!/usr/bin/env python3
"""Does Daybook answer as Apache Kafka 4.4.0 did?

check.py [--binary target/release/daybook] [--only PREFIX,..] [--messages] [--jar KAFKA-CLIENTS.jar]

Starts the binary on an empty folder with the settings that Kafka was recorded with, sends it the scripted requests
(s_*.py) and compares each answer with the record (kafka-4.4.0.jsonl). A step that differs must stand in the table of
docs/differences.md; a row of the table that no longer matches anything must go. Exit code 1 when either fails.
"""
import argparse, collections, importlib, io, json, os, re, signal, subprocess, sys, tempfile, time, traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
from compare import deep
from core import Probe

# What is whole so far; a scenario joins the list with the API that it asks for.
SCENARIOS = """apiversions framing pipelining metadata create_topics delete_topics create_partitions produce_
    fetch_ list_offsets delete_records find_coordinator join_rules group_ static_members offsets""".split()

# The settings of the Kafka that was recorded.
PROFILE = {
    "node.id": "1", "num.partitions": "1", "auto.create.topics.enable": "true",
    "offsets.topic.num.partitions": "5", "transaction.state.log.num.partitions": "5",
    "share.coordinator.state.topic.num.partitions": "5",
    "group.initial.rebalance.delay.ms": "0", "group.share.min.record.lock.duration.ms": "1000",
}

Step = collections.namedtuple("Step", "scenario label")
Difference = collections.namedtuple("Difference", "step path text")


def scenarios():
    """(name, function) of every scenario, in the order in which Kafka was asked."""
    for module in ("s_wire", "s_topics", "s_produce", "s_fetch", "s_groups", "s_txn", "s_admin", "s_kip848"):
        for name, function in vars(importlib.import_module(module)).items():
            if name.startswith("scn_"):
                yield name[4:], function


def wanted(name, only):
    return any(name.startswith(prefix) for prefix in SCENARIOS) and any(name.startswith(prefix) for prefix in only)


def start(binary, folder):
    """The broker and its port, which it prints once it serves."""
    settings = dict(PROFILE, **{"listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": folder})
    command = [binary]
    for name, value in settings.items():
        command += ["--override", "%s=%s" % (name, value)]
    log = open(os.path.join(folder, "daybook.log"), "w+")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("KAFKA_")}
    child = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)
    for _ in range(500):
        found = re.search(r"listening on 127\.0\.0\.1:(\d+)", open(log.name).read())
        if found:
            return child, int(found[1])
        if child.poll() is not None:
            break
        time.sleep(0.02)
    child.kill()
    sys.exit("%s does not start:\n%s" % (binary, open(log.name).read()))


def ask(port, jar):
    """The answers to every step: step -> list of lines. All is asked: some answers depend on what ran before."""
    out = io.StringIO()
    probe = Probe("127.0.0.1", port, out, jar=jar)
    for name, function in scenarios():
        from_ = time.time()
        try:
            probe.start(name)
            function(probe)
        except Exception as error:  # a scenario that breaks is itself a finding
            where = [x.line for x in traceback.extract_tb(error.__traceback__) if "s_" in x.filename]
            print("%s BROKE: %r at %s" % (name, error, where[-1:]), file=sys.stderr)
        print("%-24s %.1f s" % (name, time.time() - from_), file=sys.stderr)
    return lines(out.getvalue().splitlines())


def lines(text):
    steps = collections.defaultdict(list)
    for line in text:
        answer = json.loads(line)
        steps[Step(answer["s"], answer["l"])].append(answer)
    return steps


def read_lines(name):
    with open(os.path.join(HERE, name)) as file:
        return lines(file)


def general(path):
    return re.sub(r"\[\d+\]", "[*]", path)


def differences(kafka, ours, noise, messages):
    """Every field that differs and is no noise, as Difference."""
    for step, answers in kafka.items():
        ignored = set(noise[step][0]["paths"]) if step in noise else set()
        for index, answer in enumerate(answers):
            if index >= len(ours.get(step, [])):
                yield Difference(step, "missing", "no answer")
                continue
            found, other = [], ours[step][index]
            deep(answer["ans"], other["ans"], "", found, messages)
            if answer.get("slow") != other.get("slow"):
                found.append("waited: %s / %s" % (answer.get("slow"), other.get("slow")))
            for line in found:
                path = line.split(": ")[0]
                if general(path) not in ignored:
                    yield Difference(step, path or "answer", line)
    for step in ours:
        if step not in kafka:
            yield Difference(step, "extra", "not in the record")


class Row:
    """One row of the table: matches steps of a scenario by label, in which `*` stands for anything, and a difference
    by any field on the way to it (`*`: by all)."""

    def __init__(self, scenario, step, fields, reason):
        self.scenario, self.label, self.reason, self.used = scenario, step, reason, False
        self.fields = [field.strip() for field in fields.split(",")]

    def matches(self, difference):
        label = ".*".join(map(re.escape, self.label.split("*")))
        if difference.step.scenario != self.scenario or not re.fullmatch(label, difference.step.label, re.S):
            return False
        on_the_way = re.sub(r"\[\d+\]", "", difference.path).split(".")
        return "*" in self.fields or any(field in on_the_way for field in self.fields)


def table():
    """The rows below the heading that names this script's record."""
    rows, inside = [], False
    with open(os.path.join(ROOT, "docs", "differences.md"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                inside = "record" in line.lower()
            elif inside and line.startswith("|"):
                cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
                if len(cells) != 4:
                    sys.exit("docs/differences.md: a row needs four cells: " + line)
                if cells[0] not in ("scenario", "---"):
                    rows.append(Row(cells[0].strip("`"), cells[1].strip("`"), cells[2].replace("`", ""), cells[3]))
    return rows


def report(found, rows, only):
    """Prints what is unlisted and what is listed in vain; the exit code."""
    unlisted = collections.OrderedDict()
    for difference in found:
        matching = [row for row in rows if row.matches(difference)]
        for row in matching:
            row.used = True
        if not matching:
            unlisted.setdefault(difference.step, []).append(difference)
    for step, fields in unlisted.items():
        print("%s / %s" % step)
        for difference in fields[:20]:
            print("    " + difference.text[:400])
    stale = [row for row in rows if not row.used and wanted(row.scenario, only)]
    for row in stale:
        print("listed, and no longer there: %s / %s" % (row.scenario, row.label))
    print("%d steps differ and are not listed; %d rows are listed in vain" % (len(unlisted), len(stale)))
    return 1 if unlisted or stale else 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", default=os.path.join(ROOT, "target", "release", "daybook"))
    arguments.add_argument("--bootstrap", help="HOST:PORT of a broker that runs already and is empty")
    arguments.add_argument("--jar", help="kafka-clients 4.4.0; the default is where peer/run-kafka.sh puts it")
    arguments.add_argument("--only", default="", help="compare these scenarios only (prefixes; all are asked)")
    arguments.add_argument("--messages", action="store_true", help="compare error messages too")
    arguments.add_argument("--keep", help="write our answers to this file")
    a = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="daybook-exact-") as folder:
        if a.bootstrap:
            child, port = None, int(a.bootstrap.rsplit(":", 1)[1])
        else:
            child, port = start(a.binary, folder)
        try:
            ours = ask(port, a.jar)
        finally:
            if child:
                child.send_signal(signal.SIGTERM)
                child.wait(20)
    if a.keep:
        with open(a.keep, "w") as file:
            for answers in ours.values():
                for answer in answers:
                    file.write(json.dumps(answer) + "\n")
    only = a.only.split(",")
    kafka = {step: x for step, x in read_lines("kafka-4.4.0.jsonl").items() if wanted(step.scenario, only)}
    ours = {step: x for step, x in ours.items() if wanted(step.scenario, only)}
    print("%d steps compared" % sum(map(len, kafka.values())))
    sys.exit(report(differences(kafka, ours, read_lines("noise.jsonl"), a.messages), table(), only))


if __name__ == "__main__":
    main()
