// Tests `tidemark export`. For any content of the session, a viewer finds no HTML in the Markdown.

import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';

import { at, hostile, ID, recorded, SECRET, text } from '../../tests/hostile-session.ts';
import { pretendRun, pretendStore } from '../../tests/pretend-run.ts';

/** Exports the session as Markdown. `html` lists the parts that a Markdown viewer would treat as HTML. */
async function exported(events: Parameters<typeof recorded>[0]) {
  const environment = { MY_API_TOKEN: SECRET };
  const ran = await pretendRun(['export', ID], { store: pretendStore(await recorded(events)), environment });
  const tokens = new MarkdownIt('default', { html: true }).parse(ran.out, {});
  const html = tokens
    .flatMap((token) => [token, ...(token.children ?? [])])
    .filter(({ type }) => type.startsWith('html'));
  return { ...ran, html: html.map(({ content }) => content) };
}

test('HTML is escaped in prompts, answers, thinking, notes, checkpoints, titles and names', async () => {
  const { exit, out, html } = await exported(hostile);
  expect(exit).toBe(0);
  expect(html).toEqual([]);
  for (const beginning of [
    '# &lt;/pre>',
    'look &lt;/pre>',
    '> hm &lt;/pre>',
    '> So far &lt;/pre>',
    '> Note from &lt;/pre>',
  ])
    expect(out).toContain(beginning);
  expect(out).toContain('Calls `</pre></details><script>');
  expect(out).not.toContain(SECRET);
});

test('an unclosed fence in a prompt does not turn the code of an answer into HTML', async () => {
  const answer = { step: 0, stream: 'main', provider: 'p', model: 'm', stop: 'end', truncated: 'no' } as const;
  const { out, html } = await exported(async () => [
    { kind: 'prompt.given', at, data: { parts: [text('What is this?\n```')], presenter: 'test' } },
    { kind: 'answer.received', at, data: { ...answer, parts: [text('```html\n<script>x</script>\n```')], usage: {} } },
  ]);
  expect(html).toEqual([]);
  expect(out).toContain('```html\n<script>x</script>\n```');
});
