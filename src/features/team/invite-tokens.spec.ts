import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { testEnvironment } from '../../../test/support/environment.js';
import { SetClock } from '../../../test/support/set-clock.js';
import { InviteTokens } from './invite-tokens.js';

const HOUR_MS = 3_600_000;

describe('InviteTokens', () => {
  const clock = new SetClock();
  const tokens = new InviteTokens(testEnvironment({}), clock);
  const soon = (): Date => new Date(clock.now().getTime() + HOUR_MS);

  it('opens what it signed', () => {
    for (const id of [randomUUID(), '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
      expect(tokens.open(tokens.sign({ id, expiresAt: soon() }))).toBe(id);
    }
  });

  it('opens it until the very moment at which it expires', () => {
    const token = tokens.sign({ id: randomUUID(), expiresAt: soon() });
    clock.advance(HOUR_MS - 1);
    expect(() => tokens.open(token)).not.toThrow();
    clock.advance(1);
    expect(() => tokens.open(token)).toThrow(expect.objectContaining({ code: 'gone' }));
  });

  it('knows its signature again in another process, and that of no other secret', () => {
    const token = tokens.sign({ id: randomUUID(), expiresAt: soon() });
    expect(() => new InviteTokens(testEnvironment({}), clock).open(token)).not.toThrow();
    const other = testEnvironment({ SESSION_SECRET: 'another secret of forty characters or so' });
    expect(() => new InviteTokens(other, clock).open(token)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('refuses every token with one character changed', () => {
    const token = tokens.sign({ id: randomUUID(), expiresAt: soon() });
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(() => tokens.open(changed)).toThrow(expect.objectContaining({ code: 'not_found' }));
    }
  });
});
