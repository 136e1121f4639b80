// Makes the session files in `packages/recording/fixtures/gemini-cli`. Runs the real Gemini CLI against a scripted
// server (`gemini-server.ts`), because the simulator does not speak the wire of Gemini: the current version, and two
// older versions, which write one JSON document per session. Long texts of the client are cut, so that the files stay
// small. Run it with `npm exec -- node packages/recording/tests/make-gemini-cli.ts <folder>`, where `<folder>/<version>`
// contains the installed `@google/gemini-cli` of each version in `VERSIONS`.

import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import type { GeminiAnswer, GeminiPart, GeminiRequest } from './gemini-server.ts';
import { startGeminiServer } from './gemini-server.ts';

/** Folder in which the client works. Its path is in the files, so it is not a path of one machine. */
const SHOP = '/tmp/tidemark-gemini-shop';
const HOME = '/tmp/tidemark-gemini-home';
const OUT = new URL('../fixtures/gemini-cli/', import.meta.url).pathname;
const CURRENT = '0.61.0';
const OLDER = ['0.20.0', '0.38.2'] as const;
const VERSIONS = [CURRENT, ...OLDER] as const;

/** A prompt that is longer than the rest of the conversation, so that a compaction replaces it. */
const LONG = `Learn this. ${'The shop sells bread and milk. '.repeat(100)}`;

/** A picture of 1 × 1 pixels. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function plan({ contents, tools }: GeminiRequest): GeminiAnswer {
  const text = (contents.at(-1)?.parts ?? []).map((part) => part.text ?? '').join(' ');
  if (tools.length === 0) return answer('<state_snapshot>SUMMARY: the shop opens at noon.</state_snapshot>');
  if (text.includes('Read note.txt.'))
    return {
      parts: [
        { text: '**Reading**\n\nI think about the shop.', thought: true },
        { text: 'I read it.' },
        ...['note.txt', 'missing.txt'].map((name) =>
          call('read_file', { file_path: name, absolute_path: join(SHOP, name) }),
        ),
      ],
    };
  if (text.includes('Look at picture.png.')) return { parts: [call('read_file', { file_path: 'picture.png' })] };
  if (text.includes('Ask a subagent'))
    return {
      parts: [call('invoke_agent', { agent_name: 'generalist', prompt: 'Count the words of note.txt.' })],
    };
  if (text.includes('Count the words'))
    return { parts: [call('complete_task', { result: { response: 'Five words.' } })] };
  if (text.includes('Write a long text.'))
    return { ...answer('A long text, of which the user wants to read no more.'), isEndless: true };
  if (text.includes('Fail.')) return { error: { status: 400, message: 'The shop is closed.' } };
  return answer('It is done.');
}

function answer(text: string): GeminiAnswer {
  return { parts: [{ text }] };
}

function call(name: string, args: object): GeminiPart {
  return { functionCall: { name, args } };
}

const [, , folder = ''] = process.argv;
for (const version of VERSIONS)
  if (!existsSync(programOf(version)))
    throw new Error(`${programOf(version)} does not exist: install @google/gemini-cli@${version}`);

function programOf(version: string): string {
  return join(folder, version, 'node_modules/.bin/gemini');
}

// Every other variable of this process stays away from the client. Versions before 0.61 send requests to loopback
// through a proxy too, so only the current version gets a proxy that leads nowhere.
function environment(version: string, url: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME,
    GEMINI_API_KEY: ['no', 'key'].join('-'),
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_CLI_NO_RELAUNCH: 'true',
    ...(version === CURRENT && { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1,localhost' }),
  };
}

function prepare(): void {
  for (const path of [SHOP, HOME]) rmSync(path, { recursive: true, force: true });
  mkdirSync(SHOP, { recursive: true });
  mkdirSync(join(HOME, '.gemini'), { recursive: true });
  writeFileSync(join(SHOP, 'note.txt'), 'The shop opens at noon.\n');
  writeFileSync(join(SHOP, 'picture.png'), Buffer.from(PICTURE, 'base64'));
  configure({});
}

function configure(more: object): void {
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
    ...more,
  };
  writeFileSync(join(HOME, '.gemini/settings.json'), JSON.stringify(settings));
}

interface Client {
  readonly version: string;
  readonly url: string;
}

/** Runs one prompt without a person. A client whose request failed exits with an error. */
async function run({ version, url }: Client, prompt: string, args: readonly string[] = []): Promise<void> {
  const model = args.includes('-m') ? [] : ['-m', 'gemini-2.5-pro'];
  const client = spawn(process.execPath, [programOf(version), ...model, '-y', ...args, '-p', prompt], {
    cwd: SHOP,
    env: environment(version, url),
    stdio: 'ignore',
  });
  await new Promise<void>((resolve) => void client.on('close', () => resolve()));
}

