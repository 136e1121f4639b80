// Makes the sessions in `packages/recording/fixtures/copilot`. Runs the real Copilot CLI against the simulator, with the
// simulator as the user's own provider: the current version through its SDK and its command line, and two older
// versions, which record no token counts. Long texts of the client are cut, so that the files stay small. Run it with
// `npm exec -- node packages/recording/tests/make-copilot.ts <folder>`, where `<folder>/<version>` contains the
// installed `@github/copilot` of each version in `VERSIONS`.

import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';

/** Folder in which the client works. Its path is in the sessions, so it is not a path of one machine. */
const SHOP = '/tmp/tidemark-copilot-shop';
const HOME = '/tmp/tidemark-copilot-home';
const OUT = new URL('../fixtures/copilot/', import.meta.url).pathname;
const CURRENT = '1.0.102';
const OLDER = ['1.0.24', '1.0.60'] as const;
const VERSIONS = [CURRENT, ...OLDER] as const;

/** A picture of 1 × 1 pixels. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Calls = NonNullable<NonNullable<AnswerPlan['answer']>['calls']>;

function plan({ lastUserText, toolResults, model }: ReceivedRequest): AnswerPlan {
  if (lastUserText.includes('respond only with the summary text'))
    return { answer: { text: 'SUMMARY: the shop opens at noon.' } };
  // The client gives each text of an OpenAI answer a new id, which the simulator refuses after reasoning. So only the
  // last answer of such a session contains reasoning.
  const thinking = 'I think about the shop.';
  if (toolResults.length > 0) return { answer: { thinking, text: 'It is done.' } };
  const calls = callsFor(lastUserText);
  if (calls.length > 0)
    return { answer: { ...(model.startsWith('claude') ? { thinking } : {}), text: 'I call tools.', calls } };
  if (lastUserText.includes('Write a long text.'))
    return {
      answer: { text: 'A long text, of which the user wants to read no more.' },
      fault: { kind: 'silence', afterEvents: 6 },
    };
  if (lastUserText.includes('Fail.')) return { fault: { kind: 'refused', message: 'The shop is closed.' } };
  return { answer: { thinking, text: 'It is done.' } };
}

function callsFor(text: string): Calls {
  if (text.includes('Read note.txt.'))
    return [
      { name: 'bash', arguments: { command: 'cat note.txt', description: 'Read' } },
      { name: 'view', arguments: { path: join(SHOP, 'missing.txt') } },
    ];
  if (text.includes('Run a command that fails.'))
    return [{ name: 'bash', arguments: { command: 'exit 3', description: 'Fail' } }];
  if (text.includes('Use the skill.')) return [{ name: 'skill', arguments: { skill: 'counting' } }];
  if (text.includes('Ask a subagent')) return [taskCall('sync')];
  return text.includes('Start a subagent') ? [taskCall('background')] : [];
}

function taskCall(mode: string): Calls[number] {
  const task = { description: 'Count words', prompt: 'Count the words of note.txt.', name: 'count-words' };
  return { name: 'task', arguments: { agent_type: 'explore', ...task, mode } };
}

const [, , folder = ''] = process.argv;
for (const version of VERSIONS)
  if (!existsSync(programOf(version)))
    throw new Error(`${programOf(version)} does not exist: install @github/copilot@${version}`);

function programOf(version: string): string {
  return join(folder, version, 'node_modules/.bin/copilot');
}

// Every other variable of this process stays away from the client. It can reach no other host.
function environment(url: string, wire: 'anthropic' | 'responses' = 'anthropic'): Record<string, string> {
  const isAnthropic = wire === 'anthropic';
  return {
    PATH: process.env['PATH'] ?? '',
    HOME,
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: isAnthropic ? url : `${url}/v1`,
    COPILOT_PROVIDER_TYPE: isAnthropic ? 'anthropic' : 'openai',
    COPILOT_PROVIDER_API_KEY: ['sim', 'key'].join('-'),
    COPILOT_MODEL: isAnthropic ? 'claude-sonnet-4-5' : 'gpt-5.5',
    ...(isAnthropic ? {} : { COPILOT_PROVIDER_WIRE_API: wire }),
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
  };
}

function prepare(): void {
  for (const path of [SHOP, HOME]) rmSync(path, { recursive: true, force: true });
  const skill = join(SHOP, '.github/skills/counting');
  mkdirSync(skill, { recursive: true });
  mkdirSync(HOME, { recursive: true });
  writeFileSync(join(SHOP, 'note.txt'), 'The shop opens at noon.\n');
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: counting\ndescription: Counts words.\n---\nCount the words.\n');
}

function sessionFiles(): readonly string[] {
  return globSync(join(HOME, '.copilot/session-state/*/events.jsonl')).toSorted();
}

/** Runs prompts on the command line, each one in a process of its own that continues the session. */
async function prompts(version: string, env: Record<string, string>, texts: readonly string[]): Promise<void> {
  for (const [index, text] of texts.entries()) {
    const flags = ['-p', text, '--allow-all-tools', '--allow-all-paths', ...(index === 0 ? [] : ['--continue'])];
    const client = spawn(programOf(version), flags, { cwd: SHOP, env, stdio: ['ignore', 'ignore', 'inherit'] });
    await new Promise<void>((resolve, reject) => {
      client.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`exit code ${code}: ${text}`))));
    });
  }
}

