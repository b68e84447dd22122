import type { EvidencePiece } from '../evidence/evidence.js';
import { unread } from '../facts/condition.js';
import type { IssueFact } from '../facts/facts.js';
import type { ConsultedFacts } from '../facts/tracked-facts.js';
import type { Policy } from '../policy/policy.js';
import type { CandidateSearch } from './candidate.js';
import type { ReleaseRecord } from './release-record.js';
import type { Condition } from './stage.js';

/** Issues whose pull requests are looked for at most: one is enough to say that work has begun. */
const ISSUES_LOOKED_AT = 20;

export interface PlanningQuestion {
  readonly record: ReleaseRecord;
  readonly policy: Policy;
  readonly search: CandidateSearch;
  readonly evidence: readonly EvidencePiece[];
  readonly issues: readonly IssueFact[] | undefined;
}

/** What keeps a release in planning. A hotfix skips the flags: nobody files issues while production burns. */
export function planningConditions(question: PlanningQuestion, facts: ConsultedFacts): readonly Condition[] {
  const { policy, search, issues } = question;
  if (!issues) return [unread('the issues of the milestone')];
  const { requireIssues, requireIssuesAssigned } = policy.planning;
  return [
    ...workBegun(question, issues, facts),
    ...(requireIssues && !search.hotfix && issues.length === 0 ? [scopeEmpty] : []),
    ...(requireIssuesAssigned && !search.hotfix ? issues.filter(isUnowned).map(unowned) : []),
  ];
}

function workBegun(
  { record, search, evidence }: PlanningQuestion,
  issues: readonly IssueFact[],
  facts: ConsultedFacts,
): readonly Condition[] {
  if (record.startedAt !== null || search.releaseBranch !== null || evidence.length > 0) return [];
  const looks = issues.slice(0, ISSUES_LOOKED_AT).map(({ number }) => facts.read('pulls_of_issue', String(number)));
  if (looks.some((pulls) => pulls?.linked === true)) return [];
  return [looks.includes(undefined) ? unread('whether a pull request is linked to an issue') : notBegun];
}

const isUnowned = ({ state, assignees }: IssueFact): boolean => state === 'open' && assignees.length === 0;

const unowned = ({ number, title, url }: IssueFact): Condition => ({
  code: 'issue_unowned',
  detail: `Issue #${number} "${title}" has no owner.`,
  actor: 'team',
  url,
});

const notBegun: Condition = { code: 'not_started', detail: 'No work is linked to this release yet.', actor: 'team' };

const scopeEmpty: Condition = { code: 'scope_empty', detail: 'No issue belongs to this release yet.', actor: 'team' };
