package kubernetes

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// bot is the bot's manifests, and the settings in them.
type bot struct {
	objects   []runtime.Object
	set       *appsv1.StatefulSet
	pod       corev1.PodSpec
	container corev1.Container
	text      string // of the settings
	settings  settings
}

// settings are those of the bot that the manifests depend on. TestBot_Runs has the program
// check them all.
type settings struct {
	Lichess struct {
		Token        string `json:"token"`
		TokenFile    string `json:"token_file"`
		RetryRefused string `json:"retry_refused"`
	} `json:"lichess"`
	Games struct {
		DrainTimeout string `json:"drain_timeout"`
	} `json:"games"`
	Engine struct {
		Threads int64 `json:"threads"`
		HashMB  int64 `json:"hash_mb"`
	} `json:"engine"`
	Records struct {
		Dir string `json:"dir"`
	} `json:"records"`
	Web struct {
		Listen   string   `json:"listen"`
		Hosts    []string `json:"hosts"`
		Password string   `json:"password"`
	} `json:"web"`
}

func loadBot(t *testing.T) bot {
	t.Helper()
	b := bot{objects: build(t, "bot")}
	b.set = only[*appsv1.StatefulSet](t, b.objects)
	b.pod = b.set.Spec.Template.Spec
	if len(b.pod.Containers) != 1 {
		t.Fatalf("%d containers, want 1", len(b.pod.Containers))
	}
	b.container = b.pod.Containers[0]
	dir, name := filepath.Split(b.arg(t, "--config"))
	if v := b.volumeAt(t, dir); v.ConfigMap == nil || v.ConfigMap.Name != only[*corev1.ConfigMap](t, b.objects).Name {
		t.Fatalf("no ConfigMap at %s: %+v", dir, v)
	}
	b.text = only[*corev1.ConfigMap](t, b.objects).Data[name]
	if err := yaml.Unmarshal([]byte(b.text), &b.settings); err != nil {
		t.Fatal(err)
	}
	return b
}

// arg returns the argument after a flag.
func (b *bot) arg(t *testing.T, flag string) string {
	t.Helper()
	i := slices.Index(b.container.Args, flag)
	if i < 0 || i == len(b.container.Args)-1 {
		t.Fatalf("no %s in %q", flag, b.container.Args)
	}
	return b.container.Args[i+1]
}

// volumeAt returns the volume that is mounted at a folder; one of a claim template has only
// its name.
func (b *bot) volumeAt(t *testing.T, dir string) corev1.Volume {
	t.Helper()
	for _, m := range b.container.VolumeMounts {
		if filepath.Clean(m.MountPath) != filepath.Clean(dir) {
			continue
		}
		for _, v := range b.pod.Volumes {
			if v.Name == m.Name {
				return v
			}
		}
		return corev1.Volume{Name: m.Name}
	}
	t.Fatalf("nothing is mounted at %s", dir)
	return corev1.Volume{}
}

// check fails unless a part of the manifests, as JSON with sorted keys, has each of some texts.
func check(t *testing.T, what string, part any, texts ...string) {
	t.Helper()
	var sorted any
	text, err := json.Marshal(part)
	if err == nil {
		err = json.Unmarshal(text, &sorted)
	}
	if err == nil {
		text, err = json.Marshal(sorted)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range texts {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s: no %s in %s", what, want, text)
		}
	}
}

// read returns the text of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// One account is one process, which has the time to drain, and whose records outlive it.
func TestBot_OneProcess(t *testing.T) {
	b := loadBot(t)
	check(t, "StatefulSet", b.set.Spec, `"replicas":1,`, `"serviceName":"zhbot",`, `"shareProcessNamespace":true,`)
	grace := time.Duration(*b.pod.TerminationGracePeriodSeconds) * time.Second
	drain, err := time.ParseDuration(b.settings.Games.DrainTimeout)
	if err != nil || drain <= 0 || grace < drain+time.Minute {
		t.Errorf("the pod has %s to end, but draining may take %q", grace, b.settings.Games.DrainTimeout)
	}
	if retry, err := time.ParseDuration(b.settings.Lichess.RetryRefused); err != nil || retry < time.Minute {
		t.Errorf("a refused token would be asked for with each restart: retry_refused %q",
			b.settings.Lichess.RetryRefused)
	}
	records := b.volumeAt(t, filepath.Join("/data", b.settings.Records.Dir)).Name
	if claims := b.set.Spec.VolumeClaimTemplates; len(claims) != 1 || claims[0].Name != records {
		t.Errorf("the records are in the volume %s, which is no claim", records)
	}
	if image := b.container.Image; !strings.HasPrefix(image, "ghcr.io/zhbot/zhbot:") {
		t.Errorf("image %s", image)
	}
}

