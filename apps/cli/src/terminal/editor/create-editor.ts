// Editor of the prompt: what each key does. It keeps its state while a panel has the keyboard.

import type { Key } from 'ink';

import { failureOf } from '../../frame/failure.ts';
import type { Controller } from '../state/controller.ts';
import type { Observable } from '../state/observable.ts';
import { createObservable } from '../state/observable.ts';
import type { PartAttacher } from './attach-parts.ts';
import { createPartAttacher } from './attach-parts.ts';
import type { CompletionItem } from './completion/create-completer.ts';
import { createCompleter } from './completion/create-completer.ts';
import type { EditorPorts } from './editor-ports.ts';
import type { EditorState } from './editor-state.ts';
import { draftOf, EMPTY_EDITOR, hintOf, TWICE_MS } from './editor-state.ts';
import { createDraftKeeper } from './keep-draft.ts';
import type { EditorAction, EditorCommand } from './keys/read-keys.ts';
import { readKeys } from './keys/read-keys.ts';
import { createPromptRecall } from './recall-prompts.ts';
import type { EditCommand } from './text/edit-text.ts';
import { editText, NO_TEXT, setText } from './text/edit-text.ts';
import { expandFolded } from './text/folded.ts';
import { cellAt, layoutRows, positionAt } from './text/layout.ts';
import { watchDraft } from './watch-draft.ts';

/** Editor of the prompt. */
export interface PromptEditor {
  readonly state: Observable<EditorState>;
  /** Handles what the terminal sent for a key. */
  press(input: string, key: Key, terminal: EditorTerminal): void;
  /** Handles a paste of the terminal. */
  paste(text: string): void;
  /** Removes the line below the text. */
  clearHint(): void;
  /** Ends the subscription to the controller, and stores the draft. */
  close(): Promise<void>;
}

/** Terminal in which the editor is shown. */
export interface EditorTerminal {
  /** Width of the text, in cells. */
  readonly columns: number;
  /** Gives the terminal to another program until the action ends. */
  suspend(action: () => Promise<void>): Promise<void>;
}

/** Creates the editor of a terminal. */
export function createEditor(controller: Controller, ports: EditorPorts): PromptEditor {
  const state = createObservable(EMPTY_EDITOR);
  const change = (next: Partial<EditorState>): void => state.set({ ...state.get(), ...next });
  const notStored = (error: unknown): void =>
    change({ hint: hintOf(`the prompt history cannot be used: ${failureOf(error).message}`) });
  const recall = createPromptRecall(state, ports, notStored);
  const parts = createPartAttacher(state, ports, () => controller.workspace());
  const popup = createPopup(state, ports);
  const draftFailed = (error: unknown): void =>
    change({ hint: hintOf(`the draft cannot be kept: ${failureOf(error).message}`) });
  const keeper = createDraftKeeper({
    state,
    draft: ports.draft,
    replace: parts.replace,
    failed: draftFailed,
  });
  const unwatch = watchDraft(state, controller.draftChanged);
  const send = createSender({ state, controller, add: recall.add });
  const keys = createActions({ state, controller, ports, parts, recall, popup, send });
  const apply = (command: EditorCommand, terminal: EditorTerminal): void => {
    if (command.kind !== 'up' && command.kind !== 'down') change({ goal: undefined });
    if (state.get().search !== undefined && recall.search(command)) return;
    if (state.get().popup !== undefined && popup.press(command, send.now)) return;
    if (command.kind === 'paste') parts.paste(command.text);
    else if (command.kind === 'edit') {
      change({ edited: editText(state.get().edited, command.command) });
      popup.follow(changesText(command.command));
    } else keys(command.kind, terminal);
  };
  const unsubscribe = subscribeToRefills(controller, (refill) => {
    change({ popup: undefined, search: undefined });
    parts.refill(refill.text, refill.attached);
  });
  return {
    state,
    press(input, key, terminal) {
      if (input === '?' && !key.meta && isIdle(state.get())) return controller.send(KEYS_COMMAND);
      for (const command of readKeys(input, key, state.get().afterPrefix)) {
        change({ afterPrefix: false, hint: undefined });
        apply(command, terminal);
      }
    },
    paste(text) {
      change({ hint: undefined, afterPrefix: false });
      if (state.get().search !== undefined) recall.search({ kind: 'paste', text });
      else parts.paste(text);
      popup.follow(false);
    },
    clearHint: () => change({ hint: undefined }),
    close() {
      unsubscribe();
      unwatch();
      return keeper.close();
    },
  };
}

/** Command that lists the keys. */
const KEYS_COMMAND = { text: '/keys', attached: [] };

