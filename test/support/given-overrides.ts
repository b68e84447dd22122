import type { BreakGlass, Waiver } from '../../src/domain/override/override.js';
import { CANDIDATE, NOW } from './given-facts.js';

export const ADA = { id: 101, login: 'ada' };
export const BOB = { id: 102, login: 'bob' };
const hoursFromNow = (hours: number): Date => new Date(NOW.getTime() + hours * 3_600_000);

/** Confirmed an hour ago by two admins, for three more hours. */
const agreed = {
  reason: 'known and harmless',
  requestedBy: ADA,
  confirmedBy: BOB,
  confirmedAt: hoursFromNow(-1),
  expiresAt: hoursFromNow(3),
};

export const waiver = (changes: Partial<Waiver> = {}): Waiver => ({
  ...agreed,
  id: 'waiver-1',
  condition: 'issue_open',
  subjects: [],
  candidateSha: CANDIDATE,
  ...changes,
});

export const brokenGlass = (changes: Partial<BreakGlass> = {}): BreakGlass => ({
  ...agreed,
  id: 'glass-1',
  sha: CANDIDATE,
  ...changes,
});
