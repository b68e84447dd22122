import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, NOW, piece, PLAIN_POLICY, redPiece } from '../../../test/support/given-facts.js';
import type { RunJobFact, RunJobsFact } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { selectGatingEvidence, unmetEvidence } from './evidence-requirements.js';
import { distinctJobs, unmetCompleteness } from './completeness.js';
import type { EvidenceItem } from '../evidence/evidence.js';

/**
 * A second reading of what makes the tests of a candidate pass, slow and literal, against which the rules are held by random
 * sequences of uploads. Nothing may pass that it does not let pass.
 */

type Proof = 'unnamed' | 'claimed' | 'proven';
const PROOFS: readonly Proof[] = ['unnamed', 'claimed', 'proven'];

interface Upload {
  readonly proof: Proof;
  /** A number of GitHub's, or an address; unnamed uploads have none. */
  readonly run: string | null;
  readonly attempt: number;
  readonly checkRunId: number | null;
  /** The field of the upload. */
  readonly stated: string | null;
  readonly group: { readonly name: string; readonly total: number } | null;
  readonly red: boolean;
  readonly at: number;
}

interface Scene {
  readonly uploads: readonly Upload[];
  /** The jobs of each proven run, as GitHub tells them. */
  readonly runs: ReadonlyMap<string, RunJobsFact>;
}

/** The name of the upload's job, or null where it is not known. */
function jobNameOf({ proof, run, checkRunId, stated }: Upload, { runs }: Scene): string | null {
  const told = proof === 'proven' && run !== null ? runs.get(run) : undefined;
  if (!told?.granted || checkRunId === null) return stated;
  const job = told.jobs.find(({ id }) => id === checkRunId);
  const namesakes = told.jobs.filter(({ name, attempt }) => name === job?.name && attempt === job.attempt);
  return job && namesakes.length === 1 ? job.name : null;
}

/** Uploads that stand for one run; each unnamed upload stands for itself. */
interface OracleRun {
  readonly proof: Proof;
  readonly id: string;
  readonly uploads: readonly Upload[];
  readonly arrival: number;
}

function runsOf(uploads: readonly Upload[]): readonly OracleRun[] {
  const runs = new Map<string, Upload[]>();
  for (const [index, upload] of uploads.entries()) {
    const key = upload.run === null ? `upload ${index}` : `${upload.proof} ${upload.run}`;
    runs.set(key, [...(runs.get(key) ?? []), upload]);
  }
  return [...runs.values()].map((all) => ({
    proof: all[0]?.proof ?? 'unnamed',
    id: all[0]?.run ?? '',
    uploads: all,
    arrival: Math.min(...all.map(({ at }) => at)),
  }));
}

function isNewer(one: OracleRun, other: OracleRun): boolean {
  if (one.proof === 'unnamed' && other.proof === 'unnamed') return false;
  if (one.proof === 'proven' && other.proof === 'proven') return Number(one.id) > Number(other.id);
  return one.arrival > other.arrival;
}

const isAsWellProven = (one: OracleRun, other: OracleRun): boolean =>
  PROOFS.indexOf(one.proof) >= PROOFS.indexOf(other.proof);

function oraclePasses(scene: Scene): boolean {
  const runs = runsOf(scene.uploads);
  const counting = runs.filter((run) => !runs.some((other) => isNewer(other, run) && isAsWellProven(other, run)));
  const isCounting = new Set(counting.flatMap(({ uploads }) => uploads));
  const unnamed = scene.uploads.filter(({ proof }) => proof === 'unnamed');
  const together = [...runs.filter(({ proof }) => proof !== 'unnamed').map(({ uploads }) => uploads), unnamed];
  const counted = together.map((all) => unreplaced(all, scene).filter((upload) => isCounting.has(upload)));
  return (
    counted.flat().length > 0 &&
    counted.flat().every(({ red }) => !red) &&
    counted.every((uploads, index) => isGroupComplete(uploads, together[index] ?? [], scene)) &&
    counting.every((run) => run.proof !== 'proven' || isMatrixComplete(run, scene))
  );
}

const unreplaced = (together: readonly Upload[], scene: Scene): readonly Upload[] =>
  together.filter((upload) => {
    const job = jobNameOf(upload, scene);
    return job === null || !together.some((other) => jobNameOf(other, scene) === job && other.attempt > upload.attempt);
  });

