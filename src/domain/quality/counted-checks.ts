import { groupBy } from '../group-by.js';
import type { CheckFact } from '../facts/facts.js';

/**
 * Returns the reports that count. Runs of one name in one check suite are either one check that ran again or several
 * checks, and GitHub's own list of the latest runs hides all but one of them.
 *
 * Jobs of a workflow run are told apart by their attempt. Other check runs have no attempts: one that began when an
 * earlier one had ended is the same check again, and those at the same time are several checks. A later attempt
 * replaces the earlier ones only if it has as many runs of the name as any attempt has, because fewer runs do not show
 * which of several checks ran again. A skipped run has shown nothing and replaces no run that has ended otherwise.
 */
export function selectCountedChecks(checks: readonly CheckFact[]): readonly CheckFact[] {
  const replaced = new Set<CheckFact>();
  const ofSuites = groupBy(
    checks.filter(({ suite }) => suite !== null),
    ({ name, app, suite }) => JSON.stringify([name, app, suite]),
  );
  for (const runs of ofSuites.values()) {
    if (runs.length === 1) continue;
    const rounds = toRounds(runs);
    const most = Math.max(...rounds.map((round) => round.length));
    const mostUnskipped = Math.max(...rounds.map(countUnskipped));
    const newest = rounds.findLastIndex((round) => round.length === most && countUnskipped(round) === mostUnskipped);
    for (const round of rounds.slice(0, Math.max(0, newest))) for (const run of round) replaced.add(run);
  }
  return replaced.size === 0 ? checks : checks.filter((check) => !replaced.has(check));
}

const countUnskipped = (runs: readonly CheckFact[]): number => runs.filter(({ state }) => state !== 'skipped').length;

/** Divides runs of one name into attempts, the oldest first. Runs whose order is not known are one attempt. */
function toRounds(runs: readonly CheckFact[]): readonly (readonly CheckFact[])[] {
  if (runs.every(({ workflowRun }) => workflowRun === null)) return toRoundsByTime(runs);
  if (runs.some(({ attempt }) => attempt === null)) return [runs];
  return [...groupBy(runs, ({ attempt }) => String(attempt)).values()].sort(
    ([a], [b]) => (a.attempt ?? 0) - (b.attempt ?? 0),
  );
}

/** A run whose beginning or end is not known may overlap every later one. */
function toRoundsByTime(runs: readonly CheckFact[]): readonly (readonly CheckFact[])[] {
  const rounds: CheckFact[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const run of runs.toSorted((a, b) => a.id - b.id)) {
    const round = rounds.at(-1);
    if (round && !(toTime(run.startedAt) >= end)) round.push(run);
    else rounds.push([run]);
    const ended = toTime(run.completedAt);
    end = Number.isNaN(ended) ? Number.POSITIVE_INFINITY : Math.max(end, ended);
  }
  return rounds;
}

const toTime = (time: string | null): number => (time === null ? Number.NaN : Date.parse(time));
