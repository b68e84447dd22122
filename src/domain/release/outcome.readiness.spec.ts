import { describe, expect, it } from '@jest/globals';
import { releaseReadiness, type ReadinessInput } from './outcome.js';

const NOW = new Date('2026-05-04T12:00:00Z');
const inMs = (ms: number): Date => new Date(NOW.getTime() + ms);
const open: ReadinessInput = {
  evaluatedAt: inMs(-60_000),
  unread: false,
  validUntil: inMs(60_000),
  readyUntil: inMs(60_000),
  now: NOW,
};

describe('releaseReadiness', () => {
  it.each<[string, Partial<ReadinessInput>, string]>([
    ['open and fresh', {}, 'ready'],
    ['open without an expiry', { validUntil: Number.POSITIVE_INFINITY, readyUntil: Number.POSITIVE_INFINITY }, 'ready'],
    ['closed and fresh', { readyUntil: null }, 'not_ready'],
    ['open until now', { readyUntil: NOW }, 'not_ready'],
    ['open and expiring now', { validUntil: NOW }, 'expired'],
    ['open and expired a second ago', { validUntil: inMs(-1_000), readyUntil: inMs(-1_000) }, 'expired'],
    ['closed and expired a second ago', { validUntil: inMs(-1_000), readyUntil: null }, 'expired'],
    ['invalidated', { validUntil: Number.NEGATIVE_INFINITY, readyUntil: Number.NEGATIVE_INFINITY }, 'pending'],
    ['never evaluated', { evaluatedAt: null, validUntil: Number.NEGATIVE_INFINITY, readyUntil: null }, 'pending'],
    ['missing a fact', { unread: true, validUntil: Number.NEGATIVE_INFINITY, readyUntil: null }, 'unknown'],
    ['missing a fact, with any other values', { unread: true }, 'unknown'],
  ])('returns the readiness of a release that is %s', (_name, given, status) => {
    expect(releaseReadiness({ ...open, ...given })).toBe(status);
  });
});
