package app

import (
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
)

func TestNewPage_None(t *testing.T) {
	c := config.Default()
	c.Web.Listen = ""
	if page, err := newPage(&c, nil, zerolog.Nop()); err != nil || page != nil {
		t.Errorf("page %v, %v", page, err)
	}
}
