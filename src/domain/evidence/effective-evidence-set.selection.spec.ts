import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, coverageItem, evidenceItem, failingItem, sha } from '../../../test/support/given-facts.js';
import { selectEffectiveEvidence, type EffectiveEvidenceSet, evidenceSetKey } from './effective-evidence-set.js';
import type { EvidenceItem } from './evidence.js';
import { evidenceFailures } from './evidence-status.js';

const MERGE = sha('a');
const at = (minute: number): Date => new Date(Date.UTC(2026, 4, 4, 9, minute));
const holds = (set: EffectiveEvidenceSet): boolean =>
  set.every(({ items }) => items.every((item) => evidenceFailures(item).length === 0));

const decide = (evidence: readonly EvidenceItem[], shas: readonly string[] = [CANDIDATE]): EffectiveEvidenceSet =>
  selectEffectiveEvidence(evidence, { sha: CANDIDATE, shas }, holds);

const idsOf = (set: EffectiveEvidenceSet): readonly string[] =>
  set.flatMap(({ items }) => items.map(({ id }) => id)).sort();

interface Case {
  readonly name: string;
  readonly evidence: readonly EvidenceItem[];
  readonly decides: readonly string[];
  readonly shas?: readonly string[];
}

type Source = Pick<EvidenceItem, 'run' | 'attempt'>;
const run = (id: string, attempt = 1): Source => ({ run: { id, proven: true }, attempt });
const claimed = (path: string, attempt = 1): Source => ({
  run: { id: `https://ci.test/${path}`, proven: false },
  attempt,
});
const unnamed = (attempt = 1): Source => ({ run: null, attempt });

