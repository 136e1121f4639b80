// Invented secrets of every known format, inside realistic texts. Each secret is joined from pieces, so that a secret
// scanner does not report this file.

/** A text that contains one secret. */
export interface SecretSample {
  readonly title: string;
  /**
   * Text before the secret. `tail` is the text after the secret. Only the secret is masked; both texts stay unchanged.
   */
  readonly lead: string;
  readonly secret: string;
  readonly tail: string;
  /** Name in the placeholder that replaces the secret. */
  readonly name: string;
}

/**
 * Returns `length` characters without a pattern: upper and lower case letters and digits. The same seed always gives
 * the same result.
 */
export function noise(length: number, seed: number = 1): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  let state = seed * 7_919 + 17;
  let text = '';
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += letters[(state >> 8) % letters.length] ?? '';
  }
  return text;
}

const PRIVATE = ['PRIVATE', 'KEY'].join(' ');

/**
 * Returns a private key in PEM format: `body` in lines of 64 characters between a BEGIN line and an END line. `kind` is
 * a word with a space after it, such as `RSA `, or empty.
 */
export function pem(kind: string, body: string, lineBreak: string = '\n'): string {
  const lines = body.match(/.{1,64}/g) ?? [];
  const frame = (word: string): string => `-----${word} ${kind}${PRIVATE}-----`;
  return [frame('BEGIN'), ...lines, frame('END')].join(lineBreak);
}

const sample = (title: string, name: string, secret: string, lead = 'before ', tail = ' behind'): SecretSample => ({
  title,
  lead,
  secret,
  tail,
  name,
});

