// Finds secrets: the given values in the forms in which they can leak, and keys and access tokens of well-known
// formats. A random text is not treated as a secret if nothing else indicates one.

import { defined } from '@tidemark/core';
import type { ContentPart, Event, EventOf, Granted, Json, Kind, ToolEnded } from '@tidemark/log';
import type { Secrets } from '../ports/secrets.ts';
import type { SecretValue } from './mask-text.ts';
import { createLiveMask } from './live-mask.ts';
import { maskPartOf } from './mask-part.ts';
import { PLACEHOLDER, createMasker, soughtIn } from './mask-text.ts';

/**
 * Returns the masking functions for these values, and for keys and access tokens of well-known formats. If one value
 * contains another, the longer one is found. If two values are equal, the first name is used. A value that contains a
 * placeholder is ignored, because it was already masked.
 */
export function createSecrets({ values }: { readonly values: readonly SecretValue[] }): Secrets {
  const sought = soughtIn(values.filter(({ value }) => value !== '' && !hasPlaceholder(value)));
  const mask = async (text: string): Promise<string> => {
    const masker = createMasker(sought);
    return (await masker.push(text)) + (await masker.end());
  };
  return {
    mask,
    maskEvent: (event) => maskWords(event, mask),
    async *maskStream(chunks) {
      const masker = createMasker(sought);
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      for await (const chunk of chunks) {
        const masked = await masker.push(decoder.decode(chunk, { stream: true }));
        if (masked !== '') yield Buffer.from(masked);
      }
      const rest = (await masker.push(decoder.decode())) + (await masker.end());
      if (rest !== '') yield Buffer.from(rest);
    },
    maskPart: (text, part) => maskPartOf(text, part, sought),
    openLive: () => createLiveMask(sought),
    holdsPlaceholder: hasPlaceholder,
  };
}

function hasPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDER) !== -1;
}

// Fields of each event that are masked. An answer is not changed, because its reasoning is signed and its arguments are
// kept exactly as streamed. Recordings of other programs, ids, digests and the path of the workspace are not changed
// either.

type JsonFields = { readonly [name: string]: Json | undefined };
type Mask = (text: string) => Promise<string>;
type MaskEvent<K extends Kind> = (event: EventOf<K>, mask: Mask) => Event | Promise<Event>;

const keep = (event: Event): Event => event;

const MASKS: { readonly [K in Kind]: MaskEvent<K> } = {
  'session.created': async (event, mask) =>
    event.data.title === undefined ? event : { ...event, data: { ...event.data, title: await mask(event.data.title) } },
  'epoch.opened': keep,
  'context.noted': maskNote,
  'turn.started': keep,
  'turn.resumed': keep,
  'prompt.given': async (event, mask) => ({
    ...event,
    data: { ...event.data, parts: await maskParts(event.data.parts, mask) },
  }),
  'prompt.denied': async (event, mask) => ({
    ...event,
    data: { ...event.data, reason: await mask(event.data.reason) },
  }),
  'notification.received': maskNotification,
  'request.prepared': async (event, mask) =>
    event.data.extra === undefined
      ? event
      : { ...event, data: { ...event.data, extra: await maskParts(event.data.extra, mask) } },
  'request.observed': keep,
  'answer.received': keep,
  'answer.failed': async (event, mask) => ({
    ...event,
    data: { ...event.data, message: await mask(event.data.message) },
  }),
  'answer.interrupted': async (event, mask) =>
    event.data.message === undefined
      ? event
      : { ...event, data: { ...event.data, message: await mask(event.data.message) } },
  'tool.started': keep,
  'tool.returned': async (event, mask) => ({ ...event, data: await maskEnded(event.data, mask) }),
  'tool.failed': async (event, mask) => ({ ...event, data: await maskEnded(event.data, mask) }),
  'tool.abandoned': keep,
  'tool.charged': keep,
  'permission.decided': maskDecision,
  'mode.changed': keep,
  'agent.chosen': async (event, mask) => ({ ...event, data: { ...event.data, role: await mask(event.data.role) } }),
  'foreign.recorded': keep,
  'tools.changed': keep,
  'reasoning.changed': keep,
  'reasoning.set': keep,
  'role.changed': keep,
  'skill.loaded': keep,
  'history.compacted': maskCheckpoint,
  'compaction.refused': async (event, mask) => ({
    ...event,
    data: { ...event.data, reason: await mask(event.data.reason) },
  }),
  'history.pruned': keep,
  'block.quarantined': maskStub,
  'pressure.crossed': keep,
  'memory.changed': keep,
  'subagent.started': maskStarted,
  'subagent.ended': async (event, mask) => ({
    ...event,
    data: { ...event.data, summary: await mask(event.data.summary) },
  }),
  'process.started': async (event, mask) => ({
    ...event,
    data: { ...event.data, command: await mask(event.data.command) },
  }),
  'process.ended': keep,
  'branch.summarized': maskBranch,
  'turn.ended': maskEnd,
};

async function maskWords(event: Event, mask: Mask): Promise<Event> {
  return maskOne(event, mask);
}

