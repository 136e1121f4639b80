import { describe, expect, test } from 'vitest';
import { AGENT_ERRORS, AgentError } from './errors.ts';

describe('the errors of the runtime', () => {
  test('have stable codes and sorts', () => {
    expect(AGENT_ERRORS).toEqual({
      'agent/unknown-kind': 'refused',
      'agent/unclosed-history': 'bug',
      'agent/nothing-to-send': 'refused',
      'agent/conflict': 'conflict',
      'agent/missing-material': 'refused',
      'agent/no-epoch': 'bug',
      'agent/other-provider': 'refused',
      'agent/no-such-step': 'refused',
      'agent/no-such-record': 'refused',
      'agent/not-closed': 'refused',
      'agent/unknown-encoder': 'refused',
      'agent/nothing-to-resume': 'refused',
      'agent/not-running': 'refused',
      'agent/closed': 'refused',
      'agent/unknown-price': 'refused',
      'agent/unknown-parameter': 'refused',
      'agent/unknown-model': 'refused',
      'agent/unknown-source': 'refused',
      'agent/limited': 'refused',
      'agent/not-cached': 'refused',
      'agent/stopped': 'refused',
      'agent/broken': 'bug',
      'agent/call-ended': 'refused',
      'agent/unknown-skill': 'refused',
      'agent/unknown-agent': 'refused',
      'agent/unfit-image': 'refused',
      'agent/hook-denied': 'refused',
      'agent/no-schema': 'refused',
      'agent/bad-argument': 'refused',
    });
  });

  test('carry code, data, cause and sort', () => {
    const cause = new Error('below');
    const error = new AgentError('agent/broken', 'said', { at: 1 }, cause);
    expect(error).toMatchObject({ code: 'agent/broken', message: 'said', data: { at: 1 }, cause, sort: 'bug' });
  });
});
