import { type EvidenceKind, type EvidenceItem, isMeasured, uploadIdFromItemId } from './evidence.js';
import { evidenceFailures, evidenceItemStatus, type EvidenceItemStatus } from './evidence-status.js';
import { groupBy } from '../group-by.js';
import { type RunCoverage, RunCoverages } from './run-coverage.js';

type NonEmptyItems = readonly [EvidenceItem, ...EvidenceItem[]];

/** A run with its uploads. */
interface Run {
  readonly id: string;
  /** The arrival of its first item, in milliseconds since the epoch. */
  readonly arrivedAt: number;
  readonly items: NonEmptyItems;
}

/**
 * Selects the items that count for one pipeline, kind and environment.
 *
 * The newest proven run always counts. Another run or upload counts unless a newer run counts that is at least as well
 * proven. A proven run ranks above a claimed one, and a claimed one above an upload without a run. Proven runs are
 * ordered by GitHub's run id. Claimed runs, and runs of different ranks, are ordered by the arrival of their first
 * item. A run that arrived at the same instant is not newer.
 */
export function countedItems(items: readonly EvidenceItem[]): readonly EvidenceItem[] {
  // Most groups contain one item, and a list evaluates tens of thousands of groups.
  if (items.length === 1) return items;
  const proven = selectNewest(toRuns(items.filter(({ run }) => run?.proven === true)), byNumber);
  const claimed = selectNewest(toRuns(items.filter(({ run }) => run?.proven === false)), byArrival);
  const provenAt = proven[0]?.arrivedAt ?? Number.NEGATIVE_INFINITY;
  const countedClaims = claimed.filter(({ arrivedAt }) => arrivedAt >= provenAt);
  const namedAt = Math.max(provenAt, countedClaims[0]?.arrivedAt ?? Number.NEGATIVE_INFINITY);
  const unnamed = items.filter(({ run, receivedAt }) => run === null && receivedAt.getTime() >= namedAt);
  return [...[...proven, ...countedClaims].flatMap((run) => unreplaced(run.items)), ...unreplaced(unnamed)];
}

const toRuns = (items: readonly EvidenceItem[]): readonly Run[] =>
  [...groupBy(items, ({ run }) => run?.id ?? '').entries()].map(([id, runItems]) => ({
    id,
    arrivedAt: runItems.reduce(
      (first, { receivedAt }) => Math.min(first, receivedAt.getTime()),
      Number.POSITIVE_INFINITY,
    ),
    items: runItems,
  }));

/** Returns the newest runs. Several if they are equally new. */
function selectNewest(runs: readonly Run[], compare: (a: Run, b: Run) => number): readonly Run[] {
  const [first, ...rest] = runs;
  if (!first) return [];
  const newest = rest.reduce((best, run) => (compare(run, best) > 0 ? run : best), first);
  return runs.filter((run) => compare(run, newest) === 0);
}

/** Compares GitHub's run ids. They increase, and they may exceed the exact range of a number. */
function byNumber(a: Run, b: Run): number {
  const difference = toRunNumber(a) - toRunNumber(b);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}

const toRunNumber = ({ id }: Run): bigint => (/^\d+$/.test(id) ? BigInt(id) : -1n);

const byArrival = (a: Run, b: Run): number => a.arrivedAt - b.arrivedAt;

/** Returns the items of one run, or those without a run, except items that a later attempt of the same job replaces. */
function unreplaced(items: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const named = items.filter(({ job }) => job !== null);
  const jobs = groupBy(named, ({ job }) => job ?? '').values();
  return [...items.filter(({ job }) => job === null), ...[...jobs].flatMap(latestAttempts)];
}

/**
 * A later attempt replaces the earlier ones if it uploaded as much under the name of the job as any attempt: as many jobs
 * if tokens prove them, else as many items. The jobs of a matrix may state the same name. If fewer of them ran again, it
 * is unknown which earlier items they replace, so none is replaced.
 */
function latestAttempts(jobItems: NonEmptyItems): readonly EvidenceItem[] {
  const attempts = [...groupBy(jobItems, ({ attempt }) => String(attempt)).values()].sort(
    ([a], [b]) => a.attempt - b.attempt,
  );
  const sizes = attempts.map(countJobsOrItems);
  return attempts.slice(sizes.lastIndexOf(Math.max(...sizes))).flat();
}

function countJobsOrItems(items: readonly EvidenceItem[]): number {
  const jobs = new Set(items.map(({ checkRunId }) => checkRunId));
  return jobs.has(null) ? items.length : jobs.size;
}

/** The items of one pipeline, kind and environment that count, from all jobs of a matrix. */
export interface EvidenceGroup {
  readonly pipeline: string;
  readonly kind: EvidenceKind;
  readonly environment: string;
  readonly items: readonly EvidenceItem[];
  /** An earlier run or attempt of the same candidate failed, and the items that count now did not. */
  readonly flaky: boolean;
  /** The proven run that counts, with each job that uploaded with a token for that job. Null if there is none. */
  readonly provenRun: ProvenRun | null;
  /** The coverage of each run with several counted coverage reports. Missing if there is no such run. */
  readonly runs?: readonly RunCoverage[];
}

interface ProvenRun {
  readonly id: string;
  /** The ids of the jobs, including jobs whose items were replaced. */
  readonly jobIds: readonly number[];
  /** The arrival of the last item of these jobs. */
  readonly lastArrivalAt: Date;
}

/** The evidence that a verdict uses. Other uploads do not change the verdict. */
export type EffectiveEvidenceSet = readonly EvidenceGroup[];

/**
 * Selects the evidence that counts for a candidate, per pipeline, kind and environment. If both the newest evidence and
 * the evidence of the candidate's own commit pass, the own evidence counts: another passing run of an equivalent commit
 * must not invalidate an approval. If one of them fails, the newest counts, so that a failed run is not ignored.
 */
