import { describe, expect, it } from 'vitest';
import { openChannel } from './output.ts';

describe('a channel', () => {
  it('passes on each value, and the sender continues only when the receiver asks for the next one', async () => {
    const { send, close, items } = openChannel<number>();
    const happened: string[] = [];
    const sending = (async () => {
      for (const value of [1, 2]) {
        await send(value);
        happened.push(`sent ${value}`);
      }
      close();
    })();
    for await (const value of items) happened.push(`got ${value}`);
    await sending;
    expect(happened).toEqual(['got 1', 'sent 1', 'got 2', 'sent 2']);
  });

  it('reports a failure to both sides', async () => {
    const { send, fail, items } = openChannel<number>();
    const sent = send(1);
    fail(new Error('the disk is full'));
    await expect(sent).rejects.toThrow('the disk is full');
    await expect(send(2)).rejects.toThrow('the disk is full');
    await expect(items[Symbol.asyncIterator]().next()).rejects.toThrow('the disk is full');
  });

  it('does not block the sender after the receiver has left', async () => {
    const { send, items } = openChannel<number>();
    const sent = send(1);
    for await (const value of items) if (value === 1) break;
    await sent;
    await send(2);
  });

  it('gives the sender the failure also if the receiver has left because of it', async () => {
    const { send, fail, items } = openChannel<number>();
    const sent = send(1);
    const receiving = (async () => {
      for await (const value of items) throw new Error(`the disk is full at ${value}`);
    })().catch(fail);
    await sent;
    await receiving;
    await expect(send(2)).rejects.toThrow('the disk is full at 1');
  });

  it('may be closed or fail after the receiver has left, after it was closed and after it failed', async () => {
    const { send, close, fail, items } = openChannel<number>();
    const sent = send(1);
    for await (const value of items) if (value === 1) break;
    await sent;
    close();
    fail(new Error('first'));
    fail(new Error('second'));
    close();
    await expect(send(2)).rejects.toThrow('first');
  });
});
