// Runs coding agents of other makers against the simulator: each runs one turn with a tool. `npm run clients` and
// `clients.int.test.ts` use this file. The versions are pinned here.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';

import type { AnswerPlan, LedgerCall, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';

/** A client, and how to run one turn of it without a person. */
export interface Client {
  readonly title: string;
  /** Name on npm. */
  readonly package: string;
  readonly version: string;
  /** Path of the program in `node_modules`. */
  readonly program: string;
  /** True if Node runs the program. A native program runs by itself. */
  readonly isScript: boolean;
  readonly arguments: readonly string[];
  /** Tool that runs a shell command, and the field of its input that contains the command. */
  readonly tool: {
    readonly name: string;
    readonly command: string;
    readonly more?: { readonly [key: string]: string };
  };
  /** Environment variables in addition to the common ones. `url` is the address of the simulator. */
  readonly environment: (url: string, home: string) => { readonly [name: string]: string };
  /** Files of the client's configuration, by their path in its home folder. */
  readonly files: (url: string) => { readonly [path: string]: string };
}

const PROMPT = 'Print the file note.txt with your shell tool, and tell me what it says.';

const KEY = 'no-real-key';

const CLAUDE: Client = {
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.330',
  program: '@anthropic-ai/claude-code/bin/claude.exe',
  isScript: false,
  arguments: ['-p', PROMPT, '--model', 'claude-opus-5-5', '--dangerously-skip-permissions'],
  tool: { name: 'Bash', command: 'command', more: { description: 'Print the note' } },
  environment: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    // Root may skip permissions only in a sandbox.
    IS_SANDBOX: '1',
  }),
  files: () => ({}),
};

function codex(title: string, webSockets: boolean): Client {
  return {
    title,
    package: '@openai/codex',
    version: '0.169.0',
    program: '@openai/codex/bin/codex.js',
    isScript: true,
    arguments: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', PROMPT],
    tool: { name: 'exec_command', command: 'cmd' },
    environment: (_url, home) => ({ CODEX_HOME: join(home, 'codex'), SIMULATOR_KEY: KEY }),
    files: (url) => ({ 'codex/config.toml': codexConfig(url, webSockets) }),
  };
}

function codexConfig(url: string, webSockets: boolean): string {
  return `model = "gpt-5.5"
model_provider = "simulator"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.simulator]
name = "Simulator"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SIMULATOR_KEY"
supports_websockets = ${webSockets}
`;
}

const OPENCODE: Client = {
  title: 'OpenCode',
  package: 'opencode-ai',
  version: '1.18.33',
  program: 'opencode-ai/bin/opencode.exe',
  isScript: false,
  arguments: ['run', PROMPT],
  tool: { name: 'bash', command: 'command', more: { description: 'Print the note' } },
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  }),
  files: (url) => ({ '.config/opencode/opencode.json': JSON.stringify(opencodeConfig(url)) }),
};

function opencodeConfig(url: string): object {
  const options = { baseURL: `${url}/v1`, apiKey: KEY };
  const models = { 'claude-sonnet-4-5': {}, 'claude-haiku-4-5': {} };
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'anthropic/claude-sonnet-4-5',
    small_model: 'anthropic/claude-haiku-4-5',
    enabled_providers: ['anthropic'],
    provider: { anthropic: { options, models } },
  };
}

const PI: Client = {
  title: 'pi',
  package: '@earendil-works/pi-coding-agent',
  version: '0.74.2',
  program: '@earendil-works/pi-coding-agent/dist/cli.js',
  isScript: true,
  arguments: ['-p', '--provider', 'simulator', '--model', 'gpt-5.4', PROMPT],
  tool: { name: 'bash', command: 'command' },
  environment: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' }),
  files: (url) => ({
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        simulator: {
          baseUrl: `${url}/v1`,
          api: 'openai-completions',
          apiKey: KEY,
          models: [{ id: 'gpt-5.4', reasoning: true }],
        },
      },
    }),
  }),
};

/** Clients that are tried, each on the wire that it uses by default. Codex is tried over HTTP and over a WebSocket. */
export const CLIENTS: readonly Client[] = [
  CLAUDE,
  codex('Codex CLI, HTTP', false),
  codex('Codex CLI, WebSocket', true),
  OPENCODE,
  PI,
];

/** Folder in which the clients are installed: `TIDEMARK_CLIENTS`, or a folder of this user for temporary files. */
export function clientsFolder(): string {
  return process.env['TIDEMARK_CLIENTS'] ?? join(tmpdir(), `tidemark-clients-${userInfo().uid}`);
}

/**
 * Returns the reason why a client cannot run, or `undefined` if its pinned version is installed. A folder of another
 * user is not used, because its programs would be run.
 */
