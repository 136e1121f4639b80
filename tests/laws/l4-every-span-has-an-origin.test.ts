// L4: each part of a request maps to the event or the layer that put it there, and that holds it.

import { describe, expect, it } from 'vitest';
import { readArtifact } from '@tidemark/agent';
import { slice } from '@tidemark/context';
import type { Log } from '@tidemark/log';
import type { Block } from '@tidemark/model';
import type { Entry } from './book.ts';
import { epochOf, readBook } from './book.ts';
import { wrongEvent } from './origins.ts';
import { asFields, shownBy } from './shown.ts';
import type { SentCall } from './driver.ts';
import { tryStories, WORLDS } from './try-stories.ts';

describe.each(WORLDS)('L4 on $store against $provider', (world) => {
  it('L4: the event that a block names is there, and holds what the block shows', async () => {
    await tryStories({ world, runs: 6 }, async ({ log, session, calls }) => {
      const book = await readBook(log, session.writer.session);
      const wrong = calls.flatMap(({ prepared }) =>
        slice(prepared.sequence.blocks).flatMap((block) => wrongEvent(book, block) ?? []),
      );
      expect(wrong).toEqual([]);
    });
  });

  it('L4: the layer that a block names is in its epoch, and its artifact holds what the block shows', async () => {
    await tryStories({ world, runs: 6 }, async ({ log, session, calls }) => {
      const book = await readBook(log, session.writer.session);
      for (const call of calls) expect(await wrongLayers(log, book, call)).toEqual([]);
    });
  });
});

async function wrongLayers(log: Log, book: readonly Entry[], { prepared }: SentCall): Promise<readonly string[]> {
  const { layers, tools } = epochOf(book, prepared.record);
  const wrong: string[] = [];
  for (const block of slice(prepared.sequence.blocks)) {
    const { origin } = block;
    if (origin.from !== 'layer') continue;
    const digest =
      origin.layer === 'tools'
        ? tools.find((tool) => tool.digest.startsWith(origin.revision))?.digest
        : layers.find((layer) => layer.name === origin.layer && layer.revision === origin.revision)?.digest;
    if (digest === undefined) wrong.push(`no layer ${origin.layer} ${origin.revision}`);
    else if (!isLayerText(block, new TextDecoder().decode(await readArtifact(log.artifacts, digest))))
      wrong.push(`${digest} holds other text`);
  }
  return wrong;
}

function isLayerText(block: Block, text: string): boolean {
  const shown = shownBy(block);
  if (shown.kind !== 'tool') return shown.kind === 'text' && shown.text === text;
  const definition = asFields(JSON.parse(text));
  return definition['name'] === shown.name && JSON.stringify(definition['schema']) === JSON.stringify(shown.schema);
}
