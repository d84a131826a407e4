#!/usr/bin/env bash
# A real single-node KRaft Kafka from jars that Maven resolved (pom.xml beside this file).
#
#   run-kafka.sh resolve        fetch the jars through Maven
#   run-kafka.sh start          resolve if needed, format, start, wait until ready, print the pid
#   run-kafka.sh stop           TERM, then KILL after 30 s
#   run-kafka.sh status         pid and whether the port answers
#   run-kafka.sh wipe           stop and delete the data folder
#   run-kafka.sh class NAME ..  run any class on the classpath, e.g. org.apache.kafka.tools.TopicCommand
#   run-kafka.sh tool NAME ..   run a tool by its script name, e.g. tool kafka-topics --list --bootstrap-server ..
#   run-kafka.sh shim DIR       write DIR/bin/kafka-*.sh and DIR/libs, for suites that want KAFKA_PATH=DIR
#
# Settings (environment, all optional)
#   KAFKA_VERSION   4.4.0        KAFKA_PEER_DIR  work folder, default: ~/.cache/kafka-peer/run-PORT
#   KAFKA_PORT      9092         plaintext listener        KAFKA_CPORT 9093  controller listener
#   KAFKA_SASL_PORT (unset)      if set: SASL_PLAINTEXT listener with PLAIN and SCRAM-SHA-256/512
#   KAFKA_USERS     "admin:admin-secret,alice:alice-secret"   users for both, first one a super user
#   KAFKA_ACL       1 = StandardAuthorizer with allow.everyone.if.no.acl.found=true
#   KAFKA_SUPER     super.users, default the first of KAFKA_USERS (never User:ANONYMOUS when deny tests run in plaintext)
#   KAFKA_PROTOCOLS classic,consumer,share,streams ("-" leaves the key out, should a version refuse it)
#   KAFKA_HOST      127.0.0.1    bind and advertised host (use localhost for suites that compare it)
#   KAFKA_NODE_ID   1            KAFKA_NUM_PARTITIONS 1    KAFKA_AUTO_CREATE true
#   KAFKA_EXTRA     file whose lines are appended to server.properties (later keys win)
#   KAFKA_HEAP      -Xms512m -Xmx1g     KAFKA_WAIT 90 (seconds)     KAFKA_LIBS  jars folder, skips Maven
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ver=${KAFKA_VERSION:-4.4.0}
host=${KAFKA_HOST:-127.0.0.1}
port=${KAFKA_PORT:-9092}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kafka-peer
dir=${KAFKA_PEER_DIR:-$cache/run-$port}
libs=${KAFKA_LIBS:-$cache/$ver/libs}
cport=${KAFKA_CPORT:-9093}
sport=${KAFKA_SASL_PORT:-}
users=${KAFKA_USERS:-admin:admin-secret,alice:alice-secret}
node=${KAFKA_NODE_ID:-1}
wait_s=${KAFKA_WAIT:-90}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
cfg=$dir/server.properties
log=$dir/server.log
pidf=$dir/pid

die() { echo "run-kafka: $*" >&2; exit 1; }

resolve() {
  compgen -G "$libs/kafka_*.jar" >/dev/null && return 0
  [[ -z ${KAFKA_LIBS:-} ]] || die "no kafka_*.jar in $libs"
  mkdir -p "$cache/$ver"
  cp "$here/pom.xml" "$cache/$ver/pom.xml" # this folder may be read-only
  mvn -B -ntp -q -f "$cache/$ver/pom.xml" -Dkafka.version="$ver" -Dpeer.libs="$libs" ${KAFKA_MVN_ARGS:-} package >&2 ||
    die "Maven could not resolve Kafka $ver (try KAFKA_VERSION=4.3.1)"
  compgen -G "$libs/kafka_*.jar" >/dev/null || die "Maven left no kafka_*.jar in $libs"
}

# first of the named classes that some jar holds: tools move from kafka.* to org.apache.kafka.tools.* over versions
index() {
  local i=$dir/classes.txt
  if [[ ! -s $i ]]; then
    mkdir -p "$dir"
    python3 - "$libs" >"$i" <<'PY'
import glob, sys, zipfile
for j in sorted(glob.glob(sys.argv[1] + "/*.jar")):
    b = j.rsplit("/", 1)[1]
    if b.startswith(("kafka", "trogdor", "connect")):
        for n in zipfile.ZipFile(j).namelist():
            if n.endswith(".class") and "$" not in n:
                print(n[:-6].replace("/", "."))
PY
  fi
  echo "$i"
}
pick() {
  local i c; i=$(index)
  for c in "$@"; do grep -qxF "$c" "$i" && { echo "$c"; return 0; }; done
  return 1
}

run_class() { # quiet logging for tools
  "$java" ${KAFKA_TOOL_HEAP:--Xmx256m} -Dlog4j2.configurationFile="$here/log4j2-tools.properties" \
    ${KAFKA_OPTS:-} -cp "${CLASSPATH:+$CLASSPATH:}$libs/*" "$@"
}

