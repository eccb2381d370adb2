package app

import (
	"testing"

	"github.com/zhbot/zhbot/config"
)

func TestNewPage_None(t *testing.T) {
	c := config.Default()
	c.Web.Listen = ""
	if page, err := new(App).newPage(&c); err != nil || page != nil {
		t.Errorf("page %v, %v", page, err)
	}
}
