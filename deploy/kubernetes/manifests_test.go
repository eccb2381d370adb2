// Package kubernetes tests the manifests in this folder: it decodes them strictly with
// Kubernetes's own types, compares what one says with what others say, and runs their
// commands. It is a module of its own, so that the program depends on none of this.
package kubernetes

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
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
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, networkingv1.AddToScheme, monitoringv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	object, _, err := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer().Decode(text, nil, nil)
	return object, err
}

// decodeFile decodes the documents of a file.
func decodeFile(t *testing.T, file string) (objects []runtime.Object) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
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
		kustomization, err := os.ReadFile(filepath.Join(dir, "kustomization.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil || len(files) < 4 {
			t.Fatalf("files %v, %v", files, err)
		}
		for _, file := range files {
			name := filepath.Base(file)
			switch listed := strings.Contains(string(kustomization), "  - "+name+"\n"); {
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
	text, err := os.ReadFile("bot/statefulset.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for old, wrong := range map[string]string{
		"replicas: 1":     "replica: 1",
		"replicas: 1\n":   "replicas: 1\n  replicas: 2\n",
		"- name: records": "- name: records\n              readonly: true",
		"cpu: \"2\"":      "cpu: two",
		"apps/v1":         "apps/v2",
	} {
		bad := bytes.Replace(text, []byte(old), []byte(wrong), 1)
		if _, err := decode(bad); bytes.Equal(bad, text) || err == nil {
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
	is := func(b *bool, want bool) bool { return b != nil && *b == want }
	for name, pod := range pods(t) {
		p, s := pod.Spec, pod.Spec.SecurityContext
		if !is(p.AutomountServiceAccountToken, false) || s == nil || !is(s.RunAsNonRoot, true) || s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			t.Errorf("%s: %+v", name, s)
		}
		if *s.RunAsUser != 65532 || *s.FSGroup != 65532 {
			t.Errorf("%s: user %d, group of the files %d, want those of the image", name, *s.RunAsUser, *s.FSGroup)
		}
		for _, c := range p.Containers {
			s := c.SecurityContext
			if !is(s.AllowPrivilegeEscalation, false) || !is(s.ReadOnlyRootFilesystem, true) || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
				t.Errorf("%s: %+v", name, s)
			}
			if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() || !c.Resources.Limits.Cpu().IsZero() {
				t.Errorf("%s: resources %+v, want processors requested and only memory limited", name, c.Resources)
			}
			if c.Name == "zhbot" && !is(p.EnableServiceLinks, false) {
				t.Errorf("%s: variables of Services look like settings", name)
			}
		}
	}
}

// The image's user is the one that the pods run as.
func TestPods_UserOfTheImage(t *testing.T) {
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("USER 65532:65532\n")) || !bytes.Contains(text, []byte(`ENTRYPOINT ["zhbot"]`)) {
		t.Error("the Dockerfile has another user or entry point")
	}
}
