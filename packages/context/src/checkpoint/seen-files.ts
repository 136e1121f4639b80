// Tracks the known content of each file. This content is the lines that calls in the range read or wrote last, with all
// later changes applied.

import { defined } from '@tidemark/core';
import { namesIn } from '../base/names.ts';

/** Known part of a file. */
export interface SeenFile {
  readonly lines: readonly string[];
  /** 1-based number of the first line. `undefined` if the place of the part in the file is unknown. */
  readonly first: number | undefined;
  /** True if the part is the whole file. */
  readonly whole: boolean;
}

/** Replacement of text in a file: `was` becomes `is`. */
export interface Hunk {
  readonly was?: string;
  readonly is: string;
  /** True if every occurrence of `was` is replaced. */
  readonly all?: boolean;
  /** True if `is` is the new content of the whole file. */
  readonly whole?: boolean;
}

/** Returns the heading above a hunk. Returns `undefined` if there is no heading in the file or in the hunk. */
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

/**
 * Returns the offset of a part that occurs exactly once in the text, or -1 if it is missing or occurs more than once.
 */
function placeOf(text: string, part: string): number {
  const at = text.indexOf(part);
  return at === text.lastIndexOf(part) ? at : -1;
}

/**
 * Returns the file after a change. Returns `undefined` if the known part does not contain the replaced text exactly
 * once. With `all`, the known part may contain the text more than once.
 */
export function fileBehind(file: SeenFile | undefined, { was, is, all, whole }: Hunk): SeenFile | undefined {
  if (whole === true) return { lines: is.split('\n'), first: 1, whole };
  if (file === undefined || was === undefined) return undefined;
  const text = file.lines.join('\n');
  if (!text.includes(was) || (all !== true && placeOf(text, was) === -1)) return undefined;
  return { ...file, lines: (all === true ? text.replaceAll(was, () => is) : text.replace(was, () => is)).split('\n') };
}

/**
 * Returns a line number for each name. It is the line that declares the name, or else the first line that contains the
 * name. The lines may be only a part of the file. If it is unknown where this part begins, the number is 0.
 */
export function linesOfNames(path: string, { lines, first }: SeenFile): ReadonlyMap<string, number> {
  const at = (index: number): number => (first === undefined ? 0 : index + first);
  const found = new Map<string, number>();
  for (const [index, line] of lines.entries())
    for (const { name } of namesIn(line)) if (!found.has(name)) found.set(name, at(index));
  for (const { name, index } of headingsIn(path, lines).toReversed())
    if (name !== undefined) found.set(name, at(index));
  return found;
}

// Headings of a source text: functions, classes, sections. They are found by one regular expression per language, as in
// git's hunk headings (userdiff.c). If no heading matches, the nearest line above with less indent is used.

/** Line that names the code or text below it. */
export interface Heading {
  /** 0-based index of the line. */
  readonly index: number;
  /** The line without spaces at its beginning and end. */
  readonly text: string;
  /** Name that the line declares. Absent if it declares none, for example in the heading of a document. */
  readonly name?: string;
}

interface Language {
  readonly endings: readonly string[];
  readonly heading: RegExp;
  /** Pattern for lines that match `heading` but are not headings. */
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
  // YAML uses no headings. A top-level key describes a deeply nested place poorly, so the nearest line with less indent
  // is used.
  { endings: ['yaml', 'yml'], heading: /(?!)/ },
];

/** Git's default for an unknown language: a line that begins with a letter, `_` or `$`. */
const ANY: Language = { endings: [], heading: /^[A-Za-z_$].*$/, except: CONTROL };

/** Longest line that is matched, in UTF-16 units. */
const LINE = 300;

/**
 * Name after a keyword such as `function` that declares a name. For a line without such a keyword, `CALLED` finds the
 * name before an opening parenthesis or an equals sign.
 */
const DECLARED =
  /\b(?:function|class|interface|enum|namespace|type|const|let|var|def|fn|func|fun|struct|trait|impl|mod|module|record|object|get|set)\b\*?\s*(?:\([^)]*\)\s*)?([\w$]+)/;

const CALLED = /([\w$]+)\s*[(=]/;

/**
 * Returns the headings of a text, in order. The ending of `path` selects the language. Returns an empty list for an
 * unknown language.
 */
export function headingsIn(path: string, lines: readonly string[]): readonly Heading[] {
  const language = languageOf(path);
  if (language === ANY) return [];
  const code = codeIn(language, lines);
  return lines.flatMap((line, index) =>
    isHeading(language, line) && !code.has(index) ? [headingAt(line, index)] : [],
  );
}

/**
 * Returns the heading of the hunk that begins at line index `at`. This is the nearest heading at or above that line. If
 * there is no heading, it is the nearest line above with less indent. Returns `undefined` if there is no such line
 * either.
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

/**
 * Opening code fence of CommonMark. The text after the backticks must not contain a backtick. Otherwise the backticks
 * are inline code.
 */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/** Closing code fence of CommonMark. Only white space may follow it. */
const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})\s*$/;

/**
 * Returns the indexes of the lines inside code fences of Markdown, because a shell comment there is not a heading.
 * Returns an empty set for other languages.
 */
function codeIn({ endings }: Language, lines: readonly string[]): ReadonlySet<number> {
  const code = new Set<number>();
  if (!endings.includes('md')) return code;
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    if (fence === undefined) {
      fence = FENCE.exec(line)?.[1];
      continue;
    }
    code.add(index);
    if (CLOSING_FENCE.exec(line)?.[1]?.startsWith(fence) === true) fence = undefined;
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
