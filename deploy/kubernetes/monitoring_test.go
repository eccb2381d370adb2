package kubernetes

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	corev1 "k8s.io/api/core/v1"
)

var update = flag.Bool("update", false, "write prometheusrule.yaml")

// The operator's rules are those of Prometheus itself.
func TestMonitoring_Rules(t *testing.T) {
	const file = "monitoring/prometheusrule.yaml"
	have := read(t, file)
	head, _, found := strings.Cut(have, "  groups:\n")
	_, groups, foundAlerts := strings.Cut(read(t, "../prometheus/alerts.yaml"), "\ngroups:\n")
	if !found || !foundAlerts {
		t.Fatal("no groups")
	}
	want := head + "  groups:\n  " + strings.ReplaceAll(strings.TrimSpace(groups), "\n", "\n  ") + "\n"
	want = strings.Replace(want, "  - name: zhbot\n", "    - name: zhbot\n", 1)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if have != want {
		t.Error(file + " differs from the alerts: go test ./deploy/kubernetes -update")
	}
	rules := only[*monitoringv1.PrometheusRule](t, build(t, "monitoring")).Spec.Groups
	if len(rules) != 1 || len(rules[0].Rules) != strings.Count(groups, "- alert:") {
		t.Errorf("%d groups", len(rules))
	}
}

// The monitor selects the bot's Service, by a port that it has, as the job that the alerts
// name, with keys of the secret that the documents have the operator create.
func TestMonitoring_Service(t *testing.T) {
	monitor := only[*monitoringv1.ServiceMonitor](t, build(t, "monitoring"))
	service := only[*corev1.Service](t, build(t, "bot"))
	for label, value := range monitor.Spec.Selector.MatchLabels {
		if service.Labels[label] != value {
			t.Errorf("the Service's label %s is %q, the monitor selects %q", label, service.Labels[label], value)
		}
	}
	if monitor.Namespace != service.Namespace || service.Labels[monitor.Spec.JobLabel] != "zhbot" {
		t.Errorf("namespaces %s and %s, job %q",
			monitor.Namespace, service.Namespace, service.Labels[monitor.Spec.JobLabel])
	}
	endpoint := monitor.Spec.Endpoints[0]
	if !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == endpoint.Port }) {
		t.Errorf("the Service has no port %q", endpoint.Port)
	}
	page := read(t, "../../docs/kubernetes.md")
	for _, key := range []corev1.SecretKeySelector{endpoint.BasicAuth.Username, endpoint.BasicAuth.Password} {
		if key.Name != "zhbot" || !strings.Contains(page, "--from-literal="+key.Key+"=") {
			t.Errorf("no command creates the key %s of the secret %s", key.Key, key.Name)
		}
	}
}
