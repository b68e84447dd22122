import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, coveragePiece, piece, redPiece, sha } from '../../../test/support/given-facts.js';
import { decidingSet, describeSet, type DecidingSet } from './deciding-set.js';
import type { EvidencePiece } from './evidence.js';
import { failuresOf } from './piece-failures.js';

const MERGE = sha('a');
const at = (minute: number): Date => new Date(Date.UTC(2026, 4, 4, 9, minute));
const holds = (set: DecidingSet): boolean =>
  set.every(({ pieces }) => pieces.every((piece) => failuresOf(piece).length === 0));

const decide = (evidence: readonly EvidencePiece[], shas: readonly string[] = [CANDIDATE]): DecidingSet =>
  decidingSet(evidence, { sha: CANDIDATE, shas }, holds);

const idsOf = (set: DecidingSet): readonly string[] => set.flatMap(({ pieces }) => pieces.map(({ id }) => id)).sort();

interface Case {
  readonly name: string;
  readonly evidence: readonly EvidencePiece[];
  readonly decides: readonly string[];
  readonly shas?: readonly string[];
}

const run = (id: string, attempt = 1): EvidencePiece['run'] => ({ id, attempt });

const cases: readonly Case[] = [
  { name: 'nothing, where nothing was uploaded', evidence: [], decides: [] },
  {
    name: 'nothing of another commit',
    evidence: [piece({ id: 'other', commitSha: sha('b') })],
    decides: [],
  },
  {
    name: 'the run with the higher number, whichever arrived later',
    evidence: [
      piece({ id: 'new', run: run('101'), receivedAt: at(1) }),
      redPiece({ id: 'old', run: run('99'), receivedAt: at(9) }),
    ],
    decides: ['new'],
  },
  {
    name: 'numbers as numbers, not as text',
    evidence: [piece({ id: 'old', run: run('99') }), redPiece({ id: 'new', run: run('100') })],
    decides: ['new'],
  },
  {
    name: 'numbers beyond what a double holds exactly',
    evidence: [
      redPiece({ id: 'new', run: run('9007199254740993'), receivedAt: at(1) }),
      piece({ id: 'old', run: run('9007199254740992'), receivedAt: at(2) }),
    ],
    decides: ['new'],
  },
  {
    name: 'of runs that have addresses the one whose first piece arrived later',
    evidence: [
      piece({ id: 'old', run: run('https://ci.test/1'), receivedAt: at(1) }),
      piece({ id: 'old too', job: 'late', run: run('https://ci.test/1'), receivedAt: at(9) }),
      redPiece({ id: 'new', run: run('https://ci.test/2'), receivedAt: at(5) }),
    ],
    decides: ['new'],
  },
  {
    name: 'a run without a number that came after the newest numbered one',
    evidence: [
      piece({ id: 'numbered', run: run('100'), receivedAt: at(1) }),
      redPiece({ id: 'addressed', run: run('https://ci.test/1'), receivedAt: at(2) }),
    ],
    decides: ['addressed'],
  },
  {
    name: 'the newest numbered run where it came after those without a number',
    evidence: [
      redPiece({ id: 'addressed', run: run('https://ci.test/1'), receivedAt: at(1) }),
      piece({ id: 'numbered', run: run('100'), receivedAt: at(2) }),
    ],
    decides: ['numbered'],
  },
  {
    name: 'a run with the number 0 that came after one without a number',
    evidence: [
      piece({ id: 'addressed', run: run('https://ci.test/1'), receivedAt: at(1) }),
      redPiece({ id: 'zero', run: run('0'), receivedAt: at(2) }),
    ],
    decides: ['zero'],
  },
  {
    name: 'every shard of a matrix, a green one never hiding a red one',
    evidence: [piece({ id: 'shard 1' }), redPiece({ id: 'shard 2' }), piece({ id: 'shard 3' })],
    decides: ['shard 1', 'shard 2', 'shard 3'],
  },
  {
    name: 'of a job that ran again only what it said last',
    evidence: [
      redPiece({ id: 'first', job: 'api', run: run('100', 1) }),
      piece({ id: 'again', job: 'api', run: run('100', 2) }),
      piece({ id: 'untouched', job: 'web', run: run('100', 1) }),
    ],
    decides: ['again', 'untouched'],
  },
  {
    name: 'attempts as numbers, not as text',
    evidence: [redPiece({ id: 'ninth', run: run('100', 9) }), piece({ id: 'tenth', run: run('100', 10) })],
    decides: ['tenth'],
  },
  {
    name: 'the earlier shards too, where fewer came again under the same name',
    evidence: [
      piece({ id: 'shard 1', run: run('100', 1) }),
      redPiece({ id: 'shard 2', run: run('100', 1) }),
      piece({ id: 'one of them', run: run('100', 2) }),
    ],
    decides: ['one of them', 'shard 1', 'shard 2'],
  },
  {
    name: 'the shards of every earlier attempt that brought more than each later one',
    evidence: [
      redPiece({ id: 'first 1', run: run('100', 1) }),
      ...[2, 3, 4].map((shard) => piece({ id: `first ${shard}`, run: run('100', 1) })),
      ...[1, 2, 3].map((shard) => piece({ id: `second ${shard}`, run: run('100', 2) })),
      ...[1, 2].map((shard) => piece({ id: `third ${shard}`, run: run('100', 3) })),
    ],
    decides: [
      ...[1, 2, 3, 4].map((shard) => `first ${shard}`),
      ...[1, 2, 3].map((shard) => `second ${shard}`),
      ...[1, 2].map((shard) => `third ${shard}`),
    ],
  },
  {
    name: 'all uploads that name neither a run nor a job: they may be shards',
    evidence: [
      redPiece({ id: 'one', run: null, job: '', receivedAt: at(1) }),
      piece({ id: 'two', run: null, job: '', receivedAt: at(2) }),
    ],
    decides: ['one', 'two'],
  },
  {
    name: 'the last upload of each job where no run is named',
    evidence: [
      redPiece({ id: 'first', run: null, receivedAt: at(1) }),
      piece({ id: 'last', run: null, receivedAt: at(2) }),
      piece({ id: 'other job', run: null, job: 'web', receivedAt: at(1) }),
    ],
    decides: ['last', 'other job'],
  },
  {
    name: 'both of two uploads of one job that arrived in the same moment',
    evidence: [
      redPiece({ id: 'red', run: null, receivedAt: at(1) }),
      piece({ id: 'green', run: null, receivedAt: at(1) }),
    ],
    decides: ['green', 'red'],
  },
  {
    name: 'uploads without a run after a run, by their last arrival',
    evidence: [
      piece({ id: 'run', run: run('https://ci.test/1'), receivedAt: at(2) }),
      redPiece({ id: 'early', run: null, job: '', receivedAt: at(1) }),
      redPiece({ id: 'late', run: null, job: '', receivedAt: at(3) }),
    ],
    decides: ['early', 'late'],
  },
  {
    name: "the candidate's own run where a commit that is the same passes as well",
    evidence: [piece({ id: 'own' }), piece({ id: 'merge', commitSha: MERGE, run: run('101') })],
    shas: [CANDIDATE, MERGE],
    decides: ['own'],
  },
  {
    name: 'a newer red run of a commit that is the same',
    evidence: [piece({ id: 'own' }), redPiece({ id: 'merge', commitSha: MERGE, run: run('101') })],
    shas: [CANDIDATE, MERGE],
    decides: ['merge'],
  },
  {
    name: 'a newer green run of a commit that is the same, where the own one failed',
    evidence: [redPiece({ id: 'own' }), piece({ id: 'merge', commitSha: MERGE, run: run('101') })],
    shas: [CANDIDATE, MERGE],
    decides: ['merge'],
  },
  {
    name: "the candidate's own red run where it is newer than a green one of a commit that is the same",
    evidence: [redPiece({ id: 'own', run: run('102') }), piece({ id: 'merge', commitSha: MERGE, run: run('101') })],
    shas: [CANDIDATE, MERGE],
    decides: ['own'],
  },
  {
    name: 'what a commit that is the same said, where the candidate said nothing of the kind',
    evidence: [piece({ id: 'own' }), coveragePiece(90, { id: 'merge', commitSha: MERGE })],
    shas: [CANDIDATE, MERGE],
    decides: ['merge', 'own'],
  },
];

