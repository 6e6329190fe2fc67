// Compares `picklock check` with Porcupine on histories that it generates: verdict, time and memory.
// scripts/compare-porcupine builds and calls it.
//
//	porcupine -picklock COMMAND [-histories N] [-timeout 10] [-beside 5] [-repeat 3] [-seed 1] [-family NAME] [-keep DIR]
//	porcupine judge MODEL FILE SECONDS  Porcupine's verdict on one history
//	porcupine make FAMILY SEED FILE     writes one history
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// What one checker said of one history.
type answer struct {
	verdict string // valid, INVALID, undecided
	seconds float64
	kb      int64
}

// run starts a checker as a process of its own; exit statuses are those of `picklock check`.
func run(limit time.Duration, command string, args ...string) answer {
	cmd := exec.Command(command, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1") // one thread each
	var errors bytes.Buffer
	cmd.Stderr = &errors
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "cannot start %s: %v\n", command, err)
		os.Exit(2)
	}
	late := time.AfterFunc(limit+30*time.Second, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	late.Stop()
	a := answer{seconds: time.Since(begin).Seconds(), verdict: "undecided"}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		a.kb = usage.Maxrss
		a.seconds = float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
	}
	switch cmd.ProcessState.ExitCode() {
	case 0:
		a.verdict = "valid"
	case 1:
		a.verdict = "INVALID"
	case 3, -1:
	default:
		fmt.Fprintf(os.Stderr, "%s %s: %v\n%s", command, strings.Join(args, " "), err, errors.String())
		os.Exit(2)
	}
	return a
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := append([]float64(nil), values...)
	sort.Float64s(sorted)
	return sorted[len(sorted)/2]
}

// spread is the median, the 95th percentile and the largest, or a dash if there is no value.
func spread(values []float64) string {
	if len(values) == 0 {
		return "–"
	}
	sorted := append([]float64(nil), values...)
	sort.Float64s(sorted)
	return fmt.Sprintf("%.2f, %.2f, %.2f", sorted[len(sorted)/2], sorted[len(sorted)*95/100], sorted[len(sorted)-1])
}

// faster is what took less of two runs that said the same.
func faster(a, b answer) answer {
	if a.verdict != b.verdict || b.seconds < a.seconds {
		return b
	}
	return a
}

// One line of the table; ratio: of picklock's time for the verdict to Porcupine's, where that decides; witness: the time
// with a minimal witness, where there is a violation.
type line struct {
	family                                          family
	valid, invalid, ours, theirs, neither, contrary int
	timeOurs, timeTheirs, kbOurs, kbTheirs          []float64
	ratio, witness                                  []float64
}

func (l *line) add(ours, theirs answer) {
	decidedOurs, decidedTheirs := ours.verdict != "undecided", theirs.verdict != "undecided"
	switch {
	case decidedOurs && decidedTheirs && ours.verdict != theirs.verdict:
		l.contrary++
	case decidedOurs && decidedTheirs && ours.verdict == "valid":
		l.valid++
	case decidedOurs && decidedTheirs:
		l.invalid++
	case decidedOurs:
		l.ours++
	case decidedTheirs:
		l.theirs++
	default:
		l.neither++
	}
	if decidedTheirs && theirs.seconds > 0 {
		l.ratio = append(l.ratio, ours.seconds/theirs.seconds)
	}
	l.timeOurs = append(l.timeOurs, ours.seconds)
	l.timeTheirs = append(l.timeTheirs, theirs.seconds)
	l.kbOurs = append(l.kbOurs, float64(ours.kb))
	l.kbTheirs = append(l.kbTheirs, float64(theirs.kb))
}

func compare(args []string) int {
	flags := flag.NewFlagSet("porcupine", flag.ExitOnError)
	command := flags.String("picklock", "picklock", "the command that checks: its path")
	histories := flags.Int("histories", 10, "number of histories of each family")
	timeout := flags.Float64("timeout", 10, "seconds for each checker and history")
	repeat := flags.Int("repeat", 1, "runs of each, in turns, of which the fastest counts")
	beside := flags.Float64("beside", 0, "seconds for Porcupine where picklock has decided (the timeout)")
	seed := flags.Int64("seed", 1, "first seed of the histories")
	only := flags.String("family", "", "only families whose name contains this")
	keep := flags.String("keep", "", "folder that keeps the histories on which the checkers differ, or that neither decides")
	flags.Parse(args)

	folder, err := os.MkdirTemp("", "porcupine")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer os.RemoveAll(folder)
	self, _ := os.Executable()
	limit := time.Duration(*timeout * float64(time.Second))
	status := 0
	fmt.Println("| history | valid / invalid | only picklock decides | only Porcupine decides | neither | picklock: s, MB | Porcupine: s, MB | ratio: median, 95 %, largest | with witness: s |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, f := range families {
		if !strings.Contains(f.name, *only) {
			continue
		}
		l := line{family: f}
		for i := 0; i < *histories; i++ {
			path := filepath.Join(folder, "history.edn")
			// A process of its own makes the history: the memory of this one would count as the children's.
			if out, err := exec.Command(self, "make", f.name, strconv.FormatInt(*seed+int64(i), 10), path).CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
				return 2
			}
			seconds := strconv.FormatFloat(*timeout, 'f', -1, 64)
			check := []string{"check", path, "--model", f.model, "--timeout", seconds}
			alone := append(append([]string(nil), check...), "--no-witness")
			ours := run(limit, *command, alone...)
			if ours.verdict != "undecided" && *beside > 0 {
				seconds = strconv.FormatFloat(*beside, 'f', -1, 64)
			}
			theirs := run(limit, self, "judge", f.model, path, seconds)
			for again := 1; again < *repeat; again++ {
				ours = faster(ours, run(limit, *command, alone...))
				theirs = faster(theirs, run(limit, self, "judge", f.model, path, seconds))
			}
			l.add(ours, theirs)
			if ours.verdict == "INVALID" {
				l.witness = append(l.witness, run(limit, *command, check...).seconds)
			}
			if (ours.verdict != theirs.verdict || ours.verdict == "undecided") && *keep != "" {
				name := fmt.Sprintf("%s-%d.edn", strings.ReplaceAll(f.name, " ", "-"), *seed+int64(i))
				if data, err := os.ReadFile(path); err == nil {
					os.WriteFile(filepath.Join(*keep, name), data, 0o644)
				}
			}
		}
		if l.contrary > 0 {
			status = 1
			fmt.Printf("CONTRADICTION: %s: %d\n", f.name, l.contrary)
		}
		fmt.Printf("| %s | %d / %d | %d | %d | %d | %.3f, %.0f | %.3f, %.0f | %s | %s |\n", f.name, l.valid, l.invalid, l.ours,
			l.theirs, l.neither, median(l.timeOurs), median(l.kbOurs)/1024, median(l.timeTheirs), median(l.kbTheirs)/1024,
			spread(l.ratio), spread(l.witness))
	}
	return status
}

func main() {
	if len(os.Args) == 5 && os.Args[1] == "judge" {
		seconds, err := strconv.ParseFloat(os.Args[4], 64)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(judge(os.Args[2], os.Args[3], time.Duration(seconds*float64(time.Second))))
	}
	if len(os.Args) == 5 && os.Args[1] == "make" {
		for _, f := range families {
			if seed, err := strconv.ParseInt(os.Args[3], 10, 64); err == nil && f.name == os.Args[2] {
				if err := os.WriteFile(os.Args[4], []byte(text(f.make(random(seed)))), 0o644); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(2)
				}
				return
			}
		}
		os.Exit(2)
	}
	os.Exit(compare(os.Args[1:]))
}
