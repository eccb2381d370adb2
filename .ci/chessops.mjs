// Reads PGN files with chessops, the library behind Lichess's own clients: every
// move must be legal there, drops included, and every clock be understood.
import { readFileSync } from 'node:fs';
import { parsePgn, parseComment, startingPosition } from 'chessops/pgn';
import { parseSan } from 'chessops/san';
import { isDrop } from 'chessops/types';

let games = 0, moves = 0, drops = 0, clocks = 0, evaluations = 0;
for (const file of process.argv.slice(2)) {
  for (const game of parsePgn(readFileSync(file, 'utf8'))) {
    const position = startingPosition(game.headers).unwrap();
    if (position.rules !== 'crazyhouse') throw new Error(`${file}: read as ${position.rules}`);
    for (const node of game.moves.mainline()) {
      const move = parseSan(position, node.san);
      if (!move) throw new Error(`${file}, game ${game.headers.get('GameId')}: ${node.san} is not understood`);
      if (isDrop(move)) drops++;
      for (const comment of (node.comments ?? []).map(parseComment)) {
        if (comment.clock !== undefined) clocks++;
        if (comment.evaluation) evaluations++;
      }
      position.play(move);
      moves++;
    }
    games++;
  }
}
console.log(`chessops: ${games} games, ${moves} moves, ${drops} drops, ${clocks} clocks, ${evaluations} evaluations`);
if (drops === 0 || clocks !== moves || evaluations === 0) throw new Error('drops, clocks or evaluations are missing');