interface Session {
  readonly sessionId: string;
  readonly rpc: {
    readonly model: {
      readonly setReasoningEffort: (options: object) => Promise<unknown>;
      readonly switchTo: (options: object) => Promise<unknown>;
    };
    readonly history: { readonly compact: (options: object) => Promise<unknown> };
  };
  readonly send: (message: object) => Promise<unknown>;
  readonly sendAndWait: (message: object, timeoutMs: number) => Promise<unknown>;
  readonly on: (type: string, listener: () => void) => () => void;
  readonly abort: () => Promise<void>;
  readonly disconnect: () => Promise<void>;
}

interface Client {
  readonly rpc: { readonly sessions: { readonly fork: (options: object) => Promise<{ readonly sessionId: string }> } };
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<unknown>;
  readonly createSession: (options: object) => Promise<Session>;
  readonly resumeSession: (id: string, options: object) => Promise<Session>;
}

interface Sdk {
  readonly CopilotClient: new (options: object) => Client;
  readonly RuntimeConnection: { readonly forStdio: (options: object) => object };
  readonly approveAll: unknown;
}

const TIMEOUT_MS = 60_000;

/** Runs the current version through the SDK that it contains. Returns the names of the files by session. */
async function runSdk(url: string): Promise<ReadonlyMap<string, string>> {
  const [sdkFile = ''] = globSync(join(HOME, `.cache/copilot/pkg/*/${CURRENT}/copilot-sdk/index.js`));
  const sdk: Sdk = await import(sdkFile);
  const connection = sdk.RuntimeConnection.forStdio({ path: programOf(CURRENT), env: environment(url) });
  const client = new sdk.CopilotClient({ connection, workingDirectory: SHOP, logLevel: 'error' });
  await client.start();
  const options = {
    provider: { type: 'anthropic', baseUrl: url, apiKey: ['sim', 'key'].join('-') },
    workingDirectory: SHOP,
    onPermissionRequest: sdk.approveAll,
    streaming: true,
  };
  const main = await client.createSession({ ...options, model: 'claude-sonnet-4-5', reasoningEffort: 'high' });
  const ask = (prompt: string, more: object = {}) => main.sendAndWait({ prompt, ...more }, TIMEOUT_MS);
  await ask('Read note.txt.');
  const picture = { type: 'blob', data: PICTURE, mimeType: 'image/png', displayName: 'picture.png' };
  await ask('Look at the picture.', { attachments: [picture] });
  await ask('Ask a subagent to count.');
  await main.rpc.model.setReasoningEffort({ reasoningEffort: 'low' });
  await main.rpc.model.switchTo({ modelId: 'claude-opus-4-5' });
  await ask('Is it still open?');
  const { sessionId } = await client.rpc.sessions.fork({ sessionId: main.sessionId });
  await ask('Fail.').catch(() => undefined);
  const started = new Promise<void>((resolve) => void main.on('assistant.message_delta', resolve));
  const idle = new Promise<void>((resolve) => void main.on('session.idle', resolve));
  await main.send({ prompt: 'Write a long text.' });
  await started;
  await main.abort();
  await idle;
  await main.rpc.history.compact({});
  await ask('What did we do?');
  const fork = await client.resumeSession(sessionId, { ...options, model: 'claude-opus-4-5' });
  await fork.sendAndWait({ prompt: 'And in the fork?' }, TIMEOUT_MS);
  await fork.disconnect();
  await main.disconnect();
  await client.stop();
  return new Map([
    [main.sessionId, 'main'],
    [sessionId, 'fork'],
  ]);
}

/** Longest text that stays complete, in characters. */
const LONGEST = 240;

// Returns the lines of a session in the form that is committed: with the client's own instructions and lists cut.
function clean(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => `${JSON.stringify(JSON.parse(line, (key, value: unknown) => shorten(key, value)))}\n`)
    .join('');
}

const CUT_LISTS: ReadonlySet<string> = new Set(['messages', 'contentBlocks', 'promptCacheBreakState']);

function shorten(key: string, value: unknown): unknown {
  if (CUT_LISTS.has(key) && Array.isArray(value)) return value.slice(0, 1);
  if (key === 'modelInfo' || key === 'toolTelemetry') return undefined;
  if (typeof value !== 'string' || value.length <= LONGEST || /^(?:data|signature|encrypted)/.test(key)) return value;
  return key === 'transformedContent' ? value : `${value.slice(0, LONGEST)}… (cut)`;
}

function save(name: string, file: string | undefined): void {
  if (file !== undefined) writeFileSync(join(OUT, `${name}.jsonl`), clean(readFileSync(file, 'utf8')));
}

const simulator = createSimulator({ recordedSignatures: 'issued', onRequest: plan });
const listening = await simulator.listen({ port: 0 });
const { url } = listening;
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
prepare();
const steps = ['Use the skill.', 'Run a command that fails.', 'Start a subagent.'];
await prompts(CURRENT, environment(url), steps);
save('command-line', sessionFiles()[0]);
const names = await runSdk(url);
for (const [session, name] of names)
  save(
    name,
    sessionFiles().find((file) => file.includes(session)),
  );
prepare();
await prompts(CURRENT, environment(url, 'responses'), ['Read note.txt.']);
save('responses', sessionFiles()[0]);
for (const version of OLDER) {
  prepare();
  await prompts(version, environment(url), ['Read note.txt.', 'Ask a subagent to count.']);
  save(`copilot-${version}`, sessionFiles()[0]);
}
await listening.close();
for (const path of [SHOP, HOME]) rmSync(path, { recursive: true, force: true });
