// Runs the viewer on the alternate screen of the terminal until the user leaves it. The main screen and its scrollback
// stay unchanged. The alternate screen is left too if the process ends.

import stringWidth from 'string-width';

import { plainText } from '../../frame/plain-text.ts';
import { formatCount } from '../../frame/numbers.ts';
import type { Look } from '../../frame/shown.ts';
import { render, withStyle } from '../../frame/shown.ts';
import { rowsOf } from '../drawing/rows.ts';
import type { Observable } from '../state/observable.ts';
import type { LineSource, ViewerEntry } from '../state/viewer-entry.ts';
import { stopProcess } from './stop-process.ts';
import type { TextArea, TextPlace } from './pager.ts';
import { lastPage, movedBy, pageRows, TEXT_BEGIN } from './pager.ts';
import type { PagerAction } from './pager-keys.ts';
import { nameOfKey, pagerAction, splitKeys } from './pager-keys.ts';

/** Terminal of the viewer. */
export interface PagerTerminal {
  readonly stdin: NodeJS.ReadableStream & { setRawMode?(mode: boolean): unknown; ref?(): unknown; unref?(): unknown };
  readonly stdout: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  readonly colour: Look;
  /** Stops the process at Ctrl-Z. Resolves when it continues. */
  readonly stop?: () => Promise<void>;
  /** Ends the viewer. */
  readonly signal?: AbortSignal;
  /** Note in the last row, such as a question that waits. */
  readonly note?: Pick<Observable<string>, 'get' | 'subscribe'>;
}

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';

interface Pager {
  readonly terminal: PagerTerminal;
  readonly entries: readonly ViewerEntry[];
  at: number;
  source: LineSource | undefined;
  top: TextPlace;
  /** Text that was searched last. */
  searched: string;
  /** Text that the user is typing after `/`. */
  typed: string | undefined;
  message: string;
  left: boolean;
  /** Ends the watch of the shown entry. */
  unwatch: (() => void) | undefined;
  /** Runs an action after the actions before it, then draws. */
  act: (action: () => Promise<void>) => void;
}

/** Shows an entry and lets the user go to the other ones. Resolves when the user leaves the viewer. */
export async function runPager(entries: readonly ViewerEntry[], at: number, terminal: PagerTerminal): Promise<void> {
  const pager: Pager = {
    terminal,
    entries,
    at,
    source: undefined,
    top: TEXT_BEGIN,
    searched: '',
    typed: undefined,
    message: '',
    left: false,
    unwatch: undefined,
    act: (action) => act(action),
  };
  const { stdin, stdout, signal } = terminal;
  const finished = Promise.withResolvers<void>();
  const leave = (): void => void stdout.write(LEAVE);
  // Actions run one after the other, because each of them may read from the store.
  let queue = Promise.resolve();
  const act = (action: () => Promise<void>): void => {
    queue = queue.then(async () => {
      if (pager.left) return;
      await action().catch((error: unknown) => {
        pager.message = error instanceof Error ? error.message : String(error);
      });
      if (!pager.left) return draw(pager);
      finished.resolve();
    });
    queue.catch(finished.reject);
  };
  // Ink reads in this way too. After the flowing mode, which `data` switches on, the input of a terminal cannot be read
  // in this way again.
  const keys = createKeyQueue(stdin);
  const input = (): void => {
    for (let count = keys.read(); count > 0; count -= 1) act(() => press(pager, keys.next()));
  };
  const resized = (): void => act(async () => undefined);
  const unsubscribe = terminal.note?.subscribe(resized);
  process.once('exit', leave);
  signal?.addEventListener('abort', () => finished.resolve(), { once: true });
  if (signal?.aborted === true) finished.resolve();
  stdout.write(ENTER);
  try {
    takeInput(stdin);
    stdin.on('readable', input);
    stdout.on('resize', resized);
    act(() => show(pager, at));
    await finished.promise;
  } finally {
    pager.left = true;
    unsubscribe?.();
    pager.unwatch?.();
    stdin.off('readable', input);
    giveBackInput(stdin, signal?.aborted === true);
    stdout.off('resize', resized);
    process.off('exit', leave);
    leave();
    keys.putBack();
  }
}

