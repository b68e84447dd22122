import { describe, expect, it } from '@jest/globals';
import { brokenGlass, waiver } from '../../../test/support/given-overrides.js';
import { CANDIDATE, digest, evidenceItem, failingItem, issue, sha } from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import { buildApprovalReport } from './approval-report.js';
import { replay, reportDecision, RULES_VERSION, type StoredInputs, toStoredInputs, toStoredVerdict } from './replay.js';
import { buildStageReport } from './stage-report.js';

const asStored = (value: object): object => JSON.parse(JSON.stringify(value)) as object;
const storedOf = (release: ReleaseBuilder): { inputs: StoredInputs; verdict: Record<string, unknown> } => ({
  inputs: asStored(toStoredInputs(release.inputs())) as StoredInputs,
  verdict: asStored(toStoredVerdict(release.verdict())) as Record<string, unknown>,
});

const everyKind = (): readonly [string, ReleaseBuilder][] => [
  ['an open gate', givenOpenRelease()],
  ['a trunk release', givenTrunkRelease()],
  ['failing tests', givenTrunkRelease().uploaded(failingItem())],
  ['a missing fact', givenOpenRelease().deleteFact('refs', 'main')],
  ['a stale fact', givenOpenRelease().age('refs', 'main', 30)],
  ['a cancelled release', givenOpenRelease().know('milestone', '5', null)],
  ['a release that never started', givenOpenRelease().recorded({ startedAt: null, deletedAt: null })],
  [
    'overrides and a freeze',
    givenOpenRelease()
      .know('reviews', '7', [])
      .decided({
        freezes: [{ from: '2026-05-01', to: '2026-06-01', reason: 'launch' }],
        waivers: [waiver()],
        breakGlasses: [brokenGlass()],
      }),
  ],
  [
    'a shipped release',
    givenOpenRelease().recorded({
      stage: 'DEPLOYED',
      shipped: {
        candidateSha: CANDIDATE,
        candidateShas: [CANDIDATE],
        testsPassing: true,
        evidenceApproved: true,
        approvalRequired: true,
        passed: true,
      },
    }),
  ],
];

