// Tests the parser of SKILL.md. It tests which content is accepted, and that other content is refused with a reason.

import { describe, expect, test } from 'vitest';
import { LARGEST_SKILL, readSkillFile } from './front-matter.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const head = (lines: string, body = 'Do it.'): Uint8Array => bytes(`---\n${lines}\n---\n${body}\n`);
const refused = async (given: Uint8Array): Promise<string> => {
  const read = await readSkillFile(given);
  return 'reason' in read ? read.reason : 'it was read';
};

test('`readSkillFile` reads the fields of the format and ignores others', async () => {
  const lines = [
    'name: tax',
    'description: Files taxes.',
    'license: MIT',
    'compatibility: Needs a shell',
    'metadata:\n  when_to_use: In spring\n  version: 1.5',
    'allowed-tools: Bash(node:*) Read',
    'something: else',
  ];
  expect(await readSkillFile(head(lines.join('\n')))).toEqual({
    name: 'tax',
    description: 'Files taxes.',
    license: 'MIT',
    compatibility: 'Needs a shell',
    metadata: { when_to_use: 'In spring', version: '1.5' },
    allowedTools: 'Bash(node:*) Read',
    body: 'Do it.',
  });
});

test('`readSkillFile` treats a field without a value as missing', async () => {
  const lines = 'name: tax\ndescription: Files taxes.\nlicense:\ncompatibility:\nmetadata:\nallowed-tools:';
  const fields = { name: 'tax', description: 'Files taxes.', metadata: {}, body: 'Do it.' };
  expect(await readSkillFile(head(lines))).toEqual(fields);
  expect(await refused(head('name: tax\ndescription:'))).toMatch(/^description: /);
});

test('`readSkillFile` accepts a byte order mark, and CRLF and CR as line ends', async () => {
  const plain = await readSkillFile(bytes('---\nname: a\ndescription: b\n---\none\ntwo\n'));
  expect(await readSkillFile(bytes('\uFEFF---\r\nname: a\r\ndescription: b\r\n---\r\none\r\ntwo\r\n'))).toEqual(plain);
  expect(await readSkillFile(bytes('---\rname: a\rdescription: b\r---\rone\rtwo\r'))).toEqual(plain);
});

test('`readSkillFile` ignores keys such as `__proto__` and sets no field or prototype from them', async () => {
  const lines =
    'name: a\ndescription: b\n__proto__:\n  license: c\nconstructor: d\nmetadata:\n  __proto__: e\n  version: f';
  const read = await readSkillFile(head(lines));
  expect(read).toEqual({ name: 'a', description: 'b', metadata: { version: 'f' }, body: 'Do it.' });
  expect('metadata' in read && Object.getPrototypeOf(read.metadata)).toBe(Object.prototype);
  expect(await refused(head('__proto__:\n  name: a\n  description: b'))).toMatch(/^name: /);
  expect(await readSkillFile(head('name: a\ndescription: b\n<<: {license: c}'))).not.toHaveProperty('license');
});

test('`readSkillFile` keeps a line of dashes in the body', async () => {
  expect(await readSkillFile(head('name: a\ndescription: b', 'one\n---\ntwo'))).toMatchObject({
    body: 'one\n---\ntwo',
  });
});

describe('`readSkillFile` returns a reason for', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...Array.from('bcdefghi').map((one, at) => `${one}: &${one} [${`*${'abcdefgh'[at]},`.repeat(9)}]`),
  ];
  test.each<[string, Uint8Array, RegExp]>([
    ['no front matter', bytes('# Tax\n'), /^it does not begin with front matter/],
    ['front matter without an end', bytes('---\nname: a\n'), /^it does not begin with front matter/],
    ['no body', head('name: a\ndescription: b', '  '), /^it has no text after its front matter/],
    ['a missing name', head('description: b'), /^name: /],
    ['a name in capitals', head('name: Tax\ndescription: b'), /^name: expected 1 to 64/],
    ['a name with a line end', head('name: "a\\nb"\ndescription: b'), /^name: /],
    ['a long name', head(`name: ${'a'.repeat(65)}\ndescription: b`), /^name: /],
    ['an empty description', head('name: a\ndescription: "  "'), /^description: it is empty/],
    ['a long description', head(`name: a\ndescription: ${'b'.repeat(1_025)}`), /^description: it is longer/],
    ['a description that is a list', head('name: a\ndescription: [b]'), /^description: /],
    ['nested metadata', head('name: a\ndescription: b\nmetadata:\n  c: [d]'), /^metadata\.c: /],
    ['broken YAML', head('name: "a'), /^its front matter is not plain YAML/],
    [
      'a repeated key',
      head('name: a\nname: b\ndescription: c'),
      /^its front matter is not plain YAML, line 3: duplicated mapping key/,
    ],
    ['a tag', head('name: !!js/function a\ndescription: b'), /^its front matter is not plain YAML/],
    [
      'very deep nesting',
      head(`name: a\ndescription: b\nc: ${'['.repeat(7_000)}`),
      /^its front matter is not plain YAML/,
    ],
    ['a list instead of fields', head('- name: a'), /^its front matter: /],
    ['two documents', head('name: a\n...\nname: b'), /^its front matter is not plain YAML/],
    ['empty front matter', head('# later'), /^its front matter is not plain YAML/],
    ['an alias', head('name: &a tax\ndescription: *a'), /^its front matter is not plain YAML/],
    [
      'aliases that expand to gigabytes',
      head(`name: a\ndescription: b\n${bomb.join('\n')}`),
      /^its front matter is not plain YAML/,
    ],
    ['a front matter that is a list', head('- name'), /^its front matter: /],
    [
      'a huge front matter',
      head(`name: a\ndescription: b\nmetadata:\n  x: ${'y'.repeat(20_000)}`),
      /^its front matter is larger/,
    ],
    ['a huge file', new Uint8Array(LARGEST_SKILL + 1).fill(0x61), /^it is larger than 131072 bytes/],
    ['bytes that are not UTF-8', Uint8Array.of(0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe), /^it is not UTF-8/],
  ])('%s', async (_what, given, reason) => expect(await refused(given)).toMatch(reason));
});