function isIdle({ edited, popup, search, afterPrefix }: EditorState): boolean {
  return edited.buffer.text === '' && popup === undefined && search === undefined && !afterPrefix;
}

function changesText({ edit }: EditCommand): boolean {
  return edit === 'type' || edit === 'delete' || edit === 'kill';
}

type Refill = NonNullable<ReturnType<Controller['state']['get']>['refill']>;

function subscribeToRefills({ state }: Controller, refilled: (refill: Refill) => void): () => void {
  let seen = state.get().refill?.id;
  return state.subscribe(() => {
    const { refill } = state.get();
    if (refill === undefined || refill.id === seen) return;
    seen = refill.id;
    refilled(refill);
  });
}

interface Popup {
  /** Handles a command while the popup is open. Returns false if the command is for the editor. */
  press(command: EditorCommand, send: () => void): boolean;
  /** Shows the names for the text after a change, or closes the popup after another command. */
  follow(changed: boolean): void;
}

function createPopup(state: Observable<EditorState>, { lists }: EditorPorts): Popup {
  const change = (next: Partial<EditorState>): void => state.set({ ...state.get(), ...next });
  let isFollowing = false;
  /** Beginning of the name whose popup was closed with Esc. */
  let closedAt: number | undefined;
  const refresh = (): void => {
    const { text, cursor } = state.get().edited.buffer;
    const found = completer.complete(text, cursor);
    if (found === undefined) closedAt = undefined;
    change({ popup: found === undefined || found.from === closedAt ? undefined : { ...found, selected: 0 } });
  };
  const completer = createCompleter(lists, () => {
    if (isFollowing) refresh();
  });
  const accept = (item: CompletionItem, from: number, to: number): void => {
    const { edited } = state.get();
    change({ edited: editText(edited, { edit: 'replace', from, to, text: item.text }) });
    refresh();
  };
  return {
    follow(changed) {
      isFollowing = changed;
      if (changed) refresh();
      else change({ popup: undefined });
    },
    press(command, send) {
      const { popup, edited } = state.get();
      if (popup === undefined) return false;
      const { items, selected, from, to } = popup;
      const item = items[selected];
      const select = (by: number): true => {
        change({ popup: { ...popup, selected: (selected + by + items.length) % items.length } });
        return true;
      };
      switch (command.kind) {
        case 'up':
          return select(-1);
        case 'down':
          return select(1);
        case 'escape':
          closedAt = from;
          change({ popup: undefined });
          return true;
        case 'tab':
          if (item !== undefined) accept(item, from, to);
          return true;
        case 'enter':
          // A name that is already complete is sent.
          if (item === undefined || edited.buffer.text.slice(from, to) === item.text.trimEnd()) return false;
          accept(item, from, to);
          if (item.isWhole === true) send();
          return true;
        default:
          return false;
      }
    },
  };
}

interface Sender {
  now(): void;
  afterTurn(): void;
}

interface SenderParts {
  readonly state: Observable<EditorState>;
  readonly controller: Controller;
  add(prompt: string): void;
}

function createSender({ state, controller, add }: SenderParts): Sender {
  const take = (): ReturnType<typeof draftOf> | undefined => {
    const before = state.get();
    const draft = draftOf(before);
    if (draft.text.trim() === '') return undefined;
    add(draft.text);
    state.set({ ...EMPTY_EDITOR, parts: before.parts, edited: { ...NO_TEXT, kills: before.edited.kills } });
    return draft;
  };
  return {
    now() {
      const draft = take();
      if (draft !== undefined) controller.send(draft);
      else if (controller.state.get().queued.length > 0) controller.send({ text: '', attached: [] });
    },
    afterTurn() {
      const draft = take();
      if (draft !== undefined) controller.queue(draft);
    },
  };
}

interface ActionParts {
  readonly state: Observable<EditorState>;
  readonly controller: Controller;
  readonly ports: EditorPorts;
  readonly parts: PartAttacher;
  readonly recall: ReturnType<typeof createPromptRecall>;
  readonly popup: Popup;
  readonly send: Sender;
}