export function selectEffectiveEvidence(
  evidence: readonly EvidenceItem[],
  candidate: { readonly sha: string; readonly shas: readonly string[] },
  passes: (set: EffectiveEvidenceSet) => boolean,
  coverages = new RunCoverages(),
): EffectiveEvidenceSet {
  const candidateItems = evidence.filter(({ commitSha }) => candidate.shas.includes(commitSha));
  const groups = [...groupBy(candidateItems, groupKey).entries()]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, items]) => items);
  const newest = groups.map((items) => toGroup(items, countedItems(items), coverages));
  // If all evidence belongs to the candidate's own commit, both sets are equal and need no evaluation.
  if (candidateItems.every(({ commitSha }) => commitSha === candidate.sha)) return newest;
  const own = groups.map((items) => {
    const ownItems = items.filter(({ commitSha }) => commitSha === candidate.sha);
    return toGroup(items, countedItems(ownItems.length > 0 ? ownItems : items), coverages);
  });
  return passes(newest) && passes(own) ? own : newest;
}

/**
 * Divides the items of a group by run. Uploads without a run belong together. Several runs count if a newer one is proven less, and then
 * each of them must meet a requirement alone.
 */
export const divideByRun = ({ items }: EvidenceGroup): readonly NonEmptyItems[] => [
  ...groupBy(items, ({ run }) => JSON.stringify([run?.proven, run?.id])).values(),
];

/**
 * Returns whether the group can change a verdict. A document that the policy does not require never does, unless it
 * reports a failure.
 */
export const affectsVerdict = (
  { kind, items }: EvidenceGroup,
  required: readonly { readonly kind: EvidenceKind }[],
): boolean => isMeasured(kind) || items.some(fails) || required.some((requirement) => requirement.kind === kind);

/** The name of the group in a message. */
export const groupLabel = ({ kind, pipeline, environment }: EvidenceGroup): string =>
  `"${kind}" of "${pipeline}" (${environment})`;

/**
 * Builds the text that identifies the set. Two sets are equal if their texts are equal. Other uploads do not matter. `artifacts` are the
 * digests that count of the artifacts that the policy names. A release without them keeps the text from before they existed.
 */
export const evidenceSetKey = (
  candidateSha: string,
  set: EffectiveEvidenceSet,
  artifacts: readonly { readonly name: string; readonly digest: string }[] = [],
): string =>
  JSON.stringify([
    candidateSha,
    set.map(({ pipeline, kind, environment, items }) => [
      pipeline,
      kind,
      environment,
      items.map(({ id, sha256 }) => [id, sha256]).sort(([a = ''], [b = '']) => compareText(a, b)),
    ]),
    ...(artifacts.length === 0 ? [] : [artifacts.map(({ name, digest }) => [name, digest])]),
  ]);

const groupKey = ({ pipeline, kind, environment }: EvidenceItem): string =>
  JSON.stringify([pipeline, kind, environment]);

function toGroup(
  all: readonly [EvidenceItem, ...EvidenceItem[]],
  items: readonly EvidenceItem[],
  coverages: RunCoverages,
): EvidenceGroup {
  const { pipeline, kind, environment } = all[0];
  const flaky = items.length < all.length && all.some(fails) && !items.some(fails);
  const runs = kind === 'coverage' ? coverages.of(items) : [];
  const provenRun = findProvenRun(all, items);
  return { pipeline, kind, environment, items, flaky, provenRun, ...(runs.length > 0 && { runs }) };
}

function findProvenRun(all: readonly EvidenceItem[], items: readonly EvidenceItem[]): ProvenRun | null {
  const id = items.find(({ run }) => run?.proven === true)?.run?.id;
  if (id === undefined) return null;
  const uploads = all.filter(({ run, checkRunId }) => run?.proven === true && run.id === id && checkRunId !== null);
  const jobIds = new Set(uploads.map(({ checkRunId }) => checkRunId ?? 0));
  const lastArrivalAt = uploads.reduce((last, { receivedAt }) => Math.max(last, receivedAt.getTime()), 0);
  return { id, jobIds: [...jobIds].sort((a, b) => a - b), lastArrivalAt: new Date(lastArrivalAt) };
}

const fails = (item: EvidenceItem): boolean => evidenceFailures(item).length > 0;

/** Compares two names or ids that are never equal. */
const compareText = (a: string, b: string): number => (a < b ? -1 : 1);

/** Returns the ids of all items of the set. */
export function selectDecidingIds(set: EffectiveEvidenceSet): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const group of set) for (const { id } of group.items) ids.add(id);
  return ids;
}

/** The maximum number of visible items that do not count. A release may have thousands of them. */
export const MAX_OTHER_ITEMS = 200;

/** An evidence item for display. */
export interface VisibleEvidenceItem {
  readonly item: EvidenceItem;
  /** The id of its upload. */
  readonly evidenceId: string;
  readonly status: EvidenceItemStatus;
  /** The item is in the effective evidence set. */
  readonly decides: boolean;
}

/** Returns all items that count and the newest of the others, newest first. `items` must be in the order of arrival. */
export function selectVisibleItems(
  items: readonly EvidenceItem[],
  set: EffectiveEvidenceSet,
): readonly VisibleEvidenceItem[] {
  const deciding = selectDecidingIds(set);
  const visible: VisibleEvidenceItem[] = [];
  let others = 0;
  for (const item of items.toReversed()) {
    const decides = deciding.has(item.id);
    if (!decides && ++others > MAX_OTHER_ITEMS) continue;
    visible.push({ item: item, evidenceId: uploadIdFromItemId(item), status: evidenceItemStatus(item), decides });
  }
  return visible;
}