T=org.apache.kafka.tools
candidates() { # script name -> class names, newest place first
  case ${1%.sh} in
    kafka-topics) echo $T.TopicCommand kafka.admin.TopicCommand ;;
    kafka-configs) echo $T.ConfigCommand kafka.admin.ConfigCommand ;;
    kafka-acls) echo $T.AclCommand kafka.admin.AclCommand ;;
    kafka-consumer-groups) echo $T.consumer.group.ConsumerGroupCommand ;;
    kafka-share-groups) echo $T.consumer.group.ShareGroupCommand ;;
    kafka-streams-groups) echo $T.streams.StreamsGroupCommand ;;
    kafka-groups) echo $T.GroupsCommand ;;
    kafka-console-producer) echo $T.ConsoleProducer kafka.tools.ConsoleProducer ;;
    kafka-console-consumer) echo $T.consumer.ConsoleConsumer kafka.tools.ConsoleConsumer ;;
    kafka-console-share-consumer) echo $T.consumer.ConsoleShareConsumer ;;
    kafka-producer-perf-test) echo $T.ProducerPerformance ;;
    kafka-consumer-perf-test) echo $T.ConsumerPerformance ;;
    kafka-share-consumer-perf-test) echo $T.ShareConsumerPerformance ;;
    kafka-e2e-latency) echo $T.EndToEndLatency ;;
    kafka-verifiable-producer) echo $T.VerifiableProducer ;;
    kafka-verifiable-consumer) echo $T.VerifiableConsumer ;;
    kafka-verifiable-share-consumer) echo $T.VerifiableShareConsumer ;;
    kafka-transactions) echo $T.TransactionsCommand ;;
    kafka-get-offsets) echo $T.GetOffsetShell ;;
    kafka-log-dirs) echo $T.LogDirsCommand ;;
    kafka-delete-records) echo $T.DeleteRecordsCommand ;;
    kafka-dump-log) echo $T.DumpLogSegments kafka.tools.DumpLogSegments ;;
    kafka-streams-application-reset) echo $T.StreamsResetter ;;
    kafka-broker-api-versions) echo $T.BrokerApiVersionsCommand ;;
    kafka-cluster) echo $T.ClusterTool ;;
    kafka-features) echo $T.FeatureCommand ;;
    kafka-metadata-quorum) echo $T.MetadataQuorumCommand ;;
    kafka-leader-election) echo $T.LeaderElectionCommand ;;
    kafka-reassign-partitions) echo $T.reassign.ReassignPartitionsCommand ;;
    kafka-delegation-tokens) echo $T.DelegationTokenCommand ;;
    kafka-client-metrics) echo $T.ClientMetricsCommand ;;
    kafka-replica-verification) echo $T.ReplicaVerificationTool ;;
    kafka-jmx) echo $T.JmxTool ;;
    kafka-storage) echo kafka.tools.StorageTool $T.StorageTool ;;
    kafka-server-start) echo kafka.Kafka org.apache.kafka.server.Kafka ;;
    client-compatibility-test) echo $T.ClientCompatibilityTest ;;
    transactional-message-copier) echo $T.TransactionalMessageCopier ;;
    *) return 1 ;;
  esac
}
class_of() {
  local c; c=$(candidates "$1") || die "no tool called $1"
  # shellcheck disable=SC2086
  pick $c || die "$1: none of '$c' is in the jars of this version"
}

