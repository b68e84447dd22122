import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  evidenceItem,
  milestone,
  NOW,
  PREDECESSOR,
  STRICT_POLICY,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { Observation } from '../facts/facts.js';
import type { Policy } from '../policy/policy.js';
import { evaluate, type Verdict, type VerdictInputs } from './evaluate.js';
import { answerEnvironment } from './environment-gate.js';
import { type CompletedSoak, MAX_REPORTED_CHANGES, type ReportedChange } from './environment-soak.js';
import { replay, toStoredInputs, type StoredInputs } from './replay.js';

const HOUR_MS = 3_600_000;
const POLICY: Policy = {
  ...STRICT_POLICY,
  development: { ...STRICT_POLICY.development, deployTarget: 'Dev' },
  testing: { ...STRICT_POLICY.testing, deployTarget: 'staging', soak: 3600 },
};
const ago = (milliseconds: number): string => new Date(NOW.getTime() - milliseconds).toISOString();

/** The candidate is the latest deployment to an environment since so many milliseconds. */
function deployed(environment: string, since: number, changes: Partial<Observation<'deployments'>> = {}): Observation {
  const from = ago(since);
  const moment = Date.parse(from);
  return {
    kind: 'deployments',
    key: environment,
    value: [{ githubId: 1, sha: CANDIDATE, periods: [{ from, to: null }] }],
    observedAt: NOW,
    knownSince: 0,
    moments: { [from]: [moment, moment] },
    ...changes,
  };
}

const given = (policy = POLICY): ReleaseBuilder => givenOpenRelease().ruledBy(policy);
const inputsOf = (release: ReleaseBuilder, ...facts: readonly Observation[]): VerdictInputs => {
  const inputs = release.inputs();
  return { ...inputs, observations: [...inputs.observations, ...facts] };
};
const codes = ({ unmet }: Verdict): readonly string[] => unmet.map(({ code }) => code);

