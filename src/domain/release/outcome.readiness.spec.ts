import { describe, expect, it } from '@jest/globals';
import { readinessValidUntil, releaseReadiness, type ReadinessInput } from './outcome.js';

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

describe('readinessValidUntil', () => {
  it.each<[string, Partial<ReadinessInput>, Date | null]>([
    ['the end of the verdict if the gate is closed', { readyUntil: null }, inMs(60_000)],
    ['the end of the open gate if it comes first', { readyUntil: inMs(1_000) }, inMs(1_000)],
    ['the end of the verdict if it comes first', { validUntil: inMs(1_000) }, inMs(1_000)],
    ['a past time if the facts have expired', { validUntil: inMs(-1_000), readyUntil: inMs(-1_000) }, inMs(-1_000)],
    ['null if the verdict was invalidated', { validUntil: Number.NEGATIVE_INFINITY, readyUntil: null }, null],
    ['null if it never ends', { validUntil: Number.POSITIVE_INFINITY, readyUntil: null }, null],
  ])('returns %s', (_name, given, until) => {
    expect(readinessValidUntil({ ...open, ...given })).toEqual(until);
  });
});
