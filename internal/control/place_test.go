package control

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/config"
)

func TestPlaceOf(t *testing.T) {
	skipWithoutSockets(t, config.CtlAuto)
	const records = "/var/lib/zhbot/records"
	long := "/" + strings.Repeat("long/", 30)
	for _, tt := range []struct{ records, listen, want string }{ // a place, or a part of the error
		{records, config.CtlAuto, records + "/ctl.sock"},
		{records, "/run/zhbot/ctl.sock", "/run/zhbot/ctl.sock"},
		{"", "/run/zhbot/ctl.sock", "/run/zhbot/ctl.sock"},
		{records, "127.0.0.1:0", records + "/ctl.secret"},
		{long, "127.0.0.1:0", long + "ctl.secret"},
		{long, config.CtlAuto, "ctl.sock is too long for a socket"},
		{records, long + "ctl.sock", "is too long for a socket"},
		{records, "/run/zhbot/" + strings.Repeat("x", 93), "is too long for a socket"},
		{"", config.CtlAuto, "ctl.listen: there is no folder of records for it"},
		{"", "[::1]:0", "there is no folder of records for it"},
	} {
		c := config.Default()
		c.Records.Dir, c.Ctl.Listen = tt.records, tt.listen
		place, err := PlaceOf(&c)
		if failed := !filepath.IsAbs(tt.want); (err != nil) != failed ||
			failed && !strings.Contains(err.Error(), tt.want) || !failed && place.String() != tt.want {
			t.Errorf("%+v: %s, %v", tt, place, err)
		}
	}
}
