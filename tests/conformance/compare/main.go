// Compare reads the events of a run (`go tool test2json`) from standard input, prints the results, and compares the failures with the list
// of those that are expected:
//
//	compare LIST STATUSES
//
// STATUSES is `live` or `offline`. A failure that is not listed and a listed one that passes or is gone both make the run fail.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// suite is the test that contains those of the suite.
const suite = "TestConformance/"

func main() {
	results, err := readResults()
	exitIf(err)
	expected, err := readExpected(os.Args[1], os.Args[2])
	exitIf(err)

	counts, leaves := map[string]int{}, map[string]int{}
	var failures []string
	for name, result := range results {
		isLeaf := !hasSubtest(results, name, "")
		switch {
		case !strings.Contains(name, "/"):
			counts[result]++
		case isLeaf:
			leaves[result]++
		}
		if result == "fail" && !hasSubtest(results, name, "fail") {
			failures = append(failures, name)
		}
	}
	fmt.Printf("%d tests: %d pass, %d fail, %d skipped; of the subtests, %d pass and %d fail\n",
		counts["pass"]+counts["fail"]+counts["skip"], counts["pass"], counts["fail"], counts["skip"], leaves["pass"], leaves["fail"])

	isBad := counts["pass"] == 0 // The suite did not begin: its log says why.
	slices.Sort(failures)
	for _, name := range failures {
		if _, isExpected := expected[name]; !isExpected {
			fmt.Printf("fails, and is not listed: %s\n", name)
			isBad = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if !slices.Contains(failures, name) {
			fmt.Printf("does not fail, and is listed: %s\n", name)
			isBad = true
		}
	}
	if isBad {
		fmt.Println("the results are not as listed; correct the cause, or tests/conformance/expected-failures.tsv")
		os.Exit(1)
	}
}

// readResults returns the result of each test and subtest: pass, fail or skip.
func readResults() (map[string]string, error) {
	results := map[string]string{}
	for events := json.NewDecoder(bufio.NewReader(os.Stdin)); events.More(); {
		var event struct{ Action, Test string }
		if err := events.Decode(&event); err != nil {
			return nil, err
		}
		if name, isTest := strings.CutPrefix(event.Test, suite); isTest && slices.Contains([]string{"pass", "fail", "skip"}, event.Action) {
			results[name] = event.Action
		}
	}
	return results, nil
}

// hasSubtest is true if a test has a subtest, with this result unless it is empty.
func hasSubtest(results map[string]string, name, result string) bool {
	for other, found := range results {
		if strings.HasPrefix(other, name+"/") && (result == "" || found == result) {
			return true
		}
	}
	return false
}

// readExpected returns the expected failures, each with its reason. The columns are statuses, test, subtest and reason.
func readExpected(path, statuses string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	expected := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 4 {
			return nil, fmt.Errorf("%s: not four columns: %s", path, line)
		}
		if columns[0] == statuses || columns[0] == "both" {
			expected[strings.TrimSuffix(columns[1]+"/"+columns[2], "/-")] = columns[3]
		}
	}
	return expected, nil
}

func exitIf(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