write_config() {
  local l="PLAINTEXT://$host:$port,CONTROLLER://127.0.0.1:$cport" a="PLAINTEXT://$host:$port"
  [[ -z $sport ]] || { l="$l,SASL_PLAINTEXT://$host:$sport"; a="$a,SASL_PLAINTEXT://$host:$sport"; }
  {
    cat <<EOF
process.roles=broker,controller
node.id=$node
controller.quorum.voters=$node@127.0.0.1:$cport
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listeners=$l
advertised.listeners=$a
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
log.dirs=$dir/data
num.partitions=${KAFKA_NUM_PARTITIONS:-1}
auto.create.topics.enable=${KAFKA_AUTO_CREATE:-true}
delete.topic.enable=true
default.replication.factor=1
min.insync.replicas=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=5
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=5
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=5
group.initial.rebalance.delay.ms=0
group.share.min.record.lock.duration.ms=1000
log.cleaner.dedupe.buffer.size=33554432
EOF
    [[ ${KAFKA_PROTOCOLS:-} = - ]] ||
      echo "group.coordinator.rebalance.protocols=${KAFKA_PROTOCOLS:-classic,consumer,share,streams}"
    if [[ -n $sport ]]; then
      local jaas="org.apache.kafka.common.security.plain.PlainLoginModule required" u
      for u in ${users//,/ }; do jaas+=" user_${u%%:*}=\"${u#*:}\""; done
      cat <<EOF
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.sasl_plaintext.plain.sasl.jaas.config=$jaas;
listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
EOF
    fi
    if [[ ${KAFKA_ACL:-0} = 1 ]]; then
      cat <<EOF
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
allow.everyone.if.no.acl.found=true
super.users=${KAFKA_SUPER:-User:${users%%:*}}
EOF
    fi
    [[ -z ${KAFKA_EXTRA:-} ]] || cat "$KAFKA_EXTRA"
  } >"$cfg"
}

format() {
  local st id u m; local -a scram=()
  [[ -f $dir/data/meta.properties ]] && return 0
  st=$(class_of kafka-storage)
  id=$(run_class "$st" random-uuid | tail -n1)
  [[ $id =~ ^[A-Za-z0-9_-]{22}$ ]] || die "no cluster id from $st: '$id'"
  if [[ -n $sport ]]; then
    for u in ${users//,/ }; do
      for m in 256 512; do scram+=(--add-scram "SCRAM-SHA-$m=[name=${u%%:*},password=${u#*:}]"); done
    done
  fi
  run_class "$st" format --ignore-formatted -t "$id" -c "$cfg" ${scram[@]+"${scram[@]}"} >"$dir/format.log" 2>&1 ||
    { cat "$dir/format.log" >&2; die "formatting failed"; }
}

alive() { [[ -s $pidf ]] && kill -0 "$(cat "$pidf")" 2>/dev/null; }
answers() { (exec 3<>"/dev/tcp/$host/$port") 2>/dev/null; }

start() {
  local main i
  alive && die "already running, pid $(cat "$pidf")"
  answers && die "something already listens on $host:$port"
  resolve
  mkdir -p "$dir/data"
  write_config
  format
  main=$(class_of kafka-server-start)
  : >"$log"
  # shellcheck disable=SC2086
  setsid nohup "$java" ${KAFKA_HEAP:--Xms512m -Xmx1g} -server -XX:+UseG1GC -Djava.awt.headless=true \
    -Dlog4j2.configurationFile="$here/log4j2.properties" -Dkafka.logs.dir="$dir" ${KAFKA_OPTS:-} \
    -cp "$libs/*" "$main" "$cfg" >>"$log" 2>&1 </dev/null &
  echo $! >"$pidf"
  for ((i = 0; i < wait_s * 5; i++)); do
    alive || { tail -n 40 "$log" >&2; die "the broker ended while starting (log: $log)"; }
    if grep -q 'Kafka Server started' "$log" && answers; then
      # one real request, so that "ready" means the protocol answers too
      if run_class "$(class_of kafka-broker-api-versions)" --bootstrap-server "$host:$port" >"$dir/api-versions.txt" 2>&1; then
        echo "ready $host:$port cluster $(sed -n 's/^cluster.id=//p' "$dir/data/meta.properties") log $log" >&2
        cat "$pidf"
        return 0
      fi
    fi
    sleep 0.2
  done
  tail -n 40 "$log" >&2
  stop
  die "not ready after ${wait_s}s, stopped it (log: $log)"
}

stop() {
  local p i
  alive || { rm -f "$pidf"; return 0; }
  p=$(cat "$pidf")
  kill -TERM "$p"
  for ((i = 0; i < 150; i++)); do kill -0 "$p" 2>/dev/null || break; sleep 0.2; done
  kill -KILL "$p" 2>/dev/null || true
  rm -f "$pidf"
}

shim() {
  local d=$1 n c
  resolve
  mkdir -p "$d/bin"
  ln -sfn "$libs" "$d/libs"
  for n in $(sed -n 's/^    \(kafka-[a-z0-9-]*\)) echo .*/\1/p' "${BASH_SOURCE[0]}"); do
    # shellcheck disable=SC2046
    c=$(pick $(candidates "$n")) || continue
    printf '#!/usr/bin/env bash\nexec %q %s -Dlog4j2.configurationFile=%q ${KAFKA_OPTS:-} -cp "${CLASSPATH:+$CLASSPATH:}%s/*" %s "$@"\n' \
      "$(command -v "$java")" '${KAFKA_HEAP_OPTS:--Xmx256m}' "$here/log4j2-tools.properties" "$libs" "$c" >"$d/bin/$n.sh"
  done
  printf '#!/usr/bin/env bash\nexec %q %s -Dlog4j2.configurationFile=%q ${KAFKA_OPTS:-} -cp "${CLASSPATH:+$CLASSPATH:}%s/*" "$@"\n' \
    "$(command -v "$java")" '${KAFKA_HEAP_OPTS:--Xmx256m}' "$here/log4j2-tools.properties" "$libs" >"$d/bin/kafka-run-class.sh"
  chmod +x "$d"/bin/*.sh
  ls "$d/bin" | wc -l
}

case ${1:-start} in
  start) start ;;
  resolve) resolve ;;
  stop) stop ;;
  status) if alive; then echo "pid $(cat "$pidf")"; answers && echo "answers on $host:$port"; else echo down; exit 1; fi ;;
  wipe) stop; rm -rf "$dir/data" "$dir/classes.txt" ;;
  class) shift; resolve; run_class "$@" ;;
  tool) shift; resolve; c=$(class_of "$1"); shift; run_class "$c" "$@" ;;
  shim) [[ $# -eq 2 ]] || die "shim wants a folder"; mkdir -p "$dir"; shim "$2" ;;
  *) die "unknown command $1" ;;
esac
