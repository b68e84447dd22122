import { describe, expect, it } from '@jest/globals';
import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import { readTestEnvironment } from '../../../test/support/read-test-environment.js';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import { InviteTokens } from './invite-tokens.js';

const HOUR_MS = 3_600_000;

describe('InviteTokens', () => {
  const clock = new FixedClock();
  const tokens = new InviteTokens(readTestEnvironment({}), clock);
  const soon = (): Date => new Date(clock.now().getTime() + HOUR_MS);

  it('reads a token that it signed', () => {
    for (const id of [randomUUID(), '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
      expect(tokens.open(tokens.sign({ id, expiresAt: soon() }))).toBe(id);
    }
  });

  it('reads a token until the moment of its expiry', () => {
    const token = tokens.sign({ id: randomUUID(), expiresAt: soon() });
    clock.advance(HOUR_MS - 1);
    expect(() => tokens.open(token)).not.toThrow();
    clock.advance(1);
    expect(() => tokens.open(token)).toThrow(expect.objectContaining({ code: 'gone' }));
  });

  it('verifies its signature in another process, and rejects that of another secret', () => {
    const token = tokens.sign({ id: randomUUID(), expiresAt: soon() });
    expect(() => new InviteTokens(readTestEnvironment({}), clock).open(token)).not.toThrow();
    const other = readTestEnvironment({ SESSION_SECRET: 'another secret of forty characters or so' });
    expect(() => new InviteTokens(other, clock).open(token)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('verifies the signature of a second secret, and signs with the first one', () => {
    const next = 'the next secret of forty characters or so';
    const before = new InviteTokens(readTestEnvironment({ SESSION_SECRET_ALSO_VALID: next }), clock);
    const after = new InviteTokens(readTestEnvironment({ SESSION_SECRET: next }), clock);
    const id = randomUUID();
    expect(before.open(after.sign({ id, expiresAt: soon() }))).toBe(id);
    expect(before.sign({ id, expiresAt: soon() })).toBe(tokens.sign({ id, expiresAt: soon() }));
  });

  it('reads the invites of earlier versions', () => {
    const id = '0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11';
    const signed = `sgi_${Buffer.from(`${id.replaceAll('-', '')}000001a000000000`, 'hex').toString('base64url')}`;
    const key = Buffer.from(hkdfSync('sha256', readTestEnvironment({}).sessionSecret, '', 'shipgate invites', 32));
    const token = `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
    expect(tokens.sign({ id, expiresAt: new Date(0x1a000000000) })).toBe(token);
  });

  it('rejects a token with text before or after it', () => {
    const token = tokens.sign({ id: randomUUID(), expiresAt: soon() });
    for (const changed of [`x${token}`, `${token}A`, ` ${token}`, `${token}\n`, '']) {
      expect(() => tokens.open(changed)).toThrow(expect.objectContaining({ code: 'not_found' }));
    }
  });

  it('rejects every token with one changed character', () => {
    const token = tokens.sign({ id: randomUUID(), expiresAt: soon() });
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(() => tokens.open(changed)).toThrow(expect.objectContaining({ code: 'not_found' }));
    }
  });
});
