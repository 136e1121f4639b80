// Takes the current tools of the tool sources into the runtime of the session. If the model supports it, a new or
// changed definition is appended for the model. Otherwise the definition waits for the next epoch. If a definition
// changed but its name did not, the user must approve it first. If no user can be asked, the definition is held back
// with a notice.

import type { ToolSpec } from '@tidemark/context';
import { canonicalText } from '@tidemark/log';
import { unlessAborted } from '../concurrency.ts';
import type { DefinitionQuestion } from '../ports/permissions.ts';
import { isYes, requireAnswer } from '../ports/permissions.ts';
import type { Notice } from '../ports/session-event.ts';
import type { HeldTool, Tool, ToolOffer, ToolSource, ToolTrouble } from '../ports/tool.ts';
import { loadShownTools } from '../session/materials.ts';
import type { Session } from '../session/session.ts';
import type { TurnContext } from '../session/turn-context.ts';

type Taking = Pick<TurnContext, 'session' | 'runtime' | 'signal' | 'tell' | 'applyRuntimeChange'>;

/**
 * Notices and questions of an open session: messages that were already reported, and definitions that the user refused.
 */
interface ToolNotices {
  readonly reportedMessages: Set<string>;
  readonly refused: Set<string>;
}

const NOTICES: WeakMap<Session, ToolNotices> = new WeakMap();

/**
 * Asks the tool sources and takes their tools. The tools of the sources come after the session's own tools. If two
 * tools have the same name, the session's own tool is used.
 */
export async function refreshTools(work: Taking): Promise<void> {
  const { toolSources: sources = [] } = work.runtime;
  if (sources.length === 0 || work.applyRuntimeChange === undefined) return;
  await Promise.all(sources.map((source) => unlessAborted(source.ready(work.signal), work.signal)));
  if (work.signal.aborted) return;
  const shown = await shownTo(work.session);
  const offers = await offersOf(work, sources, shown);
  const given = offers.flatMap(({ tools }) => tools);
  for (const trouble of offers.flatMap(({ troubles }) => troubles)) tellOnce(work, await maskTrouble(work, trouble));
  const { tools, given: before = [] } = work.runtime;
  const own = tools.filter((tool) => !before.includes(tool));
  const next = [...own, ...firstOfEach(work, own, given)];
  if (next.length === tools.length && next.every((tool, index) => tool === tools[index])) return;
  work.applyRuntimeChange({ tools: next, given, takeTools: 'next-epoch' });
}

function shownTo({ state, log }: Session): Promise<readonly ToolSpec[]> {
  return loadShownTools(log.artifacts, state.epoch?.inForce.tools ?? []);
}

async function offersOf(
  work: Taking,
  sources: readonly ToolSource[],
  shown: readonly ToolSpec[],
): Promise<readonly ToolOffer[]> {
  const offerOf = (source: ToolSource): ToolOffer => source.offer(shown, work.session.writer.session);
  const offers = sources.map(offerOf);
  const held = offers.flatMap((offer) => offer.held);
  for (const one of held) await settle(work, one);
  return held.length === 0 ? offers : sources.map(offerOf);
}

/**
 * Asks the user about a changed definition, only one time. If the user does not answer yes, the definition is still not
 * used.
 */
async function settle(work: Taking, held: HeldTool): Promise<void> {
  const { ask } = work.runtime;
  const { refused } = noticesOf(work.session);
  const definition = JSON.stringify(held.is);
  if (work.signal.aborted || refused.has(definition)) return;
  if (ask === undefined) return tellOnce(work, heldBack(held, 'and no user can be asked to approve it'));
  try {
    const verdict = await unlessAborted(Promise.resolve(ask(questionOf(held), work.signal)), work.signal);
    if (work.signal.aborted) return;
    if (isYes(requireAnswer(verdict))) return approve(work, held);
    refused.add(definition);
    tellOnce(work, heldBack(held, 'and the user refused the change'));
  } catch (cause) {
    if (work.signal.aborted) return;
    tellOnce(work, heldBack(held, `and asking the user failed: ${messageOf(cause)}`));
  }
}

function approve(work: Taking, held: HeldTool): void {
  try {
    held.approve();
  } catch (cause) {
    tellOnce(work, heldBack(held, `and the approval of the user failed: ${messageOf(cause)}`));
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function questionOf({ name, was, is }: HeldTool): DefinitionQuestion {
  const changed = [
    ...(was.description === is.description ? [] : ['its description']),
    ...(canonicalText(was.schema) === canonicalText(is.schema) ? [] : ['its arguments']),
  ];
  const title = `${name} changed ${changed.join(' and ') || 'its definition'} since it was last accepted`;
  return { about: 'definition', tool: name, title, rule: 'ask/definition', was, is };
}

function heldBack({ name }: HeldTool, why: string): Notice {
  return {
    code: 'tools/held-back',
    message: `the tool ${name} is not offered: its definition changed, ${why}`,
    next: 'Check the definition that its server sends now; approve it in an interactive session, or remove the server.',
  };
}

function firstOfEach(work: Taking, own: readonly Tool[], given: readonly Tool[]): readonly Tool[] {
  const names = new Set(own.map(({ name }) => name));
  return given.filter(({ name }) => {
    if (!names.has(name)) return names.add(name);
    const message = `two tools have the name ${name}: the one from a tool source, such as an MCP server, is not offered`;
    tellOnce(work, { code: 'tools/name-taken', message, next: 'Rename your tool or the tool source.' });
    return false;
  });
}

/**
 * Returns the notice of a source with its message masked. The last output of a failing server may contain a secret that
 * the server received.
 */
async function maskTrouble({ session }: Taking, trouble: ToolTrouble): Promise<Notice> {
  return { ...trouble, message: await session.secrets.mask(trouble.message) };
}

function tellOnce(work: Taking, notice: Notice): void {
  const { reportedMessages } = noticesOf(work.session);
  if (reportedMessages.has(notice.message)) return;
  reportedMessages.add(notice.message);
  work.tell({ type: 'notice.raised', notice });
}

function noticesOf(session: Session): ToolNotices {
  const held = NOTICES.get(session) ?? { reportedMessages: new Set(), refused: new Set() };
  NOTICES.set(session, held);
  return held;
}