/**
 * Takes the input. Ink has let go of it while the terminal is handed over. Without a timer, the process would then end
 * while the viewer waits for a key.
 */
function takeInput(stdin: PagerTerminal['stdin']): void {
  stdin.setRawMode?.(true);
  stdin.ref?.();
}

/**
 * Gives the input back to Ink, which reads keys in raw mode too. In the line mode the terminal would show an Esc as `^[`,
 * read Enter as a line feed, and Ctrl-C as a signal. Only a screen that has ended needs the line mode.
 */
function giveBackInput(stdin: PagerTerminal['stdin'], hasEnded: boolean): void {
  if (hasEnded) stdin.setRawMode?.(false);
  stdin.unref?.();
}

interface KeyQueue {
  /** Reads the keys that have arrived. Returns their number. */
  read(): number;
  /** Returns the name of the oldest key. Returns `undefined` for an unknown escape sequence. */
  next(): string | undefined;
  /** Puts the keys that were not taken back into the input. They were pressed for what is shown next. */
  putBack(): void;
}

function createKeyQueue(stdin: PagerTerminal['stdin']): KeyQueue {
  const waiting: string[] = [];
  return {
    read() {
      const before = waiting.length;
      for (let data = stdin.read(); data !== null; data = stdin.read()) waiting.push(...splitKeys(data.toString()));
      return waiting.length - before;
    },
    next() {
      const sent = waiting.shift();
      return sent === undefined ? undefined : nameOfKey(sent);
    },
    putBack() {
      if (waiting.length > 0) stdin.unshift(waiting.join(''));
    },
  };
}

async function show(pager: Pager, at: number): Promise<void> {
  const entry = pager.entries[at];
  if (entry === undefined) return;
  pager.at = at;
  pager.top = TEXT_BEGIN;
  pager.source = undefined;
  pager.message = 'reading…';
  await draw(pager);
  pager.source = await entry.open(areaOf(pager).columns);
  pager.message = '';
  pager.unwatch?.();
  pager.unwatch = undefined;
  if (entry.watch === undefined) return;
  pager.top = await lastPage(pager.source, areaOf(pager));
  pager.unwatch = entry.watch(() => pager.act(() => reopen(pager, entry)));
}

/** Opens a text again that has changed. If its end is shown, follows the end. */
async function reopen(pager: Pager, entry: ViewerEntry): Promise<void> {
  const { source, top } = pager;
  if (source === undefined || pager.entries[pager.at] !== entry) return;
  const area = areaOf(pager);
  const end = await lastPage(source, area);
  pager.source = await entry.open(area.columns);
  if (top.line >= end.line) pager.top = await lastPage(pager.source, area);
}

function areaOf({ terminal: { stdout, colour } }: Pager): TextArea {
  return { columns: stdout.columns ?? 80, height: Math.max(1, (stdout.rows ?? 24) - 1), colour };
}

async function press(pager: Pager, key: string | undefined): Promise<void> {
  if (key === undefined) return undefined;
  pager.message = '';
  if (pager.typed !== undefined) return type(pager, key, pager.typed);
  const action = pagerAction(key, pager.searched !== '');
  if (action !== undefined) await perform(pager, action);
}

async function type(pager: Pager, key: string, typed: string): Promise<void> {
  if (key === 'escape' || key === '\u0003') pager.typed = undefined;
  else if (key === '\u007f' || key === '\b')
    pager.typed = typed === '' ? undefined : Array.from(typed).slice(0, -1).join('');
  else if (key === '\r' || key === '\n') {
    pager.typed = undefined;
    if (typed !== '') pager.searched = typed;
    await findNext(pager, 1);
  } else if (Array.from(key).length === 1) pager.typed = typed + plainText(key);
}

