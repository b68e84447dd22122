import { describe, expect, it } from '@jest/globals';
import { brokenGlass, waiver } from '../../../test/support/given-overrides.js';
import {
  CANDIDATE,
  digest,
  evidenceItem,
  policyWith,
  failingItem,
  reviewersRule,
  sha,
  valid,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { CheckFact } from '../facts/facts.js';
import { replay, type StoredInputs, toStoredInputs } from './replay.js';

const asStored = (value: object): object => JSON.parse(JSON.stringify(value)) as object;
const storedOf = (release: ReleaseBuilder): { inputs: StoredInputs; verdict: Record<string, unknown> } => ({
  inputs: asStored(toStoredInputs(release.inputs())) as StoredInputs,
  verdict: asStored(release.verdict()) as Record<string, unknown>,
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

  it('ignores the sentences of conditions in the first format only', () => {
    const { inputs, verdict } = storedOf(givenTrunkRelease().uploaded(failingItem()));
    const withOldSentences = JSON.parse(
      JSON.stringify(verdict).replaceAll(/"detail":"(?:[^"\\]|\\.)*"/g, '"detail":"old"'),
    ) as object;
    const { format, ...firstFormat } = inputs;
    expect(format).toBe(2);
    expect(withOldSentences).not.toEqual(verdict);
    expect(replay(firstFormat, withOldSentences, digest).differences).toEqual([]);
    expect(replay(inputs, withOldSentences, digest).differences).toEqual(['approval', 'gate', 'unmet', 'unmetLater']);
    const otherCode = JSON.parse(
      JSON.stringify(verdict).replaceAll('"code":"evidence_failing"', '"code":"x"'),
    ) as object;
    expect(replay(firstFormat, otherCode, digest).agrees).toBe(false);
  });

  it('agrees when its checks were stored without their conclusions', () => {
    const { inputs, verdict } = storedOf(givenOpenRelease());
    const observations = inputs.observations.map((known) => {
      if (known.kind !== 'checks') return known;
      return {
        ...known,
        value: (known.value as readonly CheckFact[]).map(({ name, app, state, url }) => ({ name, app, state, url })),
      };
    });
    expect(observations).not.toEqual(inputs.observations);
    expect(replay({ ...inputs, observations } as StoredInputs, verdict, digest).differences).toEqual([]);
  });

  it('agrees when its evidence was stored without its content', () => {
    const kind = 'sbom' as const;
    const evidencing = reviewersRule();
    const requiring = policyWith({
      evidencing: { ...evidencing, requiredEvidence: [{ kind, environment: null, minTests: 0 }] },
    });
    const release = givenOpenRelease()
      .know('policy', '', valid(requiring))
      .uploaded(evidenceItem({ kind, metrics: {} }));
    const { inputs, verdict } = storedOf(release);
    expect(verdict['testsPassing']).toBe(true);
    const [before, decided] = JSON.parse(JSON.stringify([inputs, verdict]).replaceAll('"content":1,', '')) as [
      StoredInputs,
      object,
    ];
    expect(before.evidence.map((upload) => 'content' in upload)).not.toContain(true);
    expect(replay(before, decided, digest).differences).toEqual([]);
  });

  it.each([
    ['a number is the run of an identity token', { id: '77', attempt: 3 }, { id: '77', proven: true }, 3],
    ['a number with letters is not', { id: '77a', attempt: 3 }, { id: '77a', proven: false }, 3],
    ['letters before a number are not', { id: 'a77', attempt: 3 }, { id: 'a77', proven: false }, 3],
    ['a run without an attempt is the first', { id: '7' }, { id: '7', proven: true }, 1],
    ['there may be no run', null, null, 1],
  ])('completes evidence that was stored before tokens proved their job: %s', (_, run, completed, attempt) => {
    const { inputs, verdict } = storedOf(givenTrunkRelease());
    const evidence = inputs.evidence.map((item) => {
      const { attempt: _attempt, checkRunId: _check, jobGroup: _group, ...old } = item;
      return { ...old, run, job: '' };
    });
    const again = replay({ ...inputs, evidence } as unknown as StoredInputs, verdict, digest);
    expect(again.verdict?.decidingSet.flatMap(({ pieces }) => pieces)).toMatchObject([
      { run: completed, attempt, job: null, checkRunId: null, jobGroup: null },
    ]);
  });

  it('does not change the run and the attempt of newer evidence', () => {
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
    expect(again.verdict?.decidingSet.flatMap(({ pieces }) => pieces)).toMatchObject([named]);
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

  it('agrees with a decision of a version without overrides when no override was used', () => {
    const { inputs, verdict } = storedOf(givenOpenRelease());
    const { acts: _none, ...older } = inputs;
    const { overrides: _nothing, unmetLater: _later, ...before } = verdict;
    const { repository, ...record } = older.record;
    const { watchedHeads: _unwatched, ...unwatched } = repository;
    const withoutWatch = { ...older, record: { ...record, repository: unwatched } } as StoredInputs;
    expect(replay(withoutWatch, before, digest)).toMatchObject({ agrees: true, differences: [] });
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
    expect(replay({} as StoredInputs, verdict, digest)).toEqual({
      agrees: false,
      differences: ['inputs'],
      verdict: null,
    });
  });
});
