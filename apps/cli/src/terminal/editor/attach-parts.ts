// Puts pasted and returned texts into the editor: folds long pastes, and attaches images.

import { basename } from 'node:path';

import type { GivenAttachment, GivenImage } from '@tidemark/kit';
import { imageKind } from '@tidemark/model';

import { readImage } from '../../arguments/named-images.ts';
import { failureOf } from '../../frame/failure.ts';
import { plainText } from '../../frame/plain-text.ts';
import type { Draft } from '../state/draft.ts';
import type { Observable } from '../state/observable.ts';
import type { EditorPorts } from './editor-ports.ts';
import type { EditorState } from './editor-state.ts';
import { hintOf } from './editor-state.ts';
import { imagePathsIn } from './sources/pasted-paths.ts';
import { cleanText } from './text/clean-text.ts';
import { editText, setText } from './text/edit-text.ts';
import type { FoldedPart, FoldedParts } from './text/folded.ts';
import { foldAttached, foldCharacter, foldLabels, foldPastes } from './text/folded.ts';

/** Puts texts and images into the editor. */
export interface PartAttacher {
  /** Inserts a pasted text. Paths of images become images as soon as they were read. */
  paste(text: string): void;
  /** Inserts the image of the clipboard. */
  pasteImage(): Promise<void>;
  /** Puts a text that comes back before the text of the editor, with its images. */
  refill(text: string, attached: Draft['attached']): void;
  /** Replaces the whole text, such as by the text of an external editor. */
  replace(text: string): void;
}

/** Lines and characters of the longest paste that is not folded. */
const MAX_LINES = 8;
const MAX_CHARACTERS = 1_000;

/** Number and bytes of the attached images that are kept for texts that come back. */
const MAX_KEPT = 20;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Creates the attacher of one editor. `workspace` is the folder of relative paths. */
export function createPartAttacher(
  state: Observable<EditorState>,
  ports: EditorPorts,
  workspace: () => string,
): PartAttacher {
  const change = (next: Partial<EditorState>): void => state.set({ ...state.get(), ...next });
  const { fold, attach } = createFolder(state);
  const insert = (text: string): void => change({ edited: editText(state.get().edited, { edit: 'insert', text }) });
  const attachPaths = async (text: string): Promise<void> => {
    const paths = imagePathsIn(text, ports.userFolder);
    const images = paths.length === 0 ? undefined : await readImages(workspace(), paths);
    // The user may have changed the text in the meantime.
    const at = state.get().edited.buffer.text.lastIndexOf(text);
    if (images === undefined || at === -1) return;
    const replacement = images.map(attach).join(' ') + (/\s$/.test(text) ? ' ' : '');
    const command = { edit: 'substitute', from: at, to: at + text.length, text: replacement } as const;
    change({ edited: editText(state.get().edited, command) });
  };
  return {
    paste(pasted) {
      const text = cleanText(pasted);
      if (text === '') return;
      if (isLong(text)) {
        insert(fold(text));
        return;
      }
      insert(text);
      attachPaths(text).catch((error: unknown) => change({ hint: hintOf(failureOf(error).message) }));
    },
    async pasteImage() {
      const result = await ports.clipboardImage();
      if ('problem' in result) change({ hint: hintOf(result.problem) });
      else if (imageKind(result.data) === undefined) change({ hint: hintOf('the clipboard contains no image') });
      else insert(attach({ type: 'image', data: result.data, name: 'clipboard.png' }));
    },
    refill(text, attached) {
      const { edited, parts } = state.get();
      // The given parts replace their labels. A part of the editor can have the same label and be another image.
      const filled = foldAttached(
        foldPastes(cleanText(text), parts),
        attached,
        (one, name) =>
          knownIn(parts, one) ?? attach(one.type === 'image' && name !== undefined ? { name, ...one } : one),
      );
      const rest = edited.buffer.text;
      change({ edited: setText(edited, rest.trim() === '' ? filled : `${filled}\n${rest}`), recalled: undefined });
    },
    replace(text) {
      const { edited, parts } = state.get();
      change({ edited: setText(edited, foldLabels(cleanText(text), parts)), recalled: undefined });
    },
  };
}

/** Returns the character of a part that the editor knows. */
function knownIn(parts: FoldedParts, attached: GivenImage | GivenAttachment): string | undefined {
  return [...parts].find(([, part]) => part.kind === 'attached' && part.attached === attached)?.[0];
}

/** Adds folded parts to the state. Each function returns the character of its part. */
interface PartFolder {
  /** Adds a long paste. */
  fold(text: string): string;
  /** Adds an image, or a text that is sent with the prompt. */
  attach(attached: GivenImage | GivenAttachment): string;
}

/** The numbers of pastes and images are never used again, so that each label names one part. */
function createFolder(state: Observable<EditorState>): PartFolder {
  const counts = { part: 0, paste: 0, image: 0 };
  const addPart = (part: FoldedPart): string => {
    const character = foldCharacter(counts.part);
    counts.part += 1;
    state.set({ ...state.get(), parts: keepParts(state.get(), character, part) });
    return character;
  };
  return {
    fold(text) {
      counts.paste += 1;
      return addPart({ kind: 'paste', label: pasteLabel(text, counts.paste), text });
    },
    attach(attached) {
      if (attached.type === 'attachment')
        return addPart({ kind: 'attached', attached, label: `[attached: ${nameOf(attached.name)}]` });
      counts.image += 1;
      return addPart({ kind: 'attached', attached, label: imageLabel(attached, counts.image) });
    },
  };
}

function isLong(text: string): boolean {
  return text.length > MAX_CHARACTERS || text.split('\n', MAX_LINES + 1).length > MAX_LINES;
}

function pasteLabel(text: string, number: number): string {
  const lines = text.replace(/\n$/, '').split('\n').length;
  return lines > 1 ? `[paste ${number}: ${lines} lines]` : `[paste ${number}: ${text.length} characters]`;
}

function imageLabel({ name, data }: GivenImage, number: number): string {
  const pixels = imageKind(data)?.pixels;
  const size = pixels === undefined ? '' : ` ${pixels.width}×${pixels.height}`;
  return `[image ${number}: ${nameOf(name ?? 'image')}${size}]`;
}

/** Returns the last part of a name, on one line. */
function nameOf(name: string): string {
  return plainText(basename(name)).replaceAll(/\s+/g, ' ');
}

/** Reads the images. Returns `undefined` if a file is no image or does not exist. The paths then remain text. */
async function readImages(folder: string, paths: readonly string[]): Promise<readonly GivenImage[] | undefined> {
  try {
    const images = await Promise.all(paths.map((path) => readImage(folder, path)));
    return images.every(({ data }) => imageKind(data) !== undefined) ? images : undefined;
  } catch (error) {
    if (failureOf(error).code === 'cli/not-found') return undefined;
    throw error;
  }
}

/** Adds a part. The oldest images are forgotten when there are too many, except those in the text. */
function keepParts({ edited, parts }: EditorState, character: string, part: FoldedPart): FoldedParts {
  const kept = new Map([...parts, [character, part] as const]);
  const old = [...parts].filter(([one]) => !edited.buffer.text.includes(one));
  let bytes = [...kept.values()].reduce((sum, one) => sum + bytesOf(one), 0);
  for (const [one, oldPart] of old) {
    if (kept.size <= MAX_KEPT && bytes <= MAX_KEPT_BYTES) break;
    kept.delete(one);
    bytes -= bytesOf(oldPart);
  }
  return kept;
}

function bytesOf(part: FoldedPart): number {
  return part.kind === 'paste' ? part.text.length : part.attached.data.length;
}
