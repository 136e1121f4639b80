import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SecretSample } from '../../contract/secret-samples.ts';
import { ESCAPES, SAMPLES, TOKENS, noise, pem } from '../../contract/secret-samples.ts';
import { createSecrets } from './create-secrets.ts';
import { LONGEST_SHAPE } from './find-shapes.ts';
import { createMasker, soughtIn } from './mask-text.ts';
import { TOKEN_HINT } from './token-rules.ts';

const { mask, maskStream } = createSecrets({ values: [] });
const textOf = ({ lead, secret, tail }: SecretSample): string => lead + secret + tail;
const maskedOf = ({ lead, name, tail }: SecretSample): string => `${lead}[secret:${name}]${tail}`;

async function streamed(pieces: readonly Uint8Array[]): Promise<string> {
  const masked: Uint8Array[] = [];
  for await (const piece of maskStream(
    (async function* () {
      yield* pieces;
    })(),
  ))
    masked.push(piece);
  return Buffer.concat(masked).toString();
}

async function inSmallWindows(text: string, reach: number): Promise<string> {
  const masker = createMasker({ ...soughtIn([]), reach, window: 4 * reach });
  return (await masker.push(text)) + (await masker.end());
}

describe('a secret of known shape', () => {
  it.each(SAMPLES)('is masked completely, and the text around it stays unchanged: $title', async (sample) => {
    expect(await mask(textOf(sample))).toBe(maskedOf(sample));
  });

  it.each(SAMPLES)('is masked in the same way in a stream that is cut at any byte: $title', async (sample) => {
    const outcomes = new Set<string>();
    const bytes = Buffer.from(`é\n${textOf(sample)}`);
    for (let at = 0; at <= bytes.length; at += 1)
      outcomes.add(await streamed([bytes.subarray(0, at), bytes.subarray(at)]));
    expect([...outcomes]).toEqual([`é\n${maskedOf(sample)}`]);
  });

  it.each(SAMPLES)(
    'is masked together with the name before it, at any place where a window of the text ends: $title',
    async (sample) => {
      const text = textOf(sample);
      const reach = 2 * text.length;
      const outcomes = new Set<string>();
      for (let shift = 0; shift <= text.length; shift += 1) {
        const filler = `${'word '.repeat(2 * reach).slice(0, 2 * reach + shift)}\n`;
        const masked = await inSmallWindows(`${filler}${text}${'\nword word'.repeat(reach / 4)}`, reach);
        outcomes.add(masked.slice(filler.length, filler.length + maskedOf(sample).length));
      }
      expect([...outcomes]).toEqual([maskedOf(sample)]);
    },
  );

  it.each(SAMPLES)('is masked in a JSON string too: $title', async (sample) => {
    const inJson = (text: string): string => JSON.stringify({ a: `one\n${text}` });
    expect(await mask(inJson(textOf(sample)))).toBe(inJson(maskedOf(sample)));
  });

  it.each(SAMPLES)('is masked in a JSON string nested in another JSON string too: $title', async (sample) => {
    const twice = (text: string): string => JSON.stringify({ b: JSON.stringify({ a: `one\n${text}` }) });
    expect(await mask(twice(textOf(sample)))).toBe(twice(maskedOf(sample)));
  });

  it('is found in text that is cut at random places, as in the whole text', async () => {
    const piece = fc.oneof(
      fc.constantFrom(...SAMPLES.map(textOf)),
      fc.constantFrom('\n', ' ', '"', "'", '\\', 'password=', 'Bearer ', '://a:', '[secret:A]'),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 6 }),
        fc.array(fc.nat({ max: 300 }), { maxLength: 12 }),
        async (pieces, sizes) => {
          const whole = pieces.join('');
          let rest: Uint8Array = Buffer.from(whole);
          const parts = sizes.map((size) => {
            const part = rest.subarray(0, size);
            rest = rest.subarray(size);
            return part;
          });
          const masked = await mask(whole);
          expect(await streamed([...parts, rest])).toBe(masked.toWellFormed());
          expect(await mask(masked)).toBe(masked);
        },
      ),
      { numRuns: 150 },
    );
  });

  const body = `MIIE${noise(60)}${noise(64, 2)}${noise(30, 3)}+/${noise(32, 4)}${noise(64, 5)}${noise(14, 6)}==`;
  const keyLines = pem('RSA ', body).split('\n');
  const cutLines = keyLines.slice(0, 4);
  it.each<readonly [string, string]>([
    ['after line numbers', cutLines.map((line, index) => `${index + 1}${index === 0 ? ':' : '-'}${line}`).join('\n')],
    ['after line numbers and tabs', cutLines.map((line, index) => `${index + 1}\t${line}`).join('\n')],
    ['after padded line numbers', cutLines.map((line, index) => `     ${index + 1}\t${line}`).join('\n')],
    ['after line numbers and arrows', cutLines.map((line, index) => `${index + 1}→${line}`).join('\n')],
    ['after file names', cutLines.map((line) => `a/key-1.txt-${line}`).join('\n')],
    ['after file names and line numbers', cutLines.map((line, index) => `file:${index + 1}:${line}`).join('\n')],
    [
      'after file names and line numbers of context lines',
      cutLines.map((line, index) => `file-${index + 1}-${line}`).join('\n'),
    ],
    ['as strings in code', cutLines.map((line) => String.raw`'${line}\n' +`).join('\n  ')],
    ['as strings in code, in double quotes', cutLines.map((line) => String.raw`"${line}\n"`).join('\n  ')],
    ['without line endings', cutLines.join('')],
    ['with line endings as HTML entities', cutLines.join('&#xA;')],
    ['after comment signs', cutLines.map((line) => `# ${line}`).join('\n')],
    ['after quotation signs', cutLines.map((line) => `> ${line}`).join('\n')],
    ['as a list of strings', JSON.stringify({ key: keyLines })],
    ['as an indented list of strings', JSON.stringify({ key: keyLines }, null, 2)],
    ['encoded for a URL', encodeURIComponent(keyLines.join('\n'))],
    ['encoded for a form', new URLSearchParams({ key: keyLines.join('\r\n') }).toString()],
    ['encoded for a URL, with missing lines', encodeURIComponent(cutLines.join('\n'))],
    ['with escaped slashes', keyLines.join(String.raw`\n`).replaceAll('/', String.raw`\/`)],
    [
      'with headers after line numbers',
      ['-', 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,0A1B', '']
        .flatMap((line, index) => (index === 0 ? cutLines.slice(0, 1) : [line]))
        .concat(cutLines.slice(1))
        .map((line, index) => `${index + 1}:${line}`)
        .join('\n'),
    ],
  ])('is masked line by line if it is a private key written %s', async (_, text) => {
    const twice = (inner: string): string => JSON.stringify({ b: JSON.stringify({ a: inner }) });
    for (const whole of [text, JSON.stringify({ a: text }), twice(text)]) {
      const masked = await mask(whole);
      expect(masked).toContain('[secret:privatekey]');
      for (let at = 0; at + 12 <= body.length; at += 6) expect(masked).not.toContain(body.slice(at, at + 12));
      expect(await mask(masked)).toBe(masked);
      if (whole !== text) expect(() => void JSON.parse(masked)).not.toThrow();
    }
  });

  it.each([
    ['npm', 'n', `pm_${noise(36)}`],
    ['stripe', 'r', `k_live_${noise(24)}`],
    ['stripe', '', `sk_live_${noise(24)}`],
  ])(
    'is masked directly after a backslash, and a letter that may belong to an escape is kept: %s',
    async (name, kept, secret) => {
      const lead = 'C:\\';
      expect(await mask(`${lead}${kept}${secret} x`)).toBe(`${lead}${kept}[secret:${name}] x`);
    },
  );

  it.each(['DB_PASSWORD=', '  password: ', 'password = '])(
    'is masked completely if it contains quotes and brackets, on a line without a quote before it: %s',
    async (lead) => {
      const name = /password/i.exec(lead)?.[0] === 'password' ? 'password' : 'DB_PASSWORD';
      for (const value of ['aB`x9`)qZ7', 'aB9"]x;qZ7', "aB9';x(qZ7"])
        expect(await mask(`${lead}${value}\nnext`)).toBe(`${lead}[secret:${name}]\nnext`);
    },
  );

  it('is masked at the full length of the longest RSA keys', async () => {
    const key = pem('RSA ', `MIIE${noise(12_600)}`);
    for (const text of [key, key.replaceAll('\n', String.raw`\n`)]) {
      expect(await mask(`before ${text} behind`)).toBe('before [secret:privatekey] behind');
      expect(text.length).toBeLessThan(LONGEST_SHAPE);
    }
  });

  it('ends at the quote around it if another secret comes before it in the same string', async () => {
    const line = (text: string): string => JSON.stringify({ text, args: '{}' });
    expect(await mask(line('DB_PASSWORD=Zx9(a)b7\nAPI_KEY=('))).toBe(
      line('DB_PASSWORD=[secret:DB_PASSWORD]\nAPI_KEY=('),
    );
  });

  it('leaves a JSON string valid after it is masked', async () => {
    const piece = fc.oneof(
      fc.constantFrom(...SAMPLES.map(textOf)),
      fc.constantFrom(
        '\n',
        '\t',
        '"',
        "'",
        '\\',
        '`',
        'API_KEY=',
        "PASSWORD='",
        'password: "',
        'npm_',
        ' -u a:',
        'postgres://a:b2c3@h?x=',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 5 }), fc.array(piece, { maxLength: 5 }), async (one, other) => {
        const line = JSON.stringify({
          text: one.join(''),
          args: JSON.stringify({ path: other.join('') }),
          list: [other.join('')],
        });
        const masked: unknown = JSON.parse(await mask(line));
        expect(Object.keys(masked ?? {})).toEqual(['text', 'args', 'list']);
      }),
      { numRuns: 200 },
    );
  });

  it.each(SAMPLES)('is shorter than `LONGEST_SHAPE`: $title', (sample) => {
    expect(textOf(sample).length).toBeLessThan(LONGEST_SHAPE);
  });

  it('matches `TOKEN_HINT` if it is a token', () => {
    for (const { title, secret, name } of [...TOKENS, ...ESCAPES])
      if (name !== 'privatekey') expect([title, TOKEN_HINT.test(secret)]).toEqual([title, true]);
  });
});

