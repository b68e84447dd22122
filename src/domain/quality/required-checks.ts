import { groupBy } from '../group-by.js';
import { type Condition, type Subject, toSubjectId } from '../facts/condition.js';
import type { CheckFact } from '../facts/facts.js';
import { type RequiredCheck, toSourced } from '../policy/policy.js';
import { selectCountedChecks } from './counted-checks.js';

/** The maximum number of alike checks that a condition names. */
const MAX_ALIKE = 3;
const MAX_NAME_LENGTH = 100;
/**
 * The maximum number of comparisons of a required name with a reported one. A hundred missing checks are compared with a thousand
 * reported ones. A commit may have many more, and then the last missing checks name no alike ones.
 */
const MAX_COMPARISONS = 100_000;

/**
 * Returns for each required check the conditions that keep it unmet: none if it has succeeded. Every report with the name counts: one failed
 * report is enough, and so is one skipped report unless the policy allows it. A run that ran again counts once.
 */
export function unmetChecks(
  required: readonly RequiredCheck[],
  checks: readonly CheckFact[],
): readonly (readonly Condition[])[] {
  const byName = groupBy(checks, ({ name }) => name);
  const reported = new ReportedNames(checks);
  return required.map((requirement) => {
    const { name, app, allowSkipped = false } = requirement;
    const reports = (byName.get(name) ?? []).filter((check) => app === null || check.app === app);
    const label = checkLabel({ name, app });
    if (reports.length === 0) return [missing(label, requirement, reported.listAlike(name))];
    const counted = selectCountedChecks(reports);
    return counted
      .filter(({ state }) => state !== 'success' && !(allowSkipped && state === 'skipped'))
      .map((report) => ({ ...notSucceeded(label, report, counted), ...toSourced(requirement) }));
  });
}

function notSucceeded(label: string, report: CheckFact, counted: readonly CheckFact[]): Condition {
  const { state, conclusion, url } = report;
  const at = { actor: 'ci', subjects: [runSubject(label, report)], ...(url === null ? {} : { url }) } as const;
  const subject = `The required check ${label}`;
  if (state === 'failure') {
    const how = conclusion === null ? 'reports no success' : `ended with the conclusion "${conclusion}"`;
    const detail = `${subject} failed: ${reportLabel(report)} ${how}. ${howToClear(report, counted)}`;
    return { code: 'check_failing', detail, ...at };
  }
  if (state !== 'skipped') {
    const detail = `${subject} is still running: ${reportLabel(report)} has not ended. Wait, or run it again.`;
    return { code: 'check_pending', detail, ...at };
  }
  const how = conclusion === 'neutral' ? 'ended neutral' : 'was skipped';
  const remedy = 'Run it at this commit, or set allow_skipped for it in sdlc.yaml.';
  return { code: 'check_skipped', detail: `${subject} ${how}, so it shows no result. ${remedy}`, ...at };
}

/**
 * Identifies a check by the run that reported it and the time of its end, because the same check may fail later for another
 * reason.
 */
const runSubject = (label: string, report: CheckFact): Subject => ({
  id: toSubjectId('check', report.name, report.app, isStatus(report) ? 'status' : 'run', report.id, report.completedAt),
  label: `the check ${label}: ${reportLabel(report)}${report.completedAt === null ? '' : `, ended at ${report.completedAt}`}`,
});

/** Names a report by GitHub's id, which stays when its name is used again. */
function reportLabel(report: CheckFact): string {
  const { id, app } = report;
  if (isStatus(report)) return `the commit status ${id}`;
  return app === null ? `the check run ${id}` : `the check run ${id} of ${app}`;
}

/** Every check run is in a suite or has an app. */
const isStatus = ({ app, suite }: CheckFact): boolean => app === null && suite === null;

/** Returns how a failed report is cleared. A second run of its name clears it only if it is the same check again. */
function howToClear(report: CheckFact, counted: readonly CheckFact[]): string {
  if (isStatus(report)) return 'Report this status again at this commit, or let it pass at a new commit.';
  const same = counted.filter(({ app, suite }) => app === report.app && suite !== null && suite === report.suite);
  if (same.length <= 1) return 'Run it again, or let it pass at a new commit.';
  const several = `${same.length} runs of its check suite have this name, and each counts.`;
  return same.some(({ workflowRun, attempt }) => workflowRun !== null && attempt === null)
    ? `${several} Let the app read Actions, so that a run that ran again is known, or let all pass at a new commit.`
    : `${several} Run all of them again at once, or let all pass at a new commit. Names of their own would tell them apart.`;
}

/** A reported check, with its name in the form in which it is compared. */
interface NamedCheck extends Pick<CheckFact, 'name' | 'app'> {
  readonly comparable: ComparableName | null;
}

/** The names of the reported checks, each once. They are converted when a required check is missing. */
class ReportedNames {
  private named: readonly NamedCheck[] | null = null;
  private comparisons = 0;

  constructor(private readonly checks: readonly CheckFact[]) {}