describe('a soak', () => {
  it('holds the release in its stage until the candidate is deployed, and needs no facts about other environments', () => {
    const unread = evaluate(inputsOf(given()));
    expect([unread.stage, codes(unread)]).toEqual(['TESTING', ['unknown']]);
    expect(unread.missing).toEqual([{ kind: 'deployments', key: 'staging' }]);
    const absent = evaluate(inputsOf(given(), deployed('staging', 0, { value: [] }), deployed('dev', 9 * HOUR_MS)));
    expect([absent.stage, codes(absent), absent.gate.openUntil]).toEqual(['TESTING', ['not_deployed_to_stage'], null]);
  });

  it('names its end, which bounds the verdict', () => {
    const verdict = evaluate(inputsOf(given(), deployed('staging', HOUR_MS - 90_000)));
    const end = NOW.getTime() + 120_000;
    expect(verdict.unmet).toEqual([
      {
        code: 'soaking',
        detail:
          'The candidate is deployed to "staging" since 2026-05-04 09:01 UTC. Its soak ends at 2026-05-04 10:02 UTC.',
        actor: 'service',
        endsAt: new Date(end).toISOString(),
      },
    ]);
    expect([verdict.gate.validUntil, verdict.nextSoakEnd, verdict.gate.openUntil]).toEqual([end, end, null]);
  });

  it('is not completed by time, but by a read at its end', () => {
    const before = { observedAt: new Date(NOW.getTime() - 60_000) };
    const unproven = evaluate(inputsOf(given(), deployed('staging', HOUR_MS, before)));
    expect([codes(unproven), unproven.gate.openUntil]).toEqual([['unknown'], null]);
    expect(unproven.missing).toEqual([{ kind: 'deployments', key: 'staging' }]);
    const over = evaluate(inputsOf(given(), deployed('staging', HOUR_MS)));
    expect([over.stage, over.gate.reasons]).toEqual(['DEPLOYMENT', []]);
    expect(over.completedSoaks).toEqual([
      { environment: 'staging', commitSha: CANDIDATE, from: NOW.getTime() - HOUR_MS, until: NOW.getTime() },
    ]);
  });

  it.each<[string, Partial<CompletedSoak>, string]>([
    ['stays completed after another deployment', {}, 'DEPLOYMENT'],
    ['of an equivalent name counts', { environment: 'Staging' }, 'DEPLOYMENT'],
    ['of another environment does not count', { environment: 'dev' }, 'TESTING'],
    ['of another commit does not count', { commitSha: PREDECESSOR }, 'TESTING'],
    ['that is shorter than the policy asks does not count', { until: NOW.getTime() - 1 }, 'TESTING'],
  ])('%s', (_, changes, stage) => {
    const stored = {
      environment: 'staging',
      commitSha: CANDIDATE,
      from: NOW.getTime() - HOUR_MS,
      until: NOW.getTime(),
    };
    const other = deployed('staging', 60_000, {
      value: [{ githubId: 2, sha: PREDECESSOR, periods: [{ from: ago(60_000), to: null }] }],
    });
    const verdict = evaluate({ ...inputsOf(given(), other), soaks: [{ ...stored, ...changes }] });
    expect([verdict.stage, verdict.completedSoaks]).toEqual([stage, undefined]);
  });

  it('begins again after a gap in what is known, and never without known times', () => {
    const gap = evaluate(inputsOf(given(), deployed('staging', 9 * HOUR_MS, { knownSince: NOW.getTime() - 60_000 })));
    expect(codes(gap)).toEqual(['soaking']);
    const [{ knownSince: _knownSince, ...timeless }] = [deployed('staging', 9 * HOUR_MS)];
    expect(codes(evaluate(inputsOf(given(), timeless)))).toEqual(['unknown']);
    expect(codes(evaluate(inputsOf(given(), deployed('staging', 9 * HOUR_MS, { moments: {} }))))).toEqual(['unknown']);
  });

  it('begins at the last moment at which the deployment can have succeeded', () => {
    const moment = NOW.getTime() - HOUR_MS;
    const moments = { [ago(HOUR_MS)]: [moment - 90_000, moment + 90_000] as const };
    expect(evaluate(inputsOf(given(), deployed('staging', HOUR_MS, { moments }))).nextSoakEnd).toBe(
      NOW.getTime() + 120_000,
    );
  });

  it.each<[string, readonly Partial<ReportedChange>[], string]>([
    ['of its own commit', [{}], 'soaking'],
    ['without proof of its own commit', [{ startedAt: null }], 'not_deployed_to_stage'],
    ['to another environment', [{ environment: 'dev' }], 'not_deployed_to_stage'],
    ['of another commit before it', [{}, { commitSha: PREDECESSOR, startedAt: null, endedAt: 1 }], 'soaking'],
    [
      'of another commit after it',
      [{}, { commitSha: PREDECESSOR, startedAt: null, endedAt: NOW.getTime() - 1 }],
      'not_deployed_to_stage',
    ],
    [
      'of another commit while it ran',
      [{}, { commitSha: PREDECESSOR, startedAt: null, endedAt: NOW.getTime() - 150_000 }],
      'not_deployed_to_stage',
    ],
    [
      'that is the oldest one of a list that may be cut',
      Array.from({ length: MAX_REPORTED_CHANGES }, (): Partial<ReportedChange> => ({})),
      'not_deployed_to_stage',
    ],
  ])('counts a reported deployment %s: %#', (_, changes, code) => {
    const reports = changes.map((change, index): ReportedChange => ({
      id: String(index),
      environment: 'staging',
      commitSha: CANDIDATE,
      startedAt: NOW.getTime() - 180_000,
      endedAt: NOW.getTime() - 120_000,
      ...change,
    }));
    const inputs = { ...inputsOf(given(), deployed('staging', 0, { value: [] })), reports };
    expect(codes(evaluate(inputs))).toEqual([code]);
    const stored = JSON.parse(JSON.stringify(toStoredInputs(inputs))) as StoredInputs;
    expect(replay(stored, JSON.parse(JSON.stringify(evaluate(inputs))) as object, inputs.digest)).toMatchObject({
      agrees: true,
    });
  });

  it('replays with its inputs', () => {
    const inputs = inputsOf(given(), deployed('staging', HOUR_MS));
    const stored = JSON.parse(JSON.stringify(toStoredInputs(inputs))) as StoredInputs;
    const decided = JSON.parse(JSON.stringify(evaluate(inputs))) as object;
    expect(replay(stored, decided, inputs.digest)).toMatchObject({ agrees: true });
  });
});

