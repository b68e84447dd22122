import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, NOW, evidenceItem, PLAIN_POLICY, failingItem } from '../../../test/support/given-facts.js';
import type { RunJobFact, RunJobsFact } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { selectGatingEvidence, unmetEvidence } from './evidence-requirements.js';
import { distinctJobs, unmetCompleteness } from './completeness.js';
import type { EvidenceItem } from '../evidence/evidence.js';

/**
 * A second implementation of the rules for passing tests, slow and literal. Random sequences of uploads compare the rules with it.
 * No evidence may pass that this implementation rejects.
 */

type Proof = 'unnamed' | 'claimed' | 'proven';
const PROOFS: readonly Proof[] = ['unnamed', 'claimed', 'proven'];

interface Upload {
  readonly proof: Proof;
  /** A run number of GitHub or an address. Uploads without a run have none. */
  readonly run: string | null;
  readonly attempt: number;
  readonly checkRunId: number | null;
  /** The field `job` of the upload. */
  readonly stated: string | null;
  readonly group: { readonly name: string; readonly total: number } | null;
  readonly red: boolean;
  readonly at: number;
}

interface Scenario {
  readonly uploads: readonly Upload[];
  /** The jobs of each proven run, as GitHub lists them. */
  readonly runs: ReadonlyMap<string, RunJobsFact>;
}

/** Returns the name of the upload's job, or null if it is not known. */
function jobNameOf({ proof, run, checkRunId, stated }: Upload, { runs }: Scenario): string | null {
  const runJobs = proof === 'proven' && run !== null ? runs.get(run) : undefined;
  if (!runJobs?.granted || checkRunId === null) return stated;
  const job = runJobs.jobs.find(({ id }) => id === checkRunId);
  const namesakes = runJobs.jobs.filter(({ name, attempt }) => name === job?.name && attempt === job.attempt);
  return job && namesakes.length === 1 ? job.name : null;
}

/** Uploads of one run. Each upload without a run is its own run. */
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

function oraclePasses(scenario: Scenario): boolean {
  const runs = runsOf(scenario.uploads);
  const counting = runs.filter((run) => !runs.some((other) => isNewer(other, run) && isAsWellProven(other, run)));
  const isCounting = new Set(counting.flatMap(({ uploads }) => uploads));
  const unnamed = scenario.uploads.filter(({ proof }) => proof === 'unnamed');
  const together = [...runs.filter(({ proof }) => proof !== 'unnamed').map(({ uploads }) => uploads), unnamed];
  const counted = together.map((all) => unreplaced(all, scenario).filter((upload) => isCounting.has(upload)));
  return (
    counted.flat().length > 0 &&
    counted.flat().every(({ red }) => !red) &&
    counted.every((uploads, index) => isGroupComplete(uploads, together[index] ?? [], scenario)) &&
    counting.every((run) => run.proof !== 'proven' || isMatrixComplete(run, scenario))
  );
}

const unreplaced = (together: readonly Upload[], scenario: Scenario): readonly Upload[] =>
  together.filter((upload) => {
    const job = jobNameOf(upload, scenario);
    return (
      job === null || !together.some((other) => jobNameOf(other, scenario) === job && other.attempt > upload.attempt)
    );
  });

/** Returns whether at least as many jobs uploaded to the group as its counted uploads state. */
function isGroupComplete(counted: readonly Upload[], together: readonly Upload[], scenario: Scenario): boolean {
  return counted.every(({ group }) => {
    if (group === null) return true;
    const jobs = together
      .filter((other) => other.group?.name === group.name)
      .map((other) => jobNameOf(other, scenario));
    return new Set(jobs.filter((job) => job !== null)).size >= group.total;
  });
}

const matrixOf = (name: string): string => name.split(' (')[0] ?? '';

