// Reads checkpoints from the log. A checkpoint from another version is read only if this version knows its `form`.
// Unknown fields are ignored.

import type { HistoryCompacted, Position } from '@tidemark/log';
import { z } from 'zod';
import type {
  Checkpoint,
  CommandRun,
  Decision,
  Directive,
  FileState,
  LeftOut,
  NameInFile,
  Objective,
  ReadAgain,
  Remark,
  CheckpointStep,
  SubagentState,
  Task,
  TurnState,
  WorkDone,
} from './checkpoint.ts';

/** Object with one schema for each field of `T`. A missing field is a type error. */
type CheckpointShape<T> = { readonly [K in keyof T]-?: z.ZodType<T[K]> };

const position = z.custom<Position>((value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
const words = z.string();
const some = z.exactOptional(words);
const by = z.exactOptional(z.literal('model'));
const yes = z.exactOptional(z.literal(true));
const quote = { position, text: words, of: z.exactOptional(z.number()) };

const decision = z.object({
  position,
  what: words,
  why: some,
  status: words,
  replaces: some,
  by,
} satisfies CheckpointShape<Decision>);
const work = z.object({ position, what: words, by } satisfies CheckpointShape<WorkDone>);
const name = z.object({
  name: words,
  line: z.exactOptional(z.number()),
  declared: yes,
} satisfies CheckpointShape<NameInFile>);
const file = z.object({
  position,
  path: words,
  digest: some,
  removed: yes,
  names: z.exactOptional(z.array(name)),
} satisfies CheckpointShape<FileState>);
const remark = z.object({ position, text: words, by } satisfies CheckpointShape<Remark>);
const again = z.object({ position, name: words, version: some } satisfies CheckpointShape<ReadAgain>);
const command = z.object({
  position,
  command: words,
  folder: some,
  outcome: z.enum(['passed', 'failed', 'partial', 'unknown']),
  exit: z.exactOptional(z.number()),
  runs: z.number(),
  excerpt: some,
  failedAt: z.exactOptional(position),
  failure: some,
} satisfies CheckpointShape<CommandRun>);
const task = z.object({
  position,
  task: words,
  status: z.enum(['open', 'active', 'unlisted']),
  by,
} satisfies CheckpointShape<Task>);
const subagent = z.object({
  position,
  id: words,
  role: some,
  task: some,
  status: z.enum(['running', 'completed', 'failed', 'interrupted', 'limited']),
  result: some,
} satisfies CheckpointShape<SubagentState>);
const turn = z.object({ position, to: position, outcome: words } satisfies CheckpointShape<TurnState>);
const step = z.object({
  position,
  kind: z.enum(['said', 'did', 'found']),
  text: words,
  last: yes,
} satisfies CheckpointShape<CheckpointStep>);
const gone = z.exactOptional(
  z.object({ count: z.number(), spans: z.array(z.tuple([position, position])) } satisfies CheckpointShape<LeftOut>),
);

const checkpoint = z.object({
  // The form `checkpoint/1` has no `steps` and no `turns`. It lists steps and turns as lines in `work`.
  form: z.enum(['checkpoint/1', 'checkpoint/2']).transform(() => 'checkpoint/2' as const),
  strategy: z.enum(['deterministic', 'model-assisted']),
  range: z.object({ from: position, to: position }),
  counts: z.record(words, z.number()),
  objective: z.exactOptional(
    z.object({
      ...quote,
      since: z.exactOptional(z.array(z.object(quote))),
      now: some,
    } satisfies CheckpointShape<Objective>),
  ),
  summary: z.exactOptional(z.object(quote)),
  turns: z.array(turn).default([]),
  steps: z.array(step).default([]),
  directives: z.array(z.object({ ...quote, steer: yes, below: yes } satisfies CheckpointShape<Directive>)),
  decisions: z.array(decision),
  work: z.array(work),
  filesChanged: z.array(file),
  filesRead: z.array(file),
  commands: z.array(command),
  tasks: z.array(task),
  questions: z.array(remark),
  risks: z.array(remark),
  subagents: z.array(subagent),
  instructions: z.array(again),
  skills: z.array(again),
  limitations: z.array(words),
  leftOut: z.object({
    directives: gone,
    decisions: gone,
    work: gone,
    filesChanged: gone,
    filesRead: gone,
    commands: gone,
    tasks: gone,
    questions: gone,
    risks: gone,
    subagents: gone,
    instructions: gone,
    skills: gone,
    steps: gone,
  } satisfies CheckpointShape<Checkpoint['leftOut']>),
} satisfies CheckpointShape<Checkpoint>);

/** Returns the checkpoint in a record, or `undefined` if the record contains no checkpoint in a known form. */
export function readCheckpoint({ fields }: HistoryCompacted): Checkpoint | undefined {
  const read = checkpoint.safeParse(fields);
  return read.success ? read.data : undefined;
}
