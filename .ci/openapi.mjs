// Writes what the embedded server answered during the tests as typed literals, for tsc to hold
// them against Lichess's OpenAPI document: a file for each endpoint, in which unknown fields,
// missing ones and wrong types are errors, and so are keys of requests that the document lacks.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

// Where the document is wrong: in the type or operation, what stands there, and what Lichess does.
const corrections = [
  // Errors of limits name them [lila: CtrlErrors].
  ['Error', '}', 'ratelimit?: { key: string; seconds: number } }'],
  // Here the status is an object [issue lila#18230], the rating is shown [lila: game/JsonView], and
  // without a clock there is no time.
  ['apiAccountPlaying', '["GameStatusName"]', '["GameStatus"]'],
  ['apiAccountPlaying', 'secondsLeft:', 'rating?: number; secondsLeft?:'],
  // Of a closed account nothing else is shown [lila: user/JsonView].
  ['UserExtended', ':', ': { id: string; username: string; disabled: true } |'],
  // A rematch that is taken back has what an offered one has [lila: EventStream].
  ['ChallengeCanceledEvent', 'challenge:', 'compat?: components["schemas"]["GameCompat"]; challenge:'],
  // A challenge shows its rules, and why it was declined [lila: challenge/JsonView].
  ['ChallengeJson', 'id:', 'rules?: string[]; declineReason?: string; declineReasonKey?: string; id:'],
  // With keepAliveStream, lines are the answer, the last of them what became of the challenge.
  ['challengeCreate', '"application/json"', `"application/x-ndjson": components["schemas"]["ChallengeJson"] |
            { done: 'accepted' | 'declined' | 'canceled' }; "application/json"`],
  // Forms may be JSON [Play: FormUtils], and the tokens to be tested have any type [lila: tolerantText].
  ['challengeCreate', 'content: {', 'content: { "application/json": object;'],
  ['tokenTest', 'content: {', 'content: { "": string;'],
  // The next game [lila: BotJsonView].
  ['GameStateEvent', 'moves:', 'rematch?: string; moves:'],
  // The chat is one JSON value, and bots may ask to berserk in vain [lila: PlayApi].
  ['botGameChatGet', 'application/x-ndjson', 'application/json'],
  ['paths', '{', '{ "/api/bot/game/{gameId}/berserk": paths["/api/board/game/{gameId}/berserk"];'],
  // An arena that is open to some only, or has started [lila: tournament/JsonView].
  ['ArenaTournamentFull', 'id:', 'private?: boolean; isStarted?: boolean; id:'],
];

const [document, exchanges, out] = process.argv.slice(2);

let types = readFileSync(document, 'utf8');
for (const [name, was, is] of corrections) {
  const [block] = types.match(RegExp(`^( *)(export interface )?${name}\\b[^]*?^\\1}`, 'm')) ?? [''];
  if (!block.includes(was)) throw new Error(`${document}: no ${was} in ${name}, which was to be corrected`);
  types = types.replace(block, () => block.replace(was, is));
}
writeFileSync(`${out}/lichess.d.ts`, types);

const all = readdirSync(exchanges).map(name => JSON.parse(readFileSync(`${exchanges}/${name}`, 'utf8')));
if (all.length === 0) throw new Error(`${exchanges}: no exchange was recorded`);
for (const endpoint of new Set(all.map(exchange => exchange.endpoint))) {
  const [method, path] = endpoint.split(' /');
  const list = all.filter(exchange => exchange.endpoint === endpoint);
  const seen = field => JSON.stringify([...new Set(list.flatMap(exchange => exchange[field] ?? []))]);
  const lines = [
    `import type { components, paths } from './lichess';`,
    `type Endpoint = paths['/${path}']['${method.toLowerCase()}'];`,
    `type Content = Endpoint extends { requestBody?: { content: infer T } } ? T : {};`,
    `type Form = Content extends { 'application/x-www-form-urlencoded': infer T } ? T : {};`,
    `type Keys<T> = T extends T ? string extends keyof T ? never : keyof T : never;`,
    `type Fields = { [K in Keys<Form> | 'clock' | 'global']?: string[] };`,
    `const query: Keys<Endpoint['parameters']['query']>[] = ${seen('query')};`,
    `const form: Keys<Form>[] = ${seen('form')};`,
    `const sent: (keyof Content)[] = ${seen('sent')};`,
  ];
  list.forEach(({ status, type, body }, i) => {
    let want = `Endpoint['responses'][${status}]['content']['${type}']`;
    // An error may have any status, and that of a form names its fields twice [lila: CtrlErrors].
    if (status >= 400) {
      want = typeof body.error === 'string' ? `components['schemas']['Error']` : '{ error: Fields } & Fields';
    }
    // Of a union only the member of this type, since in all of them the fields of each are known.
    if (body.type) want = `Extract<${want}, { type: '${body.type}' }>`;
    lines.push(`const answer${i}: ${want} = ${JSON.stringify(body, null, 1)};`);
  });
  writeFileSync(`${out}/${method} ${path.replaceAll('/', ' ')}.ts`, lines.join('\n') + '\n');
}
console.log(`${all.length} exchanges`);
