// Tests for values and fields that the Messages API refuses: a test with such a request fails here too, before the
// service refuses it.

import { describe, expect, it } from 'vitest';
import { assistant, call, offers, refusal, result, send, simulate, text, tool, user } from './conversation.ts';
import type { Wire } from './conversation.ts';

const SCHEMA = { type: 'json_schema', schema: { type: 'object' } };

type Row = readonly [fields: Wire, message: string];

const VALUES: readonly Row[] = [
  [{ temperature: 2 }, 'temperature: range: 0..1'],
  [{ temperature: 'warm' }, 'temperature: Input should be a valid number'],
  [{ top_p: -0.1 }, 'top_p: range: 0..1'],
  [{ top_k: 1.5 }, 'top_k: Input should be a valid integer'],
  [{ top_k: -1 }, 'top_k: Input should be greater than or equal to 0'],
  [{ metadata: 5 }, 'metadata: Input should be a valid dictionary'],
  [{ metadata: { user: 'u' } }, 'metadata.user: Extra inputs are not permitted'],
  [{ metadata: { user_id: 5 } }, 'metadata.user_id: Input should be a valid string'],
  [{ inference_geo: 5 }, 'inference_geo: Input should be a valid string'],
  [{ speed: 'slow' }, "speed: Input should be 'standard' or 'fast'"],
  [{ diagnostics: { previous_message_id: 5 } }, 'diagnostics.previous_message_id: Input should be a valid string'],
  [{ diagnostics: { previous: 'msg_1' } }, 'diagnostics.previous: Extra inputs are not permitted'],
  [{ thinking: {} }, 'thinking.type: Field required'],
  [
    { thinking: { type: 'deep' } },
    "thinking: Input tag 'deep' found using 'type' does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'",
  ],
  [
    { thinking: { type: 'adaptive', budget_tokens: 5 } },
    'thinking.adaptive.budget_tokens: Extra inputs are not permitted',
  ],
  [
    { thinking: { type: 'adaptive', display: 'all' } },
    "thinking.adaptive.display: Input should be 'summarized', 'omitted' or 'updates'",
  ],
  [{ tool_choice: {} }, 'tool_choice.type: Field required'],
  [
    { tool_choice: { type: 'required' } },
    "tool_choice: Input tag 'required' found using 'type' does not match any of the expected tags: 'any', 'auto', 'none', 'tool'",
  ],
  [{ tool_choice: { type: 'tool' } }, 'tool_choice.tool.name: Field required'],
  [
    { tool_choice: { type: 'auto', disable_parallel_tool_use: 'yes' } },
    'tool_choice.auto.disable_parallel_tool_use: Input should be a valid boolean',
  ],
  [{ output_config: { verbosity: 'low' } }, 'output_config.verbosity: Extra inputs are not permitted'],
  [{ output_config: { format: 'json' } }, 'output_config.format: Input should be a valid dictionary'],
  [{ output_config: { format: { type: 'json' } } }, "output_config.format.type: Input should be 'json_schema'"],
  [{ output_config: { format: { type: 'json_schema' } } }, 'output_config.format.schema: Field required'],
  [{ output_format: { ...SCHEMA, schema: [] } }, 'output_format.schema: Input should be a valid dictionary'],
];

const source = (fields: Wire): Wire => ({ messages: [user({ type: 'image', source: fields })] });

const FIELDS: readonly Row[] = [
  [{ messages: [{ ...user('go'), name: 'Ada' }] }, 'messages.0.name: Extra inputs are not permitted'],
  [{ messages: [user({ ...text('go'), id: 'b1' })] }, 'messages.0.content.0.text.id: Extra inputs are not permitted'],
  [
    { messages: [user('go'), assistant({ ...call('c1'), index: 0 }), user(result('c1'))], tools: [tool('look')] },
    'messages.1.content.0.tool_use.index: Extra inputs are not permitted',
  ],
  [
    { messages: [user('go'), assistant(call('c1')), user(result('c1', [{ ...text('seen'), id: 'b1' }]))] },
    'messages.2.content.0.tool_result.content.0.text.id: Extra inputs are not permitted',
  ],
  [{ system: [{ ...text('You help.'), scope: 'all' }] }, 'system.0.scope: Extra inputs are not permitted'],
  [{ tools: [tool('look', { parameters: {} })] }, 'tools.0.custom.parameters: Extra inputs are not permitted'],
  [source({ type: 'url' }), 'messages.0.content.0.image.source.url.url: Field required'],
  [
    source({ type: 'file', file_id: 5 }),
    'messages.0.content.0.image.source.file.file_id: Input should be a valid string',
  ],
  [
    source({ type: 'base64', media_type: 'image/png', data: 'not base64!' }),
    'messages.0.content.0.image.source.base64: invalid base64 data',
  ],
];

describe('a request that the service refuses (§1.6)', () => {
  it.each([...VALUES, ...FIELDS])('%j is refused', (fields, message) => {
    expect(refusal(simulate(), { tools: [tool('look')], ...fields })).toMatchObject({ status: 400, message });
  });

  it('a beta whose name has no date is refused', () => {
    const betas = ['context-1m', 'claude-code-20250219', 'Token-Saver-2026-01-01'];
    expect(refusal(simulate(), {}, { betas }).message).toBe(
      'Unexpected value(s) `context-1m`, `Token-Saver-2026-01-01` for the `anthropic-beta` header. Please consult our documentation at docs.anthropic.com or try again without the header.',
    );
  });

  it('a server tool that a message defines is refused', () => {
    const messages = [
      user('go'),
      { role: 'system', content: [offers({ type: 'web_search_20250305', name: 'web_search' })] },
    ];
    const betas = ['inline-tools-2026-09-15'];
    const fields = { model: 'appending', messages };
    expect(refusal(simulate(), fields, { betas }).message).toContain(
      "simulator: messages.1.content.0: the server tool 'web_search_20250305' is not simulated",
    );
    expect(send(simulate({ serverTools: 'offered' }), fields, { betas }).status).toBe(200);
  });

  it('a file for a container is refused', () => {
    const messages = [user({ type: 'container_upload', file_id: 'file_1' })];
    expect(refusal(simulate(), { messages }).message).toContain("'container_upload' is not simulated");
  });
});

describe('a value at the border', () => {
  it.each<Wire>([
    { temperature: 0, top_p: 1, top_k: 0 },
    { temperature: null, metadata: { user_id: null }, speed: null, thinking: { type: 'adaptive', display: null } },
    { output_config: { effort: 'low', format: SCHEMA }, tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    { messages: [user({ ...text('go'), citations: null, cache_control: null })] },
  ])('%j is accepted', (fields) => {
    expect(send(simulate(), { tools: [tool('look')], ...fields }).status).toBe(200);
  });
});
