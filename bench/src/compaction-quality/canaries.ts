// Canaries are planted statements of six kinds. A check finds out if a text still contains them. The protocol follows
// compaction-conformance-kit (MIT): typed values that cannot be guessed, several compactions in a row, and an exact
// check without a model.

import type { Piece } from './pieces.ts';

/** Kind of information in a statement. */
export type CanaryKind = 'directive' | 'decision' | 'number' | 'path' | 'negation' | 'updated value';

/**
 * Place of a planted statement: in a prompt, in prose between calls, in the last text of a turn, in a plan, or in an
 * edit.
 */
export type CanaryPlace = 'prompt' | 'step' | 'closing' | 'plan' | 'edit';

/** A planted statement with its place. Rounds are counted from 1. */
export interface Planted {
  readonly round: number;
  readonly place: CanaryPlace;
  readonly line: string;
}

/** One canary. An updated value has a second statement, which replaces the first. */
export interface Canary extends Planted {
  readonly kind: CanaryKind;
  readonly update?: Planted;
  /** Path and symbol of the statement. The canary also counts as held if both are on one line. */
  readonly names?: readonly [path: string, symbol: string];
}

/**
 * Labels after an old value. `REPLACED` matches labels of a value that is no longer valid, and `IN_FORCE` matches
 * labels of a valid one.
 */
const REPLACED = /^\W{0,3}\(?(superseded|rejected|replaced|dropped|outdated|no longer)/;
const IN_FORCE = /^\W{0,3}\((settled|in force|open|active|being worked on|in progress)/;

/**
 * Checks if a text contains a canary after a round: its statement word for word on one line, or a path with its symbol.
 * For an updated value, the text must contain the statement valid in that round, and must not present the old one as
 * valid. An old statement is presented as valid if a label such as `settled` follows it, or if it comes last.
 */
export function isHeld(canary: Canary, round: number, pieces: readonly Piece[]): boolean {
  const lines = pieces.flatMap(({ text }) => text.split('\n')).map(spaced);
  const { update } = canary;
  if (update === undefined || round < update.round) return holds(lines, canary);
  return holds(lines, update) && !isInForce(lines, canary.line, update.line);
}

function holds(lines: readonly string[], { line, names }: Pick<Canary, 'line' | 'names'>): boolean {
  return lines.some((one) => one.includes(line) || names?.every((name) => one.includes(name)) === true);
}

/** Checks if the old statement is presented as valid although the new one is also in the text. */
function isInForce(lines: readonly string[], old: string, now: string): boolean {
  const text = lines.join('\n');
  const rests = text.split(old).slice(1);
  const unmarked = rests.filter((rest) => !REPLACED.test(rest));
  if (unmarked.some((rest) => IN_FORCE.test(rest))) return true;
  return unmarked.at(-1)?.includes(now) === false;
}

function spaced(line: string): string {
  return line.replaceAll(/\s+/g, ' ');
}

const directive = planted('directive');
const decision = planted('decision');
const number = planted('number');
const negation = planted('negation');

/** All canaries: four of each kind, of which at least two are planted before the first compaction. */
export const CANARIES: readonly Canary[] = [
  directive(1, 'prompt', 'Name the unit in the doc comment of every public function of src/ledger (rule KX-4471).'),
  directive(1, 'prompt', 'Ask Ravna Oskeld before you change anything below infra/quillon, whatever a ticket says.'),
  directive(2, 'prompt', 'Write each commit subject in the imperative and end it with the ticket, such as BRX-9072.'),
  directive(3, 'prompt', 'From here on run the tests with the seed 771934 only.'),
  decision(
    1,
    'step',
    'Decision: amounts are stored as whole cents in amount_q9, because floats drifted in the Marlow audit.',
  ),
  decision(1, 'plan', 'Post invoices through the outbox table outbox_v7'),
  decision(2, 'closing', 'I chose half-even rounding of variant RH-26, since the tax office rounds so.'),
  decision(3, 'plan', 'Keep the importer single-threaded until ticket PLN-3385 is closed'),
  number(1, 'step', 'Measured: the nightly import takes 18,427 ms for 90,311 rows.'),
  number(1, 'prompt', 'The invoice run may take at most 7,340 seconds.'),
  number(2, 'closing', 'The ledger holds 2,608,117 postings, of which 4,093 are without a rate.'),
  number(3, 'step', 'The retry limit that passes the load test is 37, with 290 ms between tries.'),
  path(1, 'edit', 'export function roundHalfEvenQ7(cents: bigint): bigint {', [
    'src/ledger/rounding-q7.ts',
    'roundHalfEvenQ7',
  ]),
  path(1, 'step', 'The failing fixture is test/fixtures/vat-1993-k2.json, read by loadVatFixture.', [
    'test/fixtures/vat-1993-k2.json',
    'loadVatFixture',
  ]),
  path(2, 'prompt', 'The rates of Norway are in data/rates/nb-2024-r5.csv, column rateNbR5.', [
    'data/rates/nb-2024-r5.csv',
    'rateNbR5',
  ]),
  path(3, 'closing', 'The new check is in src/audit/chain-w8.ts, function verifyChainW8.', [
    'src/audit/chain-w8.ts',
    'verifyChainW8',
  ]),
  negation(1, 'prompt', 'Do not retry postings that failed with LX-2208: a retry books them twice.'),
  negation(
    1,
    'step',
    'The cache in src/rates/warm.ts does not cover zero-rated goods: never read a rate of ZR-14 from it.',
  ),
  negation(
    2,
    'closing',
    'The importer must not open the archive of 2019-Q3: its checksums are not those of the ledger.',
  ),
  negation(3, 'plan', 'Do not use the library decimal-swift: it loses the sign of -0.005'),
  updated('prompt', 1, 'The service listens on port 48113.', 2, 'The service listens on port 52907 now.'),
  updated('plan', 1, 'Keep the queue in the sqlite file store-k1', 3, 'Keep the queue in the postgres schema queue_m4'),
  updated('closing', 2, 'The batch size is 6,512 rows.', 3, 'The batch size is 9,204 rows from now on.'),
  updated('step', 1, 'The timeout of the bank API is 8,750 ms.', 4, 'The timeout of the bank API is now 3,130 ms.'),
];

function planted(kind: CanaryKind): (round: number, place: CanaryPlace, line: string) => Canary {
  return (round, place, line) => ({ kind, round, place, line });
}

function path(round: number, place: CanaryPlace, line: string, names: readonly [string, string]): Canary {
  return { kind: 'path', round, place, line, names };
}

function updated(place: CanaryPlace, round: number, line: string, again: number, now: string): Canary {
  return { kind: 'updated value', round, place, line, update: { round: again, place, line: now } };
}