// The token is a file of the secret, only for its owner, where the settings look for it, and
// nowhere else.
func TestBot_Token(t *testing.T) {
	b := loadBot(t)
	dir, name := filepath.Split(b.settings.Lichess.TokenFile)
	check(t, "volume of the token", b.volumeAt(t, dir).Secret,
		fmt.Sprintf(`{"defaultMode":256,"items":[{"key":"token","path":%q}],"secretName":"zhbot"}`, name))
	check(t, "environment", b.container.Env,
		`[{"name":"ZHBOT_WEB_PASSWORD","valueFrom":{"secretKeyRef":{"key":"web-password","name":"zhbot"}}}]`)
	if b.settings.Lichess.Token != "" || b.settings.Web.Password != "" {
		t.Error("the settings have a secret")
	}
	text := read(t, "../../docs/kubernetes.md")
	for _, want := range []string{"secret generic zhbot ", "--from-file=token ", "--from-literal=web-password="} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/kubernetes.md does not say %q", want)
		}
	}
}

// Probes, Service and network policy mean the port at which the page listens. The bot reaches
// DNS, and HTTPS on the Internet but not in the cluster.
func TestBot_Network(t *testing.T) {
	b := loadBot(t)
	if b.settings.Web.Listen != ":8080" {
		t.Errorf("web.listen %q", b.settings.Web.Listen)
	}
	check(t, "container", b.container, `"ports":[{"containerPort":8080,"name":"http"}]`,
		`"livenessProbe":{"failureThreshold":3,"httpGet":{"path":"/healthz","port":"http"},`,
		`"readinessProbe":{"failureThreshold":3,"httpGet":{"path":"/readyz","port":"http"},`,
		`"startupProbe":{"failureThreshold":60,"httpGet":{"path":"/healthz","port":"http"},`)
	service := only[*corev1.Service](t, b.objects)
	check(t, "Service", service.Spec, `"ports":[{"name":"http","port":8080,"targetPort":"http"}]`,
		`"publishNotReadyAddresses":true`)
	check(t, "web.hosts", b.settings.Web.Hosts, `"zhbot"`, `"zhbot.zhbot"`, `"zhbot.zhbot.svc"`)
	if service.Name != "zhbot" || service.Namespace != "zhbot" {
		t.Errorf("Service %s.%s", service.Name, service.Namespace)
	}
	policy := only[*networkingv1.NetworkPolicy](t, b.objects).Spec
	check(t, "NetworkPolicy", policy, `"policyTypes":["Ingress","Egress"]`,
		`"ingress":[{"from":[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"monitoring"}}}],`+
			`"ports":[{"port":"http","protocol":"TCP"}]}]`,
		`"egress":[{"ports":[{"port":53,"protocol":"UDP"},{"port":53,"protocol":"TCP"}],"to":[{"namespaceSelector":`,
		`{"ports":[{"port":443,"protocol":"TCP"}],"to":[{"ipBlock":{"cidr":"0.0.0.0/0","except":["10.0.0.0/8",`+
			`"100.64.0.0/10","169.254.0.0/16","172.16.0.0/12","192.168.0.0/16"]}},`+
			`{"ipBlock":{"cidr":"::/0","except":["fc00::/7","fe80::/10"]}}]}],`)
	if len(policy.Egress) != 2 {
		t.Errorf("%d rules of egress", len(policy.Egress))
	}
}

// The selectors find the pod.
func TestBot_Selectors(t *testing.T) {
	b := loadBot(t)
	own := labels.Set(b.set.Spec.Template.Labels)
	policy := only[*networkingv1.NetworkPolicy](t, b.objects)
	for kind, selector := range map[string]*metav1.LabelSelector{
		"StatefulSet": b.set.Spec.Selector, "NetworkPolicy": &policy.Spec.PodSelector,
		"Service": {MatchLabels: only[*corev1.Service](t, b.objects).Spec.Selector},
	} {
		if s, err := metav1.LabelSelectorAsSelector(selector); err != nil || s.Empty() || !s.Matches(own) {
			t.Errorf("the selector of the %s, %v, does not find the pod: %v", kind, s, err)
		}
	}
}

// The search has the processors and the memory that the container has, with what the
// program wants beside its table.
func TestBot_Resources(t *testing.T) {
	b := loadBot(t)
	engine, r := b.settings.Engine, b.container.Resources
	if cpus := r.Requests.Cpu().Value(); engine.Threads != cpus {
		t.Errorf("%d search threads, %d processors", engine.Threads, cpus)
	}
	memory := r.Limits.Memory().Value() >> 20
	if engine.HashMB < 64 || engine.HashMB+64+4*engine.Threads > memory ||
		!r.Requests.Memory().Equal(*r.Limits.Memory()) {
		t.Errorf("a table of %d MiB in %d MiB", engine.HashMB, memory)
	}
}
