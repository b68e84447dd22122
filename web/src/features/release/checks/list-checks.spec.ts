import { describe, expect, it } from '@jest/globals';
import type { Schema } from '../../../api/client.js';
import { listChecks } from './list-checks.js';

const givenRequired = (name: string, app: string | null = null) => ({ name, app, allowSkipped: false });
const report = (name: string, app: string | null = 'ci') => ({ name, app, state: 'success' as const, url: null });
const givenRules = (development: object[], testing: object[] = []) =>
  ({ development: { requiredChecks: development }, testing: { requiredChecks: testing } }) as Schema<'PolicyRules'>;

const read = (reported: Parameters<typeof listChecks>[0], rules: Schema<'PolicyRules'> | null) =>
  listChecks(reported, rules).map(({ name, required, reported: answer }) => [name, required !== null, answer !== null]);

describe('listChecks', () => {
  it('lists required checks first, also those that have not reported', () => {
    expect(
      read([report('lint'), report('build')], givenRules([givenRequired('build')], [givenRequired('e2e')])),
    ).toEqual([
      ['e2e', true, false],
      ['build', true, true],
      ['lint', false, true],
    ]);
  });

  it('accepts a check of another app only if the policy names none', () => {
    const rules = givenRules([givenRequired('build', 'ci'), givenRequired('test')]);
    expect(read([report('build', 'other'), report('test', null)], rules)).toEqual([
      ['build', true, false],
      ['test', true, true],
      ['build', false, true],
    ]);
  });

  it('lists a check once that two stages require', () => {
    expect(read([], givenRules([givenRequired('build')], [givenRequired('build')]))).toEqual([['build', true, false]]);
  });

  it('marks none without known rules', () => {
    expect(read([report('build')], null)).toEqual([['build', false, true]]);
  });
});
