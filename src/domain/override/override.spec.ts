import { describe, expect, it } from '@jest/globals';
import { ADA, BOB, brokenGlass } from '../../../test/support/given-acts.js';
import { NOW } from '../../../test/support/given-facts.js';
import { confirmationProblem, isActive, nextBoundary, type TwoPersonOverride } from './override.js';

const at = (milliseconds: number): Date => new Date(NOW.getTime() + milliseconds);
const act = (changes: Partial<TwoPersonOverride> = {}): TwoPersonOverride => ({ ...brokenGlass(), ...changes });
const unconfirmed = { confirmedBy: null, confirmedAt: null };

describe('an act of two people', () => {
  it.each<[string, Partial<TwoPersonOverride>, boolean]>([
    ['that a second person confirmed', {}, true],
    ['that nobody confirmed', unconfirmed, false],
    ['that its requester confirmed', { confirmedBy: ADA }, false],
    ['that its requester confirmed under another login', { confirmedBy: { id: ADA.id, login: 'bob' } }, false],
    ['that somebody confirmed at no time', { confirmedAt: null }, false],
    ['that nobody confirmed at a time', { confirmedBy: null }, false],
    ['confirmed at this very moment', { confirmedAt: NOW }, true],
    ['confirmed by a clock that is ahead', { confirmedAt: at(1) }, false],
    ['in its last millisecond', { expiresAt: at(1) }, true],
    ['as it ends', { expiresAt: NOW }, false],
    ['confirmed at a time that is none', { confirmedAt: new Date(Number.NaN) }, false],
    ['that ends at a time that is none', { expiresAt: new Date(Number.NaN) }, false],
  ])('%s is in force or not', (_name, changes, inForce) => {
    expect(isActive(act(changes), NOW)).toBe(inForce);
  });

  it('comes into force and ends at moments that can be told ahead', () => {
    const [early, late] = [at(5), at(9)];
    expect(nextBoundary([], NOW)).toBe(Number.POSITIVE_INFINITY);
    expect(nextBoundary([act({ confirmedAt: at(-5), expiresAt: late })], NOW)).toBe(late.getTime());
    expect(nextBoundary([act({ confirmedAt: early, expiresAt: late })], NOW)).toBe(early.getTime());
    expect(nextBoundary([act({ expiresAt: late }), act({ expiresAt: early })], NOW)).toBe(early.getTime());
    expect(nextBoundary([act({ confirmedAt: at(-9), expiresAt: NOW })], NOW)).toBe(Number.POSITIVE_INFINITY);
    expect(nextBoundary([act({ ...unconfirmed, expiresAt: early })], NOW)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each<[string, Partial<TwoPersonOverride>, { id: number; login: string }, string | null]>([
    ['a second person', unconfirmed, BOB, null],
    ['whoever asked for it', unconfirmed, ADA, 'own'],
    ['whoever asked for it, under another login', unconfirmed, { ...ADA, login: 'bob' }, 'own'],
    ['a namesake of who asked for it', unconfirmed, { ...BOB, login: 'ada' }, null],
    ['a third person, again', {}, { id: 103, login: 'cleo' }, 'confirmed'],
    ['a second person in the last millisecond', { ...unconfirmed, expiresAt: at(1) }, BOB, null],
    ['a second person too late', { ...unconfirmed, expiresAt: NOW }, BOB, 'expired'],
  ])('may be confirmed by %s or not', (_name, changes, by, problem) => {
    expect(confirmationProblem(act(changes), by, NOW)).toBe(problem);
  });
});