function createActions(all: ActionParts): (action: EditorAction, terminal: EditorTerminal) => void {
  const { state, controller, parts, recall, popup, send } = all;
  const change = (next: Partial<EditorState>): void => state.set({ ...state.get(), ...next });
  const twice = createTwice(all.ports.now, () => all.state.get().edited);
  const edit = (command: EditCommand): void => change({ edited: editText(state.get().edited, command) });
  const isEmpty = (): boolean => state.get().edited.buffer.text === '';
  const moveRow = (columns: number, by: -1 | 1): boolean => {
    const target = rowTarget(state.get(), columns, by);
    if (target === undefined) return false;
    edit({ edit: 'place', at: target.at });
    change({ goal: target.goal });
    return true;
  };
  const takeBack = (): boolean => controller.state.get().queued.length > 0 && controller.takeBack();
  const actions: { readonly [A in EditorAction]: (terminal: EditorTerminal) => void } = {
    enter: () => (endsWithBackslash(state.get()) ? edit({ edit: 'replace', ...backslash(state.get()) }) : send.now()),
    tab: () => {
      if (controller.state.get().running) send.afterTurn();
    },
    'next-mode': () => controller.nextMode(),
    escape: () => escape(controller, twice, change),
    up: ({ columns }) => {
      if (isEmpty() && takeBack()) return;
      if (!moveRow(columns, -1)) recall.older();
    },
    down: ({ columns }) => {
      if (!moveRow(columns, 1)) recall.newer();
    },
    'take-back': () => void takeBack(),
    clear: () => {
      if (!isEmpty()) change({ edited: setText(state.get().edited, ''), recalled: undefined });
      else if (twice('clear')) controller.leave();
      else change({ hint: hintOf('Ctrl-C again leaves', TWICE_MS) });
    },
    end: () => (isEmpty() ? controller.leave() : edit({ edit: 'delete', movement: 'right' })),
    search: () => recall.beginSearch(),
    'search-newer': () => undefined,
    'open-editor': (terminal) => void openOutside(all, terminal),
    'clipboard-image': () => {
      change({ hint: hintOf('reading the clipboard …') });
      parts.pasteImage().catch((error: unknown) => controller.report(error));
    },
    prefix: () =>
      change({ afterPrefix: true, hint: hintOf('Ctrl-X: Ctrl-E opens the editor, Ctrl-U undoes, Ctrl-R redoes') }),
  };
  return (action, terminal) => {
    popup.follow(false);
    actions[action](terminal);
  };
}

function escape(
  controller: Controller,
  twice: (name: string) => boolean,
  change: (next: Partial<EditorState>) => void,
): void {
  const { running, command } = controller.state.get();
  if (running || command !== undefined) controller.interrupt();
  else if (twice('escape')) controller.rewind();
  else change({ hint: hintOf('Esc again goes back to an earlier prompt', TWICE_MS) });
}

/**
 * Returns a function that returns true if it was called with the same name a short time before. Anything that changed the
 * text since then ends the wait, so that two keys of different intentions do not count as one.
 */
function createTwice(now: () => number, edited: () => EditorState['edited']): (name: string) => boolean {
  let last: { readonly name: string; readonly at: number; readonly edited: EditorState['edited'] } | undefined;
  return (name) => {
    const again = last?.name === name && last.edited === edited() && now() - last.at <= TWICE_MS;
    last = again ? undefined : { name, at: now(), edited: edited() };
    return again;
  };
}

/** Opens the text in the user's editor. Pastes are expanded, and images are their labels. */
async function openOutside(
  { state, controller, ports, parts }: ActionParts,
  { suspend }: EditorTerminal,
): Promise<void> {
  const { edited, parts: folded } = state.get();
  try {
    await suspend(async () => {
      const result = await ports.editOutside(expandFolded(edited.buffer.text, folded));
      if ('problem' in result) state.set({ ...state.get(), hint: hintOf(result.problem) });
      else parts.replace(result.text);
    });
  } catch (error) {
    controller.report(error);
  }
}

function endsWithBackslash({ edited: { buffer } }: EditorState): boolean {
  return /(?:^|[^\\])\\$/.test(buffer.text.slice(0, buffer.cursor));
}

/** Returns the replacement of the backslash before the cursor by a line break. */
function backslash({ edited: { buffer } }: EditorState): {
  readonly from: number;
  readonly to: number;
  readonly text: string;
} {
  return { from: buffer.cursor - 1, to: buffer.cursor, text: '\n' };
}

/** Returns the position in the row above or below. `undefined` if there is no such row. */
function rowTarget(
  { edited, parts, goal }: EditorState,
  columns: number,
  by: -1 | 1,
): { readonly at: number; readonly goal: number } | undefined {
  const rows = layoutRows(edited.buffer.text, columns, (grapheme) => parts.get(grapheme)?.label);
  const { row, column } = cellAt(rows, edited.buffer.cursor);
  const wanted = goal ?? column;
  return rows[row + by] === undefined ? undefined : { at: positionAt(rows, row + by, wanted), goal: wanted };
}
