// Makes the transcripts in `packages/recording/fixtures/claude-code`. Runs the real Claude Code against the simulator,
// and keeps the transcripts of the main session and of its subagent. The clock of the simulator is advanced between two
// runs, and the times in the transcript are moved by the same amount, so the pause costs no time. Run it with
// `npm exec -- node packages/recording/tests/make-claude-code.ts <folder with @anthropic-ai/claude-code>`.

import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';

/** Version of Claude Code that made the fixtures. */
const VERSION = '2.1.330';

/** Folder in which the client works. Its path is in the transcripts, so it is not a path of one machine. */
const SHOP = '/tmp/tidemark-shop';
const HOME = '/tmp/tidemark-shop-home';
const SESSION = '0d1e5ea5-0000-4000-8000-000000000001';
const OUT = new URL('../fixtures/claude-code/', import.meta.url).pathname;
const PAUSE_MS = 9 * 60_000;

/** Runs of the client: the arguments, and the pause before the run. */
const RUNS = [
  { prompt: 'Read note.txt.', tools: 'Read', system: 'You work in a shop.', pause: 0 },
  { prompt: 'Ask a subagent to count.', tools: 'Read,Agent', system: 'You work in a shop.', pause: 0 },
  { prompt: 'Is it still open?', tools: 'Read,Agent', system: 'You work in a shop.', pause: PAUSE_MS },
  { prompt: 'And tomorrow?', tools: 'Read,Agent', system: 'You work in a bakery.', pause: 0 },
  { prompt: '/compact', tools: 'Read,Agent', system: 'You work in a bakery.', pause: 0 },
  { prompt: 'What did we do?', tools: 'Read,Agent', system: 'You work in a bakery.', pause: 0 },
] as const;

function plan({ lastUserText, toolResults, tools }: ReceivedRequest): AnswerPlan {
  const asked = toolResults.length === 0 ? lastUserText : '';
  if (asked.includes('Read note.txt.'))
    return answer('I read it.', [
      { name: 'Read', arguments: { file_path: `${SHOP}/note.txt` } },
      { name: 'Read', arguments: { file_path: `${SHOP}/missing.txt` } },
    ]);
  if (asked.includes('Ask a subagent') && tools.includes('Agent'))
    return answer('I ask one.', [
      {
        name: 'Agent',
        arguments: {
          description: 'Count the words',
          prompt: 'Count the words of note.txt.',
          subagent_type: 'general-purpose',
        },
      },
    ]);
  return answer(asked.includes('Count the words of note.txt.') ? 'Five words.' : 'It is done.');
}

type Calls = NonNullable<NonNullable<AnswerPlan['answer']>['calls']>;

function answer(text: string, calls: Calls = []): AnswerPlan {
  return { answer: { text, calls } };
}

const binary = join(process.argv[2] ?? '', 'node_modules/@anthropic-ai/claude-code-linux-x64/claude');
if (!existsSync(binary)) throw new Error(`${binary} does not exist: npm install @anthropic-ai/claude-code@${VERSION}`);

function runClient(url: string, run: (typeof RUNS)[number], first: boolean): Promise<void> {
  const session = first ? ['--session-id', SESSION] : ['--resume', SESSION];
  const kept = [
    '--setting-sources',
    '',
    '--strict-mcp-config',
    '--disable-slash-commands',
    '--no-chrome',
    '--system-prompt-snapshot',
    'off',
  ];
  const own = run.prompt === '/compact' ? kept.filter((flag) => flag !== '--disable-slash-commands') : kept;
  const about = ['--model', 'claude-sonnet-4-6', '--system-prompt', run.system, '--tools', run.tools];
  const client = spawn(
    binary,
    ['-p', run.prompt, ...session, ...about, '--allowedTools', 'Read,Agent', ...own, '--output-format', 'json'],
    { cwd: SHOP, env: environment(url), stdio: ['ignore', 'inherit', 'inherit'] },
  );
  return new Promise((resolve, reject) => {
    client.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${run.prompt}: exit code ${code}`))));
  });
}

// Every other variable of this process stays away from the client. Telemetry, updates and error reports are off.
function environment(url: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: ['sim', 'key'].join('-'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    // Switch of the records of requests. It is on by default; an account's remote settings can turn it off.
    CLAUDE_CODE_ELEGANT_MEADOW: '1',
  };
}

/** Rows without content of the conversation. They are long, and no request is rebuilt from them. */
const DROPPED: ReadonlySet<unknown> = new Set(['cost-state', 'tools-used', 'atis-latch', 'last-prompt', 'mode']);

// Returns the lines of a transcript in the form that is committed: without the dropped rows, without the content of
// attachments, and with the times moved by the pauses. The digests of the requests cover none of these.
function clean(text: string, moved: (at: number) => number): string {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .flatMap((line): readonly string[] => {
      const row: Record<string, unknown> = JSON.parse(line);
      if (DROPPED.has(row['type'])) return [];
      if (typeof row['timestamp'] === 'string')
        row['timestamp'] = new Date(moved(Date.parse(row['timestamp']))).toISOString();
      if (row['type'] === 'attachment') {
        row['attachment'] = { type: 'left-out' };
        delete row['rendered'];
      }
      return [`${JSON.stringify(row)}\n`];
    })
    .join('');
}

rmSync(SHOP, { recursive: true, force: true });
rmSync(HOME, { recursive: true, force: true });
mkdirSync(SHOP, { recursive: true });
mkdirSync(HOME, { recursive: true });
writeFileSync(join(SHOP, 'note.txt'), 'The shop opens at noon.\n');
let offset = 0;
const starts: (readonly [at: number, offset: number])[] = [];
const simulator = createSimulator({ clock: () => Date.now() + offset, onRequest: plan });
const listening = await simulator.listen({ port: 0 });
for (const [index, run] of RUNS.entries()) {
  offset += run.pause;
  starts.push([Date.now(), offset]);
  await runClient(listening.url, run, index === 0);
}
await listening.close();
const moved = (at: number): number => at + (starts.findLast(([start]) => start <= at)?.[1] ?? 0);
rmSync(OUT, { recursive: true, force: true });
mkdirSync(join(OUT, SESSION, 'subagents'), { recursive: true });
for (const file of globSync(join(HOME, '.claude/projects/*/**/*.{jsonl,meta.json}'))) {
  const name = basename(file);
  const text = readFileSync(file, 'utf8');
  const path = name === `${SESSION}.jsonl` ? name : join(SESSION, 'subagents', name);
  writeFileSync(join(OUT, path), name.endsWith('.jsonl') ? clean(text, moved) : text);
}
rmSync(SHOP, { recursive: true, force: true });
rmSync(HOME, { recursive: true, force: true });
