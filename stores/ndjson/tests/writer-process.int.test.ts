// Tests writers in separate processes: two at the same time, a writer that is suspended and resumed, and a writer that
// is killed. See can1357/oh-my-pi#12624: two windows on one session.

import { rm } from 'node:fs/promises';
import { sessionId } from '@tidemark/log';
import * as samples from '@tidemark/log/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openNdjsonStore } from '../src/store.ts';
import type { Child } from '@tidemark/log/contract/child';
import { startHolder } from './start-holder.ts';
import { temporaryHome } from './temporary-home.ts';

const { appended, fails, prompts, textOrKind, texts } = samples;
const id = sessionId('a');

describe('a writer in another process', () => {
  let home = '';
  let holder: Child;
  beforeEach(async () => {
    home = await temporaryHome();
    holder = startHolder(home, 'a');
    expect(await holder.ask('create')).toBe('created');
  });
  afterEach(async () => {
    await holder.kill();
    await rm(home, { recursive: true, force: true });
  });

  it('locks the session against other writers, and its records can be read in this process', async () => {
    const store = openNdjsonStore({ home });
    await fails(store.open(id), 'log/locked');
    const second = startHolder(home, 'a');
    expect(await second.ask('open')).toBe('log/locked');
    await second.kill();
    expect(await holder.ask('append one')).toBe('length 2');
    expect(await texts(store, id)).toEqual(['session.created', 'one']);
    expect(await holder.ask('close')).toBe('closed');
    await (await store.open(id)).close();
  });

  it('is shown by `isOpen` until it is closed, also while it is stopped', async () => {
    const store = openNdjsonStore({ home });
    expect(await store.isOpen(id)).toBe(true);
    holder.signal('SIGSTOP');
    expect(await store.isOpen(id)).toBe(true);
    holder.signal('SIGCONT');
    expect(await holder.ask('close')).toBe('closed');
    expect(await store.isOpen(id)).toBe(false);
  });

  it('keeps its lock while it is stopped, and continues when it is resumed', async () => {
    const store = openNdjsonStore({ home });
    holder.signal('SIGSTOP');
    await fails(store.open(id), 'log/locked');
    holder.tell('append woken');
    await fails(store.open(id), 'log/locked');
    holder.signal('SIGCONT');
    expect(await holder.hear()).toBe('length 2');
    expect(await texts(store, id)).toEqual(['session.created', 'woken']);
  });

  it('releases its session at once when it is killed, even while it is stopped', async () => {
    expect(await holder.ask('append one')).toBe('length 2');
    holder.signal('SIGSTOP');
    await holder.kill();
    const writer = await openNdjsonStore({ home }).open(id);
    expect([writer.length, writer.fence]).toEqual([2, 2]);
    await appended(writer, prompts(1, 7));
    await writer.close();
    expect(await texts(openNdjsonStore({ home }), id)).toEqual(['session.created', 'one', '7']);
  });

  it('can be followed from this process', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const record of openNdjsonStore({ home }).tail(id, 0, stop.signal)) {
      seen.push(textOrKind(record));
      if (seen.length < 4) holder.tell(`append ${seen.length}`);
      else stop.abort();
    }
    expect(seen).toEqual(['session.created', '1', '2', '3']);
  });

  it('keeps its lock after another store in its process failed to open the session', async () => {
    const here = openNdjsonStore({ home });
    const other = sessionId('b');
    const writer = await samples.sessionWith(here, other, 0);
    await fails(openNdjsonStore({ home }).open(other), 'log/locked');
    await fails(openNdjsonStore({ home }).create(other), 'log/exists');
    const stranger = startHolder(home, 'b');
    expect(await stranger.ask('open')).toBe('log/locked');
    await stranger.kill();
    await writer.close();
  });
});
