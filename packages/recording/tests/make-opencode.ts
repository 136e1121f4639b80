// Makes the files in `packages/recording/fixtures/opencode`. Runs the real OpenCode server against the simulator: the
// current version, whose sessions are in a SQLite database, and version 1.1.65, whose sessions are in a folder of JSON
// files. Run it with `npm exec -- node packages/recording/tests/make-opencode.ts <folder>`, where `<folder>/<version>`
// contains the installed `opencode-ai` of each version.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';

/** Folder in which the client works. Its path is in the sessions, so it is not a path of one machine. */
const SHOP = '/tmp/tidemark-opencode-shop';
const HOME = '/tmp/tidemark-opencode-home';
const DATA = join(HOME, '.local/share/opencode');
const OUT = new URL('../fixtures/opencode/', import.meta.url).pathname;
const CURRENT = '1.18.33';
const OLDER = '1.1.65';

/** A picture of 1 × 1 pixels. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQSFgAAAHEASFiX4r9AAAAAElFTkSuQmCC';

const SONNET = { providerID: 'anthropic', modelID: 'claude-sonnet-4-5' };
const GPT = { providerID: 'openai', modelID: 'gpt-5.5' };

function plan({ lastUserText, toolResults, model, tools }: ReceivedRequest): AnswerPlan {
  const thinking = model.includes('haiku') ? {} : { thinking: 'I think about the shop.' };
  if (/title for this conversation|text to summarize/.test(lastUserText)) return answer('The shop');
  if (/anchored summary|detailed (?:summary|prompt)|Summarize|new anchored/i.test(lastUserText))
    return answer('SUMMARY: the shop opens at noon.');
  if (toolResults.length > 0) return { answer: { text: 'It is done.' } };
  if (lastUserText.includes('Read note.txt.'))
    return {
      answer: {
        ...thinking,
        text: 'I read it.',
        calls: [
          { name: 'read', arguments: { filePath: join(SHOP, 'note.txt') } },
          { name: 'read', arguments: { filePath: join(SHOP, 'missing.txt') } },
        ],
      },
    };
  if (lastUserText.includes('Ask a subagent') && tools.includes('task'))
    return answer('I ask one.', [
      {
        name: 'task',
        arguments: { description: 'Count the words', prompt: 'Count five words.', subagent_type: 'general' },
      },
    ]);
  if (lastUserText.includes('Count five words.')) return answer('Five words.');
  if (lastUserText.includes('Write a long text.'))
    return { ...answer('A long text, of which the user wants no more.'), fault: { kind: 'silence', afterEvents: 5 } };
  if (lastUserText.includes('Fail.')) return { fault: { kind: 'refused', message: 'The shop is closed.' } };
  return { answer: { ...thinking, text: 'It is done.' } };
}

type Calls = NonNullable<NonNullable<AnswerPlan['answer']>['calls']>;

function answer(text: string, calls: Calls = []): AnswerPlan {
  return { answer: { text, calls } };
}

const [, , folder = ''] = process.argv;
for (const version of [CURRENT, OLDER])
  if (!existsSync(programOf(version)))
    throw new Error(`${programOf(version)} does not exist: install opencode-ai@${version}`);

function programOf(version: string): string {
  return join(folder, version, 'node_modules/opencode-linux-x64/bin/opencode');
}

// Every other variable of this process stays away from the client. It can reach no other host.
const ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME,
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};

function prepare(url: string): void {
  for (const path of [SHOP, HOME]) rmSync(path, { recursive: true, force: true });
  mkdirSync(SHOP, { recursive: true });
  mkdirSync(join(HOME, '.config/opencode'), { recursive: true });
  writeFileSync(join(SHOP, 'note.txt'), 'The shop opens at noon.\n');
  const options = { baseURL: `${url}/v1`, apiKey: ['sim', 'key'].join('-') };
  const settings = {
    autoupdate: false,
    share: 'disabled',
    model: 'anthropic/claude-sonnet-4-5',
    small_model: 'anthropic/claude-haiku-4-5',
    permission: 'allow',
    enabled_providers: ['anthropic', 'openai'],
    provider: {
      anthropic: { options, models: { 'claude-sonnet-4-5': {}, 'claude-haiku-4-5': {} } },
      openai: { options, models: { 'gpt-5.5': {} } },
    },
  };
  writeFileSync(join(HOME, '.config/opencode/opencode.json'), JSON.stringify(settings));
}

/** Server of a running client. */
interface OpenCodeServer {
  post(path: string, body: object): Promise<{ readonly id?: string }>;
  /** Returns the messages of a session. */
  messages(session: string): Promise<readonly { readonly parts: readonly object[] }[]>;
  close(): Promise<void>;
}