async function perform(pager: Pager, action: PagerAction): Promise<void> {
  const { source, top } = pager;
  const area = areaOf(pager);
  if ('leave' in action) pager.left = true;
  else if ('suspend' in action) await suspend(pager);
  else if ('search' in action) pager.typed = '';
  else if ('to' in action)
    pager.top = action.to === 'begin' || source === undefined ? TEXT_BEGIN : await lastPage(source, area);
  else if (action.move === 'entries') await showNext(pager, action.by);
  else if (action.move === 'matches') await findNext(pager, action.by);
  else if (source !== undefined) {
    const rows = action.move === 'rows' ? action.by : Math.trunc(action.by * area.height) || action.by;
    pager.top = await movedBy(source, top, rows, area);
  }
}

/** Gives the terminal back to the shell, and takes it again when the process continues. */
async function suspend({ terminal: { stdin, stdout, stop = stopProcess } }: Pager): Promise<void> {
  stdout.write(LEAVE);
  stdin.setRawMode?.(false);
  await stop();
  stdin.setRawMode?.(true);
  stdout.write(ENTER);
}

async function showNext(pager: Pager, by: number): Promise<void> {
  const next = pager.at + by;
  if (pager.entries[next] !== undefined) return show(pager, next);
  pager.message = by < 0 ? 'this is the first one' : 'this is the last one';
}

/** Goes to the next line that contains the searched text. Capitals matter only if the text has some. */
async function findNext(pager: Pager, by: number): Promise<void> {
  const { source, searched, top } = pager;
  if (source === undefined || searched === '') return;
  const isLower = searched === searched.toLowerCase();
  const matches = (line: string): boolean => (isLower ? line.toLowerCase() : line).includes(searched);
  const found = await source.find(matches, by < 0 ? top.line : top.line + 1, by < 0);
  const first = found ?? (await source.find(matches, by < 0 ? source.length : 0, by < 0));
  if (first === undefined) pager.message = `"${searched}" does not occur`;
  else {
    if (found === undefined) pager.message = by < 0 ? 'continued at the end' : 'continued at the beginning';
    pager.top = { line: first, row: 0 };
  }
}

async function draw(pager: Pager): Promise<void> {
  const area = areaOf(pager);
  const rows = pager.source === undefined ? [] : await pageRows(pager.source, pager.top, area);
  const filled = Array.from({ length: area.height }, (_, index) => rows[index] ?? '');
  const screen = [...filled, statusRow(pager, area, rows.length)].map((row) => `\u001b[2K${row}`).join('\r\n');
  pager.terminal.stdout.write(`\u001b[H${screen}`);
}

/** Returns the row of the text that is searched, with the keys that end its input. */
function searchRow(typed: string, { columns, colour }: TextArea): string {
  const input = rowsOf([{ lead: '', hang: '', words: `/${typed}`, wrap: 'characters' }], columns, false).at(-1) ?? '';
  const keys = '  Enter searches, Esc cancels';
  return input.length + keys.length > columns ? input : input + render(withStyle('dim', keys), colour);
}

function statusRow(pager: Pager, area: TextArea, shown: number): string {
  const { columns, colour } = area;
  const { typed, source, top, entries, at, terminal } = pager;
  const note = terminal.note?.get() ?? '';
  const message = [pager.message, note].filter((text) => text !== '').join(', ');
  if (typed !== undefined) return searchRow(typed, area);
  const total = source?.length ?? 0;
  const end = Math.min(total, top.line + Math.max(1, shown));
  const place = total === 0 ? 'empty' : `${Math.floor((100 * end) / total)}% of ${formatCount(total, 'line')}`;
  const others = entries.length > 1 ? `  ${at + 1}/${entries.length} n p` : '';
  const facts = `  ${message === '' ? place : message}${others}  / search  Esc back`;
  const room = Math.max(0, columns - 1 - stringWidth(facts));
  const title = plainText(entries[at]?.title ?? '').replaceAll(/\s+/g, ' ');
  const [short = ''] = rowsOf([{ lead: '', hang: '', words: title, wrap: 'characters' }], Math.max(1, room), false);
  const text = room === 0 ? facts.trim() : `${short}${facts}`;
  const [row = ''] = rowsOf([{ lead: '', hang: '', words: text, wrap: 'characters' }], columns, false);
  return render(withStyle('bold', row), colour);
}
