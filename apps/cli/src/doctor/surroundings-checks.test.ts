// Tests the checks of the surroundings that need no home.

import { expect, test } from 'vitest';

import { checkVariables } from './surroundings-checks.ts';

const tools = { JAVA_HOME: '/opt/java', GOPATH: '/go', CARGO_HOME: '/cargo', NODE_PATH: '' };

test('`checkVariables` names variables of tools that commands do not get, and the setting that passes them', async () => {
  const environment = { ...tools, TIDEMARK_COMMANDS_VARIABLES: '["CARGO_*"]' };
  expect(await checkVariables({ environment, configFolder: '/no/such/folder' })).toEqual({
    name: 'variables',
    state: 'good',
    found: 'commands do not get JAVA_HOME, GOPATH of your environment',
    next: 'if a command needs one: `commands.variables` in your settings, such as ["JAVA_HOME","GOPATH"]',
  });
});

test('`checkVariables` has no next step if commands get every variable of tools that is set', async () => {
  const { found, next } = await checkVariables({ environment: { PATH: '/bin' }, configFolder: '/no/such/folder' });
  expect([found, next]).toEqual(['commands get the usual variables, such as PATH and HOME', undefined]);
});
