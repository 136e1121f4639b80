// The headings of a source text: functions, classes, sections. They are found as git finds the heading of a hunk
// (userdiff.c), by one expression for each language; where none fits, the nearest line above that is less indented is used.

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
  return { index, text: line.trim(), ...(name !== undefined && { name }) };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function languageOf(path: string): Language {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return LANGUAGES.find(({ endings }) => endings.includes(ending)) ?? ANY;
}
