// Tests the check of `tidemark doctor` that names the runtime.

import { expect, test } from 'vitest';

import { checkRuntime } from './surroundings-checks.ts';

test('`checkRuntime` names Node, Bun or Deno with its own version, and reports it as good', () => {
  expect(checkRuntime({ node: '22.18.0' })).toEqual({ name: 'node', state: 'good', found: '22.18.0' });
  expect(checkRuntime({ node: '26.3.0', bun: '1.4.5' })).toEqual({ name: 'bun', state: 'good', found: '1.4.5' });
  expect(checkRuntime({ node: '26.3.0', deno: '2.9.6' })).toEqual({ name: 'deno', state: 'good', found: '2.9.6' });
});
