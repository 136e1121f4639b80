// L1: nothing reaches a model unless it is in the log first.

import { describe, expect, it } from 'vitest';
import { slice } from '@tidemark/context';
import { epochOf, readBook } from './book.ts';
import { strangers } from './origins.ts';
import { asFields, asList } from './shown.ts';
import { tryStories, WORLDS } from './try-stories.ts';

describe.each(WORLDS)('L1 on $store against $provider', (world) => {
  it('L1: each block of each request comes from a record before it, or from a layer of its epoch', async () => {
    await tryStories({ world, runs: 6 }, async ({ log, session, calls }) => {
      const book = await readBook(log, session.writer.session);
      for (const { prepared } of calls) expect(strangers(book, prepared)).toEqual([]);
    });
  });

  it('L1: a body holds its blocks, the settings of its epoch and what its record names, and nothing else', async () => {
    await tryStories({ world, runs: 6 }, async ({ log, session, calls }) => {
      const book = await readBook(log, session.writer.session);
      const read = world.provider === 'simulator' ? readMessagesBody : readScriptedBody;
      for (const { prepared } of calls) {
        const { model, parameters } = epochOf(book, prepared.record);
        const { outputLimit, envelope } = prepared.record.data;
        const blocks = slice(prepared.sequence.blocks).map(({ head, tail }): unknown => JSON.parse(head + tail));
        const { effort, ...rest } = parameters;
        const settings =
          world.provider === 'scripted' || effort === undefined ? parameters : { ...rest, output_config: { effort } };
        expect(read(prepared.body)).toEqual({
          blocks,
          settings: { ...settings, model },
          rest: { outputLimit, fields: envelope },
        });
      }
    });
  });
});

interface ReadBody {
  readonly blocks: readonly unknown[];
  readonly settings: unknown;
  readonly rest: unknown;
}

function readMessagesBody(body: Uint8Array): ReadBody {
  const fields = asFields(JSON.parse(new TextDecoder().decode(body)));
  const { tools = [], system = [], messages, max_tokens: outputLimit, stream, ...named } = fields;
  const { diagnostics, metadata, ...settings } = named;
  expect(stream).toBe(true);
  // A message that holds no part (a setting from there on) is a block itself.
  const content = asList(messages).flatMap((message) => {
    const parts = asList(asFields(message)['content']);
    return parts.length === 0 ? [message] : parts;
  });
  const blocks = [...asList(tools), ...asList(system), ...content].map(unmarked);
  return { blocks, settings, rest: { outputLimit, fields: { diagnostics, metadata } } };
}

function unmarked(block: unknown): unknown {
  const { cache_control: _marker, ...rest } = asFields(block);
  return rest;
}

function readScriptedBody(body: Uint8Array): ReadBody {
  const [settings, ...lines] = new TextDecoder()
    .decode(body)
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const blocks = lines.slice(0, -1).map((line) => {
    const { marker: _marker, ...rest } = asFields(line);
    return rest;
  });
  return { blocks, settings, rest: lines.at(-1) };
}
