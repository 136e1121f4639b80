// Tests the inspection of artifacts and snapshots in which one byte was changed.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { sessionId } from '@tidemark/log';
import * as samples from '@tidemark/log/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { artifactPaths, homePaths, roomPaths } from '../src/home.ts';
import { inspectArtifacts } from '../src/inspect-artifacts.ts';
import { inspectSession } from '../src/inspect-session.ts';
import { openNdjsonStore } from '../src/store.ts';
import { temporaryHome } from './temporary-home.ts';

const id = sessionId('a');
const MASKS = [0x01, 0xff];

let home = '';
beforeEach(async () => {
  home = await temporaryHome();
});
afterEach(() => rm(home, { recursive: true, force: true }));

/**
 * Changes each byte of a file in turn, once with each mask in `MASKS`, and yields after each change. The file is
 * restored at the end.
 */
async function* changes(path: string): AsyncGenerator<string> {
  const whole = await readFile(path);
  for (let at = 0; at < whole.length; at += 1) {
    for (const mask of MASKS) {
      const other = Buffer.from(whole);
      other[at] = (other[at] ?? 0) ^ mask;
      await writeFile(path, other);
      yield `${at}^${mask}`;
    }
  }
  await writeFile(path, whole);
}

describe('an artifact with one changed byte', () => {
  it('is reported by its path for a change of any byte, and is repaired when the same bytes are stored again', async () => {
    const { artifacts } = openNdjsonStore({ home });
    const bytes = Buffer.from('some short output\n');
    const { digest } = await artifacts.put(bytes);
    const path = artifactPaths(homePaths(home), digest).plain;
    for await (const change of changes(path)) {
      expect([change, (await inspectArtifacts({ home })).damaged]).toEqual([change, [path]]);
    }
    await writeFile(path, 'something else');
    await artifacts.put(bytes);
    expect(await inspectArtifacts({ home })).toEqual({ files: 1, bytes: bytes.length, damaged: [] });
  });

  it('is either reported or still returns its original bytes, if it is packed', async () => {
    const { artifacts } = openNdjsonStore({ home });
    const bytes = Buffer.from('no two words of this line are alike; '.repeat(120));
    const { digest } = await artifacts.put(bytes);
    const path = artifactPaths(homePaths(home), digest).packed;
    let named = 0;
    let harmless = 0;
    for await (const _ of changes(path)) {
      const { damaged } = await inspectArtifacts({ home });
      if (damaged.length === 1) named += 1;
      else {
        harmless += 1;
        expect(Buffer.concat(await samples.gather(artifacts.get(digest))).equals(bytes)).toBe(true);
      }
    }
    // A zstd frame has bits that decoders ignore, and the same repetition can be encoded in two ways. A few changes are
    // therefore harmless.
    expect(named).toBeGreaterThan(9 * harmless);
  });
});

describe('a snapshot with one changed byte', () => {
  it('is reported for a change of any byte, and is not used', async () => {
    const store = openNdjsonStore({ home });
    const writer = await samples.sessionWith(store, id, 2);
    await writer.close();
    const snapshot = { length: 2, chain: '', revision: 'r', bytes: Buffer.from('a state') };
    const [, second] = await samples.gather(store.read(id));
    if (second === undefined) throw new Error('no record');
    await store.putSnapshot(id, { ...snapshot, chain: second.chain });
    const path = roomPaths(homePaths(home), id).snapshot;
    expect(await inspectSession({ home }, id)).toEqual({ session: id, records: 3, torn: 0, unknown: [] });
    for await (const change of changes(path)) {
      expect([change, (await inspectSession({ home }, id)).damagedSnapshot]).toEqual([change, path]);
      expect([change, await store.getSnapshot(id)]).toEqual([change, undefined]);
    }
    expect(await store.getSnapshot(id)).toBeDefined();
  });
});
