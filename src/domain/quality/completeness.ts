import { missingFactCondition, type Condition, toSubjectId } from '../facts/condition.js';
import type { RunJobFact, RunJobsFact } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import { type EffectiveEvidenceSet, type EvidenceGroup, groupLabel } from '../evidence/effective-evidence-set.js';
import { groupBy } from '../group-by.js';

/**
 * Returns a condition for each missing part of a run that uploaded some of its evidence: unfinished jobs of a matrix,
 * failed jobs without an upload, and missing jobs of a stated group. Jobs with the same name before ` (` are one
 * matrix.
 */
export function unmetCompleteness(set: EffectiveEvidenceSet, facts: TrackedFacts, now: Date): readonly Condition[] {
  return set.flatMap((group) => [...unmetRun(group, facts, now), ...unmetGroups(group)]);
}

/** Returns whether a job of the same matrix is known to have failed without an upload. */
export const hasFailedSibling = (set: EffectiveEvidenceSet, facts: TrackedFacts, now: Date): boolean =>
  set.some((group) => unmetRun(group, facts, now).some(({ code }) => code === 'evidence_failing'));

function unmetRun(group: EvidenceGroup, facts: TrackedFacts, now: Date): readonly Condition[] {
  const { provenRun } = group;
  // Only a proven job shows to which matrix an upload belongs.
  if (provenRun === null || provenRun.jobIds.length === 0) return [];
  const { id, jobIds, lastArrivalAt } = provenRun;
  const known = facts.read('run_jobs', id);
  const listsAll = !known?.granted || jobIds.every((jobId) => known.jobs.some((job) => job.id === jobId));
  // GitHub may have the job although the stored list does not: the job may have started after the list was read.
  const run = listsAll ? known : facts.withMinimumAge(lastArrivalAt.getTime(), now).read('run_jobs', id);
  if (!run) return [missingFactCondition(`the jobs of run ${id}`)];
  return run.granted ? matrixConditions(group, run, new Set(jobIds), id) : [];
}

function matrixConditions(
  group: EvidenceGroup,
  run: RunJobsFact,
  uploaded: ReadonlySet<number>,
  runId: string,
): readonly Condition[] {
  const uploaders = run.jobs.filter(({ id }) => uploaded.has(id));
  if (!run.complete || uploaders.length < uploaded.size) {
    return [incomplete(group, `GitHub does not list every job of run ${runId} that uploaded it. Start a new run.`)];
  }
  const unfinished: RunJobFact[] = [];
  const failed: RunJobFact[] = [];
  for (const [matrix, matrixUploaders] of groupBy(uploaders, matrixName)) {
    const attempt = Math.max(...matrixUploaders.map((job) => job.attempt));
    for (const tries of groupBy(
      run.jobs.filter((job) => matrixName(job) === matrix),
      ({ name }) => name,
    ).values()) {
      const later = latest(tries.filter((each) => each.attempt > attempt));
      const isRunning = later.some(({ state }) => state === 'running');
      for (const job of latest(tries.filter((each) => each.attempt <= attempt))) {
        if (job.state === 'running' && matrixUploaders.some((other) => isSibling(job, other))) unfinished.push(job);
        if (job.state !== 'failure' || uploaded.has(job.id)) continue;
        // A later attempt of the job replaces an earlier one, even if it uploaded nothing.
        if (isRunning) unfinished.push(job);
        else if (later.length === 0) failed.push(job);
      }
      // No job of these attempts uploaded. What was uploaded before does not show why it failed.
      failed.push(...later.filter(({ state }) => state === 'failure'));
    }
  }
  return [
    ...(unfinished.length === 0
      ? []
      : [
          incomplete(
            group,
            `${formatJobNames(unfinished)} of run ${runId} did not finish yet. Wait, or run the job again.`,
          ),
        ]),
    ...(failed.length === 0 ? [] : [failing(group, failed, runId)]),
  ];
}

/**
 * Returns the jobs of a run that have a unique name within each attempt. If two jobs of one attempt share a name, as in
 * a matrix with a fixed name, their attempts cannot be distinguished.
 */
export function distinctJobs({ jobs }: RunJobsFact): readonly RunJobFact[] {
  const ofAttempts = groupBy(jobs, ({ name, attempt }) => JSON.stringify([name, attempt])).values();
  const shared = new Set([...ofAttempts].filter((same) => same.length > 1).map(([{ name }]) => name));
  return jobs.filter(({ name }) => !shared.has(name));
}

const matrixName = ({ name }: RunJobFact): string => name.split(' (', 1)[0] ?? name;

/** Whether two jobs of one matrix ran in the same attempt. Two attempts of one job are not siblings. */
const isSibling = (one: RunJobFact, other: RunJobFact): boolean => one.id !== other.id && one.attempt === other.attempt;

/** Returns the jobs of the last attempt. */
function latest(tries: readonly RunJobFact[]): readonly RunJobFact[] {
  const attempt = tries.reduce((last, job) => Math.max(last, job.attempt), 0);
  return tries.filter((job) => job.attempt === attempt);
}

/** Counts the jobs of each group within one run. Uploads without a run form their own groups. */
function unmetGroups(group: EvidenceGroup): readonly Condition[] {
  const members = group.items.flatMap(({ run, job, jobGroup }) =>
    jobGroup === null ? [] : [{ run, job, ...jobGroup }],
  );
  const jobGroups = groupBy(members, ({ run, name }) => JSON.stringify([run?.proven, run?.id, name])).values();
  return [...jobGroups].flatMap((uploads) => {
    const total = Math.max(...uploads.map((member) => member.total));
    const jobs = new Set(uploads.flatMap(({ job }) => (job === null ? [] : [job]))).size;
    if (jobs >= total) return [];
    const [{ name }] = uploads;
    return [incomplete(group, `${jobs} of the ${total} jobs of the group "${name}" uploaded it. Run the others.`)];
  });
}

function formatJobNames(jobs: readonly RunJobFact[]): string {
  const listed = jobs.slice(0, 3).map(({ name }) => `"${name}"`);
  const more = jobs.length - listed.length;
  return `${jobs.length === 1 ? 'the job' : 'the jobs'} ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const incomplete = (group: EvidenceGroup, why: string): Condition => ({
  code: 'evidence_incomplete',
  detail: `${groupLabel(group)} is incomplete: ${why}`,
  actor: 'ci',
  subjects: [{ id: toSubjectId('evidence', group.pipeline, group.kind, group.environment), label: groupLabel(group) }],
});

const failing = (group: EvidenceGroup, jobs: readonly RunJobFact[], runId: string): Condition => ({
  code: 'evidence_failing',
  detail: `${groupLabel(group)} fails: ${formatJobNames(jobs)} of run ${runId} ended without an upload. Run the job again.`,
  actor: 'ci',
  subjects: jobs.map(({ id, name, attempt }) => ({
    id: toSubjectId('job', id),
    label: `the job "${name}" of run ${runId}, attempt ${attempt}`,
  })),
});