/** The counted uploads state how many jobs there are; each job that uploaded to the group is counted. */
function isGroupComplete(counted: readonly Upload[], together: readonly Upload[], scene: Scene): boolean {
  return counted.every(({ group }) => {
    if (group === null) return true;
    const jobs = together.filter((other) => other.group?.name === group.name).map((other) => jobNameOf(other, scene));
    return new Set(jobs.filter((job) => job !== null)).size >= group.total;
  });
}

const matrixOf = (name: string): string => name.split(' (')[0] ?? '';

function isMatrixComplete(run: OracleRun, { runs }: Scene): boolean {
  const told = runs.get(run.id);
  const ids = run.uploads.flatMap(({ checkRunId }) => (checkRunId === null ? [] : [checkRunId]));
  if (ids.length === 0 || told?.granted === false) return true;
  return ids.every((id) => {
    const uploader = told?.jobs.find((job) => job.id === id);
    if (!told || !uploader) return false;
    // A job that a later attempt does not list stands as it was before.
    const upToNow = told.jobs.filter((job) => job.attempt <= uploader.attempt);
    const siblings = upToNow.filter(
      (job) =>
        job.id !== id &&
        matrixOf(job.name) === matrixOf(uploader.name) &&
        !upToNow.some((other) => other.name === job.name && other.attempt > job.attempt),
    );
    return siblings.every((sibling) => {
      if (sibling.state === 'running') return false;
      if (sibling.state !== 'failure' || ids.includes(sibling.id)) return true;
      // The job ran again: its last attempt decides, or the last one up to which anything was uploaded.
      const later = told.jobs.filter(({ name, attempt }) => name === sibling.name && attempt > sibling.attempt);
      const uploaders = told.jobs.filter(
        (job) => ids.includes(job.id) && matrixOf(job.name) === matrixOf(sibling.name),
      );
      const lastUpload = Math.max(...uploaders.map(({ attempt }) => attempt));
      return [later, later.filter(({ attempt }) => attempt <= lastUpload)].some((attempts) => {
        const last = Math.max(...attempts.map(({ attempt }) => attempt));
        const ended = attempts.filter(({ attempt }) => attempt === last);
        return (
          ended.length > 0 &&
          ended.every(({ id: again, state }) => ids.includes(again) || state === 'success' || state === 'skipped')
        );
      });
    });
  });
}

/** The service's own verdict on the same scene. */
function servicePasses(scene: Scene, order: readonly Upload[]): boolean {
  const evidence = order.map((upload, index): EvidenceItem =>
    (upload.red ? redPiece : piece)({
      id: `upload ${index}`,
      sha256: `sha ${index}`,
      run: upload.run === null ? null : { id: upload.run, proven: upload.proof === 'proven' },
      attempt: upload.attempt,
      checkRunId: upload.checkRunId,
      job: nameForService(upload, scene),
      jobGroup: upload.group,
      receivedAt: new Date(NOW.getTime() - 60_000 + upload.at),
    }),
  );
  const facts = new TrackedFacts(
    [...scene.runs].map(([key, value]) => ({ kind: 'run_jobs' as const, key, value, observedAt: NOW })),
  );
  const candidate = { sha: CANDIDATE, shas: [CANDIDATE] };
  const set = selectGatingEvidence(evidence, candidate, PLAIN_POLICY, null, { facts, now: NOW });
  return (
    unmetEvidence(set, [], PLAIN_POLICY.qualityGates, null).length === 0 &&
    unmetCompleteness(set, facts, NOW).length === 0
  );
}

function nameForService({ proof, run, checkRunId, stated }: Upload, { runs }: Scene): string | null {
  const told = proof === 'proven' && run !== null ? runs.get(run) : undefined;
  if (!told?.granted || checkRunId === null) return stated;
  return distinctJobs(told).find(({ id }) => id === checkRunId)?.name ?? null;
}

