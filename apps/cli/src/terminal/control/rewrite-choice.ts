// Choices before a costly step. Before a step that pays again for much content: send it, compact first, continue in a
// fork, or cancel. Before a large prompt: send it or cancel. Before a prompt, the user chooses while nothing is recorded yet. Later, the runtime asks.

import type { AgentSession, CompactionReport, NextCall, NextCallPrice, PromptSize } from '@tidemark/kit';
import { causesInWords } from '@tidemark/context';
import { sumOfMoney } from '@tidemark/model';

import { dollars, formatNumber } from '../../frame/numbers.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { compactionDetails } from '../../reports/compaction-report.ts';
import type { Controller } from '../state/controller.ts';
import type { Draft } from '../state/draft.ts';
import { priceOfNext } from '../state/status-facts.ts';
import type { ChoiceOption } from '../state/terminal-state.ts';
import type { PreparedDraft } from './prepare-draft.ts';

/** Tokens that are paid again, with cause and additional cost. */
type CostlyRewrite = NonNullable<NextCallPrice['rewrite']>;

/** Runs in place of a prompt. `send` sends a draft as a prompt. */
export type InsteadOfPrompt = (send: (draft: Draft) => void) => Promise<void>;

/** Choices before a costly step. */
export interface RewriteChoices {
  /** Called before a prompt is sent. Returns `undefined` if the prompt is sent, otherwise what happens instead. */
  consider(draft: Draft, parts: PreparedDraft['parts']): Promise<InsteadOfPrompt | undefined>;
  /** Answers the questions of the runtime. Questions about other things are passed on. */
  readonly ask: Controller['ask'];
  /** Runs the choice that the user made during the turn that has ended. */
  turnEnded(): Promise<void>;
}

/** Environment of the choices. */
export interface RewritePlace extends Pick<
  Controller,
  'state' | 'session' | 'openSession' | 'ask' | 'choose' | 'print' | 'refill' | 'resume'
> {
  /** Forecasts a prompt. */
  forecast(words: PreparedDraft['parts']): Promise<NextCall | undefined>;
  /** Returns the shown session. If it is new, creates it. */
  openFor(text: string): Promise<AgentSession>;
  /** Returns the time in milliseconds since 1970. */
  now(): number;
}

type RewriteAction = 'send' | 'compact' | 'fork' | 'cancel';

interface RewriteState {
  readonly place: RewritePlace;
  /** Tokens up to which the user has accepted rewrites in the current turn. */
  accepted: number;
  /** Choice that runs after the end of the turn. */
  pending: { readonly action: 'compact' | 'fork'; readonly tokens: number } | undefined;
}

/** Creates the choices of one terminal. */
export function createRewriteChoices(place: RewritePlace): RewriteChoices {
  const choices: RewriteState = { place, accepted: 0, pending: undefined };
  return {
    consider: (draft, parts) => consider(choices, draft, parts),
    ask: (question, signal) => {
      if (question.about !== 'rewrite') return place.ask(question, signal);
      return answerRewrite(choices, question.rewrite, signal);
    },
    turnEnded: () => followChoice(choices),
  };
}

/** An accepted rewrite also covers an estimate that is higher by this factor. */
const TOLERANCE = 1.2;

/** Maximum size of a prompt that is sent without a forecast, in bytes. It is far below the threshold for notices. */
const SMALL_BYTES = 4_000;

async function consider(
  choices: RewriteState,
  draft: Draft,
  parts: PreparedDraft['parts'],
): Promise<InsteadOfPrompt | undefined> {
  const { place } = choices;
  const isLong = bytesOf(parts) > SMALL_BYTES;
  const shown = priceOfNext(place.state.get().status, place.now());
  // The forecast in the status line decides if a new forecast is needed, so that most prompts are sent without a pause.
  if (!isLong && (place.session() === undefined || shown?.reported === false)) return undefined;
  // The first call of some sessions can be forecast only after the session was created.
  const next = (await place.forecast(parts)) ?? (await (await place.openFor(draft.text)).forecast(parts));
  const cancel = async (): Promise<void> => place.refill(draft.text, draft.attached);
  if (next?.largePrompt !== undefined && !(await sendsLarge(place, next.largePrompt))) return cancel;
  const session = place.session();
  return session === undefined ? undefined : considerRewrite(choices, session, draft, next);
}

function bytesOf(parts: PreparedDraft['parts']): number {
  return parts.reduce(
    (sum, part) => sum + ('data' in part ? part.data.length : Buffer.byteLength(JSON.stringify(part))),
    0,
  );
}

/** Asks before a large prompt. Returns true if it is sent. */
async function sendsLarge({ choose }: RewritePlace, { tokens, cost }: PromptSize): Promise<boolean> {
  const price = cost === undefined ? 'at an unknown price' : `${dollars(cost)} before the answer`;
  const title = [withStyle('bold', 'This prompt is large.'), `It adds ${formatNumber(tokens)} tokens, ${price}.`];
  const chosen = await choose(title, [
    { label: 'send it', key: 's' },
    { label: 'cancel', key: 'n', note: 'the text goes back into the editor' },
  ]);
  return chosen === 0;
}

async function considerRewrite(
  choices: RewriteState,
  session: AgentSession,
  draft: Draft,
  next: NextCall | undefined,
): Promise<InsteadOfPrompt | undefined> {
  const { place, accepted } = choices;
  if (next?.rewrite === undefined || !next.reported || next.compacts !== undefined) return undefined;
  const { rewrite } = next;
  if (rewrite.tokens <= accepted) return undefined;
  const action = await chooseAction(place, session, rewrite, { cost: next.cost, prompt: true });
  switch (action) {
    case 'compact':
      await compactNow(place, session);
      choices.accepted = rewrite.tokens * TOLERANCE;
      return undefined;
    case 'send':
      choices.accepted = rewrite.tokens * TOLERANCE;
      return undefined;
    case 'fork':
      return async (send) => {
        await continueInFork(place, session);
        choices.accepted = rewrite.tokens * TOLERANCE;
        send(draft);
      };
    case 'cancel':
      return async () => place.refill(draft.text, draft.attached);
  }
}