  /** Lists the labels of the most alike checks. A check of another app or a commit status may have the very name. */
  listAlike(name: string): readonly string[] {
    const required = toComparableName(name);
    const named = (this.named ??= toNamedChecks(this.checks));
    this.comparisons += named.length;
    if (required === null || this.comparisons > MAX_COMPARISONS) return [];
    const byDifference: NamedCheck[][] = [[], [], []];
    for (const check of named) {
      const difference = check.comparable && compareNames(required, check.comparable);
      if (difference !== null) byDifference[difference]?.push(check);
    }
    return byDifference.flat().slice(0, MAX_ALIKE).map(reportedLabel);
  }
}

/** Lists each reported check once, in an order that does not depend on GitHub's. */
function toNamedChecks(checks: readonly CheckFact[]): readonly NamedCheck[] {
  const unique = new Map(checks.map(({ name, app }) => [JSON.stringify([name, app]), { name, app }]));
  return [...unique.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, check]) => ({ ...check, comparable: toComparableName(check.name) }));
}

function missing(label: string, requirement: RequiredCheck, alike: readonly string[]): Condition {
  const { name, app } = requirement;
  const remedy = 'Is one of them meant? Then correct the name in sdlc.yaml or in CI.';
  const hint = alike.length === 0 ? '' : ` Alike at this commit: ${alike.join(', ')}. ${remedy}`;
  return {
    code: 'check_missing',
    detail: `The required check ${label} has not reported.${hint}`,
    actor: 'ci',
    subjects: [{ id: toSubjectId('check', name, app), label: `the missing check ${label}` }],
    ...toSourced(requirement),
  };
}

const reportedLabel = ({ name, app }: NamedCheck): string =>
  app === null ? `${quoted(name)} (a commit status)` : `${quoted(name)} of ${app}`;

const checkLabel = ({ name, app }: Pick<CheckFact, 'name' | 'app'>): string =>
  app === null ? `"${name}"` : `"${name}" of ${app}`;

const quoted = (name: string): string =>
  `"${name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name}"`;

/** The greatest length of a name that is compared. */
const MAX_LENGTH = 1_000;
/** In a shorter name one edit makes another name. */
const MIN_EDITED_LENGTH = 3;

/** A name in the form in which it is compared: in lower case and without the spaces around and within its segments. */
export interface ComparableName {
  readonly text: string;
  /** The place of each segment between slashes. */
  readonly segments: readonly number[];
}

/** Converts a name. Null for one that is too long to be compared. */
export function toComparableName(name: string): ComparableName | null {
  if (name.length > MAX_LENGTH) return null;
  const text = name.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, '');
  const segments = [0];
  for (let slash = text.indexOf('/'); slash !== -1; slash = text.indexOf('/', slash + 1)) segments.push(slash + 1);
  return { text, segments };
}

/**
 * Returns how much two names differ; null if they are not alike. 0 is a difference in case or spaces only, 1 a prefix such as
 * `CI / ` before one of them, 2 one edit: a character that is added, missing, replaced, or swapped with the next one.
 */
export function compareNames(one: ComparableName, other: ComparableName): 0 | 1 | 2 | null {
  const segments = Math.min(one.segments.length, other.segments.length);
  const [from, otherFrom] = [one.segments.at(-segments) ?? 0, other.segments.at(-segments) ?? 0];
  const difference = compareEnds(one.text, from, other.text, otherFrom);
  if (difference === 'none') return one.segments.length === other.segments.length ? 0 : 1;
  const length = Math.max(one.text.length - from, other.text.length - otherFrom);
  return difference === 'one edit' && length >= MIN_EDITED_LENGTH ? 2 : null;
}

/** Compares the ends of two texts in one pass and without copies: after the first difference the rest must be equal. */
function compareEnds(one: string, from: number, other: string, otherFrom: number): 'none' | 'one edit' | 'more' {
  const longer = one.length - from - (other.length - otherFrom);
  if (Math.abs(longer) > 1) return 'more';
  let [at, otherAt] = [from, otherFrom];
  while (at < one.length && otherAt < other.length && one.charCodeAt(at) === other.charCodeAt(otherAt)) {
    at += 1;
    otherAt += 1;
  }
  if (at === one.length && otherAt === other.length) return 'none';
  if (longer !== 0) {
    return isSameRest(one, longer > 0 ? at + 1 : at, other, longer > 0 ? otherAt : otherAt + 1) ? 'one edit' : 'more';
  }
  const isSwapped =
    one.charCodeAt(at) === other.charCodeAt(otherAt + 1) && one.charCodeAt(at + 1) === other.charCodeAt(otherAt);
  return isSameRest(one, at + 1, other, otherAt + 1) || (isSwapped && isSameRest(one, at + 2, other, otherAt + 2))
    ? 'one edit'
    : 'more';
}

/** The rests have the same length. */
function isSameRest(one: string, from: number, other: string, otherFrom: number): boolean {
  let [at, otherAt] = [from, otherFrom];
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(otherAt)) {
    at += 1;
    otherAt += 1;
  }
  return at >= one.length;
}
