package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// text writes a history as EDN, one event a line, as `picklock check` reads it.
func text(all []operation) string {
	type event struct {
		at   int
		line string
	}
	var events []event
	for _, o := range all {
		argument, result := "nil", "nil"
		switch o.f {
		case "read":
			result = nilOr(o.result)
			if o.isSet {
				result = "#{" + o.result + "}"
			}
		case "write", "add":
			argument, result = o.to, o.to
		case "cas":
			argument = fmt.Sprintf("[%s %s]", o.from, o.to)
			result = argument
		case "txn":
			argument, result = stepsText(o.steps, false), stepsText(o.steps, true)
		case "put", "append":
			argument = fmt.Sprintf("[%s %q]", o.key, o.to)
			result = argument
		case "get":
			argument = fmt.Sprintf("[%s nil]", o.key)
			result = fmt.Sprintf("[%s %q]", o.key, o.result)
		}
		events = append(events, event{o.begin, fmt.Sprintf("{:type :invoke, :f :%s, :process %d, :value %s}", o.f, o.process, argument)})
		if o.end >= 0 {
			kind := "ok"
			if o.failed {
				kind = "fail"
			}
			events = append(events, event{o.end, fmt.Sprintf("{:type :%s, :f :%s, :process %d, :value %s}", kind, o.f, o.process, result)})
		}
	}
	sort.Slice(events, func(i, j int) bool { return events[i].at < events[j].at })
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.line)
		b.WriteByte('\n')
	}
	return b.String()
}

// stepsText writes [[:r 0 nil] [:w 1 3]]; what reads saw only if answered.
func stepsText(steps []step, answered bool) string {
	var parts []string
	for _, s := range steps {
		f, value := "r", "nil"
		if s.writes {
			f = "w"
		}
		if s.writes || answered {
			value = nilOr(s.value)
		}
		parts = append(parts, fmt.Sprintf("[:%s %s %s]", f, s.key, value))
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func nilOr(value string) string {
	if value == "" {
		return "nil"
	}
	return value
}

var line_ = regexp.MustCompile(`^\{:type :(\w+), :f :(\w+), :process (\d+), :value (.*)\}$`)
var pair_ = regexp.MustCompile(`^\[(\S+) (.*)\]$`)

var step_ = regexp.MustCompile(`\[:(r|w) (\S+) (\S+?)\]`)

type call struct{ f, key, from, to string }

// read makes Porcupine's operations of the file; a crashed one returns after all others, and a failed one is left out.
// Where refusals are observations, a failed compare-and-set stays, with the output "refused".
func read(path string, refusals bool) ([]porcupine.Operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []porcupine.Operation
	open := map[string]int{}
	failed := map[int]bool{}
	completed := map[int]bool{}
	at := int64(0)
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<28)
	for scanner.Scan() {
		at++
		m := line_.FindStringSubmatch(scanner.Text())
		if m == nil {
			return nil, fmt.Errorf("line %d is no event", at)
		}
		c := call{f: m[2]}
		value := m[4]
		if p := pair_.FindStringSubmatch(value); p != nil && c.f != "read" && c.f != "txn" {
			if c.f == "cas" {
				c.from, c.to = p[1], p[2]
			} else {
				c.key = p[1]
				value = p[2]
				if unquoted, err := strconv.Unquote(value); err == nil {
					value = unquoted
				}
				c.to = value
			}
		} else {
			c.to = value
		}
		if m[1] == "invoke" {
			open[m[3]] = len(all)
			process, _ := strconv.Atoi(m[3])
			all = append(all, porcupine.Operation{ClientId: process, Input: c, Call: at})
			continue
		}
		i := open[m[3]]
		completed[i] = true
		failed[i] = m[1] == "fail"
		all[i].Return = at
		all[i].Output = value
		if failed[i] && refusals && c.f == "cas" {
			failed[i] = false
			all[i].Output = "refused"
		}
	}
	var kept []porcupine.Operation
	for i, o := range all {
		if failed[i] {
			continue
		}
		if !completed[i] {
			f := o.Input.(call).f
			if f == "read" || f == "get" { // it says nothing
				continue
			}
			o.Return = at + 1
			o.Output = "?"
		}
		kept = append(kept, o)
	}
	return kept, scanner.Err()
}

func model(name string) porcupine.Model {
	m := porcupine.Model{Init: func() interface{} { return "nil" }}
	if name == "kv" {
		m.Init = func() interface{} { return "" }
		m.Partition = func(history []porcupine.Operation) [][]porcupine.Operation {
			by := map[string][]porcupine.Operation{}
			for _, o := range history {
				key := o.Input.(call).key
				by[key] = append(by[key], o)
			}
			var parts [][]porcupine.Operation
			for _, part := range by {
				parts = append(parts, part)
			}
			return parts
		}
	}
	if name == "set" {
		m.Init = func() interface{} { return "#{}" }
	}
	if name == "multi-register" {
		m.Init = func() interface{} { return "" }
	}
	m.Step = func(state, input, output interface{}) (bool, interface{}) {
		s, c := state.(string), input.(call)
		switch c.f {
		case "read", "get":
			return s == output.(string), s
		case "write", "put":
			return true, c.to
		case "append":
			return true, s + c.to
		case "cas":
			if output.(string) == "?" && s != c.from {
				return true, s
			}
			if output.(string) == "refused" {
				return s != c.from, s
			}
			return s == c.from, c.to
		case "add":
			return true, with(s, c.to)
		case "txn":
			return transact(s, c.to, output.(string))
		}
		return false, s
	}
	return m
}

// transact does the steps of a transaction on registers that are written as " key=value key=value", ascending. Of a
// crashed one ("?") nobody knows what it read.
func transact(state, asked, answered string) (bool, interface{}) {
	registers := map[string]string{}
	for _, word := range strings.Fields(state) {
		key, value, _ := strings.Cut(word, "=")
		registers[key] = value
	}
	said := answered
	if said == "?" {
		said = asked
	}
	for _, s := range step_.FindAllStringSubmatch(said, -1) {
		value, known := registers[s[2]]
		if !known {
			value = "nil"
		}
		if s[1] == "w" {
			registers[s[2]] = s[3]
		} else if answered != "?" && value != s[3] {
			return false, state
		}
	}
	var words []string
	for key, value := range registers {
		words = append(words, key+"="+value)
	}
	sort.Strings(words)
	return true, strings.Join(words, " ")
}

// with adds an element to a set that is written as #{1 2 3}, ascending.
func with(set, element string) string {
	words := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(set, "#{"), "}"))
	n, _ := strconv.Atoi(element)
	at := sort.Search(len(words), func(i int) bool { w, _ := strconv.Atoi(words[i]); return w >= n })
	if at < len(words) && words[at] == element {
		return set
	}
	words = append(words, "")
	copy(words[at+1:], words[at:])
	words[at] = element
	return "#{" + strings.Join(words, " ") + "}"
}

// judge answers with the exit statuses of `picklock check`.
func judge(name, path string, timeout time.Duration) int {
	history, err := read(path, name == "try-cas-register")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	switch porcupine.CheckOperationsTimeout(model(name), history, timeout) {
	case porcupine.Ok:
		return 0
	case porcupine.Illegal:
		return 1
	}
	return 3
}
