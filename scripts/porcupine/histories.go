package main

import (
	"fmt"
	"math/rand"
	"strings"
)

// An operation as both checkers see it. Instants are places in the history; end < 0: it crashed.
type operation struct {
	process    int
	f          string // read, write, cas, get, put, append, add, txn
	key        string // of a map
	from, to   string // cas: [from to]; write, put, append, add: to
	result     string // read, get: what was seen; a set: its elements, ascending
	begin, end int
	failed     bool // a cas that is known not to have happened: an observation to try-cas-register
	isSet      bool
	steps      []step // of a txn
}

// A read or a write of a transaction; value: what it saw, or writes.
type step struct {
	writes     bool
	key, value string
}

func random(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }

// A family of histories: one line of the table.
type family struct {
	name, model string
	make        func(r *rand.Rand) []operation
}

// shape: operations in all, clients, distinct values, keys, probability of a crash, and whether some reads lie.
type shape struct {
	model                             string
	operations, clients, values, keys int
	crash                             float64
	lies                              int
}

// simulate plays clients against one correct object. Each operation takes effect at a random step between its
// beginning and its end; so the history is linearizable unless reads lie.
func simulate(r *rand.Rand, s shape) []operation {
	type client struct {
		at     int // in all, or -1
		taken  bool
		doomed bool
		number int
	}
	var all []operation
	state := map[string]string{}
	sets := map[string]map[int]bool{}
	clients := make([]client, s.clients)
	fresh := s.clients
	for i := range clients {
		clients[i] = client{at: -1, number: i}
	}
	instant, open := 0, 0
	for len(all) < s.operations || open > 0 {
		c := &clients[r.Intn(len(clients))]
		if c.at < 0 {
			if len(all) >= s.operations {
				continue
			}
			o := operation{process: c.number, begin: instant, end: -1, isSet: s.model == "set"}
			instant++
			o.key = fmt.Sprint(r.Intn(s.keys))
			value := fmt.Sprint(r.Intn(s.values))
			switch s.model {
			case "register":
				o.f = []string{"read", "write"}[r.Intn(2)]
			case "cas-register", "try-cas-register":
				o.f = []string{"read", "write", "cas", "cas"}[r.Intn(4)]
				o.from = fmt.Sprint(r.Intn(s.values))
			case "kv":
				o.f = []string{"get", "put", "append", "get"}[r.Intn(4)]
				value = fmt.Sprintf("x%d.", len(all))
			case "set":
				o.f = []string{"add", "add", "read"}[r.Intn(3)]
				value = fmt.Sprint(len(all))
			case "multi-register":
				o.f = "txn"
				for n := 1 + r.Intn(3); n > 0; n-- {
					o.steps = append(o.steps, step{r.Intn(2) == 0, fmt.Sprint(r.Intn(s.keys)), fmt.Sprint(r.Intn(s.values))})
				}
			}
			o.to = value
			c.at, c.taken, c.doomed = len(all), false, r.Float64() < s.crash
			all = append(all, o)
			open++
			continue
		}
		o := &all[c.at]
		if !c.taken {
			c.taken = true
			if c.doomed && r.Intn(2) == 0 { // it crashed before it took effect
				c.number, c.at = fresh, -1
				fresh++
				open--
				continue
			}
			switch o.f {
			case "read", "get":
				if s.model == "set" {
					o.result = elements(sets[""])
				} else {
					o.result = state[keyOf(s, o)]
				}
			case "write", "put":
				state[keyOf(s, o)] = o.to
			case "append":
				state[keyOf(s, o)] += o.to
			case "cas":
				if state[""] == o.from {
					state[""] = o.to
				} else {
					o.failed = true
				}
			case "add":
				if sets[""] == nil {
					sets[""] = map[int]bool{}
				}
				var n int
				fmt.Sscan(o.to, &n)
				sets[""][n] = true
			case "txn":
				for i := range o.steps {
					if w := &o.steps[i]; w.writes {
						state[w.key] = w.value
					} else {
						w.value = state[w.key]
					}
				}
			}
			continue
		}
		if c.doomed {
			c.number = fresh
			fresh++
			o.failed = false
		} else {
			o.end = instant
			instant++
		}
		c.at = -1
		open--
	}
	for lie := 0; lie < s.lies; lie++ {
		for try := 0; try < 1000; try++ {
			o := &all[r.Intn(len(all))]
			other := &all[r.Intn(len(all))]
			if o.f == "txn" && o.end >= 0 && other.end >= 0 {
				mine, theirs := &o.steps[r.Intn(len(o.steps))], other.steps[r.Intn(len(other.steps))]
				if !mine.writes && mine.key == theirs.key && mine.value != theirs.value {
					mine.value = theirs.value
					break
				}
			}
			if o.end < 0 || (o.f != "read" && o.f != "get") {
				continue
			}
			if other.end >= 0 && other.f == o.f && other.key == o.key && other.result != o.result {
				o.result = other.result
				break
			}
		}
	}
	return all
}

