// Tests `tidemark export --format html`. For any content of the session, the page loads nothing and runs nothing.

import type { Log } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, test } from 'vitest';

import { hostile, ID, PIXEL, recorded, SECRET } from '../../tests/hostile-session.ts';
import { playSession } from '../../tests/played-session.ts';
import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun, pretendStore } from '../../tests/pretend-run.ts';

function exported(store: Log, id: string): Promise<Ran> {
  const environment = { MY_API_TOKEN: SECRET };
  return pretendRun(['export', id, '--format', 'html'], { store: pretendStore(store), environment });
}

test('the page escapes all session content, runs and loads nothing, and masks values that are secret now', async () => {
  const { exit, out, err } = await exported(await recorded(hostile), ID);
  expect([exit, err]).toEqual([0, '']);
  expect(out.startsWith('<!doctype html>\n')).toBe(true);
  expect(out.trimEnd().endsWith('</html>')).toBe(true);
  expect(out).not.toMatch(/<script|<img src="https|\son\w+=|<link|<iframe|[\u001b\u202e]/);
  expect(out).toContain('default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;');
  expect(out).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(out).toContain('⟨U+001B⟩[2J⟨U+202E⟩');
  expect(out).not.toContain(SECRET);
  for (const tag of ['article', 'details', 'summary', 'pre', 'table', 'p', 'div'])
    expect([tag, count(out, `<${tag}[ >]`)]).toEqual([tag, count(out, `</${tag}>`)]);
});

test('the page contains the pictures, and names those that it cannot show', async () => {
  const { out } = await exported(await recorded(hostile), ID);
  expect(count(out, `src="data:image/png;base64,${PIXEL.toString('base64')}"`)).toBe(2);
  expect(out).toMatch(/<p class="line bad">image\/png, 19 B: .*0{64}/);
  expect(out).toContain('image/svg+xml, 19 B: artifact ');
});

test('the page folds a tool run into its call, folds thinking and checkpoints, and prints the cost of each step', async () => {
  const { out } = await exported(await recorded(hostile), ID);
  const run = /<details id="r3">(.*?)<\/details>/s.exec(out)?.[1] ?? '';
  expect(run).toMatch(/<summary>.*failed, exit code 2 in 1\.5 s.*<\/summary>/s);
  expect(run).toContain('path: &lt;/pre&gt;');
  expect(run).toContain('result &lt;');
  expect(out).toMatch(/<summary class="soft">Thinking<\/summary>\s*<div class="words" dir="auto">hm /);
  expect(out).toMatch(/<summary>\s*<b>Checkpoint<\/b> for records 0 to 2 \(manual, deterministic\)/);
  expect(out).toContain('step 0: read 2,000, written 30, fresh 1, out 4; $0.0123');
  expect(out).toContain('step 1: read ?, written ?, fresh ?, out ?');
  expect(out).toContain('and 1 with unknown cost');
  expect(out).toContain('<span class="bad">not ended</span>');
});

test('the page of a real session has an article per prompt and answer, a band per epoch and a row per call', async () => {
  const store = createMemoryStore();
  const id = await playSession(store);
  const records = await Array.fromAsync(store.read(sessionId(id)));
  const kinds = (kind: string): number => records.filter((record) => record.kind === kind).length;
  const { out } = await exported(store, id);
  expect(out).toContain('<title>a small session</title>');
  expect(count(out, '<article class="user"')).toBe(kinds('prompt.given'));
  expect(count(out, '<article class="model"')).toBe(kinds('answer.received') - 1);
  expect(count(out, '<b>Epoch ')).toBe(kinds('epoch.opened'));
  const [, table = ''] = out.split('id="costs"');
  expect(count(table.split('<tfoot>')[0] ?? '', '<td><a href="#r')).toBe(kinds('answer.received'));
  expect(table).toContain('side/');
  expect(table).toMatch(/tokens paid again: expired/);
});

function count(whole: string, pattern: string): number {
  return [...whole.matchAll(new RegExp(pattern, 'g'))].length;
}