describe('evidence after a deployment', () => {
  const policy: Policy = {
    ...POLICY,
    testing: { ...STRICT_POLICY.testing, deployTarget: 'staging' },
    evidencing: {
      ...POLICY.evidencing,
      requiredEvidence: [{ kind: 'unit_tests', environment: 'staging', minTests: 1, afterDeployment: true }],
    },
  };
  const jobs = (beganAt: string): Observation => {
    const moment = Date.parse(beganAt);
    const value = { granted: true, jobs: [], complete: true, beganAt };
    return { kind: 'run_jobs', key: '100', value, observedAt: NOW, moments: { [beganAt]: [moment, moment] } };
  };

  it.each<[string, readonly Observation[], boolean]>([
    ['a run that began afterwards', [deployed('staging', HOUR_MS), jobs(ago(60_000))], true],
    ['a run that began before', [deployed('staging', HOUR_MS), jobs(ago(HOUR_MS + 1))], false],
    ['a run that began in the same moment', [deployed('staging', HOUR_MS), jobs(ago(HOUR_MS))], false],
    ['a run whose beginning is not known', [deployed('staging', HOUR_MS)], false],
    ['a run after a deployment of another commit', [deployed('staging', HOUR_MS, { value: [] }), jobs(ago(0))], false],
    ['a run after a deployment to another environment', [deployed('dev', HOUR_MS), jobs(ago(60_000))], false],
  ])('counts %s: %p', (_, facts, counts) => {
    const verdict = evaluate(inputsOf(given(policy), ...facts));
    expect(codes(verdict).includes('evidence_missing')).toBe(!counts);
    expect(verdict.testsPassing).toBe(counts);
  });

  it('does not count runs that no token proves', () => {
    const release = given(policy);
    release.evidence = release.evidence.map((item) => ({ ...item, run: { id: '100', proven: false } }));
    const verdict = evaluate(inputsOf(release, deployed('staging', HOUR_MS), jobs(ago(60_000))));
    expect(codes(verdict)).toContain('evidence_missing');
  });
});

describe('the gate of an environment', () => {
  const reasonsIn = (inputs: VerdictInputs, environment: string): readonly string[] => {
    const answer = answerEnvironment(inputs, environment);
    return answer.kind === 'chain' ? answer.reasons.map(({ code }) => code) : [answer.kind];
  };
  const absent = deployed('staging', 0, { value: [] });
  const frozen: Policy = { ...POLICY, freezes: [{ from: '2026-05-01', to: '2026-05-04', reason: 'launch' }] };
  const red = evidenceItem({ metrics: { unit_tests: { total: 3, passed: 2, failed: 1, skipped: 0 } } });

  it('is open in the stage that names it, whatever that stage and later ones still need', () => {
    expect(reasonsIn(inputsOf(given(), absent), 'STAGING')).toEqual([]);
    expect(reasonsIn(inputsOf(given(frozen).uploaded(red), absent), 'staging')).toEqual([]);
    expect(reasonsIn(inputsOf(given(), absent), 'dev')).toEqual([]);
  });

  it('names the target and other environments', () => {
    expect(reasonsIn(inputsOf(given(), absent), 'Production')).toEqual(['target']);
    expect(reasonsIn(inputsOf(given(), absent), 'qa')).toEqual(['unnamed']);
  });

  it.each<[string, (release: ReleaseBuilder) => ReleaseBuilder, readonly string[]]>([
    ['an earlier stage', (release) => release.know('checks', CANDIDATE, []), ['check_missing']],
    ['a stale fact', (release) => release.age('team', 'release-managers', 5), ['facts_stale']],
    ['a missing fact', (release) => release.deleteFact('milestone', '5'), ['unknown']],
    [
      'an invalid policy',
      (release) => release.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
      ['policy_unknown'],
    ],
    ['a cancelled release', (release) => release.know('milestone', '5', milestone({ state: 'closed' })), ['cancelled']],
    [
      'a removed repository',
      (release) => release.recorded({ repository: { ...release.record.repository, removed: true } }),
      ['repository_removed'],
    ],
    [
      'the plan',
      (release) => release.recorded({ repository: { ...release.record.repository, withinPlan: false } }),
      ['plan_limit'],
    ],
    [
      'tampering',
      (release) =>
        release.recorded({ repository: { ...release.record.repository, tamperedBranches: ['release/v1.2.0'] } }),
      ['tampered'],
    ],
  ])('is closed by %s', (_, spoil, expected) => {
    expect(reasonsIn(inputsOf(spoil(given()), absent), 'staging')).toEqual(expect.arrayContaining([...expected]));
  });

  it('is closed without a candidate', () => {
    expect(reasonsIn(inputsOf(given().branches({ branch: 'main', sha: PREDECESSOR }), absent), 'dev')).not.toEqual([]);
  });
});