// The table has one function for each kind. If the type of an event is a union, TypeScript cannot infer which function
// belongs to it. The parameter `K` names the kind.
function maskOne<K extends Kind>(event: EventOf<K>, mask: Mask): Event | Promise<Event> {
  const one: MaskEvent<K> = MASKS[event.kind];
  return one(event, mask);
}

async function maskNote(event: EventOf<'context.noted'>, mask: Mask): Promise<Event> {
  const { revision, body } = event.data;
  return {
    ...event,
    data: {
      ...event.data,
      revision: await mask(revision),
      ...defined({ body: body === undefined ? undefined : await mask(body) }),
    },
  };
}

async function maskNotification(event: EventOf<'notification.received'>, mask: Mask): Promise<Event> {
  const { source, body, provenance } = event.data;
  return {
    ...event,
    data: { source: await mask(source), body: await mask(body), provenance: await mask(provenance) },
  };
}

async function maskStarted(event: EventOf<'subagent.started'>, mask: Mask): Promise<Event> {
  const { task, agent } = event.data;
  const masked = agent && { agent: { ...agent, role: await mask(agent.role) } };
  return { ...event, data: { ...event.data, task: await mask(task), ...masked } };
}

/**
 * Masks the text of a grant. Grants are matched literally. If the secret in a grant was masked, the grant no longer
 * matches any call.
 */
async function maskDecision(event: EventOf<'permission.decided'>, mask: Mask): Promise<Event> {
  const { always } = event.data;
  if (always === undefined) return event;
  const { commands, patterns, scripts, paths, folders, hosts } = always;
  const masked: Granted = {
    ...always,
    ...(commands !== undefined && { commands: await Promise.all(commands.map((words) => maskAll(words, mask))) }),
    ...(scripts !== undefined && {
      scripts: await Promise.all(scripts.map(async (one) => ({ ...one, text: await mask(one.text) }))),
    }),
    ...defined({
      patterns: patterns === undefined ? undefined : await maskAll(patterns, mask),
      paths: paths === undefined ? undefined : await maskAll(paths, mask),
      folders: folders === undefined ? undefined : await maskAll(folders, mask),
      hosts: hosts === undefined ? undefined : await maskAll(hosts, mask),
    }),
  };
  return { ...event, data: { ...event.data, always: masked } };
}

async function maskCheckpoint(event: EventOf<'history.compacted'>, mask: Mask): Promise<Event> {
  const { checkpoint, limitations, fields, fallback } = event.data;
  return {
    ...event,
    data: {
      ...event.data,
      checkpoint: await mask(checkpoint),
      limitations: await maskAll(limitations, mask),
      ...defined({
        fields: fields === undefined ? undefined : await maskFields(fields, mask),
        fallback: fallback === undefined ? undefined : await mask(fallback),
      }),
    },
  };
}

async function maskStub(event: EventOf<'block.quarantined'>, mask: Mask): Promise<Event> {
  const { reason, stub } = event.data;
  return { ...event, data: { ...event.data, reason: await mask(reason), stub: await mask(stub) } };
}

async function maskBranch(event: EventOf<'branch.summarized'>, mask: Mask): Promise<Event> {
  const { text, limitations } = event.data;
  return {
    ...event,
    data: { ...event.data, text: await mask(text), limitations: await maskAll(limitations, mask) },
  };
}

async function maskEnd(event: EventOf<'turn.ended'>, mask: Mask): Promise<Event> {
  const { error } = event.data;
  if (error === undefined) return event;
  const masked = { ...error, message: await mask(error.message), next: await mask(error.next) };
  return { ...event, data: { ...event.data, error: masked } };
}

async function maskEnded(data: ToolEnded, mask: Mask): Promise<ToolEnded> {
  const parts = await maskParts(data.parts, mask);
  if (data.files === undefined) return { ...data, parts };
  const files = data.files.map(async (file) => ({ ...file, path: await mask(file.path) }));
  return { ...data, parts, files: await Promise.all(files) };
}

function maskParts(parts: readonly ContentPart[], mask: Mask): Promise<readonly ContentPart[]> {
  return Promise.all(parts.map((part) => maskPart(part, mask)));
}

async function maskPart(part: ContentPart, mask: Mask): Promise<ContentPart> {
  switch (part.type) {
    case 'text':
      return { ...part, text: await mask(part.text) };
    case 'file':
      return { ...part, path: await mask(part.path) };
    case 'image':
      return part;
  }
}

function maskAll(texts: readonly string[], mask: Mask): Promise<readonly string[]> {
  return Promise.all(texts.map(mask));
}

/** Masks every string value, at any depth. Field names are not masked. */
async function maskFields(fields: JsonFields, mask: Mask): Promise<{ readonly [name: string]: Json }> {
  const masked: [string, Json][] = [];
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) masked.push([name, await maskJson(value, mask)]);
  return Object.fromEntries(masked);
}

async function maskJson(value: Json, mask: Mask): Promise<Json> {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? Promise.all(value.map((one) => maskJson(one, mask))) : maskFields(value, mask);
}

function isList(value: JsonFields | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value);
}