function isMatrixComplete(run: OracleRun, { runs }: Scenario): boolean {
  const runJobs = runs.get(run.id);
  const ids = run.uploads.flatMap(({ checkRunId }) => (checkRunId === null ? [] : [checkRunId]));
  if (ids.length === 0 || runJobs?.granted === false) return true;
  return ids.every((id) => {
    const uploader = runJobs?.jobs.find((job) => job.id === id);
    if (!runJobs || !uploader) return false;
    if (failsAfterUploads(runJobs.jobs, matrixOf(uploader.name), ids)) return false;
    // A job that a later attempt does not list keeps its earlier result.
    const upToNow = runJobs.jobs.filter((job) => job.attempt <= uploader.attempt);
    const siblings = upToNow.filter(
      (job) =>
        job.id !== id &&
        matrixOf(job.name) === matrixOf(uploader.name) &&
        !upToNow.some((other) => other.name === job.name && other.attempt > job.attempt),
    );
    return siblings.every((sibling) => {
      if (sibling.state === 'running') return false;
      if (sibling.state !== 'failure' || ids.includes(sibling.id)) return true;
      // The job ran again. Its last attempt decides, or the last attempt up to which there was an upload.
      const later = runJobs.jobs.filter(({ name, attempt }) => name === sibling.name && attempt > sibling.attempt);
      const uploaders = runJobs.jobs.filter(
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

/** Returns whether the last attempt of a job of the matrix failed after the last attempt of the matrix that uploaded. */
function failsAfterUploads(jobs: readonly RunJobFact[], matrix: string, uploaded: readonly number[]): boolean {
  const ofMatrix = jobs.filter(({ name }) => matrixOf(name) === matrix);
  const lastUpload = Math.max(...ofMatrix.filter(({ id }) => uploaded.includes(id)).map(({ attempt }) => attempt));
  const isLast = ({ name, attempt }: RunJobFact): boolean =>
    !ofMatrix.some((other) => other.name === name && other.attempt > attempt);
  return ofMatrix.some((job) => job.attempt > lastUpload && isLast(job) && job.state === 'failure');
}

/** Returns the verdict of the service on the same scenario. */
function servicePasses(scenario: Scenario, order: readonly Upload[]): boolean {
  const evidence = order.map((upload, index): EvidenceItem =>
    (upload.red ? failingItem : evidenceItem)({
      id: `upload ${index}`,
      sha256: `sha ${index}`,
      run: upload.run === null ? null : { id: upload.run, proven: upload.proof === 'proven' },
      attempt: upload.attempt,
      checkRunId: upload.checkRunId,
      job: nameForService(upload, scenario),
      jobGroup: upload.group,
      receivedAt: new Date(NOW.getTime() - 60_000 + upload.at),
    }),
  );
  const facts = new TrackedFacts(
    [...scenario.runs].map(([key, value]) => ({ kind: 'run_jobs' as const, key, value, observedAt: NOW })),
  );
  const candidate = { sha: CANDIDATE, shas: [CANDIDATE] };
  const set = selectGatingEvidence(evidence, candidate, PLAIN_POLICY, null, { facts, now: NOW });
  return (
    unmetEvidence(set, [], PLAIN_POLICY.qualityGates, null).length === 0 &&
    unmetCompleteness(set, facts, NOW).length === 0
  );
}

function nameForService({ proof, run, checkRunId, stated }: Upload, { runs }: Scenario): string | null {
  const runJobs = proof === 'proven' && run !== null ? runs.get(run) : undefined;
  if (!runJobs?.granted || checkRunId === null) return stated;
  return distinctJobs(runJobs).find(({ id }) => id === checkRunId)?.name ?? null;
}

/** Returns numbers from 0 to below 1, the same for the same seed. */
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

/** Draws a run with a matrix and another job. Its last attempt may still run. */
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

function drawScenario(seed: number): Scenario {
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

/** The service may be stricter if several jobs may have one name, or if there are runs of different kinds. */
const isPlain = ({ uploads, runs }: Scenario): boolean =>
  uploads.every(({ proof, checkRunId }) => proof === 'proven' && checkRunId !== null) &&
  [...runs.values()].every((run) => distinctJobs(run).length === run.jobs.length);

const SEQUENCES = 120_000;

describe('the evidence of any sequence of uploads', () => {
  it('never passes when the reference implementation does not let it pass', () => {
    const seen = { both: 0, neither: 0, stricter: 0, plain: 0 };
    const first = Number(process.env['EVIDENCE_SEED'] ?? 1);
    for (let seed = first; seed < first + SEQUENCES; seed += 1) {
      const scenario = drawScenario(seed);
      const [service, oracle] = [servicePasses(scenario, scenario.uploads), oraclePasses(scenario)];
      const example = `EVIDENCE_SEED=${seed} ${JSON.stringify([scenario.uploads, [...scenario.runs]], null, 1)}`;
      if (service && !oracle) throw new Error(`passes, and must not: ${example}`);
      if (oracle && !service && isPlain(scenario)) throw new Error(`does not pass, and must: ${example}`);
      seen[service ? 'both' : oracle ? 'stricter' : 'neither'] += 1;
      if (isPlain(scenario)) seen.plain += 1;
      if (seed % 8 === 0 && servicePasses(scenario, scenario.uploads.toReversed()) !== service) {
        throw new Error(`depends on the order in which the uploads are listed: ${example}`);
      }
    }
    // Each result occurred, so neither implementation always returns the same.
    expect(seen.both).toBeGreaterThan(SEQUENCES / 20);
    expect(seen.neither).toBeGreaterThan(SEQUENCES / 20);
    expect(seen.plain).toBeGreaterThan(SEQUENCES / 20);
    expect(seen.stricter).toBeLessThan(SEQUENCES / 20);
  });
});
