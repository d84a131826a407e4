// franz-go against a broker: go-client HOST:PORT. Prints ok at the end.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const records = 1000

func main() {
	log.SetFlags(log.Lshortfile)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	bootstrap := os.Args[1]

	admin := kadm.NewClient(client(bootstrap))
	defer admin.Close()
	created, err := admin.CreateTopics(ctx, 3, 1, nil, "t")
	check(err)
	check(created["t"].Err)

	for _, codec := range []kgo.CompressionCodec{
		kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression(),
	} {
		produce(ctx, client(bootstrap, kgo.ProducerBatchCompression(codec), kgo.RecordPartitioner(kgo.ManualPartitioner())))
	}

	group := client(bootstrap, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("t"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit())
	next := map[int32]int64{}
	for total := 0; total < 5*records; {
		fetches := group.PollFetches(ctx)
		check(fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Offset != next[r.Partition] {
				log.Fatalf("partition %d: offset %d, expected %d", r.Partition, r.Offset, next[r.Partition])
			}
			next[r.Partition]++
			total++
		})
	}
	check(group.CommitUncommittedOffsets(ctx))
	lag, err := admin.Lag(ctx, "g")
	check(err)
	if l := lag["g"]; l.Error() != nil || l.Lag.Total() != 0 || l.State != "Stable" {
		log.Fatalf("lag: %+v", l)
	}
	group.Close()

	ends, err := admin.ListEndOffsets(ctx, "t")
	check(err)
	check(ends.Error())
	deleted, err := admin.DeleteTopics(ctx, "t")
	check(err)
	check(deleted["t"].Err)
	fmt.Println("ok")
}

func client(bootstrap string, options ...kgo.Opt) *kgo.Client {
	c, err := kgo.NewClient(append(options, kgo.SeedBrokers(bootstrap))...)
	check(err)
	return c
}

func produce(ctx context.Context, c *kgo.Client) {
	defer c.Close()
	for n := 0; n < records; n++ {
		c.Produce(ctx, &kgo.Record{Topic: "t", Partition: int32(n % 3), Value: []byte(fmt.Sprint(n))}, func(_ *kgo.Record, err error) { check(err) })
	}
	check(c.Flush(ctx))
}

func check(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}
