// What a command may know of the machine.

import { describe, expect, it } from 'vitest';
import { bashEnvironment } from './bash-environment.ts';

describe('the environment of a command', () => {
  it('is a list, whatever else is set', () => {
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

  it('takes more by name, and that over its own', () => {
    expect(bashEnvironment({ FOO: 'x', EDITOR: 'ed' }, ['FOO', 'EDITOR', 'ABSENT'])).toMatchObject({
      FOO: 'x',
      EDITOR: 'ed',
    });
    expect(bashEnvironment({}, ['ABSENT'])).not.toHaveProperty('ABSENT');
  });

  it('refuses a name that says secret, set or not', () => {
    expect(() => bashEnvironment({}, ['PATH', 'GITHUB_TOKEN'])).toThrow(
      expect.objectContaining({ code: 'workspace/secret-variable', data: { variable: 'GITHUB_TOKEN' } }),
    );
  });

  it.each(['ANTHROPIC_API_KEY', 'DB_PASSWORD', 'NPM_AUTH'])('refuses %s', (name) => {
    expect(() => bashEnvironment({ [name]: 'x' }, [name])).toThrow('named like a secret');
  });

  it('passes a path that only sounds like a secret', () => {
    expect(bashEnvironment({ SSH_AUTH_SOCK: '/run/s' }, ['SSH_AUTH_SOCK'])).toHaveProperty('SSH_AUTH_SOCK', '/run/s');
  });
});