describe('a replayed decision', () => {
  it.each(everyKind())('agrees for %s', (_name, release) => {
    const { inputs, verdict } = storedOf(release);
    const again = replay(inputs, verdict, digest);
    expect([again.differences, again.agrees]).toEqual([[], true]);
    expect(again.verdict).toEqual(release.verdict());
  });

  it('is not derived again when other rules made it, and names their version', () => {
    const { inputs, verdict } = storedOf(givenOpenRelease());
    expect(inputs.rules).toBe(RULES_VERSION);
    const earlier = { ...inputs, rules: '0.0.9' };
    expect(replay(earlier, { ...verdict, stage: 'TESTING' }, digest)).toEqual({
      rules: '0.0.9',
      agrees: null,
      differences: [],
      verdict: null,
    });
  });

  it('stores the subjects of the conditions that an override covers, and of no others', () => {
    const issues = [issue({ number: 1, state: 'open' }), issue({ number: 2, state: 'open' })];
    const release = givenOpenRelease().know('issues', '5', issues);
    const [first] = release.verdict().unmet;
    release.decided({ waivers: [waiver({ subjects: first?.subjects ?? [] })] });
    expect(release.verdict().unmet.map(({ subjects }) => subjects?.length)).toEqual([1]);
    const { verdict } = storedOf(release);
    expect(verdict['unmet']).toEqual([expect.not.objectContaining({ subjects: expect.anything() })]);
    expect(verdict['overrides']).toMatchObject([{ conditions: [{ subjects: first?.subjects }] }]);
  });

  it('retains the run and the attempt of evidence', () => {
    const named = {
      run: { id: '77', proven: false },
      attempt: 4,
      job: 'test',
      checkRunId: 9,
      jobGroup: { name: 'test', total: 1 },
    };
    const release = givenTrunkRelease();
    release.evidence = [];
    const { inputs, verdict } = storedOf(release.uploaded(evidenceItem(named)));
    const again = replay(inputs, verdict, digest);
    expect(again.verdict?.evidenceSet.flatMap(({ items }) => items)).toMatchObject([named]);
    expect(again.agrees).toBe(true);
  });

  it('agrees for any order of its stored members', () => {
    const { inputs, verdict } = storedOf(givenOpenRelease());
    const turned = Object.fromEntries(Object.entries(verdict).toReversed());
    expect(replay(inputs, turned, digest).agrees).toBe(true);
  });

  it.each<[string, (verdict: Record<string, unknown>) => object, string[]]>([
    ['another stage', (verdict) => ({ ...verdict, stage: 'TESTING' }), ['stage']],
    [
      'another gate',
      (verdict) => ({ ...verdict, gate: { ...(verdict['gate'] as object), openUntil: null } }),
      ['gate'],
    ],
    ['a removed property', (verdict) => ({ ...verdict, mood: 'good' }), ['mood']],
    ['another list', (verdict) => ({ ...verdict, candidateShas: [CANDIDATE, sha('b')] }), ['candidateShas']],
    ['an object instead of a list', (verdict) => ({ ...verdict, candidateShas: { 0: CANDIDATE } }), ['candidateShas']],
    ['null instead of a value', (verdict) => ({ ...verdict, policyDigest: null }), ['policyDigest']],
    ['two changes', (verdict) => ({ ...verdict, stage: 'TESTING', hotfix: true }), ['hotfix', 'stage']],
  ])('does not agree when the decision contains %s', (_name, change, differences) => {
    const { inputs, verdict } = storedOf(givenOpenRelease());
    expect(replay(inputs, change(verdict), digest)).toMatchObject({ agrees: false, differences });
  });

  it('does not agree when a new property has a value', () => {
    const release = givenOpenRelease()
      .know('reviews', '7', [])
      .decided({ breakGlasses: [brokenGlass()] });
    const { inputs, verdict } = storedOf(release);
    const { overrides: _used, ...before } = verdict;
    expect(replay(inputs, before, digest)).toMatchObject({ agrees: false, differences: ['overrides'] });
  });

  it('does not agree when its inputs have another shape', () => {
    const { verdict } = storedOf(givenOpenRelease());
    expect(replay({ rules: RULES_VERSION } as StoredInputs, verdict, digest)).toEqual({
      rules: RULES_VERSION,
      agrees: false,
      differences: ['inputs'],
      verdict: null,
    });
  });
});

describe('the report of a decision', () => {
  it.each(everyKind())('has the requirements and the approvals of that time for %s', (_name, release) => {
    const inputs = release.inputs();
    const { verdict, stages } = buildStageReport(inputs);
    const stored = storedOf(release);
    expect(reportDecision(stored.inputs, stored.verdict, digest)).toEqual({
      stages,
      approvals: buildApprovalReport(inputs, verdict, null),
    });
  });

  it('names who had approved', () => {
    const { inputs, verdict } = storedOf(givenOpenRelease());
    const report = reportDecision(inputs, verdict, digest);
    expect(report?.approvals).toMatchObject({
      given: 2,
      reviews: [
        { login: 'first-reviewer', state: 'approved', counts: true },
        { login: 'second-reviewer', state: 'approved', counts: true },
      ],
    });
    expect(report?.stages.find(({ stage }) => stage === 'TESTING')?.met).not.toEqual([]);
  });

  it('is missing if other rules made the decision, or if its inputs have another shape', () => {
    const { inputs, verdict } = storedOf(givenOpenRelease());
    expect(reportDecision({ ...inputs, rules: '0.0.9' }, verdict, digest)).toBeNull();
    expect(reportDecision({ rules: RULES_VERSION } as StoredInputs, verdict, digest)).toBeNull();
  });

  it('is missing if the rules give another verdict', () => {
    const { inputs, verdict } = storedOf(givenOpenRelease());
    expect(reportDecision(inputs, { ...verdict, stage: 'PLANNING' }, digest)).toBeNull();
  });
});
