package setup

import (
	"cmp"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// Notes of both programs.
const (
	noteToken      = "not copied: put it into a file that lichess.token_file names, or into ZHBOT_LICHESS_TOKEN; \"zhbot setup\" asks for it"
	noteVariant    = "only crazyhouse is played"
	noteBooks      = "only the books for crazyhouse are read (engine.book); book moves are picked by weight, without those that lost"
	noteOnline     = "not for crazyhouse"
	noteExplorer   = "explorer.enabled does this, with a token of its own (ZHBOT_EXPLORER_TOKEN)"
	noteTablebases = "there are none for crazyhouse"
	noteScores     = "not adjustable: zhbot resigns and offers draws when several of its searches agree"
	noteOverhead   = "not copied: zhbot measures what moves lose on their way; engine.move_overhead is the least that it reserves"
	noteStderr     = "what the program writes there is logged at log.level debug"
	noteSpectators = "spectators get the same text as the opponent"
	noteIncrement  = "challenges.*.increment.min is for all speeds; challenges.*.clocks lists the only clocks to accept"
	noteTakebacks  = "granted only to humans in casual games"
	noteProtocol   = "only uci and xboard are spoken: zhbot's own search plays"
)

// anyTime is no limit.
const anyTime = 1000 * time.Hour

func both(key string) string { return "challenges.humans." + key + " challenges.bots." + key }

// fromLichessBot converts config.yml of lichess-bot.
var fromLichessBot = importProgram{finish: finishLichessBot, rules: []importRule{
	{key: "token", note: noteToken},
	{key: "url", to: "lichess.url"},

	{key: "engine.dir"}, {key: "engine.name"}, {key: "engine.interpreter"}, {key: "engine.interpreter_options"}, {key: "engine.engine_options"},
	{key: "engine.protocol", do: readProtocol},
	{key: "engine.debug", note: "log.level: debug does this"},
	{key: "engine.working_dir", note: "not copied: programs run in zhbot's folder; write paths from there"},
	{key: "engine.ponder", to: "engine.ponder", as: asBool},
	{key: "engine.uci_ponder", to: "engine.ponder", as: asBool},
	{key: "engine.silence_stderr", note: noteStderr},
	{key: "engine.polyglot.enabled"}, {key: "engine.polyglot.book", do: walkSection},
	{key: "engine.polyglot.book.crazyhouse", to: "engine.book", as: asList},
	{key: "engine.polyglot.book.*", note: noteBooks},
	{key: "engine.polyglot.*", note: noteBooks},
	{key: "engine.draw_or_resign.resign_enabled", to: "play.resign", as: asBool},
	{key: "engine.draw_or_resign.offer_draw_enabled", to: "play.draw", as: asBool, absent: "false"},
	{key: "engine.draw_or_resign.*", note: noteScores},
	{key: "engine.online_moves.lichess_opening_explorer", note: noteExplorer},
	{key: "engine.online_moves.max_out_of_book_moves"}, {key: "engine.online_moves.max_retries"}, {key: "engine.online_moves.max_depth"},
	{key: "engine.online_moves.*", note: noteOnline},
	{key: "engine.lichess_bot_tbs.*", note: noteTablebases},
	{key: "engine.homemade_options", note: noteProtocol},
	{key: "engine.xboard_options", note: "not copied: add the program's options to engine.options"},
	{key: "engine.uci_options.go_commands", do: walkSection},
	{key: "engine.uci_options.go_commands.nodes", to: "engine.max_nodes", as: asNumber},
	{key: "engine.uci_options.go_commands.movetime", to: "engine.max_time", as: asTime(time.Millisecond, anyTime)},
	{key: "engine.uci_options.go_commands.*", note: "no counterpart; engine.max_nodes and engine.max_time limit a search"},
	{key: "engine.uci_options.Threads"}, {key: "engine.uci_options.Hash"}, {key: "engine.uci_options.UCI_Variant"},
	{key: "engine.uci_options.SyzygyPath", note: noteTablebases},
	{key: "engine.uci_options.*", do: addOption},

	{key: "abort_time", to: "games.abort_after", as: asTime(time.Second, anyTime), absent: "20s"},
	{key: "fake_think_time", note: "no counterpart: zhbot moves when it has decided"},
	{key: "rate_limiting_delay", note: "not needed: zhbot waits as long as Lichess asks, and posts the move again"},
	{key: "move_overhead", note: noteOverhead},
	{key: "max_takebacks_accepted", to: "play.takebacks", as: asNumber, note: noteTakebacks},
	{key: "quit_after_all_games_finish", note: "always so: the first signal waits for the games (games.drain_timeout), the second does not"},
	{key: "correspondence", note: "no counterpart: zhbot stays connected to all games, and engine.max_time limits a search"},

	{key: "challenge.concurrency", to: "games.max", as: asNumber, absent: "1"},
	{key: "challenge.games_reserved_for_humans", to: "games.reserved_for_humans", as: asNumber},
	{key: "challenge.sort_by", to: "challenges.order"},
	{key: "challenge.preference", note: "challenges.order: best accepts humans before bots"},
	{key: "challenge.accept_bot", to: "challenges.bots.enabled", as: asBool, absent: "false"},
	{key: "challenge.only_bot", to: "challenges.humans.enabled", as: asNot},
	{key: "challenge.max_increment", to: both("increment.max"), as: asTime(time.Second, lichess.MaxIncrement), absent: "1m"},
	{key: "challenge.min_increment", to: both("increment.min"), as: asTime(time.Second, anyTime)},
	{key: "challenge.max_base", to: both("initial.max"), as: asTime(time.Second, lichess.MaxInitial)},
	{key: "challenge.min_base", to: both("initial.min"), as: asTime(time.Second, anyTime)},
	{key: "challenge.max_days", to: both("days.max"), as: asDays},
	{key: "challenge.min_days", to: both("days.min"), as: asDays},
	{key: "challenge.variants", do: checkVariants},
	{key: "challenge.time_controls", to: both("speeds"), as: asList},
	{key: "challenge.modes", to: both("modes"), as: asList},
	{key: "challenge.block_list", to: "challenges.block", as: asList},
	{key: "challenge.online_block_list", to: "challenges.block_url", as: asList},
	{key: "challenge.allow_list", to: "challenges.allow", as: asList, note: "challenges from these users are accepted whatever the terms, and from others not, since enabled is false for them"},
	{key: "challenge.recent_bot_challenge_age", note: "games.max_per_opponent_per_day and challenges.bots.max_per_opponent_per_day limit an opponent's games in 24 hours"},
	{key: "challenge.max_recent_bot_challenges", note: "games.max_per_opponent_per_day and challenges.bots.max_per_opponent_per_day limit an opponent's games in 24 hours"},
	{key: "challenge.min_rating", to: both("rating.min"), as: asNumber},
	{key: "challenge.max_rating", to: both("rating.max"), as: asNumber},
	{key: "challenge.rating_difference", to: both("rating.max_difference"), as: asNumber},
	{key: "challenge.bullet_requires_increment", note: noteIncrement},
	{key: "challenge.max_simultaneous_games_per_user", to: "games.max_per_opponent", as: asNumber, absent: "5"},

	{key: "greeting.hello", to: "chat.greeting"},
	{key: "greeting.goodbye", to: "chat.goodbye"},
	{key: "greeting.hello_spectators", do: greetSpectators, note: noteSpectators},
	{key: "greeting.goodbye_spectators", do: greetSpectators, note: noteSpectators},

	{key: "pgn_directory", to: "records.dir"},
	{key: "pgn_file_grouping", note: "no counterpart: a file for each month, from which \"zhbot stats\" computes"},

	{key: "matchmaking.allow_matchmaking", to: "matchmaking.enabled", as: asBool},
	{key: "matchmaking.allow_during_games", note: "no counterpart: zhbot challenges when no game with a clock is in progress"},
	{key: "matchmaking.challenge_variant", do: checkVariants},
	{key: "matchmaking.challenge_timeout", to: "matchmaking.idle", as: asTime(time.Minute, anyTime), absent: "30m"},
	{key: "matchmaking.challenge_initial_time"}, {key: "matchmaking.challenge_increment"}, {key: "matchmaking.challenge_mode"},
	{key: "matchmaking.challenge_days", note: "no counterpart: matchmaking.offers have a clock"},
	{key: "matchmaking.opponent_min_rating", to: "matchmaking.rating.min", as: asNumber},
	{key: "matchmaking.opponent_max_rating", to: "matchmaking.rating.max", as: asNumber},
	{key: "matchmaking.opponent_rating_difference", to: "matchmaking.rating.max_difference", as: asNumber},
	{key: "matchmaking.rating_preference", note: "matchmaking.rating.target prefers opponents that many points above the bot"},
	{key: "matchmaking.challenge_filter", note: "always so: who declines is left alone for a time that grows (matchmaking.pause)"},
	{key: "matchmaking.delay_after_decline", note: "always so: who declines is left alone for a time that grows (matchmaking.pause)"},
	{key: "matchmaking.challenge_decliner_file_name", note: "always so: who declines is left alone for a time that grows (matchmaking.pause)"},
	{key: "matchmaking.block_list", note: "not copied: challenges.block is for both directions"},
	{key: "matchmaking.online_block_list", note: "not copied: challenges.block_url is for both directions"},
	{key: "matchmaking.include_challenge_block_list"}, // always so
	{key: "matchmaking.overrides", note: "not copied: add them to matchmaking.offers"},
}}

func finishLichessBot(im *importer) {
	if n := im.theirs["challenge.allow_list"]; n != nil && !isOff(n) {
		im.set(0, "challenge.allow_list", both("enabled"), "false")
	}
	if protocol := im.text("engine.protocol"); slices.Contains([]string{"", config.UCI, config.XBoard}, protocol) {
		words := append([]string{im.text("engine.interpreter")}, texts(im.theirs["engine.interpreter_options"])...)
		words = append(words, programPath(im.text("engine.dir"), im.text("engine.name")))
		if options := im.theirs["engine.engine_options"]; options != nil && options.Kind == yaml.MappingNode {
			for i := 0; i+1 < len(options.Content); i += 2 {
				words = append(words, "--"+options.Content[i].Value+"="+resolve(options.Content[i+1]).Value)
			}
		}
		im.setProgram("engine", words)
	}
	im.setLichessBotOffers()
}

// setLichessBotOffers combines the clocks and modes from which challenges are drawn.
func (im *importer) setLichessBotOffers() {
	const key = "matchmaking.challenge_initial_time"
	modes := []string{cmp.Or(im.text("matchmaking.challenge_mode"), "random")}
	if modes[0] == "random" {
		modes = []string{"rated", "casual"}
	}
	var offers []string
	for _, initial := range texts(im.theirs[key]) {
		for _, increment := range texts(im.theirs["matchmaking.challenge_increment"]) {
			for _, mode := range modes {
				offers = append(offers, initial+"s+"+increment+"s "+mode)
			}
		}
	}
	im.setOffers(im.lineOf(key), key, offers)
}