const cases: readonly Case[] = [
  { name: 'nothing when nothing was uploaded', evidence: [], decides: [] },
  {
    name: 'nothing of another commit',
    evidence: [evidenceItem({ id: 'other', commitSha: sha('b') })],
    decides: [],
  },
  {
    name: 'the proven run with the higher number, in any order of arrival',
    evidence: [
      evidenceItem({ id: 'new', ...run('101'), receivedAt: at(1) }),
      failingItem({ id: 'old', ...run('99'), receivedAt: at(9) }),
    ],
    decides: ['new'],
  },
  {
    name: 'run numbers compared as numbers, not as text',
    evidence: [evidenceItem({ id: 'old', ...run('99') }), failingItem({ id: 'new', ...run('100') })],
    decides: ['new'],
  },
  {
    name: 'run numbers beyond the exact range of a double',
    evidence: [
      failingItem({ id: 'new', ...run('9007199254740993'), receivedAt: at(1) }),
      evidenceItem({ id: 'old', ...run('9007199254740992'), receivedAt: at(2) }),
    ],
    decides: ['new'],
  },
  ...['x7', '7x'].map((id) => ({
    name: `a run with a number rather than the run "${id}"`,
    evidence: [evidenceItem({ id: 'numbered', ...run('0') }), failingItem({ id: 'other', ...run(id) })],
    decides: ['numbered'],
  })),
  {
    name: 'the claimed run whose first item arrived later',
    evidence: [
      evidenceItem({ id: 'old', ...claimed('1'), receivedAt: at(1) }),
      evidenceItem({ id: 'old too', job: 'late', ...claimed('1'), receivedAt: at(9) }),
      failingItem({ id: 'new', ...claimed('2'), receivedAt: at(5) }),
    ],
    decides: ['new'],
  },
  {
    name: 'both of two claimed runs that arrived at the same time',
    evidence: [
      failingItem({ id: 'one', ...claimed('1'), receivedAt: at(1) }),
      evidenceItem({ id: 'two', ...claimed('2'), receivedAt: at(1) }),
    ],
    decides: ['one', 'two'],
  },
  {
    name: 'a claimed run and an older proven run, which a claimed run cannot replace',
    evidence: [
      failingItem({ id: 'proven', ...run('100'), receivedAt: at(1) }),
      evidenceItem({ id: 'claimed', ...claimed('1'), receivedAt: at(2) }),
    ],
    decides: ['claimed', 'proven'],
  },
  {
    name: 'only the proven run when it is newer than the claimed one',
    evidence: [
      failingItem({ id: 'claimed', ...claimed('1'), receivedAt: at(1) }),
      evidenceItem({ id: 'proven', ...run('100'), receivedAt: at(2) }),
    ],
    decides: ['proven'],
  },
  {
    name: 'a claimed run that is older only than a replaced proven run',
    evidence: [
      evidenceItem({ id: 'newest', ...run('101'), receivedAt: at(1) }),
      failingItem({ id: 'claimed', ...claimed('1'), receivedAt: at(2) }),
      evidenceItem({ id: 'late', ...run('100'), receivedAt: at(3) }),
    ],
    decides: ['claimed', 'newest'],
  },
  {
    name: 'a claimed run whose address ends in a number like any other claimed run',
    evidence: [
      failingItem({ id: 'proven', ...run('100'), receivedAt: at(2) }),
      evidenceItem({ id: 'claimed', ...claimed('actions/runs/9223372036854775807'), receivedAt: at(1) }),
    ],
    decides: ['proven'],
  },
  {
    name: 'an upload without a run and an older run',
    evidence: [
      failingItem({ id: 'proven', ...run('100'), receivedAt: at(1) }),
      evidenceItem({ id: 'unnamed', ...unnamed(), receivedAt: at(2) }),
    ],
    decides: ['proven', 'unnamed'],
  },
  {
    name: 'only the run, proven or claimed, when it is newer than an upload without a run',
    evidence: [
      failingItem({ id: 'unnamed', ...unnamed(), receivedAt: at(1) }),
      evidenceItem({ id: 'claimed', ...claimed('1'), receivedAt: at(2) }),
    ],
    decides: ['claimed'],
  },
  {
    name: 'everything that arrived at the same time as a run',
    evidence: [
      failingItem({ id: 'unnamed', ...unnamed(), receivedAt: at(1) }),
      failingItem({ id: 'claimed', ...claimed('1'), receivedAt: at(1) }),
      evidenceItem({ id: 'proven', ...run('100'), receivedAt: at(1) }),
    ],
    decides: ['claimed', 'proven', 'unnamed'],
  },
  {
    name: 'every shard of a matrix, also a failing one beside passing ones',
    evidence: [evidenceItem({ id: 'shard 1' }), failingItem({ id: 'shard 2' }), evidenceItem({ id: 'shard 3' })],
    decides: ['shard 1', 'shard 2', 'shard 3'],
  },
  {
    name: 'only the later attempt of a job that ran again',
    evidence: [
      failingItem({ id: 'first', job: 'api', ...run('100', 1) }),
      evidenceItem({ id: 'again', job: 'api', ...run('100', 2) }),
      evidenceItem({ id: 'untouched', job: 'web', ...run('100', 1) }),
    ],
    decides: ['again', 'untouched'],
  },
  {
    name: 'attempts compared as numbers, not as text',
    evidence: [failingItem({ id: 'ninth', ...run('100', 9) }), evidenceItem({ id: 'tenth', ...run('100', 10) })],
    decides: ['tenth'],
  },
  {
    name: 'the later attempt, in any order of arrival',
    evidence: [
      failingItem({ id: 'second', ...run('100', 2), receivedAt: at(1) }),
      evidenceItem({ id: 'first', ...run('100', 1), receivedAt: at(9) }),
    ],
    decides: ['second'],
  },
  {
    name: 'a job whose name is not known beside a later attempt',
    evidence: [
      failingItem({ id: 'nameless', job: null, ...run('100', 1) }),
      evidenceItem({ id: 'later', job: 'api', ...run('100', 2) }),
      evidenceItem({ id: 'nameless later', job: null, ...run('100', 2) }),
    ],
    decides: ['later', 'nameless', 'nameless later'],
  },
  {
    name: 'another job of an earlier attempt',
    evidence: [
      failingItem({ id: 'a', job: 'a', ...run('100', 1) }),
      evidenceItem({ id: 'b', job: 'b', ...run('100', 2) }),
    ],
    decides: ['a', 'b'],
  },
  {
    name: 'every item of an earlier attempt when fewer items came again under a name that several jobs state',
    evidence: [
      evidenceItem({ id: 'cell 1', ...claimed('1', 1) }),
      failingItem({ id: 'cell 2', ...claimed('1', 1) }),
      evidenceItem({ id: 'one of them', ...claimed('1', 2) }),
    ],
    decides: ['cell 1', 'cell 2', 'one of them'],
  },
  {
    name: 'one later item instead of two earlier ones of a job that tokens prove',
    evidence: [
      evidenceItem({ id: 'part 1', checkRunId: 1, ...run('100', 1) }),
      failingItem({ id: 'part 2', checkRunId: 1, ...run('100', 1) }),
      evidenceItem({ id: 'again', checkRunId: 2, ...run('100', 2) }),
    ],
    decides: ['again'],
  },
  {
    name: 'both earlier jobs when only one job of their name ran again, however much it uploaded',
    evidence: [
      failingItem({ id: 'one', checkRunId: 1, ...run('100', 1) }),
      evidenceItem({ id: 'two', checkRunId: 2, ...run('100', 1) }),
      evidenceItem({ id: 'again', checkRunId: 3, ...run('100', 2) }),
      evidenceItem({ id: 'again too', checkRunId: 3, ...run('100', 2) }),
    ],
    decides: ['again', 'again too', 'one', 'two'],
  },
  {
    name: 'the newest attempt with the most items and all later ones',
    evidence: [
      failingItem({ id: 'first', job: 'e2e', ...run('100', 1) }),
      evidenceItem({ id: 'second', job: 'e2e', ...run('100', 2) }),
      evidenceItem({ id: 'second too', job: 'e2e', ...run('100', 2) }),
      failingItem({ id: 'third', job: 'e2e', ...run('100', 3) }),
      evidenceItem({ id: 'fourth', job: 'e2e', ...run('100', 4) }),
    ],
    decides: ['fourth', 'second', 'second too', 'third'],
  },
  {
    name: 'every attempt of one item after an attempt of two',
    evidence: [
      evidenceItem({ id: 'first', job: 'e2e', ...run('100', 1) }),
      failingItem({ id: 'first too', job: 'e2e', ...run('100', 1) }),
      failingItem({ id: 'second', job: 'e2e', ...run('100', 2) }),
      evidenceItem({ id: 'third', job: 'e2e', ...run('100', 3) }),
    ],
    decides: ['first', 'first too', 'second', 'third'],
  },
  {
    name: 'the items of every earlier attempt that has more items than each later one',
    evidence: [
      failingItem({ id: 'first 1', ...claimed('1', 1) }),
      ...[2, 3, 4].map((shard) => evidenceItem({ id: `first ${shard}`, ...claimed('1', 1) })),
      ...[1, 2, 3].map((shard) => evidenceItem({ id: `second ${shard}`, ...claimed('1', 2) })),
      ...[1, 2].map((shard) => evidenceItem({ id: `third ${shard}`, ...claimed('1', 3) })),
    ],
    decides: [
      ...[1, 2, 3, 4].map((shard) => `first ${shard}`),
      ...[1, 2, 3].map((shard) => `second ${shard}`),
      ...[1, 2].map((shard) => `third ${shard}`),
    ],
  },
  {
    name: 'all uploads that name neither a run nor a job',
    evidence: [
      failingItem({ id: 'one', ...unnamed(), job: null, receivedAt: at(1) }),
      evidenceItem({ id: 'two', ...unnamed(), job: null, receivedAt: at(2) }),
    ],
    decides: ['one', 'two'],
  },
  {
    name: 'both uploads of one job that name no run and the same attempt',
    evidence: [
      failingItem({ id: 'first', ...unnamed(), receivedAt: at(1) }),
      evidenceItem({ id: 'last', ...unnamed(), receivedAt: at(2) }),
    ],
    decides: ['first', 'last'],
  },
  {
    name: 'the later attempt of a job when no run is named',
    evidence: [
      failingItem({ id: 'first', ...unnamed(1), receivedAt: at(1) }),
      evidenceItem({ id: 'retry', ...unnamed(2), receivedAt: at(2) }),
      evidenceItem({ id: 'other job', ...unnamed(1), job: 'web', receivedAt: at(1) }),
    ],
    decides: ['other job', 'retry'],
  },
  {
    name: 'only the uploads without a run that arrived after the run',
    evidence: [
      evidenceItem({ id: 'run', ...claimed('1'), receivedAt: at(2) }),
      failingItem({ id: 'early', ...unnamed(), job: null, receivedAt: at(1) }),
      failingItem({ id: 'late', ...unnamed(), job: null, receivedAt: at(3) }),
    ],
    decides: ['late', 'run'],
  },
  {
    name: "the candidate's own run when an equivalent commit passes as well",
    evidence: [evidenceItem({ id: 'own' }), evidenceItem({ id: 'merge', commitSha: MERGE, ...run('101') })],
    shas: [CANDIDATE, MERGE],
    decides: ['own'],
  },
  {
    name: 'a newer failing run of an equivalent commit',
    evidence: [evidenceItem({ id: 'own' }), failingItem({ id: 'merge', commitSha: MERGE, ...run('101') })],
    shas: [CANDIDATE, MERGE],
    decides: ['merge'],
  },
  {
    name: "a newer passing run of an equivalent commit when the candidate's own run failed",
    evidence: [failingItem({ id: 'own' }), evidenceItem({ id: 'merge', commitSha: MERGE, ...run('101') })],
    shas: [CANDIDATE, MERGE],
    decides: ['merge'],
  },
  {
    name: "the candidate's own failing run when it is newer than a passing run of an equivalent commit",
    evidence: [
      failingItem({ id: 'own', ...run('102') }),
      evidenceItem({ id: 'merge', commitSha: MERGE, ...run('101') }),
    ],
    shas: [CANDIDATE, MERGE],
    decides: ['own'],
  },
  {
    name: 'the evidence of an equivalent commit when the candidate has none of that kind',
    evidence: [evidenceItem({ id: 'own' }), coverageItem(90, { id: 'merge', commitSha: MERGE })],
    shas: [CANDIDATE, MERGE],
    decides: ['merge', 'own'],
  },
];

