import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, coverageItem, NOW, evidenceItem } from '../../../test/support/given-facts.js';
import { withoutSubjects } from '../facts/condition.js';
import type { RunJobFact, RunJobsFact } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { distinctJobs, hasFailedSibling, unmetCompleteness } from './completeness.js';
import { selectEffectiveEvidence, type EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import type { EvidenceItem } from '../evidence/evidence.js';

const setOf = (...evidence: readonly EvidenceItem[]): EffectiveEvidenceSet =>
  selectEffectiveEvidence(evidence, { sha: CANDIDATE, shas: [CANDIDATE] }, () => true);

const job = (id: number, name: string, changes: Partial<RunJobFact> = {}): RunJobFact => ({
  id,
  name,
  attempt: 1,
  state: 'success',
  ...changes,
});

const uploaded = (id: number, name: string | null = `job ${id}`, changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  evidenceItem({ checkRunId: id, job: name, ...changes });

const factsOf = (jobs: readonly RunJobFact[], changes: Partial<RunJobsFact> = {}): TrackedFacts =>
  new TrackedFacts([
    { kind: 'run_jobs', key: '100', value: { granted: true, complete: true, jobs, ...changes }, observedAt: NOW },
  ]);

const codesOf = (set: EffectiveEvidenceSet, facts: TrackedFacts): readonly string[] =>
  unmetCompleteness(set, facts, NOW).map(({ code }) => code);

interface Case {
  readonly name: string;
  readonly jobs: readonly RunJobFact[];
  /** The ids of the jobs that uploaded. */
  readonly uploads: readonly number[];
  readonly unmet: readonly string[];
}

const [running, failed] = [{ state: 'running' }, { state: 'failure' }] as const;
const second = { attempt: 2 };

const cases: readonly Case[] = [
  {
    name: 'a single job that still runs while it uploads',
    jobs: [job(1, 'test', running)],
    uploads: [1],
    unmet: [],
  },
  { name: 'a single job that failed after its upload', jobs: [job(1, 'test', failed)], uploads: [1], unmet: [] },
  {
    name: 'every cell of a matrix that uploaded',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', failed)],
    uploads: [1, 2],
    unmet: [],
  },
  {
    name: 'a sibling that still runs',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', running)],
    uploads: [1],
    unmet: ['evidence_incomplete'],
  },
  {
    name: 'a sibling that still runs after its upload',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', running)],
    uploads: [1, 2],
    unmet: ['evidence_incomplete'],
  },
  {
    name: 'a sibling that ended without an upload',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', failed)],
    uploads: [1],
    unmet: ['evidence_failing'],
  },
  {
    name: 'siblings that still run or ended without an upload',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', failed), job(3, 'test (3)', running)],
    uploads: [1],
    unmet: ['evidence_incomplete', 'evidence_failing'],
  },
  {
    name: 'siblings that succeeded or were skipped without an upload',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)'), job(3, 'test (3)', { state: 'skipped' })],
    uploads: [1],
    unmet: [],
  },
  {
    name: 'other jobs of the run',
    jobs: [job(1, 'test (1)'), job(2, 'deploy', running), job(3, 'testing', failed), job(4, 'test-ui (1)', failed)],
    uploads: [1],
    unmet: [],
  },
  {
    name: 'a sibling whose name has no matrix values',
    jobs: [job(1, 'test (1)'), job(2, 'test', running)],
    uploads: [1],
    unmet: ['evidence_incomplete'],
  },
  {
    name: 'siblings with the same name',
    jobs: [job(1, 'test'), job(2, 'test', failed)],
    uploads: [1],
    unmet: ['evidence_failing'],
  },
  {
    name: 'an earlier attempt of the job that uploads while it runs',
    jobs: [job(1, 'test', failed), job(2, 'test', { ...running, ...second })],
    uploads: [1, 2],
    unmet: [],
  },
  {
    name: 'a cell that ran again and uploaded, when the others stay unchanged',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', failed), job(3, 'test (2)', second)],
    uploads: [1, 3],
    unmet: [],
  },
  {
    name: 'cells that a later attempt lists again under new ids',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', failed), job(3, 'test (2)', second), job(4, 'test (1)', second)],
    uploads: [1, 3],
    unmet: [],
  },
  {
    name: 'a cell that runs again beside one that uploaded in the same attempt',
    jobs: [
      job(1, 'test (1)'),
      job(2, 'test (2)'),
      job(3, 'test (1)', second),
      job(4, 'test (2)', { ...second, ...running }),
    ],
    uploads: [1, 2, 3],
    unmet: ['evidence_incomplete'],
  },
  {
    name: 'a cell that uploaded before and ended without an upload when all cells ran again',
    jobs: [
      job(1, 'test (1)'),
      job(2, 'test (2)'),
      job(3, 'test (1)', second),
      job(4, 'test (2)', { ...second, ...failed }),
    ],
    uploads: [1, 2, 3],
    unmet: ['evidence_failing'],
  },
  {
    name: 'a later attempt without an upload so far',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)'), job(3, 'test (1)', { ...second, ...running })],
    uploads: [1, 2],
    unmet: [],
  },
  {
    name: 'a cell that ended without an upload and succeeded when it ran again',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', failed), job(3, 'test (2)', second)],
    uploads: [1],
    unmet: [],
  },
  {
    name: 'a cell that ended without an upload and is running again',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', failed), job(3, 'test (2)', { ...second, ...running })],
    uploads: [1],
    unmet: ['evidence_incomplete'],
  },
  {
    name: 'a cell that ended without an upload in each attempt',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', failed), job(3, 'test (2)', { ...second, ...failed })],
    uploads: [1],
    unmet: ['evidence_failing'],
  },
  {
    name: 'a job that uploaded and ended without an upload when it ran again',
    jobs: [job(1, 'test'), job(2, 'test', { ...second, ...failed })],
    uploads: [1],
    unmet: ['evidence_failing'],
  },
  {
    name: 'a matrix that uploaded and of which every cell ended without an upload when it ran again',
    jobs: [
      job(1, 'test (1)'),
      job(2, 'test (2)'),
      job(3, 'test (1)', { ...second, ...failed }),
      job(4, 'test (2)', { ...second, ...failed }),
    ],
    uploads: [1, 2],
    unmet: ['evidence_failing'],
  },
  {
    name: 'a job that ended without an upload in its second attempt and succeeded in its third one',
    jobs: [job(1, 'test'), job(2, 'test', { ...second, ...failed }), job(3, 'test', { attempt: 3 })],
    uploads: [1],
    unmet: [],
  },
  {
    name: 'a cell that ended without an upload before another cell ran again',
    jobs: [job(1, 'test (1)'), job(2, 'test (2)', failed), job(3, 'test (1)', second)],
    uploads: [1, 3],
    unmet: ['evidence_failing'],
  },
  {
    name: 'jobs of one name of which one failed and one still runs',
    jobs: [job(1, 'test'), job(2, 'test', failed), job(3, 'test', running)],
    uploads: [1],
    unmet: ['evidence_incomplete', 'evidence_failing'],
  },
  {
    name: 'an upload of a job that GitHub does not list',
    jobs: [job(1, 'test (1)')],
    uploads: [1, 9],
    unmet: ['evidence_incomplete'],
  },
];

