package kubernetes

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
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

// One account is one process, which has the time to drain, and whose records outlive it.
func TestBot_OneProcess(t *testing.T) {
	b := loadBot(t)
	if *b.set.Spec.Replicas != 1 || b.set.Spec.ServiceName != only[*corev1.Service](t, b.objects).Name {
		t.Errorf("replicas %d, Service %s", *b.set.Spec.Replicas, b.set.Spec.ServiceName)
	}
	grace := time.Duration(*b.pod.TerminationGracePeriodSeconds) * time.Second
	if drain, err := time.ParseDuration(b.settings.Games.DrainTimeout); err != nil || drain <= 0 || grace < drain+time.Minute {
		t.Errorf("the pod has %s to end, but draining may take %q", grace, b.settings.Games.DrainTimeout)
	}
	if retry, err := time.ParseDuration(b.settings.Lichess.RetryRefused); err != nil || retry < time.Minute {
		t.Errorf("a refused token would be asked for with each restart: retry_refused %q", b.settings.Lichess.RetryRefused)
	}
	if shared := b.pod.ShareProcessNamespace; shared == nil || !*shared {
		t.Error("nothing reaps what engine programs leave")
	}
	records := b.volumeAt(t, filepath.Join("/data", b.settings.Records.Dir)).Name
	if claims := b.set.Spec.VolumeClaimTemplates; len(claims) != 1 || claims[0].Name != records {
		t.Errorf("the records are in the volume %s, which is no claim", records)
	}
	if image := b.container.Image; !strings.HasPrefix(image, "ghcr.io/zhbot/zhbot:") {
		t.Errorf("image %s", image)
	}
}

// The token is a file of the secret, where the settings look for it, and nowhere else.
func TestBot_Token(t *testing.T) {
	b := loadBot(t)
	dir, name := filepath.Split(b.settings.Lichess.TokenFile)
	secret := b.volumeAt(t, dir).Secret
	if secret == nil || len(secret.Items) != 1 || secret.Items[0].Path != name || *secret.DefaultMode != 0o400 {
		t.Fatalf("no secret at %s, only for its owner: %+v", dir, secret)
	}
	for _, e := range b.container.Env {
		ref := e.ValueFrom.SecretKeyRef
		if e.Name != "ZHBOT_WEB_PASSWORD" || e.Value != "" || ref == nil || ref.Name != secret.SecretName || ref.Key == secret.Items[0].Key {
			t.Errorf("variable %+v", e)
		}
	}
	if b.settings.Lichess.Token != "" || b.settings.Web.Password != "" {
		t.Error("the settings have a secret")
	}
	text, err := os.ReadFile("../../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"secret generic " + secret.SecretName + " ", "--from-file=" + secret.Items[0].Key + " ", "--from-literal=web-password="} {
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/kubernetes.md does not say %q", want)
		}
	}
}

// Probes, Service and network policy mean the port at which the page listens.
func TestBot_Port(t *testing.T) {
	b := loadBot(t)
	if len(b.container.Ports) != 1 {
		t.Fatalf("ports %+v", b.container.Ports)
	}
	port := b.container.Ports[0]
	host, number, err := net.SplitHostPort(b.settings.Web.Listen)
	if err != nil || host != "" || number != strconv.Itoa(int(port.ContainerPort)) {
		t.Errorf("web.listen %q, the container's port is %d", b.settings.Web.Listen, port.ContainerPort)
	}
	isPort := func(p *intstr.IntOrString) bool { return p != nil && *p == intstr.FromString(port.Name) }
	for path, probes := range map[string][]*corev1.Probe{
		"/healthz": {b.container.StartupProbe, b.container.LivenessProbe}, "/readyz": {b.container.ReadinessProbe},
	} {
		for _, p := range probes {
			if p.HTTPGet.Path != path || !isPort(&p.HTTPGet.Port) || p.HTTPGet.Host != "" {
				t.Errorf("a probe asks %+v, want %s", p.HTTPGet, path)
			}
		}
	}
	service := only[*corev1.Service](t, b.objects)
	if len(service.Spec.Ports) != 1 || !isPort(&service.Spec.Ports[0].TargetPort) || service.Spec.Ports[0].Port != port.ContainerPort || !service.Spec.PublishNotReadyAddresses {
		t.Errorf("Service %+v", service.Spec)
	}
	for _, host := range []string{service.Name, service.Name + "." + service.Namespace, service.Name + "." + service.Namespace + ".svc"} {
		if !slices.Contains(b.settings.Web.Hosts, host) {
			t.Errorf("web.hosts %v lacks %s", b.settings.Web.Hosts, host)
		}
	}
	policy := only[*networkingv1.NetworkPolicy](t, b.objects).Spec
	for _, rule := range policy.Ingress {
		if len(rule.From) == 0 || len(rule.Ports) != 1 || !isPort(rule.Ports[0].Port) {
			t.Errorf("ingress %+v", rule)
		}
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

// The bot reaches DNS, and HTTPS on the Internet.
func TestBot_Egress(t *testing.T) {
	policy := only[*networkingv1.NetworkPolicy](t, loadBot(t).objects).Spec
	if !slices.Equal(policy.PolicyTypes, []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}) {
		t.Errorf("policy types %v", policy.PolicyTypes)
	}
	var found []string
	for _, rule := range policy.Egress {
		for _, p := range rule.Ports {
			found = append(found, string(*p.Protocol)+" "+p.Port.String())
			if p.Port.IntValue() != 443 {
				continue
			}
			for _, to := range rule.To {
				if to.IPBlock == nil || len(to.IPBlock.Except) == 0 {
					t.Errorf("port 443 of %+v, which may be in the cluster", to)
				}
			}
		}
		if len(rule.To) == 0 {
			t.Errorf("%v of every address", rule.Ports)
		}
	}
	if want := []string{"UDP 53", "TCP 53", "TCP 443"}; !slices.Equal(found, want) {
		t.Errorf("ports %v, want %v", found, want)
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
	if memory := r.Limits.Memory().Value() >> 20; engine.HashMB < 64 || engine.HashMB+64+4*engine.Threads > memory || r.Requests.Memory().Cmp(*r.Limits.Memory()) != 0 {
		t.Errorf("a table of %d MiB in %d MiB", engine.HashMB, memory)
	}
}
