// Baseline matrix: lists, for each event that might cost a cache, the exact reasons that the session records and
// reports. The test fails if a reason is missing or if there is an additional one. Changed skills (issue 6) have no
// row, because no story can change skills yet.

import type { Recorded } from '@tidemark/log';
import type { AgentSession } from '@tidemark/kit';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { expectOnlyGrowth, expectSound, openStage, recordsOf } from './billed-stage.ts';
import type { StoryName, StoryStage } from './matrix-stories.ts';
import { STORIES, TOOLS } from './matrix-stories.ts';

/**
 * Reasons as texts, such as `epoch: tools`: epochs after the first, misses, failures, changes and notes in the order of
 * their records, followed by the notices raised for the user.
 */
type Reasons = readonly string[];

interface Row {
  /** Reasons on claude-sonnet-4-5, which accepts no appended changes and strips the thinking of earlier turns. */
  readonly plain: Reasons;
  /** Reasons on claude-opus-5-5, which accepts appended system messages, reasoning changes and tools. */
  readonly appends: Reasons;
}

const MODELS = { plain: 'claude-sonnet-4-5', appends: 'claude-opus-5-5' } as const;

function both(...reasons: readonly string[]): Row {
  return { plain: reasons, appends: reasons };
}

const MATRIX: { readonly [name in StoryName]: Row } = {
  'fresh session': both(),
  'repeated turns': both(),
  'model switch with history': both('epoch: model', 'miss: opened'),
  'model switch without history': both(),
  'role changed': both('epoch: role', 'miss: opened'),
  'mode toggled': both('note: permission-mode changed'),
  'server gone': { plain: ['epoch: tools', 'miss: opened'], appends: ['tools: appended'] },
  'server back': {
    // Restoring the tools finds the first front and the history that was sent with it in the cache. Only the history
    // since then is written again.
    plain: ['epoch: tools', 'miss: opened', 'epoch: tools', 'miss: opened'],
    appends: ['tools: appended', 'tools: appended'],
  },
  'server back with other tools': {
    plain: ['epoch: tools', 'miss: opened', 'epoch: tools', 'miss: opened'],
    appends: ['tools: appended', 'tools: appended'],
  },
  'server gone and back before the next request': both(),
  'server gone and back, and nobody wants to pay for it': {
    plain: ['tools: queued'],
    appends: ['tools: appended', 'tools: appended'],
  },
  'tool added': { plain: ['epoch: tools', 'miss: opened'], appends: ['tools: appended'] },
  'handler reloaded': both(),
  'compaction, recorded': both('note: permission-mode compacted-away', 'epoch: compaction'),
  'compaction by hand': both('compacted: manual', 'note: permission-mode compacted-away', 'epoch: compaction'),
  'compaction by hand, refused': both('refused: manual'),
  'old results shortened': both('epoch: pruning', 'miss: opened'),
  'request too long, then resumed': both(
    'refused: critical_pressure_preflight',
    'failed: provider/too-long',
    'refused: overflow_recovery',
    'turn: failed',
    'failed: provider/too-long',
    'turn: failed',
    'notice: context/compaction-refused',
    'notice: context/pressure',
    'notice: context/compaction-refused',
  ),
  'request too long, compacted and sent again': both(
    'failed: provider/too-long',
    'compacted: overflow_recovery',
    'note: permission-mode compacted-away',
    'epoch: compaction',
    // The kept steps were cached after a different front and history, so this cache does not apply to them.
    'miss: opened',
    'notice: context/compacted',
  ),
  'answer that fills the window': both(
    'compacted: overflow_recovery',
    'note: permission-mode compacted-away',
    'epoch: compaction',
    'miss: opened',
    'notice: context/compacted',
  ),
  'reasoning level': { plain: ['epoch: reasoning', 'miss: opened'], appends: ['reasoning: appended'] },
  'reasoning level changed and changed back': both(),
  'reasoning level set while the session is open': {
    plain: ['epoch: reasoning', 'miss: opened'],
    appends: ['reasoning: appended'],
  },
  'resume after restart': both('turn: limited'),
  'note refreshed': both('note: weather changed'),
  'side call': both(),
  'first image': both('miss: image'),
  'thinking of the turns before': { plain: ['miss: thinking-stripped'], appends: [] },
  retry: both(
    'failed: provider/overloaded',
    'failed: provider/server',
    'notice: turn/retrying',
    'notice: turn/retrying',
  ),
  'a pause above five minutes': both('miss: expired'),
  'an entry that the provider dropped': both('miss: evicted'),
  'a second session on the same front': both(),
};

/** Stories with calls on several streams or sessions, so a call does not extend the call before it. */
const SEVERAL_STREAMS: readonly StoryName[] = ['fresh session', 'side call', 'a second session on the same front'];

/** Returns true if the reasons contain no epoch and no miss. The session must then pay for no token twice. */
function isQuiet(reasons: Reasons): boolean {
  return !reasons.some((reason) => /^(epoch|miss): /.test(reason));
}

describe.each(['plain', 'appends'] as const)('the reasons that a session gives on the `%s` model', (kind) => {
  test.each(names())('equal the row of the matrix for: %s', async (name) => {
    const stage = await openStage({ model: MODELS[kind], tools: TOOLS });
    const notices: string[] = [];
    const scene: StoryStage = {
      stage,
      async open(options) {
        const live = await stage.open(options);
        void hear(live, notices, () => stage.clock.passToNext());
        return live;
      },
    };
    const live = await STORIES[name](scene);
    const records = await recordsOf(stage, live.id);
    expect([...records.flatMap(reasonOf), ...notices]).toEqual(MATRIX[name][kind]);
    await expectSound(stage, live.id);
    if (isQuiet(MATRIX[name][kind]) && !SEVERAL_STREAMS.includes(name)) expectOnlyGrowth(stage.billed());
  });
});

function names(): readonly StoryName[] {
  return Object.keys(MATRIX).filter((name): name is StoryName => name in STORIES);
}

/** Collects the notices of a session. At each retry notice, moves the clock forward, so the session does not wait. */
async function hear(live: AgentSession, notices: string[], pass: () => void): Promise<void> {
  for await (const event of live.events()) {
    if (event.type !== 'notice.raised') continue;
    notices.push(`notice: ${event.notice.code}`);
    if (event.notice.code !== 'turn/retrying') continue;
    await setImmediate();
    pass();
  }
}

function reasonOf(record: Recorded): readonly string[] {
  switch (record.kind) {
    case 'epoch.opened':
      return record.data.cause === 'initial' ? [] : [`epoch: ${record.data.cause}`];
    case 'answer.received':
      return record.data.miss === undefined ? [] : [`miss: ${record.data.miss.cause}`];
    case 'answer.failed':
      return [`failed: ${record.data.code}`];
    case 'compaction.refused':
      return [`refused: ${record.data.trigger}`];
    case 'history.compacted':
      return record.data.strategy === 'recorded' ? [] : [`compacted: ${record.data.trigger}`];
    case 'tools.changed':
      return [`tools: ${record.data.as}`];
    case 'role.changed':
      return [`role: ${record.data.as}`];
    case 'reasoning.changed':
      return [`reasoning: ${record.data.as}`];
    case 'context.noted':
      return record.data.cause === 'initial' ? [] : [`note: ${record.data.source} ${record.data.cause}`];
    case 'turn.ended':
      return record.data.outcome === 'completed' ? [] : [`turn: ${record.data.outcome}`];
    default:
      return [];
  }
}
