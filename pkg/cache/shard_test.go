package cache

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
)

func mustParse(t *testing.T, text string) Shard {
	t.Helper()
	shard, err := ParseShard(text)
	if err != nil {
		t.Fatal(err)
	}
	return shard
}

func TestEveryObjectIsInExactlyOneShard(t *testing.T) {
	rows := []*Row{
		{ObjectMeta: metav1.ObjectMeta{Name: "without-uid", Namespace: "shop"}},
		{ObjectMeta: metav1.ObjectMeta{Name: "without-uid"}},
	}
	for range 500 {
		rows = append(rows, &Row{ObjectMeta: metav1.ObjectMeta{UID: uuid.NewUUID()}})
	}
	for _, count := range []int{1, 2, 3, 7, 16} {
		held := map[types.UID]int{}
		perShard := make([]int, count)
		for index := range count {
			shard := mustParse(t, fmt.Sprintf("%d/%d", index, count))
			for n, row := range rows {
				if shard.Holds(row) {
					held[types.UID(fmt.Sprint(n))]++
					perShard[index]++
				}
			}
		}
		for n := range rows {
			if held[types.UID(fmt.Sprint(n))] != 1 {
				t.Fatalf("of %d shards, %d hold object %d", count, held[types.UID(fmt.Sprint(n))], n)
			}
		}
		if average := len(rows) / count; perShard[0] < average/3 || perShard[0] > average*3 {
			t.Errorf("of %d shards the first holds %d of %d objects", count, perShard[0], len(rows))
		}
	}
}

// The server's documentation has these ranges.
func TestTheSelectorOfAShardIsTheServers(t *testing.T) {
	for text, want := range map[string]string{
		"0/1": "",
		"0/2": "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
		"3/4": "shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')",
		"1/3": "shardRange(object.metadata.uid, '0x5555555555555555', '0xaaaaaaaaaaaaaaaa')",
	} {
		if got := mustParse(t, text).Selector(); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

func TestWhatIsNoShardIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":     `"" is not I/N, such as 0/3: the first of three shards`,
		"1":    `"1" is not I/N, such as 0/3: the first of three shards`,
		"0/0":  `"0/0" is not I/N, such as 0/3: the first of three shards`,
		"-1/3": `"-1/3" is not I/N, such as 0/3: the first of three shards`,
		"a/3":  `"a/3" is not I/N, such as 0/3: the first of three shards`,
		"3/3":  "there is no shard 3 of 3: they are counted from 0, the last is 2/3",
	} {
		if _, err := ParseShard(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