const RESUMED = ['--resume', 'latest'] as const;

async function runMain(client: Client): Promise<void> {
  await run(client, 'Read note.txt.');
  await run(client, 'Fail.', RESUMED);
  await run(client, 'Is it still open?', [...RESUMED, '-m', 'gemini-2.5-flash']);
  await run(client, 'Look at picture.png.', RESUMED);
}

async function runCompacted(client: Client): Promise<void> {
  await run(client, LONG);
  await run(client, 'Is it open today?', RESUMED);
  configure({ model: { compressionThreshold: 0.0001 } });
  await run(client, 'What did we do?', RESUMED);
}

/** Runs two prompts in one process through the Agent Client Protocol. The user cancels the second one. */
async function runCancelled({ version, url }: Client): Promise<void> {
  const client = spawn(process.execPath, [programOf(version), '-m', 'gemini-2.5-pro', '-y', '--acp'], {
    cwd: SHOP,
    env: environment(version, url),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const closed = new Promise<void>((resolve) => void client.on('close', () => resolve()));
  const waiting = new Map<number, (result: { readonly sessionId?: string }) => void>();
  let onText: () => void = () => undefined;
  createInterface({ input: client.stdout }).on('line', (line) => {
    const message: { readonly id?: number; readonly result?: { readonly sessionId?: string } } = JSON.parse(line);
    if (line.includes('agent_message_chunk')) onText();
    else if (message.id !== undefined) waiting.get(message.id)?.(message.result ?? {});
  });
  const send = (message: object): void =>
    void client.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object): Promise<{ readonly sessionId?: string }> =>
    new Promise((resolve) => {
      const id = waiting.size + 1;
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  await request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await request('session/new', { cwd: SHOP, mcpServers: [] });
  const prompt = (text: string) => request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  await prompt('Is it open?');
  const running = prompt('Write a long text.');
  await new Promise<void>((resolve) => (onText = resolve));
  send({ method: 'session/cancel', params: { sessionId } });
  await running;
  await prompt('And tomorrow?');
  client.stdin.end();
  client.kill();
  await closed;
}

/** Longest text that stays complete in texts that the client wrote about itself, in characters. */
const LONGEST = 400;

/** Returns the text of a session file in the form that is committed. */
function clean(text: string): string {
  const isDocument = text.startsWith('{\n');
  const rows = isDocument ? [text] : text.split('\n').filter((line) => line !== '');
  return rows.map((row) => `${JSON.stringify(JSON.parse(row, shorten), null, isDocument ? 2 : 0)}\n`).join('');
}

function shorten(key: string, value: unknown): unknown {
  if (key !== 'description' && key !== 'resultDisplay') return value;
  return typeof value === 'string' && value.length > LONGEST ? `${value.slice(0, LONGEST)}… (cut)` : value;
}

/** Writes the session files of the client, each with the first text that `names` finds in it as its name. */
function save(names: Readonly<Record<string, string>>): void {
  for (const file of globSync(join(HOME, '.gemini/tmp/*/chats/**/session-*.json*')).toSorted()) {
    const text = readFileSync(file, 'utf8');
    const [name] = Object.entries(names).find(([, content]) => text.includes(content)) ?? [];
    if (name === undefined) continue;
    writeFileSync(join(OUT, `${name}.${file.endsWith('.json') ? 'json' : 'jsonl'}`), clean(text));
  }
  // The parent of a subagent is only in the path.
  for (const file of globSync(join(HOME, '.gemini/tmp/*/chats/*/*.jsonl'))) {
    const target = join(OUT, file.slice(file.lastIndexOf('/chats/') + 1));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, clean(readFileSync(file, 'utf8')));
  }
}

const server = await startGeminiServer(plan);
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const current = { version: CURRENT, url: server.url };
for (const [name, content, go] of [
  ['main', 'Read note.txt.', runMain],
  ['compacted', 'Learn this.', runCompacted],
  ['parent', 'Ask a subagent', (client: Client) => run(client, 'Ask a subagent to count.')],
  ['cancelled', 'Write a long text.', runCancelled],
] as const) {
  prepare();
  await go(current);
  save({ [name]: content });
}
for (const version of OLDER) {
  prepare();
  await run({ version, url: server.url }, 'Read note.txt.');
  await run({ version, url: server.url }, 'Is it still open?', RESUMED);
  save({ [`gemini-cli-${version}`]: 'Is it still open?' });
}
server.close();
for (const path of [SHOP, HOME]) rmSync(path, { recursive: true, force: true });
