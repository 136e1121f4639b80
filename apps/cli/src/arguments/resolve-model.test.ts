// Tests how a model name is resolved, and the error for a name that matches no model.

import { defaultCatalog } from '@tidemark/model';
import { sessionId } from '@tidemark/log';
import { describe, expect, test } from 'vitest';

import type { AgentFlags } from './agent-flags.ts';
import type { ChosenSession } from './choose-session.ts';
import { CliError } from '../frame/failure.ts';
import { resolveModel } from './resolve-model.ts';

const SESSION: ChosenSession = {
  id: sessionId('s1'),
  workspace: '/w',
  model: 'claude-sonnet-5-5',
  provider: 'anthropic',
  window: undefined,
  compaction: undefined,
  answered: [],
};

function resolved(flags: AgentFlags, session?: ChosenSession): string | undefined {
  return resolveModel(flags, { catalog: defaultCatalog(), session }).model;
}

function refusal(flags: AgentFlags, session?: ChosenSession): string {
  try {
    return `not refused: ${resolved(flags, session)}`;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    expect(error.code).toBe('cli/refused');
    return `${error.message} | ${error.next}`;
  }
}

describe('a family name', () => {
  test.each([
    ['sonnet', 'claude-sonnet-5-5'],
    ['Opus', 'claude-opus-5-5'],
    ['haiku', 'claude-haiku-5-5'],
    ['claude-sonnet', 'claude-sonnet-5-5'],
    ['claude-sonnet-latest', 'claude-sonnet-5-5'],
    ['sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    ['sonnet 4.6', 'claude-sonnet-4-6'],
    ['opus-5', 'claude-opus-5'],
    ['sonnet-3.7', 'claude-3-7-sonnet-20250219'],
    ['astra', 'gpt-6-astra'],
    ['gpt', 'gpt-6.1-sol'],
    ['sol', 'gpt-6.1-sol'],
    ['luna', 'gpt-6-luna'],
    ['nano', 'gpt-5.4-nano'],
  ])('%s resolves to %s', (name, model) => {
    expect(resolved({ model: name })).toBe(model);
  });

  test('resolves to a model of the provider that --provider names', () => {
    expect(resolved({ model: 'sonnet', provider: 'openrouter' })).toBe('anthropic/claude-sonnet-5.5');
    expect(resolved({ model: 'sonnet', provider: 'simulator' })).toBe('claude-sonnet-5-5');
  });

  test.each([
    ['gpt-6', 'matches several models: gpt-6-astra, gpt-6-sol, gpt-6-luna'],
    ['mini', 'matches several models: gpt-5.4-mini'],
    [
      'claude',
      'matches several models: claude-fable-5-2, claude-mythos-5-2, claude-opus-5-5, claude-sonnet-5-5, claude-haiku-5-5',
    ],
  ])('%s is ambiguous, and the error lists the candidates', (name, words) => {
    expect(refusal({ model: name })).toContain(words);
  });
});

describe('a complete model name', () => {
  test.each([
    ['claude-sonnet-4-5'],
    ['claude-sonnet-4-5-20250929'],
    ['gpt-6.1-sol'],
    ['anthropic/claude-opus-5.5'],
    ['claude-sonnet-4-5[1m]'],
  ])('%s stays unchanged', (name) => {
    expect(resolved({ model: name })).toBe(name);
  });

  test("stays unchanged for a compatible server, for the session's own model, and for the router with --window", () => {
    expect(resolved({ model: 'us.anthropic.claude-x', provider: 'compatible' })).toBe('us.anthropic.claude-x');
    expect(resolved({ model: 'own-model' }, { ...SESSION, model: 'own-model' })).toBe('own-model');
    expect(resolved({ model: 'some/model', window: 32_768 })).toBe('some/model');
  });

  test('of a maker that Tidemark cannot reach is refused with the command for OpenRouter, and the same name is not suggested', () => {
    const words = refusal({ model: 'gemini-3.8-flash' });
    expect(words).toContain('gemini-3.8-flash is a model of Google, which Tidemark does not support directly');
    expect(words).toMatch(/--provider openrouter --model google\/gemini-3\.8-flash --window \d+/);
    expect(words).not.toContain('did you mean');
  });

  test('of another provider is refused, and the error names that provider', () => {
    expect(refusal({ model: 'gpt-6.1-sol', provider: 'anthropic' })).toContain(
      '"gpt-6.1-sol" is a model of OpenAI, not of Anthropic | remove `--provider`, or use `--provider openai`',
    );
  });
});

describe('a model name from a cloud', () => {
  test.each([
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'Amazon Bedrock'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'Amazon Bedrock'],
    ['us-gov.anthropic.claude-sonnet-4-5', 'Amazon Bedrock'],
    ['arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0', 'Amazon Bedrock'],
    ['bedrock/anthropic.claude-sonnet-4-5', 'Amazon Bedrock'],
    ['meta.llama4-scout-17b-instruct-v1:0', 'Amazon Bedrock'],
    ['claude-sonnet-4-5@20250929', 'Google Vertex AI'],
    ['vertex_ai/claude-sonnet-4-5', 'Google Vertex AI'],
    ['publishers/anthropic/models/claude-sonnet-4-5', 'Google Vertex AI'],
    ['azure/gpt-4o', 'Microsoft Azure'],
  ])('%s is refused, and the error explains what to do instead', (name, cloud) => {
    for (const provider of [undefined, 'anthropic', 'simulator'] as const) {
      const words = refusal({ model: name, ...(provider !== undefined && { provider }) });
      expect(words).toContain(`is a model name of ${cloud}, which Tidemark does not support`);
      expect(words).toContain('--provider compatible --base-url');
    }
  });

  test("is refused with the maker's name for the same model, if the catalog has it", () => {
    expect(refusal({ model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0' })).toContain(
      'use Anthropic directly with --model claude-sonnet-4-5;',
    );
  });

  test('with a provider before a colon is refused with separate --provider and --model options', () => {
    expect(refusal({ model: 'openai:gpt-6.1-sol' })).toContain('--provider openai --model gpt-6.1-sol');
  });
});

describe('a model name that is not in the catalog', () => {
  test.each([
    ['gpt-7', 'did you mean gpt-5?'],
    ['gpt-unheard-of', 'use another model, such as gpt-6-astra, gpt-6.1-sol'],
    ['claude-sonet-5', 'did you mean claude-sonnet-5?'],
    ['clade-sonnet-5', 'did you mean claude-sonnet-5?'],
    ['sonet', 'did you mean sonnet?'],
    ['gemini-3.8-flsh', 'did you mean gemini-3.8-flash?'],
    ['gemini-unheard-of', 'use another model, such as gemini-'],
    ['xyz', 'use another model, such as claude-fable-5-2, gpt-6-astra, claude-mythos-5-2, gpt-6.1-sol, '],
    ['anthropic/claude-sonet-5', 'did you mean anthropic/claude-sonnet-5? Otherwise set its context window in tokens'],
  ])('%s is refused, and the next step contains: %s', (name, next) => {
    expect(refusal({ model: name })).toContain(`the catalog has no model "${name}" | `);
    expect(refusal({ model: name })).toContain(next);
  });

  test('is compared with the models of every provider, even if --provider names one', () => {
    const next = 'did you mean claude-sonnet-5-5?';
    expect(refusal({ model: 'claud-sonnet-5-5', provider: 'openai' })).toContain(next);
  });

  test('is accepted for a new session if the model may be newer than the catalog', () => {
    expect(resolved({ model: 'claude-sonnet-7' })).toBe('claude-sonnet-7');
  });

  test.each([[{}], [{ inPlace: true } as const]])('is refused for an existing session: %j', (how) => {
    expect(refusal({ model: 'claude-sonnet-5-6', ...how }, SESSION)).toMatch(
      /has no model "claude-sonnet-5-6", and only a new session can use such a model.*did you mean claude-sonnet-5-5\?.*new session first/,
    );
  });
});
