package app

import (
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
)

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

func TestNewPage_None(t *testing.T) {
	c := config.Default()
	c.Web.Listen = ""
	if page, err := newPage(&c, nil, zerolog.Nop()); err != nil || page != nil {
		t.Errorf("page %v, %v", page, err)
	}
}