const AWS_SECRET = `${noise(18, 3)}/${noise(10, 4)}+${noise(10, 5)}`;
const jwt = [{ alg: 'HS256', typ: 'JWT' }, { sub: '1234567890' }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat(noise(43, 6))
  .join('.');
const login = Buffer.from(`martha:${noise(12, 7)}`).toString('base64');

/** Secrets that are recognized by their own format, such as `ghp_…`. */
export const TOKENS: readonly SecretSample[] = [
  sample('an AWS access key id', 'aws', `AKIA${noise(16, 8).toUpperCase()}`),
  sample('an RSA key', 'privatekey', pem('RSA ', `MIIE${noise(150)}`)),
  sample('a DSA key', 'privatekey', pem('DSA ', `MIIB${noise(150)}`)),
  sample('an EC key', 'privatekey', pem('EC ', `MHcC${noise(100)}`)),
  sample('an Ed25519 key in PKCS 8', 'privatekey', pem('', `MC4CAQAwBQYDK2VwBCIEI${noise(43)}`)),
  sample('an Ed25519 key of OpenSSH', 'privatekey', pem('OPENSSH ', `b3BlbnNzaC1rZXktdjEAAAAA${noise(100)}`)),
  sample('an encrypted key', 'privatekey', pem('ENCRYPTED ', `MIIF${noise(100)}`)),
  sample(
    'an encrypted key with headers',
    'privatekey',
    pem('RSA ', `MIIE${noise(100)}`).replace('\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n'),
  ),
  sample(
    'a key in a string of JSON',
    'privatekey',
    pem('EC ', `MHcC${noise(100)}`, String.raw`\n`),
    '{"key": "',
    String.raw`\n"}`,
  ),
  sample('a key in a string in a string', 'privatekey', pem('', `MC4C${noise(60)}`, String.raw`\\n`)),
  sample(
    'a key that is not shown to its end',
    'privatekey',
    pem('RSA ', `MIIE${noise(150)}`)
      .split('\n')
      .slice(0, -1)
      .join('\n'),
    'before ',
    '\n',
  ),
  sample('a key of Anthropic', 'anthropic', `sk-ant-api03-${noise(93)}AA`),
  sample('an admin key of Anthropic', 'anthropic', `sk-ant-admin01-${noise(80)}_-${noise(11)}AA`),
  sample('an OAuth token of Anthropic', 'anthropic', `sk-ant-oat01-${noise(90)}-AA`),
  sample('a key of OpenRouter', 'openrouter', `sk-or-v1-${'0a1b2c3d'.repeat(8)}`),
  sample('a project key of OpenAI', 'openai', `sk-proj-${noise(120)}`),
  sample('a key of OpenAI', 'openai', `sk-${noise(48)}`),
  sample('a key of Google', 'google', `AIza${noise(33)}_-`),
  sample('an access token of Google', 'google', `ya29.${noise(120)}`),
  sample('a JWT', 'jwt', jwt),
  ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((kind) =>
    sample(`a token of GitHub, ${kind}`, 'github', `${kind}_${noise(36)}`),
  ),
  sample('a fine-grained token of GitHub', 'github', `github_pat_${noise(22)}_${noise(59)}`),
  sample('an installation token of GitHub', 'github', `ghs_12345_${jwt}`),
  sample('a token of GitLab', 'gitlab', `glpat-${noise(20)}`),
  sample('a long token of GitLab', 'gitlab', `glpat-${noise(40)}.01.${noise(9).toLowerCase()}`),
  sample('a token of Slack', 'slack', `xoxb-123456789012-1234567890123-${noise(24)}`),
  sample('an app token of Slack', 'slack', `xapp-1-A012345-1234567890-${noise(64)}`),
  sample('a key of Stripe', 'stripe', `sk_live_${noise(99)}`),
  sample('a restricted key of Stripe', 'stripe', `rk_test_${noise(24)}`),
  sample('a secret of a Stripe webhook', 'stripe', `whsec_${noise(32)}`),
  sample('a token of npm', 'npm', `npm_${noise(36)}`),
  sample('a cookie of Slack', 'slack', `xoxd-${noise(40)}%2B${noise(20, 2)}%3D%3D`),
  sample('a runner token of GitLab', 'gitlab', `GR1348941${noise(20)}`),
  sample('a token of Hugging Face', 'huggingface', `hf_${noise(34)}`),
  sample('a key of xAI', 'xai', `xai-${noise(80, 32)}`),
  sample('a key of Together AI', 'together', `tgp_v1_${noise(20, 33)}_${noise(22, 34)}`),
  sample('a key of DeepSeek', 'openai', `sk-${noise(32, 35).toLowerCase()}`),
  sample('a token of PyPI', 'pypi', `pypi-AgEIcHlwaS5vcmc${noise(120)}`),
];

const KEY_ID = `AKIA${noise(16, 8).toUpperCase()}`;

/**
 * Secrets directly after a text that ends in a letter, a digit or an underscore, such as `\n` or `%3D`. The last
 * character of this text must not be masked as part of the secret.
 */
export const ESCAPES: readonly SecretSample[] = [
  ['a line break in a string', String.raw`"line one\n`],
  ['a tab in a string', String.raw`"a\t`],
  ['a line break in a string in a string', String.raw`"line one\\n`],
  ['a colour', '\u001b[31m'],
  ['a colour code with a visible escape character', '␛[1;31m'],
  ['an escaped equals sign of an address', '?a%3D'],
  ['an escaped quote of an address', '%22'],
  ['an escaped quote of JSON', String.raw`"\u0022`],
  ['an escaped space of code', String.raw`'\x20`],
  ['an escape of a shell', String.raw`$'\033[31m`],
  ['an underscore', 'foo_'],
  ['a hyphen', 'foo-'],
].flatMap(([form = '', lead = '']) => [
  sample(`an AWS access key id after ${form}`, 'aws', KEY_ID, lead, ' x'),
  sample(`a key of OpenAI after ${form}`, 'openai', `sk-${noise(48)}`, lead, ' x'),
  sample(`a JWT after ${form}`, 'jwt', jwt, lead, ' x'),
]);

/**
 * Credentials that are recognized by their place, such as the password in a URL or the value of an `Authorization`
 * header.
 */
export const PLACES: readonly SecretSample[] = [
  ...[
    'redis',
    'rediss',
    'amqp',
    'amqps',
    'postgres',
    'mysql',
    'mongodb',
    'mongodb+srv',
    'https',
    'http',
    'ftp',
    'smtp',
  ].map((scheme) =>
    sample(
      `a password in an address, ${scheme}`,
      'url-password',
      'q8Zr7TtW',
      `at ${scheme}://martha:`,
      '@db.internal:99/main?x=1',
    ),
  ),
  sample('a password without a user', 'url-password', 'hunterhunter', 'redis://:', '@cache:6379/0'),
  sample('a password with a slash and an at sign', 'url-password', 'pa/ss@w0rd', 'amqps://martha:', '@broker/v'),
  sample(
    'a password in an address in JSON',
    'url-password',
    'q8Zr7TtW',
    '{"url":"postgres://martha:',
    '@db/main?a=b","next":1}',
  ),
  sample('a token of GitHub in the place of a user', 'xoauth', noise(40), 'https://', ':x-oauth-basic@github.com/a/b'),
  sample('an AWS secret key in a table', 'aws-secret', AWS_SECRET, '||  SecretAccessKey |  ', '   ||\n'),
  sample('an AWS session token in a table', 'aws-session', `${noise(300)}==`, '||  SessionToken    |  ', '   ||\n'),
  sample('a bearer token', 'bearer', noise(24), 'curl -H "Authorization: Bearer ', '" https://api.example'),
  sample('a bearer token of words', 'authorization', 'correct-horse-battery', "-H 'Authorization: Bearer ", "' x"),
  sample('a bearer token in code', 'bearer', noise(24), '{ "Authorization": "Bearer ', '" }'),
  sample('a basic login', 'basic', login, 'Authorization: Basic ', '\r\n'),
  sample('a header without a scheme', 'authorization', noise(24), 'authorization: ', '\n'),
  sample('a header with a key', 'x-api-key', noise(24), 'curl -H "x-api-key: ', '" https://api.example'),
  sample('a header with a key of words', 'x-api-key', 'correct-horse-battery', "curl -H 'x-api-key: ", "' x"),
  sample('a login of curl', 'curl-user', 'letmein', 'curl -u martha:', ' https://api.example'),
  sample('a login of curl behind joined flags', 'curl-user', 'letmein', 'curl -su martha:', ' https://api.example'),
  sample('a login of curl behind many flags', 'curl-user', 'letmein', 'curl -sSLu martha:', ' https://api.example'),
  sample('a login of curl without a space', 'curl-user', 'letmein', 'curl -sSumartha:', ' https://api.example'),
  sample('a login of curl in quotes', 'curl-user', 'let me "in"', "curl -s --user 'martha:", "' https://api.example"),
  sample(
    'a login of curl in a string',
    'curl-user',
    noise(12),
    String.raw`"curl -u \"martha:`,
    String.raw`\" https://api.example"`,
  ),
  sample('a login of curl on another line', 'curl-user', noise(12), 'curl -s \\\n  -u martha:', ' x'),
];

/** Values next to a name that indicates a credential, such as `password`. */
export const NAMED: readonly SecretSample[] = [
  ...[
    ['as a variable', 'AWS_SECRET_ACCESS_KEY', 'AWS_SECRET_ACCESS_KEY=', '\n'],
    ['as a setting', 'aws_secret_access_key', 'aws_secret_access_key = ', '\n'],
    ['exported', 'AWS_SECRET_ACCESS_KEY', "export AWS_SECRET_ACCESS_KEY='", "'\n"],
    ['in JSON', 'SecretAccessKey', '{"SecretAccessKey": "', '", "a": 1}'],
    ['in a string of JSON', 'SecretAccessKey', String.raw`{\"SecretAccessKey\":\"`, String.raw`\",\"a\":1}`],
    ['in a string in a string', 'SecretAccessKey', String.raw`\\\"SecretAccessKey\\\":\\\"`, String.raw`\\\",`],
    ['in YAML', 'secretAccessKey', '  secretAccessKey: ', '\n'],
    ['in words', 'AWS_secret_access_key', 'AWS secret access key: ', '\n'],
    ['in XML', 'SecretAccessKey', '<SecretAccessKey>', '</SecretAccessKey>'],
  ].map(([form = '', name = '', lead = '', tail = '']) =>
    sample(`an AWS secret key ${form}`, name, AWS_SECRET, lead, tail),
  ),
  sample('NAME=value', 'OPENAI_API_KEY', 'letmein', 'OPENAI_API_KEY=', '\n'),
  sample('NAME=value after a flag', 'DB_PASSWORD', 'hunter2', 'docker run -e DB_PASSWORD=', ' image'),
  sample('NAME=value in a string', 'DB_PASSWORD', 'hunter2', '"env": "DB_PASSWORD=', String.raw`\nNEXT=1"`),
  sample('NAME="value" with spaces', 'DB_PASSWORD', 'correct horse battery', 'DB_PASSWORD="', '"\n'),
  sample('NAME = "value"', 'API_TOKEN', noise(20), 'API_TOKEN = "', '"\n'),
  sample('"name": "value"', 'clientSecret', noise(20), '{"clientSecret": "', '"}'),
  sample('"name": "value" with a quote in it', 'password', String.raw`hun\"ter2`, '{"password": "', '"}'),
  sample(
    '"name": "value" in a string with a quote in it',
    'password',
    String.raw`hun\\\"ter2`,
    String.raw`{\"password\": \"`,
    String.raw`\"}`,
  ),
  sample('"name": "value" in HTML', 'password', 'hunter2', '&quot;password&quot;: &quot;', '&quot;,'),
  sample('name: value', 'password', 'hunter2', 'password: ', '\n'),
  sample('name: value with a comment', 'password', 'hunter2', '  password: ', ' # of the test\n'),
  sample("name: 'value' with a doubled quote", 'password', "it''s-4-me", "password: '", "'\n"),
  sample(
    "export NAME='value' with a quote of a shell",
    'DB_PASSWORD',
    String.raw`it'\''s4me`,
    "export DB_PASSWORD='",
    "'\n",
  ),
  sample("NAME=$'value'", 'DB_PASSWORD', String.raw`it\'s4me`, "DB_PASSWORD=$'", "'\n"),
  sample('name = value of an .ini', 'password', 'hunter2', 'password = ', '\r\n'),
  sample('a password of plain words in .properties', 'password', 'correcthorse', 'spring.datasource.password=', '\n'),
  sample('a token of an .npmrc', '_authToken', 'letmein', '//registry.example/:_authToken=', '\n'),
  sample('a login of a config of Docker', 'auth', login, '{"auth": "', '"}'),
  sample('a query', 'access_token', noise(20), 'https://a.example/?access_token=', '&page=2'),
  sample('a connection string', 'AccountKey', `${noise(40)}==`, 'Name=a;AccountKey=', ';Suffix=b'),
  sample('--name value', 'password', 'hunter2', 'tool --password ', ' --verbose'),
  sample('--name=value', 'api-key', noise(20), 'tool --api-key=', ' --verbose'),
  sample('a fallback in code', 'API_KEY', noise(20), "process.env.API_KEY ?? '", "';"),
  sample('a typed constant', 'apiKey', noise(20), "const apiKey: string = '", "';"),
  sample('an entry of a map', 'API_KEY', noise(20), 'os.environ["API_KEY"] = "', '"'),
  sample('a hash of a password', 'password', `$2b$10$${noise(53)}`, 'password: "', '"'),
  sample('a word followed by a punctuation mark', 'password', 'Sunshine!', 'password: ', '\n'),
  sample('a common word with digits and a punctuation mark', 'password', 'Password1!', '{"password": "', '"}'),
  ...[
    ['of a header', 'x-api-key', 'x-api-key: ', '\n'],
    ['of a header of curl', 'x-api-key', 'curl -H "x-api-key: ', '" https://api.example'],
    ['of a header at the end of a list', 'x-api-key', '["x-api-key: ', '", "x"]'],
    ['of a variable in YAML', 'DB_PASSWORD', 'DB_PASSWORD: ', '\n'],
    ['of a password in YAML', 'password', '  password: ', '\n'],
    ['of a token in YAML', 'apiToken', '  apiToken: ', '\n'],
  ].map(([form = '', name = '', lead = '', tail = '']) =>
    sample(`a value in base64 with one equals sign at its end, ${form}`, name, `${noise(43, 9)}=`, lead, tail),
  ),
  ...['aB[x9(qZ{7', 'f(9Zq]x', 'aB`x9`qZ7', '`x9aB(q', '[q7(Zx9', '(q7]Zx9', '{q7Zx9', 'Zx9(a)b7', ':q7Zx9'].map(
    (value) => sample(`NAME=value with characters of code, ${value}`, 'DB_PASSWORD', value, 'DB_PASSWORD=', '\n'),
  ),
  ...['aB[x9(qZ{7', 'f(9Zq]x,R', 'aB`x9`qZ7', 'Zx9(a)b7', 'q7|Zx9;v', 'q7<Zx9>&v'].flatMap((value) => [
    sample(`password: value with characters of code, ${value}`, 'password', value, '  password: ', '\n'),
    sample(`password = value with characters of code, ${value}`, 'password', value, 'password = ', '\n'),
  ]),
  sample('a key of an unknown service', 'ACME_KEY', noise(24), 'ACME_KEY=', '\n'),
];

/** Credentials with terminal color codes between name and value, as terminals and `jq -C` print them. */
export const COLOURED: readonly SecretSample[] = ['\u001b', '␛', String.raw`\u001b`, String.raw`\x1b`].flatMap(
  (escape) => [
    sample(`a coloured name, ${escape}`, 'password', 'hunter2', `${escape}[33mpassword ${escape}[0m: `, '\n'),
    sample(
      `a coloured value, ${escape}`,
      'DB_PASSWORD',
      'hunter2',
      `${escape}[1mDB_PASSWORD${escape}[0m=${escape}[32m`,
      `${escape}[0m\n`,
    ),
    sample(
      `the output of jq -C, ${escape}`,
      'password',
      'hunter2',
      `${escape}[34;1m"password"${escape}[0m${escape}[1;39m:${escape}[0m ${escape}[0;32m"`,
      `"${escape}[0m${escape}[1;39m\n`,
    ),
    sample(
      `a token with a colour in it, ${escape}`,
      'github',
      `ghp_${noise(10)}${escape}[1m${noise(26, 2)}`,
      `${escape}[31m`,
      ` ${escape}[0m`,
    ),
  ],
);

/** Values that follow their names without a sign such as `=` or `:`, for example in `docker login -p letmein`. */
export const PAIRED: readonly SecretSample[] = [
  sample('ENV NAME value of a Dockerfile', 'DB_PASSWORD', 'letmein', 'FROM a\nENV DB_PASSWORD ', '\n'),
  sample('ENV NAME value with a bracket', 'DB_PASSWORD', 'aB(x9)q]Z7', 'FROM a\nENV DB_PASSWORD ', '\n'),
  sample('ENV NAME "value" of a Dockerfile', 'DB_PASSWORD', 'let me in', 'FROM a\nENV DB_PASSWORD "', '"\n'),
  sample('name and value of Kubernetes', 'DB_PASSWORD', 'letmein', '  - name: DB_PASSWORD\n    value: "', '"\n'),
  sample('name and bare value of Kubernetes', 'API_TOKEN', noise(20), '  - name: API_TOKEN\n    value: ', '\n'),
  sample('name and value in JSON', 'DB_PASSWORD', 'letmein', '{"name":"DB_PASSWORD","value":"', '"}'),
  sample('name and value in indented JSON', 'API_KEY', noise(20), '"name": "API_KEY",\n  "value": "', '"\n'),
  sample('name and value of a form', 'password', 'hunter2', '{"name": "password", "value": "', '"}'),
  sample('a line of .netrc', 'password', 'letmein', 'machine a.example login martha password ', '\n'),
  sample('lines of .netrc', 'password', noise(12), 'machine a.example\n  login martha\n  password ', '\n'),
  sample('a line of .netrc with a bracket', 'password', 'aB(x9)q]Z7', 'machine a.example login martha password ', '\n'),
  sample('a login of Docker', 'password', 'letmein', 'docker login -u martha -p ', ' registry.example'),
  sample('a flag of MySQL', 'password', 'letmein', 'mysql -u martha -p', ' main'),
  sample('a flag of mysqldump', 'password', 'letmein', 'mysqldump -h db -umartha -p', ' main'),
  sample('a flag of sshpass', 'password', 'letmein', 'sshpass -p ', ' ssh a.example'),
  sample('a flag of sshpass in quotes', 'password', 'let me in', "sshpass -p '", "' ssh a.example"),
];

export const SAMPLES: readonly SecretSample[] = [...TOKENS, ...ESCAPES, ...PLACES, ...NAMED, ...PAIRED, ...COLOURED];
