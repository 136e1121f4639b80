// Makes the rollouts in `packages/recording/fixtures/codex`. Runs the real Codex CLI against the simulator: the current
// version through its app server, and three older versions, whose rollouts have other shapes. Long instructions of the
// client are cut, so that the files stay small. Run it with
// `npm exec -- node packages/recording/tests/make-codex.ts <folder>`, where `<folder>/<version>` contains the installed
// `@openai/codex` of each version in `VERSIONS`.

import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { CodexServer } from './codex-server.ts';
import { startCodexServer } from './codex-server.ts';

/** Folder in which the client works. Its path is in the rollouts, so it is not a path of one machine. */
const SHOP = '/tmp/tidemark-codex-shop';
const HOME = '/tmp/tidemark-codex-home';
const OUT = new URL('../fixtures/codex/', import.meta.url).pathname;
const CURRENT = '0.169.0';
const OLDER = ['0.20.0', '0.47.0', '0.98.0'] as const;
const VERSIONS = [CURRENT, ...OLDER] as const;

/** A picture of 1 × 1 pixels. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function plan({ lastUserText, toolResults, tools, model }: ReceivedRequest): AnswerPlan {
  if (/CONTEXT CHECKPOINT|summar|handoff/i.test(lastUserText)) return answer('SUMMARY: the shop opens at noon.');
  const asked = toolResults.length === 0 ? lastUserText : '';
  const thinking = model === 'gpt-5.6-sol' ? {} : { thinking: 'I think about the shop.' };
  if (asked.includes('Read note.txt.')) {
    const calls = ['cat note.txt', 'cat missing.txt'].map((command) => shellCall(tools, command));
    return { answer: { ...thinking, text: 'I read it.', calls } };
  }
  if (lastUserText.includes('NEW_TASK')) return answer('Five words.');
  if (asked.includes('Ask a subagent'))
    return answer('I ask one.', [
      { name: 'spawn_agent', arguments: { message: 'Count the words of note.txt.', task_name: 'count_words' } },
    ]);
  if (asked.includes('Write a long text.'))
    return {
      ...answer('A long text, of which the user wants to read no more.'),
      fault: { kind: 'silence', afterEvents: 6 },
    };
  if (asked.includes('Fail.')) return { fault: { kind: 'refused', message: 'The shop is closed.' } };
  return { answer: { ...thinking, text: 'It is done.' } };
}

type Calls = NonNullable<NonNullable<AnswerPlan['answer']>['calls']>;

function answer(text: string, calls: Calls = []): AnswerPlan {
  return { answer: { text, calls } };
}

function shellCall(tools: readonly string[], command: string): Calls[number] {
  if (tools.includes('exec_command')) return { name: 'exec_command', arguments: { cmd: command } };
  return { name: 'shell', arguments: { command: ['bash', '-lc', command] } };
}

const [, , folder = ''] = process.argv;
for (const version of VERSIONS)
  if (!existsSync(programOf(version)))
    throw new Error(`${programOf(version)} does not exist: install @openai/codex@${version}`);

function programOf(version: string): string {
  return join(folder, version, 'node_modules/.bin/codex');
}

// The simulator calls no tool of a namespace and knows no messages between agents. This server between client and
// simulator adds the namespace of the subagent tools to the answers. It removes the namespace from the requests, and
// sends a message of another agent as a message of the user.
async function listenBetween(url: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
      const sent = forSimulator(Buffer.concat(chunks).toString('utf8'));
      const headers = { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' };
      const body = request.method === 'POST' ? { body: sent } : {};
      const answered = await fetch(`${url}${request.url}`, { method: request.method ?? 'GET', headers, ...body });
      response.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? 'text/plain' });
      const decoder = new TextDecoder();
      for await (const chunk of answered.body ?? [])
        response.write(
          decoder
            .decode(chunk, { stream: true })
            .replaceAll('"name":"spawn_agent"', '"namespace":"collaboration","name":"spawn_agent"'),
        );
      response.end();
    })().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

function forSimulator(body: string): string {
  return JSON.stringify(
    JSON.parse(body === '' ? '{}' : body, (key, value: unknown) => {
      if (key === 'namespace' && value === 'collaboration') return undefined;
      return isAgentMessage(value) ? asUserMessage(value.content) : value;
    }),
  );
}

interface AgentMessage {
  readonly type: 'agent_message';
  readonly content: readonly { readonly text?: string; readonly encrypted_content?: string }[];
}

function isAgentMessage(value: unknown): value is AgentMessage {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'agent_message';
}

function asUserMessage(content: AgentMessage['content']): object {
  const text = content.map((part) => part.text ?? part.encrypted_content ?? '').join('');
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

function config(url: string): string {
  return `model = "gpt-5.5"
model_provider = "simulator"
model_reasoning_summary = "auto"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
multi_agent_v2 = true

[model_providers.simulator]
name = "Simulator"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SIMULATOR_KEY"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`;
}

// Every other variable of this process stays away from the client. It can reach no other host.
const ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME,
  CODEX_HOME: join(HOME, 'codex'),
  SIMULATOR_KEY: ['sim', 'key'].join('-'),
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};

function prepare(url: string): void {
  for (const path of [SHOP, HOME]) rmSync(path, { recursive: true, force: true });
  mkdirSync(SHOP, { recursive: true });
  mkdirSync(join(HOME, 'codex'), { recursive: true });
  writeFileSync(join(SHOP, 'note.txt'), 'The shop opens at noon.\n');
  writeFileSync(join(HOME, 'codex/config.toml'), config(url));
}

function rollouts(): readonly string[] {
  return globSync(join(HOME, 'codex/sessions/**/*.jsonl')).toSorted();
}

