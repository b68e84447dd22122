import { expect, it } from '@jest/globals';
import type { Schema } from '../../../api/client.js';
import { joinTimeline } from './timeline.js';

const decision = (id: string, at: string): Schema<'Decision'> => ({
  id,
  at: `2026-11-23T10:00:${at}Z`,
  open: false,
  stage: 'TESTING',
  candidateSha: null,
  policyDigest: null,
  reasons: [],
  overrides: [],
});
const transition = (to: Schema<'StageTransition'>['to'], at: string): Schema<'StageTransition'> => ({
  actor: 'service',
  at: `2026-11-23T10:00:${at}Z`,
  cause: 'gate',
  from: null,
  to,
});
const TRANSITIONS = [
  transition('PLANNING', '01.000'),
  transition('TESTING', '02.000'),
  transition('DEPLOYED', '09.500'),
];

const list = (...input: Parameters<typeof joinTimeline>) =>
  joinTimeline(...input).map((entry) => (entry.kind === 'decision' ? entry.decision.id : entry.transition.to));

it('orders decisions and changes of stage, newest first, and decisions above changes of the same time', () => {
  const decisions = [decision('c', '09.000'), decision('b', '02.000'), decision('a', '01.000')];
  expect(list(decisions, TRANSITIONS, false)).toEqual(['DEPLOYED', 'c', 'b', 'TESTING', 'a', 'PLANNING']);
});

it('leaves changes of stage out that belong to decisions that are not loaded', () => {
  expect(list([decision('c', '09.000'), decision('b', '02.000')], TRANSITIONS, true)).toEqual([
    'DEPLOYED',
    'c',
    'b',
    'TESTING',
  ]);
});

it('shows a decision once that moved to the next page', () => {
  const moved = decision('b', '02.000');
  expect(list([decision('c', '09.000'), moved, moved], [], false)).toEqual(['c', 'b']);
});

it('is empty without decisions and changes', () => {
  expect(joinTimeline([], [], false)).toEqual([]);
});
