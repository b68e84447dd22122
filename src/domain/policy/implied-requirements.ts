/** Which requirement of a policy a release cannot meet without meeting another one. */
import type { ClosedIssuesRule, RequiredCheck, RequiredEvidence, ReviewerRequirement } from './policy.js';

/** Returns whether every release that meets `one` also meets `other`. */
export type Implies<T> = (one: T, other: T) => boolean;

const includesAll = (list: readonly string[], entries: readonly string[]): boolean =>
  entries.every((entry) => list.includes(entry));

/** A check by any app says nothing about the check by one app, and the reverse, because every report of the name counts. */
export const impliesCheck: Implies<RequiredCheck> = (one, other) =>
  one.name === other.name && one.app === other.app && (one.allowSkipped !== true || other.allowSkipped === true);

/** Evidence for any environment says nothing about one environment, and the reverse, because every group counts. */
export const impliesEvidence: Implies<RequiredEvidence> = (one, other) =>
  one.kind === other.kind && one.environment === other.environment && one.minTests >= other.minTests;

export const impliesClosedIssues: Implies<ClosedIssuesRule> = (one, other) =>
  includesAll(other.exemptLabels, one.exemptLabels);

/** The teams must be the same, because members of further teams may request changes. */
export const impliesReviewers: Implies<ReviewerRequirement> = (one, other) =>
  one.minApprovals >= other.minApprovals &&
  includesAll(one.teams, other.teams) &&
  includesAll(other.teams, one.teams) &&
  (one.excludeReleaseAuthors || !other.excludeReleaseAuthors) &&
  (canAuthorsObject(one) || !canAuthorsObject(other));

const canAuthorsObject = ({ excludeReleaseAuthors, authorsMayObject }: ReviewerRequirement): boolean =>
  !excludeReleaseAuthors || authorsMayObject === true;

/** Returns the entries without those that another one implies. Of equal entries the first remains. */
export const withoutImplied = <T>(entries: readonly T[], implies: Implies<T>): readonly T[] =>
  entries.filter(
    (entry, index) =>
      !entries.some((other, at) => at !== index && implies(other, entry) && (at < index || !implies(entry, other))),
  );
