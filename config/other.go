package config

import "go.yaml.in/yaml/v3"

// Other programs, whose settings "zhbot config import" converts.
const (
	LichessBot = "lichess-bot"
	BotLi      = "BotLi"
)

// ProgramOf returns the other program that has settings like these, "" for none.
func ProgramOf(root *yaml.Node) string {
	has := func(name string) bool { return IndexOf(root, name) >= 0 }
	switch {
	case root == nil || root.Kind != yaml.MappingNode || !has("challenge"): // ours is challenges
	case has("engines"):
		return BotLi
	case has("engine") && (has("token") || has("url")):
		return LichessBot
	}
	return ""
}
