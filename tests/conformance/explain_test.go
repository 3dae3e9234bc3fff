package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// outcome is what a client gets, as docs/explain.schema.json describes it.
type outcome struct {
	Kind     string
	Backends []backend
	Mirrors  []backend
	Code     int
	Headers  []pair
	Location string
	Reason   string
	Request  struct {
		Path, Host string
		Headers    []pair
	}
	ResponseHeaders headerChanges
	Timeouts        []pair
	Reached         []struct{ Object string }
	NotEvaluated    []string
}

type pair struct{ Name, Value string }

type backend struct {
	Kind, Namespace, Service string
	Port                     int
	Share                    float64
	Code                     int
	Answers                  bool
	RequestHeaders           headerChanges
	ResponseHeaders          headerChanges
}

// headerChanges are changes to headers.
type headerChanges struct {
	Set, Add []pair
	Remove   []string
}

// apply changes headers.
func (c headerChanges) apply(headers http.Header) {
	for _, header := range c.Set {
		headers.Set(header.Name, header.Value)
	}
	for _, header := range c.Add {
		headers.Add(header.Name, header.Value)
	}
	for _, name := range c.Remove {
		headers.Del(name)
	}
}

// explainer runs `portcullis explain`. The suite repeats each request, so an answer is used again for a moment.
type explainer struct {
	kubeconfig string
	slots      chan struct{}
	mutex      sync.Mutex
	answers    map[string]*cachedAnswer
}

type cachedAnswer struct {
	once    sync.Once
	expires time.Time
	outcome *outcome
	err     error
}

// outcome is what a client of the data plane gets for the request that the arguments describe.
func (e *explainer) outcome(arguments ...string) (*outcome, error) {
	key := strings.Join(arguments, "\n")
	e.mutex.Lock()
	answer := e.answers[key]
	if answer == nil || !answer.expires.IsZero() && time.Now().After(answer.expires) {
		answer = &cachedAnswer{}
		e.answers[key] = answer
	}
	e.mutex.Unlock()
	answer.once.Do(func() {
		found, err := e.run(arguments)
		e.mutex.Lock()
		defer e.mutex.Unlock()
		answer.outcome, answer.err, answer.expires = found, err, time.Now().Add(time.Second)
	})
	return answer.outcome, answer.err
}

func (e *explainer) run(arguments []string) (*outcome, error) {
	e.slots <- struct{}{}
	defer func() { <-e.slots }()
	arguments = append([]string{"explain", "--kubeconfig", e.kubeconfig, "--config", *config, "--output", "json"}, arguments...)
	output, err := exec.Command(*program, arguments...).Output()
	// The exit code is 1 if nothing answers.
	var failed *exec.ExitError
	if err != nil && !(errors.As(err, &failed) && failed.ExitCode() == 1) {
		return nil, fmt.Errorf("portcullis explain: %w", withStderr(err))
	}
	var answer struct{ Outcome outcome }
	if err := json.Unmarshal(output, &answer); err != nil {
		return nil, fmt.Errorf("portcullis explain: %w", err)
	}
	found := &answer.Outcome
	if found.Kind == "unknown" {
		return nil, fmt.Errorf("portcullis explain: the outcome is not known: %s", found.Reason)
	}
	// A certificate of the client belongs to the handshake, which these requests do not have.
	unknown := slices.DeleteFunc(found.NotEvaluated, func(what string) bool {
		return strings.HasPrefix(what, "spec.tls.frontend of ")
	})
	if len(unknown) > 0 {
		return nil, fmt.Errorf("portcullis explain does not evaluate %s", strings.Join(unknown, ", "))
	}
	return found, nil
}

// choose draws a backend by the shares. It is nil if no backend has a share.
func (o *outcome) choose() *backend {
	at := rand.Float64()
	for index := range o.Backends {
		if at -= o.Backends[index].Share; at < 0 {
			return &o.Backends[index]
		}
	}
	return nil
}

// timeout is how long a backend may take for a request; 0 means any time.
func (o *outcome) timeout() time.Duration {
	var shortest time.Duration
	for _, timeout := range o.Timeouts {
		value, err := time.ParseDuration(timeout.Value)
		if err == nil && value > 0 && (shortest == 0 || value < shortest) {
			shortest = value
		}
	}
	return shortest
}
