import { describe, expect, it } from '@jest/globals';
import { brokenGlass, waiver } from '../../../test/support/given-acts.js';
import {
  CANDIDATE,
  digest,
  piece,
  policyWith,
  redPiece,
  reviewersRule,
  sha,
  valid,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/given-release.js';
import type { CheckFact } from '../facts/facts.js';
import { replay, type StoredInputs, toStoredInputs } from './replay.js';

const kept = (value: object): object => JSON.parse(JSON.stringify(value)) as object;
const storedOf = (world: ReleaseBuilder): { inputs: StoredInputs; verdict: Record<string, unknown> } => ({
  inputs: kept(toStoredInputs(world.inputs())) as StoredInputs,
  verdict: kept(world.verdict()) as Record<string, unknown>,
});

const everyKind = (): readonly [string, ReleaseBuilder][] => [
  ['an open gate', givenOpenRelease()],
  ['a trunk', givenTrunkRelease()],
  ['red tests', givenTrunkRelease().uploaded(redPiece())],
  ['a fact that is missing', givenOpenRelease().forget('refs', 'main')],
  ['a fact that is too old', givenOpenRelease().age('refs', 'main', 30)],
  ['a cancelled release', givenOpenRelease().know('milestone', '5', null)],
  ['one that never began', givenOpenRelease().recorded({ startedAt: null, deletedAt: null })],
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

describe('a decision that is replayed', () => {
  it.each(everyKind())('agrees: %s', (_name, world) => {
    const { inputs, verdict } = storedOf(world);
    const again = replay(inputs, verdict, digest);
    expect([again.differences, again.agrees]).toEqual([[], true]);
    expect(again.verdict).toEqual(world.verdict());
  });

  it('ignores the sentences of conditions in the first format only', () => {
    const { inputs, verdict } = storedOf(givenTrunkRelease().uploaded(redPiece()));
    const inOldWords = JSON.parse(
      JSON.stringify(verdict).replaceAll(/"detail":"(?:[^"\\]|\\.)*"/g, '"detail":"old"'),
    ) as object;
    const { format, ...firstFormat } = inputs;
    expect(format).toBe(2);
    expect(inOldWords).not.toEqual(verdict);
    expect(replay(firstFormat, inOldWords, digest).differences).toEqual([]);
    expect(replay(inputs, inOldWords, digest).differences).toEqual(['approval', 'gate', 'unmet', 'unmetLater']);
    const otherCode = JSON.parse(
      JSON.stringify(verdict).replaceAll('"code":"evidence_failing"', '"code":"x"'),
    ) as object;
    expect(replay(firstFormat, otherCode, digest).agrees).toBe(false);
  });

  it('agrees where its checks were kept without their conclusions', () => {
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

  it('agrees where its evidence was kept without its content', () => {
    const kind = 'sbom' as const;
    const evidencing = reviewersRule();
    const requiring = policyWith({
      evidencing: { ...evidencing, requiredEvidence: [{ kind, environment: null, minTests: 0 }] },
    });
    const world = givenOpenRelease()
      .know('policy', '', valid(requiring))
      .uploaded(piece({ kind, metrics: {} }));
    const { inputs, verdict } = storedOf(world);
    expect(verdict['testsPassing']).toBe(true);
    const [before, decided] = JSON.parse(JSON.stringify([inputs, verdict]).replaceAll('"content":1,', '')) as [
      StoredInputs,
      object,
    ];
    expect(before.evidence.map((upload) => 'content' in upload)).not.toContain(true);
    expect(replay(before, decided, digest).differences).toEqual([]);
  });

  it('agrees whatever order its members were kept in', () => {
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
    ['a part that there is no more', (verdict) => ({ ...verdict, mood: 'good' }), ['mood']],
    ['one list for another', (verdict) => ({ ...verdict, candidateShas: [CANDIDATE, sha('b')] }), ['candidateShas']],
    ['an object for a list', (verdict) => ({ ...verdict, candidateShas: { 0: CANDIDATE } }), ['candidateShas']],
    ['nothing for something', (verdict) => ({ ...verdict, policyDigest: null }), ['policyDigest']],
    ['two things', (verdict) => ({ ...verdict, stage: 'TESTING', hotfix: true }), ['hotfix', 'stage']],
  ])('is said not to agree where it holds %s', (_name, change, differences) => {
    const { inputs, verdict } = storedOf(givenOpenRelease());
    expect(replay(inputs, change(verdict), digest)).toMatchObject({ agrees: false, differences });
  });

  it('of before there were overrides agrees as long as nobody has set anything aside', () => {
    const { inputs, verdict } = storedOf(givenOpenRelease());
    const { acts: _none, ...older } = inputs;
    const { overrides: _nothing, unmetLater: _later, ...before } = verdict;
    const { repository, ...record } = older.record;
    const { watchedHeads: _unwatched, ...standing } = repository;
    const withoutWatch = { ...older, record: { ...record, repository: standing } } as StoredInputs;
    expect(replay(withoutWatch, before, digest)).toMatchObject({ agrees: true, differences: [] });
  });

  it('is said not to agree where a part is new, and says something', () => {
    const world = givenOpenRelease()
      .know('reviews', '7', [])
      .decided({ breakGlasses: [brokenGlass()] });
    const { inputs, verdict } = storedOf(world);
    const { overrides: _used, ...before } = verdict;
    expect(replay(inputs, before, digest)).toMatchObject({ agrees: false, differences: ['overrides'] });
  });

  it('is said not to agree where its inputs are of another kind', () => {
    const { verdict } = storedOf(givenOpenRelease());
    expect(replay({} as StoredInputs, verdict, digest)).toEqual({
      agrees: false,
      differences: ['inputs'],
      verdict: null,
    });
  });
});
