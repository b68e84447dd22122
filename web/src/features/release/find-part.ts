import type { Schema } from '../../api/client.js';

/** A part of a release that shows facts. */
export type FactPart = 'scope' | 'evidence' | 'checks' | 'approvals' | 'policy';

/** The beginnings of condition codes, those of a longer name first. */
const PARTS: readonly (readonly [beginning: string, part: FactPart])[] = [
  ['evidence_pull_', 'approvals'],
  ['approvals_', 'approvals'],
  ['changes_requested', 'approvals'],
  ['no_reviewer_left', 'approvals'],
  ['evidence_', 'evidence'],
  ['too_few_tests', 'evidence'],
  ['quality_', 'evidence'],
  ['check_', 'checks'],
  ['issue_', 'scope'],
  ['scope_', 'scope'],
  ['policy_', 'policy'],
];

/** Returns the part of the release that shows the facts of a condition. Null if none does. */
export const findPart = (code: Schema<'Condition'>['code']): FactPart | null =>
  PARTS.find(([beginning]) => code.startsWith(beginning))?.[1] ?? null;
