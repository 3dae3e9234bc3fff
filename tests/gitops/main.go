// Compares the manifests in a file with the objects of a cluster as Argo CD does, prints those that differ, and ends with 1 if any does.
//
//	gitops MANIFESTS.yaml LIVE.yaml
//
// LIVE.yaml has the same objects as the cluster has them, such as `kubectl get -f MANIFESTS.yaml -o yaml` prints them.
package main

import (
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func main() {
	desired, live := read(os.Args[1]), read(os.Args[2])
	differs := false
	for key, object := range desired {
		result, err := diff.Diff(object, live[key])
		check(err)
		if result.Modified {
			differs = true
			fmt.Printf("%s differs\n  live:    %s\n  desired: %s\n", key, result.NormalizedLive, result.PredictedLive)
		}
	}
	fmt.Printf("%d objects compared\n", len(desired))
	if differs {
		os.Exit(1)
	}
}

// read returns the objects of a file by kind, namespace and name.
func read(file string) map[string]*unstructured.Unstructured {
	text, err := os.ReadFile(file)
	check(err)
	documents, err := kube.SplitYAML(text)
	check(err)
	objects := map[string]*unstructured.Unstructured{}
	for _, document := range documents {
		if !document.IsList() {
			objects[key(document)] = document
			continue
		}
		check(document.EachListItem(func(item runtime.Object) error {
			object := item.(*unstructured.Unstructured)
			objects[key(object)] = object
			return nil
		}))
	}
	return objects
}

func key(object *unstructured.Unstructured) string {
	return object.GetKind() + "/" + object.GetNamespace() + "/" + object.GetName()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
