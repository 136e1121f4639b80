// Colours of an audit's page. Each group of causes has one colour, one pattern and one place in the stack, so that no
// figure depends on the colour alone.

import type { LossCause } from '@tidemark/context';

import type { Markup } from './markup.ts';
import { markup } from './markup.ts';

/** Group of causes with a colour of its own. */
export type CauseColour = 'pause' | 'front' | 'history' | 'setting' | 'compaction' | 'rule' | 'unknown';

const COLOURS: Readonly<Record<LossCause, CauseColour>> = {
  expired: 'pause',
  initial: 'front',
  tools: 'front',
  skills: 'front',
  contract: 'front',
  role: 'front',
  opened: 'front',
  'front-changed-or-evicted': 'front',
  'front-changed': 'front',
  'history-changed': 'history',
  edited: 'history',
  pruning: 'history',
  quarantine: 'history',
  image: 'history',
  'thinking-stripped': 'history',
  model: 'setting',
  reasoning: 'setting',
  parameters: 'setting',
  parameter: 'setting',
  account: 'setting',
  compaction: 'compaction',
  'below-floor': 'rule',
  lookback: 'rule',
  evicted: 'rule',
  racing: 'rule',
  'overflow-routing': 'rule',
  'not-cached': 'rule',
  unknown: 'unknown',
};

/** Groups in the order of the stack, from the bottom. Each has a short name and a name with its meaning. */
export const CAUSE_GROUPS: readonly CauseGroupName[] = [
  { colour: 'front', short: 'front', name: 'front changed, or dropped by the provider' },
  { colour: 'pause', short: 'expired', name: 'expired after a pause' },
  { colour: 'setting', short: 'setting', name: 'model, effort or account changed' },
  { colour: 'history', short: 'history', name: 'history changed' },
  { colour: 'compaction', short: 'compaction', name: 'compaction' },
  { colour: 'rule', short: 'rule', name: 'not cached, or a limit of the cache' },
  { colour: 'unknown', short: 'unknown', name: 'unknown' },
];

/** Names of a group of causes. */
export interface CauseGroupName {
  readonly colour: CauseColour;
  readonly short: string;
  readonly name: string;
}

/** Returns the group of a cause. */
export function colourOf(cause: LossCause): CauseColour {
  return COLOURS[cause];
}

/** Returns the groups that have at least one of the causes, in the order of the stack. */
export function groupsOf(causes: readonly LossCause[]): readonly CauseGroupName[] {
  const found = new Set(causes.map(colourOf));
  return CAUSE_GROUPS.filter(({ colour }) => found.has(colour));
}

/** Returns a small square in the colour and pattern of a group, of the cost that had to be, or of a part of a call. */
export function swatch(name: CauseColour | 'needed' | 'read' | 'fresh'): Markup {
  return markup`<svg class="swatch" width="1em" height="1em" aria-hidden="true">
    <rect width="100%" height="100%" class="${name}"/>
  </svg>`;
}

/** Patterns of the groups. The page contains them once, before their first use. */
export const PATTERNS: Markup = {
  html: `<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>
${[
  pattern('front', 6, 'M-1 1l2-2M0 6l6-6M5 7l2-2'),
  pattern('setting', 6, 'M-1 5l2 2M0 0l6 6M5-1l2 2'),
  pattern('history', 4, 'M0 2h4'),
  pattern('compaction', 4, 'M2 0v4'),
  pattern('rule', 6, 'M0 3h6M3 0v6'),
  pattern('unknown', 5, 'M1.5 2.5h2'),
].join('\n')}
</defs></svg>
`,
};

function pattern(colour: CauseColour, size: number, path: string): string {
  return `<pattern id="p-${colour}" width="${size}" height="${size}" patternUnits="userSpaceOnUse"><rect width="${size}" height="${size}" style="fill:var(--${colour})"/><path d="${path}"/></pattern>`;
}

/** Style of the colours and patterns. `pause` has no pattern. */
export const COLOUR_STYLE = `
:root { --needed: #8b949e; --read: #8b949e; --fresh: #454f59; --pause: #1226a8; --front: #c8420b; --history: #8a5be0;
  --setting: #0f6b52; --compaction: #4a4700; --rule: #b0358f; --unknown: #1b1f24; }
@media (prefers-color-scheme: dark) { :root { --needed: #66717c; --read: #66717c; --fresh: #b3bdc7; --pause: #5ab7ff;
  --front: #f0803c; --history: #b050de; --setting: #b3d4b0; --compaction: #f2d334; --rule: #c78ea4; --unknown: #f4f6f8; } }
.patterns { position: absolute; } pattern path { stroke: var(--paper); stroke-width: 1; fill: none; }
.needed { fill: var(--needed); } .read { fill: var(--read); } .fresh { fill: var(--fresh); } .pause { fill: var(--pause); }
.front { fill: url(#p-front); } .history { fill: url(#p-history); } .setting { fill: url(#p-setting); }
.compaction { fill: url(#p-compaction); } .rule { fill: url(#p-rule); } .unknown { fill: url(#p-unknown); }
.swatch { vertical-align: -.1em; margin-right: .4em; flex: none; }
`;
