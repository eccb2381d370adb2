module github.com/zhbot/zhbot

go 1.26