/** Numbers below one, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Draw {
  below(count: number): number;
  chance(share: number): boolean;
  one<T>(of: readonly T[]): T;
}

function drawsOf(seed: number): Draw {
  const next = randomNumbers(seed);
  const below = (count: number): number => Math.floor(next() * count);
  return { below, chance: (share) => next() < share, one: (of) => of[below(of.length)] as (typeof of)[number] };
}

const CELLS = ['test (1)', 'test (2)', 'test (3)'];

/** A run with a matrix and another job, whose last attempt may still run. */
function drawRun(draw: Draw, firstId: number): RunJobsFact {
  if (draw.chance(0.1)) return { granted: false, jobs: [], complete: true };
  const names = draw.chance(0.1) ? ['test', 'test'] : [...CELLS.slice(0, 1 + draw.below(3)), 'lint'];
  const attempts = 1 + draw.below(3);
  const jobs: RunJobFact[] = [];
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    for (const name of attempt === 1 || draw.chance(0.5) ? names : names.filter(() => draw.chance(0.6))) {
      const states = [
        'success',
        'success',
        'failure',
        'skipped',
        attempt === attempts ? 'running' : 'success',
      ] as const;
      jobs.push({ id: firstId + jobs.length, name, attempt, state: draw.one(states) });
    }
  }
  return { granted: true, complete: true, jobs };
}

function drawScene(seed: number): Scene {
  const draw = drawsOf(seed);
  const runs = new Map<string, RunJobsFact>();
  for (let run = 0; run < 1 + draw.below(2); run += 1) runs.set(String(9 + run), drawRun(draw, 100 * (run + 1)));
  const red = draw.one([0, 0.1, 0.4]);
  const mixed = draw.chance(0.5);
  const uploads = Array.from({ length: 1 + draw.below(7) }, (): Upload => {
    const proof = mixed ? draw.one(PROOFS) : 'proven';
    const about = { red: draw.chance(red), at: draw.below(5) };
    const stated = draw.one([null, 'test (1)', 'test (2)', 'lint']);
    if (proof !== 'proven') {
      const run = proof === 'claimed' ? draw.one(['https://ci.test/1', 'https://ci.test/2']) : null;
      const group = draw.chance(0.3) ? { name: draw.one(['a', 'b']), total: 1 + draw.below(3) } : null;
      return { ...about, proof, run, stated, attempt: 1 + draw.below(3), checkRunId: null, group };
    }
    const run = draw.one([...runs.keys()]);
    const jobs = runs.get(run)?.jobs ?? [];
    const job = jobs.length > 0 && draw.chance(0.95) ? draw.one(jobs) : undefined;
    return {
      ...about,
      proof,
      run,
      stated,
      attempt: job?.attempt ?? 1 + draw.below(2),
      checkRunId: job?.id ?? (draw.chance(0.5) ? 999 : null),
      group: null,
    };
  });
  return { uploads, runs };
}

/** The service may be stricter where a name may stand for several jobs, or where runs of several sorts meet. */
const isPlain = ({ uploads, runs }: Scene): boolean =>
  uploads.every(({ proof, checkRunId }) => proof === 'proven' && checkRunId !== null) &&
  [...runs.values()].every((run) => distinctJobs(run).length === run.jobs.length);

const SEQUENCES = 120_000;

describe('the evidence of any sequence of uploads', () => {
  it('never passes where the second reading of the rules does not let it pass', () => {
    const seen = { both: 0, neither: 0, stricter: 0, plain: 0 };
    const first = Number(process.env['EVIDENCE_SEED'] ?? 1);
    for (let seed = first; seed < first + SEQUENCES; seed += 1) {
      const scene = drawScene(seed);
      const [service, oracle] = [servicePasses(scene, scene.uploads), oraclePasses(scene)];
      const told = `EVIDENCE_SEED=${seed} ${JSON.stringify([scene.uploads, [...scene.runs]], null, 1)}`;
      if (service && !oracle) throw new Error(`passes, and must not: ${told}`);
      if (oracle && !service && isPlain(scene)) throw new Error(`does not pass, and must: ${told}`);
      seen[service ? 'both' : oracle ? 'stricter' : 'neither'] += 1;
      if (isPlain(scene)) seen.plain += 1;
      if (seed % 8 === 0 && servicePasses(scene, scene.uploads.toReversed()) !== service) {
        throw new Error(`depends on the order in which the uploads are listed: ${told}`);
      }
    }
    // Sequences of each sort were seen, so that neither reading says always the same.
    expect(seen.both).toBeGreaterThan(SEQUENCES / 20);
    expect(seen.neither).toBeGreaterThan(SEQUENCES / 20);
    expect(seen.plain).toBeGreaterThan(SEQUENCES / 20);
    expect(seen.stricter).toBeLessThan(SEQUENCES / 20);
  });
});
