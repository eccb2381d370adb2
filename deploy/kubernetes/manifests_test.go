// Package kubernetes tests the manifests in this folder: it decodes them strictly with
// Kubernetes's own types, compares what one says with what others say, and runs their
// commands. It is a module of its own, so that the program depends on none of this.
package kubernetes

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// decode decodes a document. Unknown and duplicate fields are errors.
func decode(text []byte) (runtime.Object, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(corev1.AddToScheme(scheme), appsv1.AddToScheme(scheme), batchv1.AddToScheme(scheme),
		networkingv1.AddToScheme(scheme), monitoringv1.AddToScheme(scheme))
	if err != nil {
		return nil, err
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	object, _, err := decoder.Decode(text, nil, nil)
	return object, err
}

// decodeFile decodes the documents of a file.
func decodeFile(t *testing.T, file string) (objects []runtime.Object) {
	t.Helper()
	for documents := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(read(t, file)))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		object, err := decode(document)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		objects = append(objects, object)
	}
}

// build returns what "kubectl apply -k" applies.
func build(t *testing.T, dir string) (objects []runtime.Object) {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resources.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		object, err := decode(text)
		if err != nil {
			t.Fatalf("%s: %v", r.CurId(), err)
		}
		objects = append(objects, object)
	}
	return objects
}

// only returns the one object of a kind.
func only[T runtime.Object](t *testing.T, objects []runtime.Object) (found T) {
	t.Helper()
	n := 0
	for _, o := range objects {
		if o, ok := o.(T); ok {
			found = o
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%d objects of type %T, want 1", n, found)
	}
	return found
}

// jobs returns the jobs of the lab by name.
func jobs(t *testing.T) map[string]*batchv1.Job {
	t.Helper()
	files, err := filepath.Glob("lab/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*batchv1.Job{}
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		for _, o := range decodeFile(t, file) {
			if job, ok := o.(*batchv1.Job); ok {
				found[job.Name] = job
			}
		}
	}
	if len(found) < 3 {
		t.Fatalf("only %d jobs", len(found))
	}
	return found
}

// Every file decodes alone, too, and those that are not in a kustomization say themselves
// where they belong.
func TestManifests_Decode(t *testing.T) {
	for dir, namespace := range map[string]string{"bot": "zhbot", "lab": "zhbot-lab"} {
		if len(build(t, dir)) < 3 {
			t.Errorf("%s has too few objects", dir)
		}
		kustomization := read(t, filepath.Join(dir, "kustomization.yaml"))
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil || len(files) < 4 {
			t.Fatalf("files %v, %v", files, err)
		}
		for _, file := range files {
			name := filepath.Base(file)
			switch listed := strings.Contains(kustomization, "  - "+name+"\n"); {
			case name == "kustomization.yaml", name == "settings.yaml":
			case listed:
				decodeFile(t, file)
			default:
				for _, o := range decodeFile(t, file) {
					if o, ok := o.(interface{ GetNamespace() string }); !ok || o.GetNamespace() != namespace {
						t.Errorf("%s is in no kustomization and not in the namespace %s", file, namespace)
					}
				}
			}
		}
	}
}

// A misspelt, duplicate or misplaced field does not pass.
func TestDecode_IsStrict(t *testing.T) {
	text := read(t, "bot/statefulset.yaml")
	for old, wrong := range map[string]string{
		"replicas: 1":     "replica: 1",
		"replicas: 1\n":   "replicas: 1\n  replicas: 2\n",
		"- name: records": "- name: records\n              readonly: true",
		"cpu: \"2\"":      "cpu: two",
		"apps/v1":         "apps/v2",
	} {
		bad := strings.Replace(text, old, wrong, 1)
		if _, err := decode([]byte(bad)); bad == text || err == nil {
			t.Errorf("%q instead of %q is decoded", wrong, old)
		}
	}
}

// pods returns the pods of all manifests by name.
func pods(t *testing.T) map[string]corev1.PodTemplateSpec {
	t.Helper()
	found := map[string]corev1.PodTemplateSpec{
		"bot": only[*appsv1.StatefulSet](t, build(t, "bot")).Spec.Template,
	}
	for name, job := range jobs(t) {
		found[name] = job.Spec.Template
	}
	collect := only[*corev1.Pod](t, decodeFile(t, "lab/collect.yaml"))
	found["collect"] = corev1.PodTemplateSpec{ObjectMeta: collect.ObjectMeta, Spec: collect.Spec}
	return found
}

// Every pod has the rights that the namespaces' standard "restricted" allows, and fewer:
// no token of Kubernetes, no writable root file system. Its memory is bounded, and no
// variable of a Service looks like a setting.
func TestPods_Restricted(t *testing.T) {
	for name, pod := range pods(t) {
		check(t, name, pod.Spec, `"automountServiceAccountToken":false,`,
			`"securityContext":{"fsGroup":65532,"fsGroupChangePolicy":"OnRootMismatch","runAsGroup":65532,`+
				`"runAsNonRoot":true,"runAsUser":65532,"seccompProfile":{"type":"RuntimeDefault"}}`)
		for _, c := range pod.Spec.Containers {
			check(t, name, c.SecurityContext,
				`{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]},"readOnlyRootFilesystem":true}`)
			r := c.Resources
			if r.Limits.Memory().IsZero() || r.Requests.Cpu().IsZero() || !r.Limits.Cpu().IsZero() {
				t.Errorf("%s: resources %+v, want processors requested and only memory limited", name, r)
			}
			if c.Name == "zhbot" {
				check(t, name, pod.Spec, `"enableServiceLinks":false,`)
			}
		}
	}
}

// The image's user is the one that the pods run as.
func TestPods_UserOfTheImage(t *testing.T) {
	text := read(t, "../../Dockerfile")
	if !strings.Contains(text, "USER 65532:65532\n") || !strings.Contains(text, `ENTRYPOINT ["zhbot"]`) {
		t.Error("the Dockerfile has another user or entry point")
	}
}
