// Tests which environment variables of this process a command receives.

import { describe, expect, it } from 'vitest';
import { bashEnvironment } from './bash-environment.ts';

describe('`bashEnvironment`', () => {
  it('passes only the listed variables and sets its own', () => {
    const from = {
      PATH: '/bin',
      HOME: '/home/me',
      LC_ALL: 'C',
      SHELL: '/bin/zsh',
      OPENAI_API_KEY: 'k',
      EDITOR: 'vim',
      FOO: 'x',
      TZ: undefined,
    };
    expect(bashEnvironment(from)).toEqual({
      PATH: '/bin',
      HOME: '/home/me',
      LC_ALL: 'C',
      SHELL: '/bin/zsh',
      TERM: 'dumb',
      NO_COLOR: '1',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      MANPAGER: 'cat',
      SYSTEMD_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      GIT_EDITOR: 'true',
      EDITOR: 'true',
      DEBIAN_FRONTEND: 'noninteractive',
    });
  });

  it('passes a variable that the caller names, even in place of a value that `bashEnvironment` would set', () => {
    expect(bashEnvironment({ FOO: 'x', EDITOR: 'ed' }, { variables: ['FOO', 'EDITOR', 'ABSENT'] })).toMatchObject({
      FOO: 'x',
      EDITOR: 'ed',
    });
    expect(bashEnvironment({}, { variables: ['ABSENT'] })).not.toHaveProperty('ABSENT');
  });

  it('passes the variables with a listed beginning, except those with the name of a secret', () => {
    const from = { CARGO_HOME: '/c', CARGO_TERM_COLOR: 'never', CARGO_REGISTRY_TOKEN: 'secret', CARGOX: 'x' };
    const passed = bashEnvironment(from, { variables: ['CARGO_*'] });
    expect(Object.keys(passed).filter((name) => name.startsWith('CARGO'))).toEqual(['CARGO_HOME', 'CARGO_TERM_COLOR']);
  });

  it('passes a secret only if it is listed as one', () => {
    const from = { GITHUB_TOKEN: 'secret', NPM_TOKEN: 'other' };
    const passed = bashEnvironment(from, { variables: ['GITHUB_TOKEN'], secretVariables: ['GITHUB_TOKEN'] });
    expect([passed['GITHUB_TOKEN'], passed['NPM_TOKEN']]).toEqual(['secret', undefined]);
  });

  it('refuses the name of a secret even if the variable is not set', () => {
    expect(() => bashEnvironment({}, { variables: ['PATH', 'GITHUB_TOKEN'] })).toThrow(
      expect.objectContaining({ code: 'workspace/secret-variable', data: { variable: 'GITHUB_TOKEN' } }),
    );
  });

  it.each(['ANTHROPIC_API_KEY', 'DB_PASSWORD', 'NPM_AUTH'])('refuses %s', (name) => {
    expect(() => bashEnvironment({ [name]: 'x' }, { variables: [name] })).toThrow('has a name like a secret');
  });

  it('passes `SSH_AUTH_SOCK`, which contains a path and not a secret', () => {
    const variables = ['SSH_AUTH_SOCK'];
    expect(bashEnvironment({ SSH_AUTH_SOCK: '/run/s' }, { variables })).toHaveProperty('SSH_AUTH_SOCK', '/run/s');
  });
});
