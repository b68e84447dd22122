import { describe, expect, it } from '@jest/globals';
import type { PolicyState } from '../../../domain/policy/policy.js';
import type { ProtectionStatus } from '../../../domain/repository/ruleset.js';
import type { Tampering } from '../../../domain/repository/tampering.js';
import type { RepositoryState } from './repository-warnings.queries.js';
import { findWarnings } from './repository-warnings.service.js';

const NOW = new Date('2026-03-02T12:00:00Z');
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);

const VALID = { status: 'valid', defaultBranch: 'main' } as PolicyState;
const MISSING: PolicyState = { status: 'missing', defaultBranch: 'main' };
const invalid = (...problems: readonly { line: number | null; key: string; message: string }[]): PolicyState => ({
  status: 'invalid',
  problems: problems.map((problem) => ({ column: null, ...problem })),
  defaultBranch: 'main',
});
const seen = (state: PolicyState, minutes = 1): RepositoryState['policy'] => ({
  state,
  observedAt: minutesAgo(minutes),
});

const repository = (changes: Partial<RepositoryState> = {}): RepositoryState => ({
  id: 'one',
  name: 'payments',
  createdAt: minutesAgo(90),
  managed: true,
  policy: seen(VALID),
  installed: true,
  suspendedAt: null,
  readsActions: true,
  protection: null,
  rule: null,
  tampering: null,
  ...changes,
});

const protectedAs = (status: ProtectionStatus): Partial<RepositoryState> => ({
  protection: { status, detail: `It is ${status}.`, since: minutesAgo(9) },
});

const rule = (
  status: 'active' | 'missing' | 'advisory',
  adminsMayBypass: boolean | null,
): Partial<RepositoryState> => ({
  rule: { status, environment: 'production', adminsMayBypass, since: minutesAgo(6) },
});

const tampering: Tampering = {
  files: ['ci.yml', 'gate.yml'],
  branches: ['main', 'release/v1'],
  since: minutesAgo(8),
  issueUrl: 'https://github.test/acme/payments/issues/7',
};

const codes = (repositories: readonly RepositoryState[], planIsFull = false): readonly string[] =>
  findWarnings(repositories, planIsFull, NOW).map(({ repositoryId, code }) => `${repositoryId} ${code}`);

describe('warningsOf', () => {
  it.each<[string, Partial<RepositoryState>, boolean, Date | null]>([
    ['', {}, false, null],
    ['', {}, true, null],
    ['', { managed: false }, false, null],
    ['', { managed: false, policy: seen(MISSING) }, true, null],
    ['plan_limit', { managed: false }, true, minutesAgo(1)],
    ['policy_missing', { policy: seen(MISSING) }, false, minutesAgo(1)],
    ['policy_invalid', { policy: seen(invalid()) }, false, minutesAgo(1)],
    ['policy_invalid', { managed: false, policy: seen(invalid()) }, true, minutesAgo(1)],
    ['policy_unknown', { policy: null }, false, minutesAgo(90)],
    ['', { policy: seen(VALID, 19) }, false, null],
    ['policy_unknown', { policy: seen(VALID, 20) }, false, NOW],
    ['policy_unknown', { policy: seen(VALID, 50) }, false, minutesAgo(30)],
    ['actions_not_readable', { readsActions: false }, false, null],
    ['', { readsActions: null }, false, null],
    ['', { readsActions: false, managed: false }, false, null],
    ['installation_removed', { readsActions: false, installed: false }, false, null],
    ['tampered', { tampering }, false, minutesAgo(8)],
    ['protection_drifted', protectedAs('drifted'), false, minutesAgo(9)],
    ['protection_failed', protectedAs('failed'), false, minutesAgo(9)],
    ['protection_advisory', protectedAs('advisory'), false, minutesAgo(9)],
    ['rule_missing', rule('missing', true), false, minutesAgo(6)],
    ['admins_may_bypass', rule('active', true), false, minutesAgo(6)],
    ['', rule('active', false), false, null],
    ['', rule('active', null), false, null],
    ['', rule('advisory', true), false, null],
    ['', protectedAs('active'), false, null],
    ['', protectedAs('pending'), false, null],
    ['installation_removed', { ...protectedAs('drifted'), installed: false }, false, null],
    ['installation_removed', { installed: false, policy: seen(invalid()) }, false, null],
    ['installation_suspended', { suspendedAt: minutesAgo(7), policy: null }, false, minutesAgo(7)],
  ])('returns %j for %j if the plan limit is reached: %s', (code, changes, planIsFull, since) => {
    const warnings = findWarnings([repository(changes)], planIsFull, NOW);
    expect(warnings.map((warning) => [warning.code, warning.since])).toEqual(code === '' ? [] : [[code, since]]);
  });

  it('names line and key of invalid rules, and the number of others', () => {
    const problems = [
      { line: 7, key: 'stages.testing', message: 'must be a mapping.' },
      { line: null, key: '', message: 'must not be empty.' },
    ];
    const [both] = findWarnings([repository({ policy: seen(invalid(...problems)) })], false, NOW);
    expect(both?.detail).toBe('sdlc.yaml, line 7: stages.testing: must be a mapping. And 1 more.');
    const [second] = findWarnings([repository({ policy: seen(invalid(...problems.slice(1))) })], false, NOW);
    expect(second?.detail).toBe('sdlc.yaml: must not be empty.');
  });

  it('warns about branches besides the policy, with the stored message', () => {
    const both = repository({ ...protectedAs('drifted'), policy: seen(MISSING) });
    expect(codes([both])).toEqual(['one policy_missing', 'one protection_drifted']);
    expect(findWarnings([both], false, NOW)[1]?.detail).toBe('It is drifted.');
  });

  it('warns about names that GitHub does not distinguish, besides other warnings', () => {
    const twins = [
      repository({ id: 'one', name: 'Payments' }),
      repository({ id: 'two', name: 'payments', policy: null }),
      repository({ id: 'three', name: 'web' }),
    ];
    expect(codes(twins)).toEqual(['one ambiguous_name', 'two ambiguous_name', 'two policy_unknown']);
  });

  it('names the changed files with their branches, and the issue', () => {
    const of = (changes: Partial<Tampering>) =>
      findWarnings([repository({ tampering: { ...tampering, ...changes } })], false, NOW)[0]?.detail;
    expect(of({})).toBe(
      'ci.yml and gate.yml changed on main, release/v1. Restore them, because no release can be deployed from there. See https://github.test/acme/payments/issues/7.',
    );
    expect(of({ issueUrl: null })).toMatch(/from there\.$/);
  });
});
