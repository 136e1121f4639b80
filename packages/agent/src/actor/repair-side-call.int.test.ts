// Tests side calls that are refused because of a block in the conversation. The simulator refuses every request that
// contains the block.

import type { ContentPart } from '@tidemark/log';
import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { describe, expect, it } from 'vitest';
import type { Played } from '../../tests/small-window.ts';
import { expectRebuilt, playWindow, small } from '../../tests/small-window.ts';

const believed = small('claude-sonnet-4-5', 200_000);
const LARGE = 20_000;

/** Stores data of the given size that begins like a PNG of 64 by 64 pixels. */
async function picture({ log }: Played, bytes: number): Promise<ContentPart> {
  const made = Buffer.alloc(bytes, 'x');
  made.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  made.writeUInt32BE(64, 16);
  made.writeUInt32BE(64, 20);
  const { digest, size } = await log.artifacts.put(made);
  return { type: 'image', artifact: digest, mediaType: 'image/png', bytes: size };
}

/**
 * Refuses a side call if the request contains a large image. The error has the text of Anthropic's error and the path
 * of the image.
 */
function answer({ body, lastUserText }: ReceivedRequest): AnswerPlan {
  const found = lastUserText === 'Name this.' ? largeIn(body['messages'], 'messages') : undefined;
  if (found === undefined) return { answer: { text: 'I see.' } };
  const message = `${found}.image.source.base64: image exceeds 5 MB maximum: 30000 bytes > ${LARGE} bytes`;
  return { fault: { kind: 'refused', message } };
}

function largeIn(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('data' in value && typeof value.data === 'string' && value.data.length > LARGE)
    return path.replace(/\.source$/, '');
  return Object.entries(value)
    .map(([name, one]) => largeIn(one, `${path}.${name}`))
    .find((found) => found !== undefined);
}

const TITLE = { purpose: 'title', prompt: 'Name this.', history: 'main' } as const;
const statusesOf = ({ simulator }: Played): readonly number[] => simulator.calls.map(({ status }) => status);
const asideIn = async ({ kinds }: Played): Promise<number> =>
  (await kinds()).filter((kind) => kind === 'block.quarantined').length;

describe('a side call that is refused', () => {
  it('for a block of the history is sent again without the block, and the conversation continues without it', async () => {
    const played = await playWindow({ believed, answer });
    const { live } = played;
    await live.prompt([{ type: 'text', text: 'Look.' }, await picture(played, 30_000)]);
    expect(await live.side(TITLE)).toMatchObject({ text: 'I see.' });
    expect(await live.side(TITLE)).toMatchObject({ text: 'I see.' });
    expect(await live.prompt('And now?')).toMatchObject({ outcome: 'completed' });
    expect([statusesOf(played), await asideIn(played)]).toEqual([[200, 400, 200, 200, 200], 1]);
    expect(played.bodies.at(-1)).toContain('image omitted: the provider rejected it');
    expect(played.notices).toMatchObject([{ code: 'turn/quarantined' }]);
    await expectRebuilt(played);
  });

  it('twice in parallel for the same block quarantines the block once', async () => {
    const played = await playWindow({ believed, answer });
    const { live } = played;
    await live.prompt([{ type: 'text', text: 'Look.' }, await picture(played, 30_000)]);
    const both = await Promise.all([live.side(TITLE), live.side(TITLE)]);
    expect(both).toMatchObject([{ text: 'I see.' }, { text: 'I see.' }]);
    expect(await asideIn(played)).toBe(1);
    await expectRebuilt(played);
  });

  it('for its own content fails, and nothing of the conversation is quarantined', async () => {
    const played = await playWindow({ believed, answer });
    const { live } = played;
    await live.prompt([{ type: 'text', text: 'Look.' }, await picture(played, 1_000)]);
    const words = [await picture(played, 30_000), { type: 'text', text: 'Name this.' }] as const;
    const error = { code: 'provider/invalid' };
    expect(await live.side({ ...TITLE, prompt: words })).toMatchObject({ outcome: 'failed', error });
    expect(await asideIn(played)).toBe(0);
    expect(await live.prompt('And now?')).toMatchObject({ outcome: 'completed' });
  });
});
