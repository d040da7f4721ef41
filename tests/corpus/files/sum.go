// sum.go - goroutines, channels, a map, garbage, recovered faults, asynchronous preemption.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"sort"
	"sync"
	"time"
)

type node struct {
	next *node
	key  int
}

func fault() (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	var n *node
	return fmt.Sprint(n.key)
}

func spin(stop *bool, n *int) {
	for !*stop {
		*n++
	}
}

func main() {
	x, counts := 1, map[int]int{}
	for i := 0; i < 50000; i++ {
		x = x * 16807 % 2147483647
		counts[x%1009]++
	}
	keys := []int{}
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	fmt.Println(len(keys), keys[17], counts[keys[17]], fault())
	c, wait := make(chan int, 4), sync.WaitGroup{}
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func(id int) {
			defer wait.Done()
			var list *node
			for j := 0; j < 2000; j++ {
				list = &node{list, j}
				if j%100 == 0 {
					list = nil
					c <- id * j
				}
			}
		}(i)
	}
	go func() { wait.Wait(); close(c) }()
	sum := 0
	for v := range c {
		sum += v
	}
	runtime.GC()
	stop, n := false, 0
	go spin(&stop, &n)
	time.Sleep(30 * time.Millisecond)
	runtime.GC()
	stop = true
	fmt.Printf("%d %x\n", sum, sha256.Sum256([]byte("quern")))
	os.Exit(3)
}