async function startServer(version: string): Promise<OpenCodeServer> {
  const client = spawn(programOf(version), ['serve', '--port', '0'], {
    cwd: SHOP,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => void client.kill());
  const closed = new Promise<void>((resolve) => void client.on('close', () => resolve()));
  const base = await new Promise<string>((resolve) => {
    let printed = '';
    client.stdout.on('data', (chunk: Uint8Array) => {
      printed += Buffer.from(chunk).toString('utf8');
      const url = /listening on (http:\S+)/.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  return {
    post: async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const received = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${received}`);
      return JSON.parse(received === '' ? '{}' : received);
    },
    messages: async (session) => JSON.parse(await (await fetch(`${base}/session/${session}/message`)).text()),
    close: async () => {
      client.kill();
      await closed;
    },
  };
}

function textPart(value: string): object {
  return { type: 'text', text: value };
}

/** Runs one turn and waits for its end. */
async function turn(
  { post }: OpenCodeServer,
  session: string,
  parts: readonly object[],
  more: object = {},
): Promise<void> {
  await post(`/session/${session}/message`, { model: SONNET, parts, ...more });
}

/** Starts a turn, and interrupts it after the first text of the answer. */
async function interruptedTurn(server: OpenCodeServer, session: string, prompt: string): Promise<void> {
  await server.post(`/session/${session}/prompt_async`, { model: SONNET, parts: [textPart(prompt)] });
  for (;;) {
    const last = (await server.messages(session)).at(-1);
    if (JSON.stringify(last?.parts ?? []).includes('A long')) break;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  await server.post(`/session/${session}/abort`, {});
}

/** Runs the older version: one session with a subagent and a compaction. */
async function runOlder(server: OpenCodeServer): Promise<void> {
  const main = (await server.post('/session', {})).id ?? '';
  await turn(server, main, [textPart('Read note.txt.')]);
  await turn(server, main, [textPart('Ask a subagent to count.')], { variant: 'high' });
  await server.post(`/session/${main}/summarize`, SONNET);
  await turn(server, main, [textPart('What did we do?')]);
}

/** Runs the current version: a session with a subagent, a fork of it, a failure and a compaction. */
async function runCurrent(server: OpenCodeServer): Promise<ReadonlyMap<string, string>> {
  const main = (await server.post('/session', {})).id ?? '';
  await turn(server, main, [textPart('Read note.txt.')]);
  const picture = { type: 'file', mime: 'image/png', filename: 'shop.png', url: PICTURE };
  await turn(server, main, [textPart('Is it still open?'), picture], { variant: 'high' });
  await turn(server, main, [textPart('Ask a subagent to count.')]);
  await turn(server, main, [textPart('Fail.')]);
  await interruptedTurn(server, main, 'Write a long text.');
  await turn(server, main, [textPart('And tomorrow?')], { model: GPT });
  const fork = (await server.post(`/session/${main}/fork`, {})).id ?? '';
  await turn(server, fork, [textPart('And in the fork?')]);
  await server.post(`/session/${main}/summarize`, SONNET);
  await turn(server, main, [textPart('What did we do?')]);
  return new Map([
    ['main', main],
    ['fork', fork],
  ]);
}

/** Tables of the database that contain sessions. The others are dropped, so that the file stays small. */
const KEPT: ReadonlySet<string> = new Set(['session', 'message', 'part', 'session_message', 'project']);

function saveDatabase(): void {
  const path = join(OUT, 'opencode.db');
  cpSync(join(DATA, 'opencode.db'), path);
  if (existsSync(join(DATA, 'opencode.db-wal'))) cpSync(join(DATA, 'opencode.db-wal'), `${path}-wal`);
  const database = new DatabaseSync(path);
  database.exec('PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE;');
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  for (const { name } of names)
    if (typeof name === 'string' && !KEPT.has(name) && !name.startsWith('sqlite_'))
      database.exec(`DROP TABLE "${name}"`);
  database.exec('VACUUM');
  database.close();
}

const simulator = createSimulator({ serverTools: 'offered', recordedSignatures: 'issued', onRequest: plan });
const listening = await simulator.listen({ port: 0 });
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
for (const version of [CURRENT, OLDER]) {
  prepare(listening.url);
  const server = await startServer(version);
  const sessions = version === OLDER ? new Map<string, string>() : await runCurrent(server);
  if (version === OLDER) await runOlder(server);
  await server.close();
  if (version === OLDER) {
    for (const name of ['session', 'message', 'part'])
      cpSync(join(DATA, 'storage', name), join(OUT, 'storage', name), { recursive: true });
    continue;
  }
  for (const [name, session] of sessions) {
    const exported = execFileSync(programOf(version), ['export', session], { cwd: SHOP, env: ENVIRONMENT });
    writeFileSync(join(OUT, `${name}.json`), exported);
  }
  saveDatabase();
}
await listening.close();
for (const path of [SHOP, HOME]) rmSync(path, { recursive: true, force: true });