describe('text that is not a secret', () => {
  it.each([
    'SORT_KEY=created_at_desc',
    'PRIMARY_KEY=id',
    'cache_key: main',
    'KEYBOARD=de',
    '{"key": "value"}',
    'token: string',
    'token: string | undefined;',
    'max_tokens: 4096',
    '"input_tokens": 123456789012',
    'const apiKey = getKey();',
    'const token = await next(request2, response2);',
    'password = form.password2;',
    'api_key=settings.api_key2)',
    'login(user, password=password2)',
    'credential?: X509Credential | undefined;',
    'expect(tokenCount).toBe(1)',
    "type: 'password', name: 'new-password'",
    "INVALID_TOKEN = 'invalid_token'",
    "message: 'Password: at least 8 characters'",
    'if (token === "?InterpolationInTemplate") {',
    '"pbkdf2-password": "1.2.1"',
    'TOKEN_FILE=/run/secrets/token2',
    'DB_PASSWORD=/run/secrets/db_password',
    'nextPageToken: "CAUQAA8cG9zdDEyMw"',
    'PUBLIC_KEY=Zk3vQ9xLr7TbW2mNc5YpQ1',
    `"integrity": "sha512-${noise(86)}=="`,
    `commit ${'0a1b2c3d'.repeat(5)}`,
    `cacheKey: '${'0a1b2c3d'.repeat(8)}'`,
    'request 6f1ed002-ab55-4a4b-9f3f-0123456789ab key 12',
    'http://localhost:3000/@vite/client',
    'see https://a.example:8080/x and b@c.example',
    'postgres://postgres:postgres@localhost/test',
    'docker run -u 1000:1000 image',
    'chown -R a:b . && sudo -u postgres:x psql',
    'Authorization: Bearer tokens are used here.',
    'Bearer authentication',
    'Basic authentication',
    '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    'It begins with -----BEGIN RSA PRIVATE KEY----- and then come lines of base64.',
    'eyJhbGciOi.x.y',
    'task-0123456789012345678901234567890123456789',
    ':type passphrase: :py:data:`bytes`',
    '(?<password>[-a-zA-Z0-9_]{1,256})',
    `aAKIA${noise(16).toUpperCase()}`,
    `desk-${noise(48)}`,
    'mysql -u root -p main',
    'docker run -p 8080:80 image',
    'mkdir -p letmein/a2',
    'ENV TOKEN_FILE /run/token2',
    'ENV NODE_ENV production',
    '- name: DB_PASSWORD\n  value: $(OTHER)\n',
    "- name: DB_PASSWORD\n  valueFrom: { secretKeyRef: { name: 'a2b3' } }\n",
    "{ name: 'token', value: token2 }",
    '{"name": "password", "value": "Passwort"}',
    'the default login page password field',
    'input Login { password: String! }',
    '  password: String!\n  token: AuthToken!\n  refreshToken: JWTToken!\n',
    'mutation($password: String!) { a }',
    'mutation($user: String!, $password: String!, $tokens: [Token!]!) { a }',
    '    val password: String?\n',
    'class A(val password: String?, val token: Auth.Token?)',
    '  var password: String!\n',
    "'password' => 'required|min:8',",
    "'password' => 'required|string|min:8|confirmed',",
    '"password": "Passwort*"',
    '"password": "Enter-password!"',
    '"password": "密码（必填）"',
    String.raw`"password": "Contrase\u00f1a"`,
    '"password": "Contraseña*"',
    '"@types/jsonwebtoken": "npm:@x/jwt@^1.2.3"',
    "'fetch-token': 'workspace:^1.0'",
    'python-password = ">=3.8,<4.0"',
    '"generate-password": "^1.7.0 || ~2.0.1-beta.3"',
    'token: "var(--blue-500)"',
    'tsToken: "rgba(12, 34, 56, 0.5)"',
    'tsToken: "rgba(12,34,56,0.5)"',
    "{ token: 'delimiter.curly#1', foreground: 'a1b2c3' }",
    'render_pass: "gbuffer_2x"',
    '  password: *anchor1\n',
    "const apiKey: string = getKey2('a');",
    'def login(password: str=None, token: str=Depends(get_token2)):',
    'API_KEY=get(a2, b2)',
    'API_KEY=foo(\n  a2)',
    'API_KEY=`cat key2.txt`',
    'ENV API_KEY $(cat /run/key2)\n',
    '  password: getPassword(request2)\n',
    "  password: body['password2']\n",
    '  password: request2.body[key].trim(),\n',
    '  password: Array<string2>;\n',
    '  password: pass2||defaultPass2,\n',
    '  password: v2=>v2.length>3,\n',
    "  password: config.get<string>('DB_PASSWORD2'),\n",
    '  password: [required, min(8)],\n',
    '  password: <password2>,\n',
    '  password: secret_2)\n',
    'password = argv2[1];\n',
    'password = conf2->pass2;\n',
    '  password: 8..128\n',
  ])('stays unchanged: %s', async (text) => {
    expect(await mask(text)).toBe(text);
  });

  it.each([
    '',
    'xxxxxxxxxxxx',
    '****',
    '............',
    '<your-key>',
    '<insert key here>',
    '${VAR}',
    '$VAR',
    '$(cat key.txt)',
    '{{ var }}',
    '%VAR%',
    '%s',
    'changeme',
    'your_api_key_here',
    'your-token',
    'example',
    'test',
    'test-key-123',
    'password',
    'password1',
    'secret',
    'null',
    'undefined',
    'process.env.X',
    'process.env.API_KEY2',
    "os.environ['X2']",
    'getKey()',
    'string',
    'sk-...',
    'sk-xxxxxxxxxxxxxxxxxxxx',
    '[REDACTED]',
    'op://vault/item/field2',
  ])('stays unchanged as a clear placeholder in the place of a secret: %s', async (value) => {
    const quote = value.includes("'") ? '"' : "'";
    const texts = [
      `OPENAI_API_KEY=${value}`,
      `DB_PASSWORD=${value}\n`,
      `"apiKey": ${quote}${value}${quote},`,
      `password: ${value}`,
      `curl -H "x-api-key: ${value}"`,
      `curl -H "Authorization: Bearer ${value}"`,
      `  password = ${value}`,
    ];
    for (const text of texts) expect(await mask(text)).toBe(text);
  });

  it.each([
    'user:password',
    'martha:$PASSWORD',
    '$USER:$PASSWORD',
    'martha:<password>',
    'user:pass',
    'admin:admin',
    '${A}:${B}',
  ])('stays unchanged as a login of `curl` or of a URL: %s', async (login) => {
    for (const text of [`curl -u ${login} x`, `curl -u "${login}" x`, `redis://${login}@cache`])
      expect(await mask(text)).toBe(text);
  });
});
