import { missingFactCondition } from '../facts/condition.js';
import type { RunJobFact, RunJobsFact } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import type { Condition } from '../release/stage.js';
import { type EffectiveEvidenceSet, type EvidenceGroup, slotLabel } from './effective-evidence-set.js';
import { groupBy } from './latest-run.js';

/**
 * The parts that are missing of runs that uploaded some of their evidence: jobs of a matrix that have not finished, or ended without
 * an upload, and jobs of a stated group. Jobs whose names are the same before ` (` are one matrix.
 */
export function unmetCompleteness(set: EffectiveEvidenceSet, facts: TrackedFacts, now: Date): readonly Condition[] {
  return set.flatMap((slot) => [...unmetRun(slot, facts, now), ...unmetGroups(slot)]);
}

/** Whether a job of a matrix ended badly without an upload, as far as it is known. */
export const hasFailedSibling = (set: EffectiveEvidenceSet, facts: TrackedFacts, now: Date): boolean =>
  set.some((slot) => unmetRun(slot, facts, now).some(({ code }) => code === 'evidence_failing'));

function unmetRun(slot: EvidenceGroup, facts: TrackedFacts, now: Date): readonly Condition[] {
  const { provenRun } = slot;
  // Without a job that is proven nothing tells which matrix it belongs to.
  if (provenRun === null || provenRun.jobIds.length === 0) return [];
  const { id, jobIds, lastArrivalAt } = provenRun;
  const known = facts.read('run_jobs', id);
  const listsAll = !known?.granted || jobIds.every((wanted) => known.jobs.some((job) => job.id === wanted));
  // A job that began after the jobs were read is none that the host does not know.
  const run = listsAll ? known : facts.withMinimumAge(lastArrivalAt.getTime(), now).read('run_jobs', id);
  if (!run) return [missingFactCondition(`the jobs of run ${id}`)];
  return run.granted ? matrixConditions(slot, run, new Set(jobIds), id) : [];
}

function matrixConditions(
  slot: EvidenceGroup,
  run: RunJobsFact,
  uploaded: ReadonlySet<number>,
  runId: string,
): readonly Condition[] {
  const uploaders = run.jobs.filter(({ id }) => uploaded.has(id));
  if (!run.complete || uploaders.length < uploaded.size) {
    return [incomplete(slot, `GitHub does not list every job of run ${runId} that uploaded it. Start a new run.`)];
  }
  const unfinished: RunJobFact[] = [];
  const failed: RunJobFact[] = [];
  for (const [matrix, ofMatrix] of groupBy(uploaders, matrixOf)) {
    const attempt = Math.max(...ofMatrix.map((job) => job.attempt));
    for (const tries of groupBy(
      run.jobs.filter((job) => matrixOf(job) === matrix),
      ({ name }) => name,
    ).values()) {
      for (const job of latest(tries.filter((each) => each.attempt <= attempt))) {
        if (job.state === 'running' && ofMatrix.some((other) => isSibling(job, other))) unfinished.push(job);
        if (job.state !== 'failure' || uploaded.has(job.id)) continue;
        // A later attempt of the job outranks an earlier one, also where it uploaded nothing.
        const later = latest(tries.filter((each) => each.attempt > attempt)).map(({ state }) => state);
        if (later.includes('running')) unfinished.push(job);
        else if (later.length === 0 || later.includes('failure')) failed.push(job);
      }
    }
  }
  return [
    ...(unfinished.length === 0
      ? []
      : [incomplete(slot, `${namesOf(unfinished)} of run ${runId} did not finish yet. Wait, or run the job again.`)]),
    ...(failed.length === 0
      ? []
      : [failing(slot, `${namesOf(failed)} of run ${runId} ended without an upload. Run the job again.`)]),
  ];
}

/**
 * The jobs of a run that their names tell apart. A name that two jobs of one attempt share, as the cells of a matrix with a fixed name,
 * tells nothing of which of them ran again.
 */
export function distinctJobs({ jobs }: RunJobsFact): readonly RunJobFact[] {
  const ofAttempts = groupBy(jobs, ({ name, attempt }) => JSON.stringify([name, attempt])).values();
  const shared = new Set([...ofAttempts].filter((same) => same.length > 1).map(([{ name }]) => name));
  return jobs.filter(({ name }) => !shared.has(name));
}

const matrixOf = ({ name }: RunJobFact): string => name.split(' (', 1)[0] ?? name;

/** Of one matrix: attempts of a job are no siblings of each other. */
const isSibling = (one: RunJobFact, other: RunJobFact): boolean => one.id !== other.id && one.attempt === other.attempt;

/** The jobs of the last attempt among them. */
function latest(tries: readonly RunJobFact[]): readonly RunJobFact[] {
  const attempt = tries.reduce((last, job) => Math.max(last, job.attempt), 0);
  return tries.filter((job) => job.attempt === attempt);
}

/** Groups are counted within the run, or among the uploads that name none. */
function unmetGroups(slot: EvidenceGroup): readonly Condition[] {
  const members = slot.pieces.flatMap(({ run, job, jobGroup }) =>
    jobGroup === null ? [] : [{ run, job, ...jobGroup }],
  );
  const groups = groupBy(members, ({ run, name }) => JSON.stringify([run?.proven, run?.id, name])).values();
  return [...groups].flatMap((group) => {
    const total = Math.max(...group.map((member) => member.total));
    const jobs = new Set(group.flatMap(({ job }) => (job === null ? [] : [job]))).size;
    if (jobs >= total) return [];
    const [{ name }] = group;
    return [incomplete(slot, `${jobs} of the ${total} jobs of the group "${name}" uploaded it. Run the others.`)];
  });
}

function namesOf(jobs: readonly RunJobFact[]): string {
  const shown = jobs.slice(0, 3).map(({ name }) => `"${name}"`);
  const more = jobs.length - shown.length;
  return `${jobs.length === 1 ? 'the job' : 'the jobs'} ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const incomplete = (slot: EvidenceGroup, why: string): Condition => ({
  code: 'evidence_incomplete',
  detail: `${slotLabel(slot)} is incomplete: ${why}`,
  actor: 'ci',
});

const failing = (slot: EvidenceGroup, why: string): Condition => ({
  code: 'evidence_failing',
  detail: `${slotLabel(slot)} fails: ${why}`,
  actor: 'ci',
});