export function missingReason(client: Client, folder: string): string | undefined {
  if (existsSync(folder) && process.getuid !== undefined && statSync(folder).uid !== process.getuid()) {
    return `${folder} belongs to another user (set TIDEMARK_CLIENTS to another folder)`;
  }
  const path = join(folder, 'node_modules', client.package, 'package.json');
  if (!existsSync(path)) return `${client.package} is not installed in ${folder} (npm run clients installs it)`;
  const { version }: { readonly version: string } = JSON.parse(readFileSync(path, 'utf8'));
  if (version !== client.version) return `${client.package} ${version} is installed, not ${client.version}`;
  const program = join(folder, 'node_modules', client.program);
  return existsSync(program) ? undefined : `${client.package} is installed without its program`;
}

/** Result of one turn of a client. */
export interface ClientTurn {
  readonly calls: readonly LedgerCall[];
  /** Number of tool results that contained the text of the file. */
  readonly toolsRun: number;
  /** Part of the input tokens that was read from the cache, from 0 to 1. */
  readonly hitRate: number;
  /** Texts of the refusals. */
  readonly refusals: readonly string[];
  /** Reason why the client did not finish its turn. `undefined` if it printed the answer. */
  readonly failure: string | undefined;
}

/** Text of the last answer. A client that prints it has finished its turn. */
const DONE = 'The note was read.';

/** Longest time of a turn, in milliseconds. */
const LONGEST_MS = 180_000;

/**
 * Runs one turn of an installed client against a new simulator. The client gets a new home and a new workspace, and can
 * reach no other host: its requests over HTTPS go to a closed port.
 */
export async function runClient(client: Client, folder: string): Promise<ClientTurn> {
  const place = mkdtempSync(join(tmpdir(), 'tidemark-client-'));
  const note = `note-${randomBytes(8).toString('hex')}`;
  const given = new Set<string>();
  const simulator = createSimulator({
    serverTools: 'offered',
    onRequest: (sent) => answerTo(client, note, given, sent),
  });
  const listening = await simulator.listen();
  try {
    const ended = await runTurn(client, folder, prepare(client, place, note, listening.url));
    return measure(simulator, given.size, ended);
  } finally {
    await listening.close();
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns the plan for a request: a title if no tool is offered, the call of the shell, then the last answer. */
function answerTo({ tool }: Client, note: string, given: Set<string>, sent: ReceivedRequest): AnswerPlan {
  for (const result of sent.toolResults) if (result.text.includes(note)) given.add(result.id);
  if (!sent.tools.includes(tool.name)) return { answer: { text: 'Reading a note' } };
  if (sent.toolResults.length > 0) return { answer: { text: DONE } };
  const input = { [tool.command]: 'cat note.txt', ...tool.more };
  return { answer: { text: 'I print it.', calls: [{ name: tool.name, arguments: input }] } };
}

interface ClientPlace {
  readonly workspace: string;
  readonly environment: { readonly [name: string]: string };
}

function prepare(client: Client, place: string, note: string, url: string): ClientPlace {
  const home = join(place, 'home');
  const workspace = join(place, 'workspace');
  mkdirSync(home);
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'note.txt'), `${note}\n`);
  for (const [path, text] of Object.entries(client.files(url))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const closed = 'http://127.0.0.1:9';
  const environment = {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    HTTPS_PROXY: closed,
    https_proxy: closed,
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    ...client.environment(url, home),
  };
  return { workspace, environment };
}

interface EndedClient {
  readonly output: string;
  readonly failure: string | undefined;
}

function runTurn(client: Client, folder: string, { workspace, environment }: ClientPlace): Promise<EndedClient> {
  const program = join(folder, 'node_modules', client.program);
  const [command, ...first] = client.isScript ? [process.execPath, program] : [program];
  const child = spawn(command ?? program, [...first, ...client.arguments], {
    cwd: workspace,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ output, failure: error.message }));
    child.on('close', (code, signal) => {
      const lastWords = lastLine(errors) ?? lastLine(output) ?? 'no output';
      resolve({ output, failure: code === 0 ? undefined : `ended with ${code ?? signal}: ${lastWords}` });
    });
  });
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1)?.slice(0, 300) || undefined;
}

function measure({ calls }: Simulator, toolsRun: number, { output, failure }: EndedClient): ClientTurn {
  const buckets = calls.map(inputOf);
  const total = sum(buckets.map(({ input }) => input));
  const refusals = calls.flatMap(({ refusal, status }) => (refusal ? [`${status} ${refusal.message}`] : []));
  return {
    calls,
    toolsRun,
    hitRate: total === 0 ? 0 : sum(buckets.map(({ read }) => read)) / total,
    refusals,
    failure: failure ?? (output.includes(DONE) ? undefined : 'did not print the last answer'),
  };
}

function inputOf({ usage, counts }: LedgerCall): { readonly input: number; readonly read: number } {
  if (counts !== undefined) return counts;
  if (usage === undefined) return { input: 0, read: 0 };
  const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return { input: fresh + read + written, read };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}