describe('the completeness of a proven run', () => {
  it.each(cases)('evaluates $name', ({ jobs, uploads, unmet }) => {
    const set = setOf(...uploads.map((id) => uploaded(id, null)));
    expect(codesOf(set, factsOf(jobs))).toStrictEqual(unmet);
    expect(codesOf(set, factsOf(jobs.toReversed()))).toStrictEqual(unmet);
    expect(hasFailedSibling(set, factsOf(jobs), NOW)).toBe(unmet.includes('evidence_failing'));
  });

  it('identifies a job that failed again by its last attempt, so that a waiver of an earlier one does not cover it', () => {
    const jobs = [job(1, 'test (1)'), job(2, 'test (2)', failed), job(3, 'test (2)', { ...second, ...failed })];
    const [condition] = unmetCompleteness(setOf(uploaded(1)), factsOf(jobs), NOW);
    expect(condition?.subjects).toEqual([{ id: '["job",3]', label: 'the job "test (2)" of run 100, attempt 2' }]);
  });

  it('is unknown until the jobs of the run are known', () => {
    const facts = new TrackedFacts([]);
    expect(unmetCompleteness(setOf(uploaded(1)), facts, NOW)).toEqual([
      { code: 'unknown', detail: 'Not known yet: the jobs of run 100.', actor: 'service' },
    ]);
    expect(facts.missing()).toEqual([{ kind: 'run_jobs', key: '100' }]);
  });

  it('is read again if a job uploaded after the jobs were read', () => {
    const facts = factsOf([job(1, 'test (1)')]);
    const later = uploaded(2, null, { receivedAt: new Date(NOW.getTime() + 1) });
    expect(codesOf(setOf(uploaded(1), later), facts)).toEqual(['unknown']);
    expect(facts.missing()).toEqual([{ kind: 'run_jobs', key: '100' }]);
  });

  it('is not read again if the jobs that uploaded since are already listed', () => {
    const facts = factsOf([job(1, 'test (1)'), job(2, 'test (2)')]);
    const later = uploaded(2, null, { receivedAt: new Date(NOW.getTime() + 1) });
    expect(codesOf(setOf(uploaded(1), later), facts)).toStrictEqual([]);
    expect(facts.missing()).toEqual([]);
  });

  it('names the run if GitHub does not list a job that uploaded', () => {
    const facts = factsOf([job(1, 'test (1)')]);
    expect(unmetCompleteness(setOf(uploaded(1), uploaded(9, null)), facts, NOW).map(withoutSubjects)).toEqual([
      {
        code: 'evidence_incomplete',
        detail:
          '"unit_tests" of "ci" (staging) is incomplete: GitHub does not list every job of run 100 that uploaded it. Start a new run.',
        actor: 'ci',
      },
    ]);
  });

  it('has a failed sibling if one of several kinds of evidence has one', () => {
    const jobs = [job(1, 'test (1)'), job(2, 'test (2)', failed)];
    const set = setOf(uploaded(1), uploaded(2), coverageItem(90, { checkRunId: 1 }));
    expect(hasFailedSibling(set, factsOf(jobs), NOW)).toBe(true);
  });

  it('is not checked if the installation may not read Actions', () => {
    expect(codesOf(setOf(uploaded(1)), factsOf([], { granted: false }))).toStrictEqual([]);
  });

  it('is not checked, and no fact is read, if no token proves a job', () => {
    const facts = new TrackedFacts([]);
    const claimed = { id: 'https://ci.test/1', proven: false };
    expect(codesOf(setOf(evidenceItem(), evidenceItem({ pipeline: 'other', run: claimed })), facts)).toEqual([]);
    expect(facts.keys()).toEqual([]);
  });

  it('is missing if GitHub lists more jobs than were read', () => {
    expect(codesOf(setOf(uploaded(1)), factsOf([job(1, 'test')], { complete: false }))).toEqual([
      'evidence_incomplete',
    ]);
  });

  it('is checked for each kind of evidence separately', () => {
    const jobs = [job(1, 'test (1)'), job(2, 'test (2)', failed)];
    const set = setOf(uploaded(1), uploaded(2), coverageItem(90, { checkRunId: 1 }));
    expect(unmetCompleteness(set, factsOf(jobs), NOW).map(withoutSubjects)).toEqual([
      {
        code: 'evidence_failing',
        detail:
          '"coverage" of "ci" (staging) fails: the job "test (2)" of run 100 ended without an upload. Run the job again.',
        actor: 'ci',
      },
    ]);
  });

  it('names the first three jobs and counts the others', () => {
    const jobs = [1, 2, 3, 4, 5, 6].map((id) => job(id, `test (${id})`, id === 1 ? {} : running));
    expect(unmetCompleteness(setOf(uploaded(1)), factsOf(jobs), NOW).map(({ detail }) => detail)).toEqual([
      '"unit_tests" of "ci" (staging) is incomplete: the jobs "test (2)", "test (3)", "test (4)" and 2 more of run 100 did not finish yet. Wait, or run the job again.',
    ]);
  });
});

