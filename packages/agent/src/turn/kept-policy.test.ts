// Tests that the compaction policy of a turn is in the log and applies to each `resume` of the turn.

import type { Provider } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { answering, failure, goLive, inTurn, says } from '../../tests/small-live.ts';
import type { Runtime } from '../ports/runtime.ts';

const tooLong = (): Provider =>
  answering(
    says('Never.', { fault: { after: 0, error: failure({ code: 'provider/too-long', class: 'compaction' }) } }),
  );

/** Returns a session whose turn began with this policy. A limit ended the turn. */
async function limited(compaction: Runtime['compaction']): Promise<Live> {
  const chosen = compaction === undefined ? {} : { compaction };
  const stage = await goLive({ provider: answering(says('Never.')), runtime: { limits: { steps: 0 }, ...chosen } });
  expect(await stage.live.prompt('Go.')).toMatchObject({ outcome: 'limited' });
  await stage.live.close();
  return stage;
}

/**
 * Resumes the turn in another process, where the provider refuses the first request as too long. Returns the error code
 * and the number of compaction decisions.
 */
async function resumed(
  { shelf }: Pick<Live, 'shelf'>,
  runtime: Partial<Runtime> = {},
): Promise<{ readonly code: string | undefined; readonly compactions: number }> {
  const { live, kinds } = await goLive({ provider: inTurn(tooLong(), answering(says('Done.'))), shelf, runtime });
  const { error } = await live.resume();
  await live.close();
  const compactions = (await kinds()).filter((kind) => /^(history.compacted|compaction.refused)$/.test(kind)).length;
  return { code: error?.code, compactions };
}

test('a resumed turn that began with `manual` is not compacted', async () => {
  expect(await resumed(await limited('manual'))).toEqual({ code: 'provider/too-long', compactions: 0 });
});

test('a turn that was resumed and ended by a limit again keeps its policy', async () => {
  const stage = await limited('manual');
  const again = await goLive({ provider: answering(), shelf: stage.shelf, runtime: { limits: { steps: 0 } } });
  expect(await again.live.resume()).toMatchObject({ outcome: 'limited' });
  await again.live.close();
  expect(await resumed(stage)).toEqual({ code: 'provider/too-long', compactions: 0 });
});

test('a policy that is chosen for the `resume` overrides the policy of the turn', async () => {
  expect(await resumed(await limited('manual'), { compaction: 'preflight' })).toMatchObject({ compactions: 1 });
});

test('a turn without a chosen policy is compacted if a request is too long, and its log names no policy', async () => {
  const stage = await limited(undefined);
  expect(await resumed(stage)).toMatchObject({ compactions: 1 });
  const began = (await stage.records()).flatMap((one) => (one.kind === 'turn.started' ? [one.data] : []));
  expect(began).toEqual([{ trigger: 'user' }]);
});

test('the next prompt begins a turn without the policy of the previous turn', async () => {
  const { shelf } = await limited('manual');
  const { live, kinds } = await goLive({ provider: inTurn(tooLong(), answering(says('Done.'))), shelf });
  await live.prompt('Again.');
  expect(await kinds()).toContain('compaction.refused');
});
