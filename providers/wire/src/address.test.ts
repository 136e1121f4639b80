import { describe, expect, it } from 'vitest';
import { connectionError, createReach, redirected, requireAddress } from './address.ts';

const SERVICE = { name: 'somebody', title: 'Somebody' };

function failed(code: string, message = 'it failed'): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}

describe('a failed connection', () => {
  it.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'EPROTO',
  ])('with a certificate or TLS error (%s) is never retried', (code) => {
    for (const answered of [false, true])
      expect(connectionError(SERVICE, failed(code), { answered })).toMatchObject({
        class: 'stop',
        code: 'provider/address',
      });
  });

  it.each(['ENOTFOUND', 'ECONNREFUSED', 'EADDRNOTAVAIL'])(
    'with an address error (%s) is retried only after an earlier answer',
    (code) => {
      expect(connectionError(SERVICE, failed(code), createReach())).toMatchObject({ code: 'provider/address' });
      expect(connectionError(SERVICE, failed(code), { answered: true })).toBeUndefined();
    },
  );

  it.each(['ECONNRESET', 'ETIMEDOUT', 'EAI_AGAIN', 'ENETUNREACH', 'EPIPE', 'ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC'])(
    'with a network error (%s) may be retried',
    (code) => {
      expect(connectionError(SERVICE, failed(code), createReach())).toBeUndefined();
    },
  );

  it('to a port that HTTP does not use is not retried', () => {
    expect(
      connectionError(SERVICE, new TypeError('fetch failed', { cause: new Error('bad port') }), createReach()),
    ).toMatchObject({
      code: 'provider/address',
    });
  });
});

describe('an address', () => {
  it('is refused unless it uses HTTP or HTTPS and contains no user name and no password', () => {
    for (const good of ['https://api.example.org', 'http://127.0.0.1:11434/v1', 'http://[::1]/'])
      expect(() => requireAddress(SERVICE, good)).not.toThrow();
    for (const bad of ['', 'localhost:8080', 'ftp://example.org', 'http://u@example.org', 'http://:p@example.org'])
      expect(() => requireAddress(SERVICE, bad)).toThrow(expect.objectContaining({ code: 'provider/address' }));
  });
});

describe('a redirect', () => {
  it.each<readonly [string | null, string]>([
    ['https://evil.example/v1?key=word', 'https://evil.example.'],
    ['https://joe:word@evil.example/', 'https://evil.example.'],
    ['/login?word', 'http://here.example/login.'],
    ['http://[', 'another address'],
    [null, 'another address'],
  ])('to %j is reported with its origin and without its query', (location, place) => {
    const { message } = redirected(SERVICE, location, 'http://here.example/v1/messages');
    expect(message).toContain(place);
    expect(message).not.toContain('word');
  });
});
