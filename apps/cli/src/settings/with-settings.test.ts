// Tests how the command line and the settings are combined.

import { defaultCatalog } from '@tidemark/model';
import type { Settings } from '@tidemark/settings';
import { describe, expect, test } from 'vitest';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import { withSettings } from './with-settings.ts';

const catalog = defaultCatalog();

function together(flags: AgentFlags, settings: Settings, newSession = true): AgentFlags {
  return withSettings(flags, { settings, newSession, person: false, catalog });
}

describe('the provider of a new session', () => {
  test.each<[string, AgentFlags, Settings, AgentFlags]>([
    ['is the one in the settings', {}, { model: 'm', provider: 'openai' }, { model: 'm', provider: 'openai' }],
    [
      'is the maker of the model on the command line',
      { model: 'gpt-4o' },
      { provider: 'anthropic' },
      { provider: 'openai' },
    ],
    [
      'is the one in the settings for a model that is not in the catalog',
      { model: 'q' },
      { provider: 'compatible' },
      { provider: 'compatible' },
    ],
    [
      'is the simulator if the settings name it',
      { model: 'gpt-4o' },
      { provider: 'simulator' },
      { provider: 'simulator' },
    ],
    [
      'is the one on the command line, without a model of another provider',
      { provider: 'openai' },
      { model: 'claude-sonnet-4-5' },
      {},
    ],
    [
      'is the one on the command line, with a model of that provider',
      { provider: 'openai' },
      { model: 'gpt-4o' },
      { model: 'gpt-4o' },
    ],
  ])('%s', (_claim, flags, settings, wanted) => {
    expect(together(flags, settings)).toEqual({ ...wanted, ...flags });
  });
});

test('an existing session keeps its model, provider and mode, unless the settings choose the simulator', () => {
  const settings: Settings = { model: 'm', provider: 'openai', mode: 'auto', cache: { ttl: '1h' } };
  expect(together({}, settings, false)).toEqual({ ttl: '1h' });
  expect(together({}, { ...settings, provider: 'simulator' }, false)).toEqual({ ttl: '1h', provider: 'simulator' });
});

test('each option of the command line overrides its own setting only', () => {
  const settings: Settings = {
    limits: { maxCost: '1', maxSteps: 5 },
    cache: { rewriteNotice: { tokens: 7, cost: '2' } },
    mode: 'auto',
  };
  expect(together({ maxSteps: 2, readOnly: true }, settings)).toEqual({
    maxSteps: 2,
    maxCost: '1',
    rewriteNotice: 7,
    rewriteCost: '2',
    readOnly: true,
  });
});
