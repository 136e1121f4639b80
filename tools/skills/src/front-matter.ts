// Parses the bytes of SKILL.md. Returns the front matter and the body, or the reason why the file is refused. The
// fields are those of the open Agent Skills format (agentskills.io/specification). Other fields are ignored.

import type * as Yaml from 'js-yaml';
import { z } from 'zod';

/** Content of a SKILL.md: the fields of its front matter, and its body. */
export interface SkillFile {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Text of the field `allowed-tools`. The field grants no permission. */
  readonly allowedTools?: string;
  /** Text after the front matter, with line feeds as the only line ends. */
  readonly body: string;
}

/** A file that cannot be used, with the reason in words. */
export interface BadFile {
  readonly reason: string;
}

/**
 * Largest SKILL.md that is read, in bytes. The format recommends less than 500 lines. A body above 30,000 tokens cannot
 * be loaded.
 */
export const LARGEST_SKILL = 131_072;
/** Largest front matter that is parsed, in characters. */
const LARGEST_HEAD = 16_384;

const plain = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** A field without a value (`license:`) is null in YAML and counts as missing. */
const schema = z.object({
  name: z.string().regex(/^[a-z0-9-]{1,64}$/, 'expected 1 to 64 characters of a-z, 0-9 and -'),
  description: z
    .string()
    .trim()
    .min(1, 'it is empty')
    .refine((text) => Array.from(text).length <= 1_024, 'it is longer than 1,024 characters'),
  license: z.string().nullish(),
  compatibility: z.string().max(500, 'it is longer than 500 characters').nullish(),
  metadata: z.record(z.string(), plain).nullish(),
  'allowed-tools': z.union([z.string(), z.array(z.string()).transform((names) => names.join(' '))]).nullish(),
});

/** Reads the bytes of a SKILL.md. If the file cannot be used, returns the reason. */
export async function readSkillFile(bytes: Uint8Array): Promise<SkillFile | BadFile> {
  const file = await readFrontMatter(bytes, LARGEST_SKILL);
  if ('reason' in file) return file;
  const head = headOf(file.head);
  if ('reason' in head) return head;
  return file.body === '' ? NO_TEXT : { ...head, body: file.body };
}

/** Front matter of a file, as YAML gives it, and the text after it. */
export interface HeadedFile {
  readonly head: unknown;
  /** Text with line feeds as the only line ends. May be empty. */
  readonly body: string;
}

/** Splits a file of at most `largest` bytes into its front matter and its body. If it cannot, returns the reason. */
export async function readFrontMatter(bytes: Uint8Array, largest: number): Promise<HeadedFile | BadFile> {
  const text = textOf(bytes, largest);
  if (typeof text !== 'string') return text;
  const parts = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/.exec(text);
  if (parts === null) return { reason: 'it does not begin with front matter between two lines of ---' };
  const head = parts[1] ?? '';
  if (head.length > LARGEST_HEAD) return { reason: `its front matter is larger than ${LARGEST_HEAD} characters` };
  const yaml = await parseYaml(head);
  if ('reason' in yaml) return yaml;
  const body = text.slice(parts[0].length).trim();
  return { head: yaml.value, body };
}

/** Reason for a file without a body. */
export const NO_TEXT: BadFile = { reason: 'it has no text after its front matter' };

function textOf(bytes: Uint8Array, largest: number): string | BadFile {
  if (bytes.length > largest) return { reason: `it is larger than ${largest} bytes` };
  try {
    // The decoder removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll(/\r\n?/g, '\n');
  } catch {
    return { reason: 'it is not UTF-8' };
  }
}

function headOf(value: unknown): Omit<SkillFile, 'body'> | BadFile {
  const read = schema.safeParse(value);
  if (!read.success) return { reason: issuesText(read.error) };
  const { name, description, license, compatibility, metadata, 'allowed-tools': allowedTools } = read.data;
  return {
    name,
    description,
    metadata: metadata ?? {},
    ...(typeof license === 'string' && { license }),
    ...(typeof compatibility === 'string' && { compatibility }),
    ...(typeof allowedTools === 'string' && { allowedTools }),
  };
}

/**
 * Parses plain YAML 1.2 without custom tags. Aliases are refused, because a few lines with aliases can expand to
 * gigabytes.
 */
async function parseYaml(text: string): Promise<{ readonly value: unknown } | BadFile> {
  const { CORE_SCHEMA, load, YAMLException } = await loadYaml();
  try {
    return { value: load(text, { schema: CORE_SCHEMA, maxAliases: 0 }) };
  } catch (error) {
    const { reason, mark } = error instanceof YAMLException ? error : { reason: String(error) };
    // The line number is counted from the line of dashes above the front matter. It is therefore the same as in an
    // editor.
    const where = mark === undefined ? '' : `, line ${mark.line + 2}`;
    return { reason: `its front matter is not plain YAML${where}: ${oneClause(reason)}` };
  }
}

let library: Promise<typeof Yaml> | undefined;

/** Loads the YAML library when the first skill is read. A user without skills does not wait for the library. */
function loadYaml(): Promise<typeof Yaml> {
  return (library ??= import('js-yaml'));
}

/** Returns the errors in a front matter as one line. */
export function issuesText(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => `${path.length === 0 ? 'its front matter' : path.join('.')}: ${oneClause(message)}`)
    .join('; ');
}

function oneClause(message: string): string {
  return message.replaceAll(/\s+/g, ' ').slice(0, 200);
}
