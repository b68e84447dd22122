/** The stages of a release in their order, and the conditions that keep a release in a stage. */

import type { ConditionCode } from './condition-catalogue.js';

export const STAGES = ['PLANNING', 'DEVELOPMENT', 'TESTING', 'EVIDENCING', 'DEPLOYMENT', 'DEPLOYED'] as const;
export type Stage = (typeof STAGES)[number];

/** The actors who can clear a condition. `service` is Shipgate itself, so no action is needed unless the condition persists. */
export const ACTORS = ['team', 'ci', 'reviewer', 'deployer', 'admin', 'service'] as const;
export type Actor = (typeof ACTORS)[number];

/**
 * One thing that a condition is about, such as a failed test, a finding, the run of a check, an issue or a freeze. The id
 * identifies it in every evaluation, and the label names it for users.
 */
export interface Subject {
  readonly id: string;
  readonly label: string;
  /** The number of equal things, such as findings of one rule in one file. One if missing. */
  readonly count?: number;
}

/** Builds the id of a subject from its kind and the values that identify it. */
export const toSubjectId = (kind: SubjectKind, ...values: readonly (string | number | null)[]): string =>
  JSON.stringify([kind, ...values]);

type SubjectKind =
  | 'approvals'
  | 'check'
  | 'coverage'
  | 'evidence'
  | 'finding'
  | 'freeze'
  | 'issue'
  | 'job'
  | 'minimum'
  | 'review'
  | 'reviewers'
  | 'scope'
  | 'test';

/**
 * A requirement that is not met: a stable code for programs, a sentence for readers, and the actor who can meet it. Programs
 * compare the code and the subjects, never the sentence.
 */
export interface Condition {
  readonly code: ConditionCode;
  readonly detail: string;
  readonly actor: Actor;
  readonly url?: string;
  /** When time alone ends the condition, as an ISO 8601 time. Only an evaluation at that time or later clears it. */
  readonly endsAt?: string;
  /** What is not met. Every condition that a waiver may cover has at least one. */
  readonly subjects?: readonly Subject[];
  /** The document that states the requirement: the organization's default or `sdlc.yaml`. Absent without a default. */
  readonly source?: 'organization' | 'repository';
}

/** Builds the text that identifies a condition: equal texts mean the same requirement and the same subjects. */
export const toConditionKey = ({ code, subjects = [] }: Pick<Condition, 'code' | 'subjects'>): string =>
  JSON.stringify([code, ...subjects.map(({ id, count = 1 }) => [id, count]).sort(compareSubjects)]);

const compareSubjects = ([a = '']: readonly unknown[], [b = '']: readonly unknown[]): number =>
  String(a) < String(b) ? -1 : 1;

/** Returns the condition as lists store it. Its subjects can be many. */
export const withoutSubjects = ({ subjects: _subjects, ...condition }: Condition): Omit<Condition, 'subjects'> =>
  condition;

/** Returns a condition as a caller may see it: without its messages only the code and who must act. */
export const toVisibleCondition = (
  condition: Condition,
  withMessages: boolean,
): Pick<Condition, 'code' | 'actor'> & Partial<Condition> =>
  withMessages ? withoutSubjects(condition) : { code: condition.code, actor: condition.actor };

/** Builds the condition for a fact that was never read from GitHub. `why` is a separate sentence. */
export const missingFactCondition = (what: string, why?: string): Condition => ({
  code: 'unknown',
  detail: why === undefined ? `Not known yet: ${what}.` : `Not known yet: ${what}. ${why}`,
  actor: 'service',
});