async function answerRewrite(
  choices: RewriteState,
  rewrite: CostlyRewrite,
  signal: AbortSignal,
): Promise<'allowed' | 'denied'> {
  const { place, accepted } = choices;
  const session = place.session();
  if (session === undefined) return 'denied';
  if (rewrite.tokens <= accepted) return 'allowed';
  const action = await unlessAborted(place, signal, chooseAction(place, session, rewrite, { prompt: false }));
  if (action === 'send') {
    choices.accepted = rewrite.tokens * TOLERANCE;
    return 'allowed';
  }
  if (action !== 'cancel') choices.pending = { action, tokens: rewrite.tokens };
  return 'denied';
}

/** Returns the chosen action. If the turn is interrupted, closes the list and cancels. */
async function unlessAborted(
  place: RewritePlace,
  signal: AbortSignal,
  chosen: Promise<RewriteAction>,
): Promise<RewriteAction> {
  const close = (): void => {
    const { panel } = place.state.get();
    if (panel?.kind === 'choice' && panel.title[0] === TITLE) panel.choose(undefined);
  };
  signal.addEventListener('abort', close, { once: true });
  try {
    return await chosen;
  } finally {
    signal.removeEventListener('abort', close);
  }
}

/** Runs the choice of the last question. The turn was ended before its costly step, and is resumed here. */
async function followChoice(choices: RewriteState): Promise<void> {
  const { place, pending } = choices;
  choices.accepted = 0;
  choices.pending = undefined;
  const session = place.session();
  if (pending === undefined || session === undefined) return;
  if (pending.action === 'compact') await compactNow(place, session);
  else await continueInFork(place, session);
  choices.accepted = pending.tokens * TOLERANCE;
  place.resume();
}

async function compactNow({ print }: RewritePlace, session: AgentSession): Promise<void> {
  const report = await session.compact();
  print(compactionDetails(session.id, report).map((line) => withStyle('dim', line)));
}

/** Shows a fork of the session. The session itself keeps its log, and the provider keeps its cache entries. */
async function continueInFork({ openSession, print }: RewritePlace, session: AgentSession): Promise<void> {
  const fork = await session.fork();
  await openSession({ open: 'live', session: fork });
  print([withStyle('dim', `This is a fork of ${session.id}. That session keeps its log and its cache.`)]);
}

const TITLE: Shown = withStyle('bold', 'The next call pays again for content that was sent before.');

interface ChoiceFacts {
  /** Cost of the whole input. */
  readonly cost?: string | undefined;
  /** True before a prompt. False in a turn, whose prompt is recorded already. */
  readonly prompt: boolean;
}

async function chooseAction(
  { choose }: RewritePlace,
  session: AgentSession,
  rewrite: CostlyRewrite,
  facts: ChoiceFacts,
): Promise<RewriteAction> {
  const options = [
    { action: 'send', label: 'send it', key: 's', ...priceNote(facts.cost) },
    ...(await compactOption(session, facts)),
    { action: 'fork', label: 'fork', key: 'f', note: 'continue in a fork; this session keeps its log and its cache' },
    {
      action: 'cancel',
      label: 'cancel',
      key: 'n',
      note: facts.prompt ? 'the text goes back into the editor' : 'the turn ends here and can be resumed',
    },
  ] as const satisfies readonly (ChoiceOption & { readonly action: RewriteAction })[];
  const chosen = await choose([TITLE, rewriteWords(rewrite)], options);
  return chosen === undefined ? 'cancel' : (options[chosen]?.action ?? 'cancel');
}

function priceNote(cost: string | undefined): Pick<ChoiceOption, 'note'> {
  return cost === undefined ? {} : { note: `${dollars(cost)} before the answer` };
}

type CompactOption = ChoiceOption & { readonly action: 'compact' };

/**
 * Returns the option to compact first, with the size and the price after it. Returns nothing if a compaction is not
 * possible.
 */
async function compactOption(session: AgentSession, { cost }: ChoiceFacts): Promise<readonly CompactOption[]> {
  const plan = await session.compact({ dryRun: true }).catch(() => undefined);
  if (plan?.outcome !== 'planned') return [];
  const { before, after } = plan.sizes;
  const price = priceCompacted(plan.next, cost);
  const sent = price === undefined ? 'then it is sent' : `then it is sent for ${dollars(price)} before the answer`;
  const note = `about ${formatNumber(before)} tokens become ${formatNumber(after)}; ${sent}`;
  return [{ action: 'compact', label: 'compact first', key: 'c', note }];
}

/**
 * Returns the cost of the call after a compaction. The forecast of the compaction has almost no prompt, so the price of
 * the prompt is added to it.
 */
function priceCompacted(next: CompactionReport['next'], whole: string | undefined): string | undefined {
  const { uncompacted, compacted } = next ?? {};
  if (compacted?.cost === undefined || uncompacted?.cost === undefined || whole === undefined) return undefined;
  return sumOfMoney([compacted.cost, whole, `-${uncompacted.cost}`]);
}

function rewriteWords({ cause, also = [], tokens, cost }: CostlyRewrite): string {
  const price = cost === undefined ? 'at an unknown price' : `${dollars(cost)} more than reading them from the cache`;
  return `${causesInWords([cause, ...also])}: ${formatNumber(tokens)} tokens, ${price}.`;
}
