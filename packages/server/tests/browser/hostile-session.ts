// A session whose texts try to run: each field that a page shows contains the same attack after the name of the field.

import { createAgent, defineTool, toolOutput } from '@tidemark/kit';
import type { Event, Log } from '@tidemark/log';
import { sessionId, timestamp } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { z } from 'zod';

/** Markup that ends elements, loads, and runs. It sets `window.ran`. */
export const ATTACK =
  '</script></pre></style><img src=x onerror=window.ran=1><script>window.ran=1</script><a href=javascript:window.ran=1>x</a>';

/** Fields of the session. Each one is shown in some place of the page. */
export const FIELDS = [
  'title',
  'prompt',
  'answer',
  'thinking',
  'tool',
  'argument',
  'result',
  'failure',
  'path',
  'note',
  'model',
  'instructions',
  'description',
] as const;

/** Returns the text of a field. */
export function attackIn(field: (typeof FIELDS)[number]): string {
  return `${field}!${ATTACK}`;
}

/** Id of the session that an import wrote. */
const IMPORTED = sessionId('imported');

/** Writes both sessions, and returns their ids. */
export async function writeHostile(log: Log): Promise<readonly string[]> {
  return [await playHostile(log), await importHostile(log)];
}

/** Writes a session as an import does: its model has any name. */
async function importHostile(log: Log): Promise<string> {
  const writer = await log.create(IMPORTED);
  const at = timestamp('2026-11-20T12:00:00.000Z');
  const parts = [{ type: 'text', text: 'Imported.' }] as const;
  const call = {
    step: 0,
    stream: 'main',
    provider: 'p',
    model: attackIn('model'),
    stop: 'end',
    truncated: 'no',
  } as const;
  const usage = { fresh: 1, read: 2_000, writes: [{ ttl: '5m', tokens: 30 }], answer: 4 } as const;
  const events: readonly Event[] = [
    {
      kind: 'session.created',
      at,
      data: {
        id: IMPORTED,
        root: IMPORTED,
        workspace: '/w',
        title: 'Imported session',
        imported: { format: 'test', source: '/w/recording' },
      },
    },
    { kind: 'prompt.given', at, data: { parts: [{ type: 'text', text: 'Look.' }], presenter: 'test' } },
    { kind: 'answer.received', at, data: { ...call, parts, usage } },
  ];
  await writer.append(events, 0);
  await writer.close();
  return IMPORTED;
}

async function playHostile(log: Log): Promise<string> {
  const agent = createAgent({
    model: 'claude-sonnet-5-5',
    provider: createScriptedProvider({ answers: hostileAnswers() }),
    store: log,
    instructions: attackIn('instructions'),
    tools: [lookTool()],
    context: {
      sources: [{ name: 'sign', revision: () => '1', render: () => attackIn('note'), affectedBy: () => false }],
    },
    compaction: { by: 'deterministic', when: 'manual' },
    permissions: { mode: 'auto' },
  });
  const session = await agent.open(undefined, { title: attackIn('title') });
  await session.prompt(attackIn('prompt'));
  const report = await session.compact({ tailTokens: 1 });
  if (report.outcome !== 'compacted') throw new Error(`not compacted: ${JSON.stringify(report)}`);
  await session.prompt('And then?');
  await agent.close();
  return session.id;
}

function lookTool() {
  return defineTool({
    name: 'look',
    description: attackIn('description'),
    effect: 'read',
    input: z.object({ at: z.string() }),
    run: ({ at }) =>
      at.includes('fails')
        ? toolOutput({ text: attackIn('failure'), failed: true })
        : toolOutput({ text: attackIn('result'), files: [{ path: `/w/${attackIn('path')}`, as: 'read' }] }),
  });
}

function hostileAnswers(): readonly ScriptedAnswer[] {
  const rest = { usage: { fresh: 10, read: 900, writes: [{ ttl: '5m', tokens: 90 }], answer: 5 } } as const;
  const call = (id: string, name: string, at: string) =>
    ({ type: 'call', call: id, name, arguments: JSON.stringify({ at }) }) as const;
  return [
    {
      parts: [
        { type: 'reasoning', text: attackIn('thinking') },
        { type: 'text', text: attackIn('answer') },
        call('c1', 'look', attackIn('argument')),
        call('c2', 'look', 'fails'),
        call('c3', attackIn('tool'), 'x'),
      ],
      ...rest,
    },
    { parts: [{ type: 'text', text: 'I have seen it. '.repeat(800) }], ...rest },
    { parts: [{ type: 'text', text: 'Nothing.' }], ...rest },
  ];
}