/** Runs the current version: two threads, a fork, a subagent and a thread whose last turn was undone. */
async function runCurrent(server: CodexServer): Promise<ReadonlyMap<string, string>> {
  const main = await server.start({ cwd: SHOP, approvalPolicy: 'never', sandbox: 'danger-full-access' });
  await server.turn(main, 'Read note.txt.');
  await server.turn(main, 'Is it still open?', { effort: 'high' }, [{ type: 'image', url: PICTURE }]);
  await server.turn(main, 'Ask a subagent to count.');
  await server.turn(main, 'Fail.');
  await server.interruptedTurn(main, 'Write a long text.');
  const fork = await server.fork(main);
  await server.turn(fork, 'And in the fork?');
  await server.compact(main);
  await server.turn(main, 'What did we do?');
  const switched = await server.start({ cwd: SHOP, approvalPolicy: 'never', sandbox: 'danger-full-access' });
  await server.turn(switched, 'Is it open today?');
  await server.turn(switched, 'And tomorrow?', { model: 'gpt-5.6-sol' });
  const undone = await server.turn(switched, 'A mistake.');
  await server.revert(switched, undone);
  await server.turn(switched, 'After the mistake.');
  return new Map([
    [main, 'main'],
    [fork, 'fork'],
    [switched, 'switched'],
  ]);
}

/** Runs an older version: two turns with `exec`, the second one in the resumed session, and automatic compaction. */
async function runOlder(version: string): Promise<void> {
  const limit = version === '0.20.0' ? [] : ['-c', 'model_auto_compact_token_limit=7500'];
  await exec(version, [...limit, 'Read note.txt.']);
  const [first] = rollouts();
  const head: { payload?: { id?: string } } = JSON.parse(readFileSync(first ?? '', 'utf8').split('\n')[0] ?? '{}');
  if (head.payload?.id !== undefined) await exec(version, ['resume', head.payload.id, 'Is it still open?']);
}

function exec(version: string, args: readonly string[]): Promise<void> {
  const flags = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
  const client = spawn(programOf(version), ['exec', ...flags, ...args], {
    cwd: SHOP,
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    client.on('close', (code) => (code === 0 || code === 1 ? resolve() : reject(new Error(`exit code ${code}`))));
  });
}

/** Longest text that stays complete in rows that the client wrote about itself, in characters. */
const LONGEST = 240;

// Returns the lines of a rollout in the form that is committed: with the client's own instructions and tools cut.
function clean(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => `${JSON.stringify(JSON.parse(line, (key, value: unknown) => shorten(key, value)))}\n`)
    .join('');
}

const KEPT: ReadonlySet<string> = new Set(['encrypted_content', 'image_url', 'url', 'message']);

function shorten(key: string, value: unknown): unknown {
  if (key === 'rate_limits') return null;
  if (key === 'tools' && Array.isArray(value)) return value.slice(0, 1);
  if (typeof value !== 'string' || value.length <= LONGEST || KEPT.has(key) || value.includes('SUMMARY')) return value;
  return `${value.slice(0, LONGEST)}… (cut)`;
}

const simulator = createSimulator({ serverTools: 'offered', recordedSignatures: 'issued', onRequest: plan });
const listening = await simulator.listen({ port: 0 });
const between = await listenBetween(listening.url);
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
prepare(between.url);
const server = await startCodexServer(programOf(CURRENT), { cwd: SHOP, env: ENVIRONMENT });
const names = await runCurrent(server);
await server.close();
for (const file of rollouts()) {
  const thread = file.slice(-'.jsonl'.length - 36, -'.jsonl'.length);
  const own = [...names.keys()].find((id) => file.includes(id));
  const name = own === undefined ? 'subagent' : own === thread ? `${names.get(own)}` : `${names.get(own)}-reverted`;
  writeFileSync(join(OUT, `${name}.jsonl`), clean(readFileSync(file, 'utf8')));
}
for (const version of OLDER) {
  prepare(between.url);
  await runOlder(version);
  const [file] = rollouts();
  if (file !== undefined) writeFileSync(join(OUT, `codex-${version}.jsonl`), clean(readFileSync(file, 'utf8')));
}
between.close();
await listening.close();
for (const path of [SHOP, HOME]) rmSync(path, { recursive: true, force: true });
