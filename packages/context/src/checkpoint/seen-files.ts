// What a range has shown of each file: the lines that were read or written last, followed through the changes since.

import { defined } from '@tidemark/core';
import { namesIn } from '../base/names.ts';

/** A stretch of a file. */
export interface SeenFile {
  readonly lines: readonly string[];
  /** The number of its first line, from 1; absent where the place of the stretch is not known. */
  readonly first: number | undefined;
  /** The stretch is the whole file. */
  readonly whole: boolean;
}

/** A part of a file that gives way to another. */
export interface Hunk {
  readonly was?: string;
  readonly is: string;
  /** Every place that holds it. */
  readonly all?: boolean;
  /** It is the whole file from now on. */
  readonly whole?: boolean;
}

/** Returns the heading above a hunk; `undefined` where neither the file nor the hunk shows one. */
export function headingAbove(path: string, file: SeenFile | undefined, { was, is }: Hunk): string | undefined {
  const hunk = was ?? is;
  const start = file === undefined || was === undefined ? -1 : placeOf(file.lines.join('\n'), was);
  if (file !== undefined && start !== -1) {
    const before = file.lines.join('\n').slice(0, start).split('\n').length - 1;
    const blank = hunk.split('\n').findIndex((line) => line.trim() !== '');
    return headingOf(path, file.lines, before + Math.max(0, blank));
  }
  return headingsIn(path, hunk.split('\n'))[0]?.text;
}

/** Where a text stands that stands there once; -1 where it stands nowhere or twice. */
function placeOf(text: string, part: string): number {
  const at = text.indexOf(part);
  return at === text.lastIndexOf(part) ? at : -1;
}

/** Returns the file behind a change; `undefined` where what was seen does not hold what the change replaces. */
export function fileBehind(file: SeenFile | undefined, { was, is, all, whole }: Hunk): SeenFile | undefined {
  if (whole === true) return { lines: is.split('\n'), first: 1, whole };
  if (file === undefined || was === undefined) return undefined;
  const text = file.lines.join('\n');
  if (!text.includes(was) || (all !== true && placeOf(text, was) === -1)) return undefined;
  return { ...file, lines: (all === true ? text.replaceAll(was, () => is) : text.replace(was, () => is)).split('\n') };
}

/** The number of the line on which each name stands first, or is declared; 0 where the place of the stretch is not known. */
export function linesOfNames(path: string, { lines, first }: SeenFile): ReadonlyMap<string, number> {
  const at = (index: number): number => (first === undefined ? 0 : index + first);
  const found = new Map<string, number>();
  for (const [index, line] of lines.entries())
    for (const { name } of namesIn(line)) if (!found.has(name)) found.set(name, at(index));
  for (const { name, index } of headingsIn(path, lines).toReversed())
    if (name !== undefined) found.set(name, at(index));
  return found;
}

// The headings of a source text: functions, classes, sections. They are found as git finds the heading of a hunk (userdiff.c),
// by one expression for each language. Where none matches, the nearest line above with a smaller indent is used.

/** A line that names what stands below it. */
export interface Heading {
  /** Index of its line. */
  readonly index: number;
  /** The line without its indent. */
  readonly text: string;
  /** The name that it declares; absent where it declares none, as the heading of a document. */
  readonly name?: string;
}

interface Language {
  readonly endings: readonly string[];
  readonly heading: RegExp;
  /** Lines that `heading` takes and that are none. */
  readonly except?: RegExp;
}

const CONTROL = /^\s*(?:case|catch|do|else|for|if|instanceof|new|return|switch|throw|try|while|with|await|yield)\b/;

const MODIFIERS = String.raw`(?:(?:export|default|declare|abstract|async|public|private|protected|static|override|readonly)\s+)*`;

