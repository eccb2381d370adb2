package web

import "testing"

func TestLocalURL(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", ":8080": "http://127.0.0.1:8080", "0.0.0.0:8080": "http://127.0.0.1:8080",
		"[::]:8080": "http://127.0.0.1:8080", "[::1]:8080": "http://[::1]:8080", "Bot.lan:80": "http://bot.lan:80",
	} {
		if got := LocalURL(address); got != want {
			t.Errorf("%s is asked at %s, want %s", address, got, want)
		}
	}
}
