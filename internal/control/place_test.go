package control

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/config"
)

func TestPlaceOf(t *testing.T) {
	skipWithoutSockets(t, config.CtlAuto)
	runtimeDir := t.TempDir()
	long := filepath.Join(t.TempDir(), strings.Repeat("long/", 30)) + "/"
	for _, tt := range []struct {
		name            string
		xdg, records    string
		listen, want    string // want is a part of the place, or of the error
		private, failed bool
	}{
		{name: "beside the records", records: "/var/lib/zhbot/records", want: "/var/lib/zhbot/records/ctl.sock"},
		{name: "a long path", xdg: runtimeDir, records: long, want: runtimeDir + "/zhbot/", private: true},
		{name: "no records", xdg: runtimeDir, want: runtimeDir + "/zhbot/", private: true},
		{name: "no runtime directory", want: filepath.Join(os.TempDir(), "zhbot-"), private: true},
		{name: "a relative runtime directory", xdg: "run", want: filepath.Join(os.TempDir(), "zhbot-"), private: true},
		{name: "a path", listen: "/run/zhbot/ctl.sock", want: "/run/zhbot/ctl.sock"},
		{name: "a path that is too long", listen: long + "ctl.sock", want: "is too long for a socket", failed: true},
		{
			name: "a name that is too long", listen: "/run/zhbot/" + strings.Repeat("x", 93),
			want: "is too long for a socket", failed: true,
		},
		{name: "a port", records: long, listen: "127.0.0.1:0", want: long + "ctl.secret"},
		{name: "a port, no records", xdg: runtimeDir, listen: "[::1]:0", want: runtimeDir + "/zhbot/", private: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("XDG_RUNTIME_DIR", tt.xdg)
			c := config.Default()
			c.Records.Dir = tt.records
			if tt.listen != "" {
				c.Ctl.Listen = tt.listen
			}
			place, err := PlaceOf(&c)
			got := place.String()
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, tt.want) || (err != nil) != tt.failed || (place.private != "") != tt.private ||
				place.address == "" && len(place.path) > maxSocket {
				t.Errorf("%s, private %q", got, place.private)
			}
			other := c
			other.Web.Listen, other.Records.Dir = "127.0.0.1:8081", other.Records.Dir+"x"
			another, err := PlaceOf(&other)
			if err == nil && c.Ctl.Listen != "/run/zhbot/ctl.sock" && another == place {
				t.Errorf("another bot has the same place %s", another)
			}
		})
	}
}