describe('selectEffectiveEvidence', () => {
  it.each(cases)('selects $name', ({ evidence, decides, shas }) => {
    expect(idsOf(decide(evidence, shas))).toEqual([...decides].sort());
    expect(idsOf(decide([...evidence].toReversed(), shas))).toEqual([...decides].sort());
  });

  it('separates pipelines, kinds and environments', () => {
    const set = decide([
      evidenceItem({ id: '1' }),
      evidenceItem({ id: '2', pipeline: 'nightly', ...run('200') }),
      evidenceItem({ id: '3', environment: 'production', ...run('300') }),
      coverageItem(90, { id: '4', ...run('400') }),
    ]);
    expect(set.map(({ pipeline, kind, environment }) => [pipeline, kind, environment])).toEqual([
      ['ci', 'coverage', 'staging'],
      ['ci', 'unit_tests', 'production'],
      ['ci', 'unit_tests', 'staging'],
      ['nightly', 'unit_tests', 'staging'],
    ]);
  });

  it('sorts its groups by name for any order of the uploads', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((pipeline) => evidenceItem({ pipeline })) as [
      EvidenceItem,
      EvidenceItem,
      EvidenceItem,
    ];
    for (const uploads of [
      [a, b, c],
      [a, c, b],
      [b, a, c],
      [b, c, a],
      [c, a, b],
      [c, b, a],
    ]) {
      expect(decide(uploads).map(({ pipeline }) => pipeline)).toEqual(['a', 'b', 'c']);
    }
  });

  it('does not check whether the set passes when all evidence is of the candidate itself', () => {
    const throwIfCalled = (): never => {
      throw new Error('Nothing has to be chosen.');
    };
    expect(
      idsOf(
        selectEffectiveEvidence([evidenceItem({ id: 'own' })], { sha: CANDIDATE, shas: [CANDIDATE] }, throwIfCalled),
      ),
    ).toEqual(['own']);
  });

  it('returns the proven run that counts with every job that uploaded to it', () => {
    const [group] = decide([
      evidenceItem({ checkRunId: 12, ...run('100', 2) }),
      failingItem({ checkRunId: 7, ...run('100', 1) }),
      evidenceItem({ checkRunId: 7, job: 'test', ...run('100', 1) }),
      failingItem({ checkRunId: 3, ...run('99') }),
      evidenceItem({ checkRunId: null, job: 'other', ...run('100') }),
    ]);
    expect(group?.provenRun).toMatchObject({ id: '100', jobIds: [7, 12] });
    expect(decide([evidenceItem(claimed('1'))])[0]?.provenRun).toBeNull();
  });
});

describe('evidenceSetKey', () => {
  const set = (...items: readonly EvidenceItem[]): string => evidenceSetKey(CANDIDATE, decide(items));
  const base = evidenceItem({ id: 'one' });

  it('returns the same key for the same items in any order', () => {
    const other = evidenceItem({ id: 'two', job: 'web' });
    expect(set(base, other)).toBe(set(other, base));
  });

  it.each([
    ['another upload', { id: 'two' }],
    ['other content', { sha256: 'f' }],
    ['another pipeline', { pipeline: 'nightly' }],
    ['another environment', { environment: 'production' }],
    ['another kind', { kind: 'manual' as const }],
  ])('differs for %s', (_name, changes) => {
    expect(set({ ...base, ...changes })).not.toBe(set(base));
  });

  it('differs for another candidate', () => {
    expect(evidenceSetKey(MERGE, decide([base]))).not.toBe(set(base));
  });
});