describe('distinctJobs', () => {
  it('omits jobs whose name two jobs of one attempt share, in every attempt', () => {
    const jobs = [job(1, 'test'), job(2, 'test'), job(3, 'test', second), job(4, 'lint'), job(5, 'lint', second)];
    expect(distinctJobs({ granted: true, complete: true, jobs }).map(({ id }) => id)).toEqual([4, 5]);
  });

  it('returns jobs of different names and of different attempts', () => {
    const jobs = [job(1, 'test'), job(2, 'lint'), job(3, 'test', second)];
    expect(distinctJobs({ granted: true, complete: true, jobs })).toEqual(jobs);
  });
});

describe('the completeness of a stated job group', () => {
  const nothing = new TrackedFacts([]);
  const group = (total: number, name = 'tests'): Pick<EvidenceItem, 'jobGroup'> => ({ jobGroup: { name, total } });
  const claimed = (path: string): Pick<EvidenceItem, 'run'> => ({
    run: { id: `https://ci.test/${path}`, proven: false },
  });

  it.each<[string, readonly EvidenceItem[], readonly string[]]>([
    [
      'as many jobs as stated',
      [
        evidenceItem({ ...claimed('1'), job: 'a', ...group(2) }),
        evidenceItem({ ...claimed('1'), job: 'b', ...group(2) }),
      ],
      [],
    ],
    ['fewer jobs than stated', [evidenceItem({ ...claimed('1'), job: 'a', ...group(2) })], ['evidence_incomplete']],
    [
      'one job twice',
      [
        evidenceItem({ ...claimed('1'), job: 'a', ...group(2) }),
        evidenceItem({ ...claimed('1'), job: 'a', ...group(2) }),
      ],
      ['evidence_incomplete'],
    ],
    ['jobs without names', [evidenceItem({ ...claimed('1'), job: null, ...group(1) })], ['evidence_incomplete']],
    [
      'the higher of two totals',
      [
        evidenceItem({ ...claimed('1'), job: 'a', ...group(1) }),
        evidenceItem({ ...claimed('1'), job: 'b', ...group(3) }),
      ],
      ['evidence_incomplete'],
    ],
    [
      'each group separately',
      [
        evidenceItem({ ...claimed('1'), job: 'a', ...group(2) }),
        evidenceItem({ ...claimed('1'), job: 'b', ...group(1, 'lint') }),
      ],
      ['evidence_incomplete'],
    ],
    [
      'uploads without a run together',
      [evidenceItem({ run: null, job: 'a', ...group(2) }), evidenceItem({ run: null, job: 'b', ...group(2) })],
      [],
    ],
    [
      'only the newest run',
      [
        evidenceItem({ ...claimed('1'), job: 'a', ...group(2), receivedAt: new Date(1) }),
        evidenceItem({ ...claimed('2'), job: 'b', ...group(2), receivedAt: new Date(2) }),
      ],
      ['evidence_incomplete'],
    ],
  ])('counts %s', (_name, evidence, codes) => {
    expect(codesOf(setOf(...evidence), nothing)).toStrictEqual(codes);
  });

  it('reports how many jobs uploaded', () => {
    expect(
      unmetCompleteness(setOf(evidenceItem({ ...claimed('1'), ...group(4) })), nothing, NOW).map(withoutSubjects),
    ).toEqual([
      {
        code: 'evidence_incomplete',
        detail:
          '"unit_tests" of "ci" (staging) is incomplete: 1 of the 4 jobs of the group "tests" uploaded it. Run the others.',
        actor: 'ci',
      },
    ]);
  });
});
