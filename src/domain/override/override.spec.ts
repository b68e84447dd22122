import { describe, expect, it } from '@jest/globals';
import { ADA, BOB, brokenGlass } from '../../../test/support/given-overrides.js';
import { NOW } from '../../../test/support/given-facts.js';
import { confirmationProblem, isActive, nextBoundary, type OverrideRequest } from './override.js';

const at = (milliseconds: number): Date => new Date(NOW.getTime() + milliseconds);
const override = (changes: Partial<OverrideRequest> = {}): OverrideRequest => ({ ...brokenGlass(), ...changes });
const unconfirmed = { confirmedBy: null, confirmedAt: null };

describe('a two-person override', () => {
  it.each<[string, Partial<OverrideRequest>, boolean]>([
    ['confirmed by a second user', {}, true],
    ['without a confirmation', unconfirmed, false],
    ['confirmed by its requester', { confirmedBy: ADA }, false],
    ['confirmed by its requester under another login', { confirmedBy: { id: ADA.id, login: 'bob' } }, false],
    ['with a confirming user but no time', { confirmedAt: null }, false],
    ['with a time but no confirming user', { confirmedBy: null }, false],
    ['confirmed now', { confirmedAt: NOW }, true],
    ['confirmed in the future', { confirmedAt: at(1) }, false],
    ['in its last millisecond', { expiresAt: at(1) }, true],
    ['at its end', { expiresAt: NOW }, false],
    ['confirmed at an invalid time', { confirmedAt: new Date(Number.NaN) }, false],
    ['that ends at an invalid time', { expiresAt: new Date(Number.NaN) }, false],
  ])('returns whether an override is active when it is %s', (_name, changes, inForce) => {
    expect(isActive(override(changes), NOW)).toBe(inForce);
  });

  it('returns the next time at which an override becomes active or ends', () => {
    const [early, late] = [at(5), at(9)];
    expect(nextBoundary([], NOW)).toBe(Number.POSITIVE_INFINITY);
    expect(nextBoundary([override({ confirmedAt: at(-5), expiresAt: late })], NOW)).toBe(late.getTime());
    expect(nextBoundary([override({ confirmedAt: early, expiresAt: late })], NOW)).toBe(early.getTime());
    expect(nextBoundary([override({ expiresAt: late }), override({ expiresAt: early })], NOW)).toBe(early.getTime());
    expect(nextBoundary([override({ confirmedAt: at(-9), expiresAt: NOW })], NOW)).toBe(Number.POSITIVE_INFINITY);
    expect(nextBoundary([override({ ...unconfirmed, expiresAt: early })], NOW)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each<[string, Partial<OverrideRequest>, { id: number; login: string }, string | null]>([
    ['a second user', unconfirmed, BOB, null],
    ['its requester', unconfirmed, ADA, 'own'],
    ['its requester under another login', unconfirmed, { ...ADA, login: 'bob' }, 'own'],
    ['another user with the login of the requester', unconfirmed, { ...BOB, login: 'ada' }, null],
    ['a third user, again', {}, { id: 103, login: 'cleo' }, 'confirmed'],
    ['a second user in the last millisecond', { ...unconfirmed, expiresAt: at(1) }, BOB, null],
    ['a second user too late', { ...unconfirmed, expiresAt: NOW }, BOB, 'expired'],
  ])('returns whether an override can be confirmed by %s', (_name, changes, by, problem) => {
    expect(confirmationProblem(override(changes), by, NOW)).toBe(problem);
  });
});