const LANGUAGES: readonly Language[] = [
  {
    endings: ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte'],
    heading: new RegExp(
      String.raw`^(?:\s*${MODIFIERS}(?:function|class|interface|enum|namespace|type|get|set)\b\*?\s*[\w$]+.*|(?:export\s+)?(?:const|let|var)\s+[\w$]+.*|\s+${MODIFIERS}\*?\s*[#\w$]+\s*(?:<[^;]*>)?\([^;]*\)\s*(?::[^;=]*)?\{\s*$|\s+[#\w$]+\s*[:=]\s*(?:async\s*)?\([^;]*=>\s*\{\s*$)`,
    ),
    except: CONTROL,
  },
  { endings: ['py', 'pyi'], heading: /^\s*(?:class|(?:async\s+)?def)\s.*$|^[A-Z_]+\s*=.*$/ },
  { endings: ['go'], heading: /^\s*func\s*.*$|^\s*type\s.*(?:struct|interface)\s*(?:\{\s*)?$/ },
  {
    endings: ['rs'],
    heading:
      /^\s*(?:pub(?:\([^)]+\))?\s+)?(?:(?:async|const|unsafe|extern(?:\s+"[^"]+"))\s+)*(?:struct|enum|union|mod|trait|fn|impl|macro_rules!)[<\s]+[^;]*$/,
  },
  { endings: ['rb'], heading: /^\s*(?:class|module|def)\s.*$/ },
  {
    endings: ['php'],
    heading:
      /^\s*(?:(?:public|protected|private|static|abstract|final)\s+)*(?:function|class|enum|interface|trait)\b.*$/,
  },
  { endings: ['kt', 'kts'], heading: /^\s*(?:[a-z]+\s+)*(?:fun|class|interface|object)\s+.*$/ },
  {
    endings: ['java', 'cs', 'swift', 'scala', 'dart'],
    heading:
      /^\s*(?:[a-z@-]+\s+)*(?:class|enum|interface|record|struct|func|def|object|trait|extension|protocol|actor|mixin)\s+\w.*$|^\s*(?:[a-z@-]+\s+)*(?:init[?!]?\s*[(<].*|deinit\s*\{.*)$|^\s*[A-Za-z_][\w<>[\],.?]*(?:\s+[A-Za-z_<][\w<>[\],.?]*)+\s*\([^;]*$/,
    except: CONTROL,
  },
  {
    endings: ['c', 'h', 'cc', 'cpp', 'hpp', 'cxx', 'm', 'mm'],
    heading: /^(?:::\s*)?[A-Za-z_].*$/,
    except: /^\s*[A-Za-z_][\w ]*:\s*(?:$|\/[/*])|^(?:public|private|protected)\b/,
  },
  { endings: ['sh', 'bash', 'zsh'], heading: /^\s*(?:[A-Za-z_]\w*\s*\(\s*\)|function\s+[A-Za-z_][\w-]*).*$/ },
  { endings: ['ex', 'exs'], heading: /^\s*(?:def(?:macro|module|impl|protocol|p)?|test)\s.*$/ },
  { endings: ['md', 'markdown', 'mdx'], heading: /^ {0,3}#{1,6}\s.*$/ },
  { endings: ['html', 'htm'], heading: /^\s*<[Hh][1-6](?:\s.*)?>.*$/ },
  { endings: ['css', 'scss', 'less'], heading: /^[:[@.#]?[_a-z0-9][^;]*$/, except: /[:;]\s*$/ },
  { endings: ['sql'], heading: /^\s*(?:create|alter)\s+.*$/i },
  { endings: ['toml', 'ini'], heading: /^\s*\[.*\]\s*$/ },
  // A key at the margin says little of a deep place: the nearest line that is less indented says more.
  { endings: ['yaml', 'yml'], heading: /(?!)/ },
];

/** Git's own, where a language is not known: a line that begins with a letter, `_` or `$`. */
const ANY: Language = { endings: [], heading: /^[A-Za-z_$].*$/, except: CONTROL };

/** Longest line that is matched, in UTF-16 units. */
const LINE = 300;

/** The name behind a word that declares one, and else the name before an opening bracket or an equals sign. */
const DECLARED =
  /\b(?:function|class|interface|enum|namespace|type|const|let|var|def|fn|func|fun|struct|trait|impl|mod|module|record|object|get|set)\b\*?\s*(?:\([^)]*\)\s*)?([\w$]+)/;

const CALLED = /([\w$]+)\s*[(=]/;

/** Returns the headings of a text, in order. `path` says its language. */
export function headingsIn(path: string, lines: readonly string[]): readonly Heading[] {
  const language = languageOf(path);
  if (language === ANY) return [];
  const code = codeIn(language, lines);
  return lines.flatMap((line, index) =>
    isHeading(language, line) && !code.has(index) ? [headingAt(line, index)] : [],
  );
}

/**
 * Returns the heading of the hunk that begins at a line: the nearest heading at or above it, else the nearest line above it
 * that is less indented; `undefined` where there is neither.
 */
export function headingOf(path: string, lines: readonly string[], at: number): string | undefined {
  const language = languageOf(path);
  const code = codeIn(language, lines);
  for (let index = at; index >= 0; index -= 1) {
    const line = lines[index] ?? '';
    if (isHeading(language, line) && !code.has(index)) return line.trim();
  }
  const indent = indentOf(lines[at] ?? '');
  for (let index = at - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? '';
    if (line.trim() !== '' && indentOf(line) < indent) return line.trim();
  }
  return undefined;
}

/** Lines of Markdown inside of fences: a comment of a shell there is no heading. */
function codeIn({ endings }: Language, lines: readonly string[]): ReadonlySet<number> {
  const code = new Set<number>();
  if (!endings.includes('md')) return code;
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) code.add(index);
    if (mark === undefined) continue;
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence)) fence = undefined;
  }
  return code;
}

function isHeading({ heading, except }: Language, line: string): boolean {
  return line.length <= LINE && heading.test(line) && except?.test(line) !== true;
}

function headingAt(line: string, index: number): Heading {
  const name = (DECLARED.exec(line) ?? CALLED.exec(line))?.[1];
  return defined({ index, text: line.trim(), name });
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function languageOf(path: string): Language {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return LANGUAGES.find(({ endings }) => endings.includes(ending)) ?? ANY;
}