func keyOf(s shape, o *operation) string {
	if s.model == "kv" {
		return o.key
	}
	return ""
}

func elements(set map[int]bool) string {
	var b strings.Builder
	most := -1
	for n := range set {
		if n > most {
			most = n
		}
	}
	for n := 0; n <= most; n++ {
		if set[n] {
			fmt.Fprintf(&b, "%d ", n)
		}
	}
	return strings.TrimSpace(b.String())
}

func of(s shape) func(r *rand.Rand) []operation {
	return func(r *rand.Rand) []operation { return simulate(r, s) }
}

func mixed(model string, values, keys int) func(r *rand.Rand) []operation {
	return func(r *rand.Rand) []operation {
		s := shape{model: model, operations: 20 + r.Intn(180), clients: 2 + r.Intn(10), values: values, keys: keys}
		s.crash = []float64{0, 0, 0.02, 0.1}[r.Intn(4)]
		s.lies = r.Intn(2)
		return simulate(r, s)
	}
}

var families = []family{
	{"register, small", "register", mixed("register", 5, 1)},
	{"cas-register, small", "cas-register", mixed("cas-register", 4, 1)},
	{"try-cas-register, small", "try-cas-register", mixed("try-cas-register", 4, 1)},
	{"kv, small", "kv", mixed("kv", 1, 3)},
	{"set, small", "set", mixed("set", 1, 1)},
	{"multi-register, small", "multi-register", mixed("multi-register", 4, 2)},
	{"register, 67 operations, 29 clients", "register", of(shape{"register", 67, 29, 5, 1, 0, 0})},
	{"register, 300 operations, 30 clients", "register", of(shape{"register", 300, 30, 5, 1, 0, 0})},
	{"register, 9000 operations, 30 clients", "register", of(shape{"register", 9000, 30, 5, 1, 0, 0})},
	{"register, 1000 operations, 5 clients", "register", of(shape{"register", 1000, 5, 5, 1, 0, 0})},
	{"register, 1000 operations, 5 clients, a lie", "register", of(shape{"register", 1000, 5, 5, 1, 0, 1})},
	{"register, 10^4 operations, 10 clients", "register", of(shape{"register", 10000, 10, 5, 1, 0, 0})},
	{"register, 10^5 operations, 10 clients", "register", of(shape{"register", 100000, 10, 5, 1, 0, 0})},
	{"register, 10^6 operations, 10 clients", "register", of(shape{"register", 1000000, 10, 5, 1, 0, 0})},
	{"cas-register, 1000 operations, 5 clients", "cas-register", of(shape{"cas-register", 1000, 5, 5, 1, 0, 0})},
	{"cas-register, 1000 operations, 5 clients, a lie", "cas-register", of(shape{"cas-register", 1000, 5, 5, 1, 0, 1})},
	{"cas-register, 10^4 operations, 10 clients", "cas-register", of(shape{"cas-register", 10000, 10, 5, 1, 0, 0})},
	{"try-cas-register, 1000 operations, 5 clients", "try-cas-register", of(shape{"try-cas-register", 1000, 5, 5, 1, 0, 0})},
	{"try-cas-register, 1000 operations, 5 clients, a lie", "try-cas-register", of(shape{"try-cas-register", 1000, 5, 5, 1, 0, 1})},
	{"kv, 2000 operations, 50 clients, 10 keys", "kv", of(shape{"kv", 2000, 50, 1, 10, 0, 0})},
	{"kv, 2000 operations, 50 clients, 10 keys, eight lies", "kv", of(shape{"kv", 2000, 50, 1, 10, 0, 8})},
	{"kv, 10^4 operations, 10 clients, 10 keys", "kv", of(shape{"kv", 10000, 10, 1, 10, 0, 0})},
	{"multi-register, 1000 operations, 5 clients", "multi-register", of(shape{"multi-register", 1000, 5, 5, 3, 0, 0})},
	{"multi-register, 1000 operations, 5 clients, a lie", "multi-register", of(shape{"multi-register", 1000, 5, 5, 3, 0, 1})},
	{"multi-register, 10^4 operations, 10 clients", "multi-register", of(shape{"multi-register", 10000, 10, 5, 3, 0, 0})},
	{"set, 1000 operations, 5 clients", "set", of(shape{"set", 1000, 5, 1, 1, 0, 0})},
	{"set, 1000 operations, 5 clients, a lie", "set", of(shape{"set", 1000, 5, 1, 1, 0, 1})},
}
