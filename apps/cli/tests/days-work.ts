// A day of work on a copy of this repository: the prompts of a person, and a scripted model that uses everything that
// daily work needs.

import type { AnswerPlan, ScenarioStep } from '@tidemark/simulator';

/** Addresses that the model uses. They differ from run to run. */
export interface Places {
  /** Origin of the server with a page for `fetch`. */
  readonly origin: string;
  /** Port of the server that the model starts in the background. */
  readonly port: number;
}

/** One prompt, with flags of the command, and the answers to it. */
export interface DayPrompt {
  readonly prompt: string;
  readonly flags?: readonly string[];
  readonly answers: readonly ScenarioStep[];
}

type Arguments = Readonly<Record<string, unknown>>;

/** Returns an answer with one call. `after` is a text that the result of the call before it has to contain. */
function call(name: string, input: Arguments, after?: string): ScenarioStep {
  return {
    ...(after !== undefined && { expect: { toolResult: after } }),
    answer: { calls: [{ name, arguments: input }] },
  };
}

function says(text: string, after?: string): ScenarioStep {
  return { ...(after !== undefined && { expect: { toolResult: after } }), answer: { text } };
}

const STORE = 'stores/memory/src';

/** Returns the prompts of the day. */
export function daysWork({ origin, port }: Places): readonly DayPrompt[] {
  return [
    {
      prompt: 'Find out how the memory store appends records, and what limits it has.',
      answers: [
        {
          answer: {
            calls: [
              { name: 'grep', arguments: { pattern: 'append', path: STORE, output: 'files' } },
              { name: 'grep', arguments: { pattern: 'artifact', path: STORE, output: 'counts' } },
              { name: 'find', arguments: { pattern: 'stores/memory/**/*.ts' } },
            ],
          },
        },
        call('read', { path: 'stores/memory/README.md' }, 'memory'),
        call('read', { path: 'docs/laws.md' }),
        call('plan', { tasks: [{ task: 'describe the memory store', status: 'active' }] }, 'L1'),
        says('The memory store keeps the records of each session in an array.', 'planned'),
      ],
    },
    {
      prompt: 'What does the specification say about it? There is a PDF, and a page on our server.',
      answers: [
        call('read', { path: 'specification.pdf' }),
        call('fetch', { url: `${origin}/guide` }, 'Appending'),
        call('web_search', { query: 'append-only log fsync' }, 'The guide'),
        says('Records are appended, and a barrier flushes them.', 'Crash consistency'),
      ],
    },
    {
      prompt: 'Write a summary with a title, and correct the two words in notes.txt.',
      answers: [
        call('write', { path: 'summary.md', content: '# Memory store\n\nIt keeps records in memory.\n' }),
        call('read', { path: 'notes.txt' }, 'summary.md'),
        call('edit', {
          path: 'notes.txt',
          edits: [
            { old_text: 'recieve', new_text: 'receive' },
            { old_text: 'seperate', new_text: 'separate' },
          ],
        }),
        says('Both words are corrected.', 'receive'),
      ],
    },
    {
      prompt: 'Start the server, try it, and push nothing.',
      answers: [
        call('bash', { command: `node server.cjs ${port}`, background: true }),
        call(
          'bash',
          {
            command: `node -e "fetch('http://127.0.0.1:${port}/hello').then((r) => r.text()).then(console.log)"; echo "$DAY_VARIABLE"`,
          },
          'ready',
        ),
        call('process', { process: 'p1', action: 'read', wait_s: 5 }, 'a variable of the day'),
        call('process', { process: 'p1', action: 'stop' }, 'asked /hello'),
        call('bash', { command: 'git push origin main' }),
        says('The server answered. Nothing was pushed.', 'pushing is not allowed'),
      ],
    },
    {
      prompt: 'Let someone review the summary, and echo the verdict with the tool of the server.',
      answers: [
        call('agent', { agent: 'reviewer', task: 'Review summary.md. Report one line.' }),
        call('everything__echo', { message: 'the summary is short' }, 'too short'),
        says('The reviewer finds it too short.', 'the summary is short'),
      ],
    },
    {
      prompt: 'Remember that I like short summaries. Then look up what the first search found.',
      flags: ['--effort', 'high'],
      answers: [
        call('memory_update', { file: 'USER.md', operation: 'add', text: 'The user likes short summaries.' }),
        call('history_search', { query: 'Crash consistency' }),
        says('It is remembered.', 'Crash consistency'),
      ],
    },
    {
      prompt: 'Add one sentence to the summary.',
      answers: [
        call('edit', { path: 'summary.md', old_text: 'in memory.', new_text: 'in memory. A restart forgets them.' }),
        call('bash', { command: 'git status --short && wc -l summary.md' }),
        says('The summary has another sentence.', 'summary.md'),
      ],
    },
  ];
}

/** Answers of the reviewer, a subagent with its own model. */
export const REVIEW: readonly ScenarioStep[] = [
  call('read', { path: 'summary.md' }),
  { expect: { toolResult: 'Memory store' }, answer: { text: 'The summary is too short.' } },
] satisfies readonly (ScenarioStep | AnswerPlan)[];