describe('decidingSet', () => {
  it.each(cases)('holds $name', ({ evidence, decides, shas }) => {
    expect(idsOf(decide(evidence, shas))).toEqual([...decides].sort());
    expect(idsOf(decide([...evidence].toReversed(), shas))).toEqual([...decides].sort());
  });

  it('keeps pipelines, kinds and environments apart', () => {
    const set = decide([
      piece({ id: '1' }),
      piece({ id: '2', pipeline: 'nightly', run: run('200') }),
      piece({ id: '3', environment: 'production', run: run('300') }),
      coveragePiece(90, { id: '4', run: run('400') }),
    ]);
    expect(set.map(({ pipeline, kind, environment }) => [pipeline, kind, environment])).toEqual([
      ['ci', 'coverage', 'staging'],
      ['ci', 'unit_tests', 'production'],
      ['ci', 'unit_tests', 'staging'],
      ['nightly', 'unit_tests', 'staging'],
    ]);
  });

  it('lists its slots by their names, whatever the order in which they were uploaded', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((pipeline) => piece({ pipeline })) as [
      EvidencePiece,
      EvidencePiece,
      EvidencePiece,
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

  it('does not mistake a run with an empty name for uploads without a run', () => {
    const evidence = [
      piece({ id: 'named', run: run('', 2), receivedAt: at(3) }),
      redPiece({ id: 'nameless', run: null, job: '', receivedAt: at(4) }),
    ];
    expect(idsOf(decide(evidence))).toEqual(['nameless']);
    expect(idsOf(decide([...evidence].toReversed()))).toEqual(['nameless']);
  });
});

describe('describeSet', () => {
  const set = (...pieces: readonly EvidencePiece[]): string => describeSet(CANDIDATE, decide(pieces));
  const base = piece({ id: 'one' });

  it('is the same for the same pieces in any order', () => {
    const other = piece({ id: 'two', job: 'web' });
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
    expect(describeSet(MERGE, decide([base]))).not.toBe(set(base));
  });
});
