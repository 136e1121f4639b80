// Tests for the content of the replayed log: the facts of the recording, the bytes to which they refer, and placeholder
// prompts for prompts that the recording does not contain.

import { verifySession } from '@tidemark/agent';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { expect, it } from 'vitest';
import { answer, prompt, say, toolResult, use } from '../import/claude-rows.ts';
import { collect, pick } from '../import/import-rows.ts';
import { assistant, header, message, text, user } from '../import/pi-rows.ts';
import { faultsOf } from './must-hold.ts';
import { pictureOf } from './recorder.ts';
import { replayRows } from './replay-rows.ts';
import { answerAt } from './sized-rows.ts';

it('a driven request contains the image of a recorded prompt, whose bytes are copied to the target store', async () => {
  const { mediaType, data } = pictureOf({ now: 0, context: 0, cached: 0, cachedAt: 0, made: 1 });
  const image = { type: 'image', mimeType: mediaType, data };
  const rows = [header(1), message('user', { content: [text('look'), image] }), answerAt(2, 5_000, 0)];
  const replayed = await replayRows(rows);
  expect(await faultsOf(replayed)).toEqual([]);
  expect(Buffer.from(replayed.calls[0]?.prepared.body ?? []).toString()).toContain(data);
});

it('a call without a prompt, or with a blank one, gets a placeholder prompt', async () => {
  const { result, calls } = await replayRows([
    header(1),
    user(' \n'),
    answerAt(2, 5_000, 0),
    answerAt(3, 5_100, 5_000),
  ]);
  expect(result).toMatchObject({ calls: 2, refused: 0, tokens: 10_100 });
  expect(
    Buffer.from(calls[1]?.prepared.body ?? [])
      .toString()
      .match(/The recording does not hold/g),
  ).toHaveLength(2);
});

it('an answer without usage is not driven, but its text is kept', async () => {
  const { result, calls } = await replayRows([
    header(1),
    user('a'),
    assistant([text('unbilled')], { usage: undefined }),
    user('b', 2),
    answerAt(3, 5_000, 0),
  ]);
  expect(result).toMatchObject({ calls: 1, tokens: 5_000, sizes: 'recorded totals' });
  expect(Buffer.from(calls[0]?.prepared.body ?? []).toString()).toContain('unbilled');
});

it('blocks have estimated sizes if the file has no counts, and the result reports this', async () => {
  const rows = [
    header(1),
    user('word '.repeat(4_000)),
    assistant([text('x')], { usage: { input: 0, output: 9, cacheRead: 0, cacheWrite: 0 } }),
  ];
  const estimated = await replayRows(rows);
  expect(estimated.result.sizes).toBe('estimates');
  expect(estimated.result.tokens).toBeGreaterThan(3_000);
  expect(estimated.result.recorded).toEqual({ billed: 0, ideal: 0, misses: [] });
  const both = await replayRows([...rows, user('on', 2), answerAt(3, 50_000, 0)]);
  expect(both.result.sizes).toBe('recorded totals, and estimates where there are none');
});

it('blocks that no provider accepts back are not sent in a driven request', async () => {
  const odd = [
    { type: 'mystery', a: 1 },
    { type: 'tool_use', name: 'no id' },
    { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
  ];
  const rows = [
    prompt('p1', null, 'go'),
    ...odd.map((block, nth) => answer(`a${nth}`, nth === 0 ? 'p1' : `a${nth - 1}`, 'm1', block)),
  ];
  const replayed = await replayRows([
    ...rows,
    prompt('p2', 'a2', 'on'),
    answer('b1', 'p2', 'm2', use('c1')),
    toolResult('r1', 'b1', 'c1'),
    answer('b2', 'r1', 'm3', say('done')),
  ]);
  expect(await faultsOf(replayed)).toEqual([]);
  const body = Buffer.from(replayed.calls.at(-1)?.prepared.body ?? []).toString();
  expect(body).toContain('server_tool_use');
  expect(body).not.toContain('mystery');
});

it('the event that starts a subagent names the driven session of the subagent', async () => {
  const side = { isSidechain: true, agentId: 'a' };
  const rows = [
    prompt('p1', null, 'go'),
    answer('a1', 'p1', 'm1', use('c1')),
    { ...prompt('s1', null, 'task'), ...side },
    { ...answer('s2', 's1', 'm2', say('done')), ...side },
    toolResult('r1', 'a1', 'c1'),
    answer('a2', 'r1', 'm3', say('done')),
  ];
  const { result, target } = await replayRows(rows);
  const [main, child] = result.sessions;
  if (main === undefined || child === undefined) throw new Error('two sessions were expected');
  expect(pick(await collect(target.read(main)), 'subagent.started').map(({ data }) => data.child)).toEqual([child]);
  expect(await verifySession(target, child, { encoders: () => anthropicEncoder })).toMatchObject({
    requests: 1,
    differences: [],
    breaks: [],
  });
});
