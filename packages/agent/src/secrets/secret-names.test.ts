import { describe, expect, it } from 'vitest';
import { isSecretName, secretsOf } from './mask-text.ts';

const SECRET = [
  'ANTHROPIC_API_KEY',
  'GITHUB_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'PGPASSWORD',
  'MYSQL_PWD',
  'DB_PASS',
  'BASIC_AUTH',
  'API_KEY2',
  'OAUTH2_CLIENT_SECRET',
  'OPENAI_APIKEY',
  'apiKey',
  'clientSecret',
  'npm_config__authToken',
  'npm_config_//registry.example/:_authToken',
  'SERVICE_CREDENTIALS',
  'x-api-key',
];

const NO_SECRET = [
  'MONKEY',
  'KEYBOARD_LAYOUT',
  'AUTHOR',
  'GIT_AUTHOR_NAME',
  'TOKENIZERS_PARALLELISM',
  'XAUTHORITY',
  'COMPASS_BEARING',
  'PWD',
  'OLDPWD',
  'SSH_AUTH_SOCK',
  'AWS_SHARED_CREDENTIALS_FILE',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'STRIPE_PUBLISHABLE_KEY',
  'SSH_PUBLIC_KEY',
  'PATH',
  '',
];

describe('the name of a variable', () => {
  it.each(SECRET)('marks a secret: %s', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(NO_SECRET)('does not mark a secret: %s', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('the secrets of an environment', () => {
  it('are the values of at least 12 characters with a secret name, sorted by name and trimmed', () => {
    const environment = {
      Z_TOKEN: 'twelve-chars',
      API_KEY: ' twelve-chars!\n',
      B_TOKEN: 'eleven-char',
      C_TOKEN: undefined,
      EDITOR: 'a-long-name-of-an-editor',
    };
    expect(secretsOf(environment)).toEqual([
      { name: 'API_KEY', value: 'twelve-chars!' },
      { name: 'Z_TOKEN', value: 'twelve-chars' },
    ]);
  });
});
