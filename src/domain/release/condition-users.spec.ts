import { expect, it } from '@jest/globals';
import {
  CANDIDATE,
  check,
  evidenceItem,
  FIRST_REVIEWER,
  issue,
  policyWith,
  PULL_NUMBER,
  review,
  reviewersRule,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { ConditionCode } from '../facts/condition-catalogue.js';
import { conditionUsers } from './condition-users.js';

const number = String(PULL_NUMBER);
const release = givenOpenRelease;
const withIssue = (assignees: readonly string[]): ReleaseBuilder =>
  release()
    .ruledBy(policyWith({ development: { ...policyWith().development, closedIssues: [{ exemptLabels: [] }] } }))
    .know('issues', '5', [issue(), issue({ number: 12, state: 'open', assignees })]);
const withReviewers = (userIds: readonly number[]): ReleaseBuilder =>
  release()
    .know('reviews', number, [review(FIRST_REVIEWER)])
    .know('team', 'release-managers', { exists: true, userIds });

it.each<[string, ReleaseBuilder, ConditionCode, readonly (number | string)[]]>([
  ['the assignees of an open issue', withIssue(['ada', 'bob']), 'issue_open', ['ada', 'bob']],
  ['no user for an issue without an assignee', withIssue([]), 'issue_open', []],
  ['no user if there are too many', withIssue(['ada', 'bob', 'cyd', 'dan']), 'issue_open', []],
  [
    'the author of the commit whose check failed',
    release().know('checks', CANDIDATE, [check('build', { state: 'failure' }), check('e2e')]),
    'check_failing',
    [9],
  ],
  [
    'the author of the commit whose tests failed',
    release().uploaded(
      evidenceItem({ pipeline: 'other', metrics: { unit_tests: { total: 2, passed: 1, failed: 1, skipped: 0 } } }),
    ),
    'evidence_failing',
    [9],
  ],
  ['the reviewers who did not approve and are no authors', withReviewers([1, 2, 9]), 'approvals_missing', [2]],
  ['no user if too many can approve', withReviewers([1, 2, 3, 4, 5, 9]), 'approvals_missing', []],
  ['no user if everyone did', withReviewers([1, 9]), 'approvals_missing', []],
  [
    'no user while the members of the team are not known',
    withReviewers([]).deleteFact('team', 'release-managers'),
    'approvals_missing',
    [],
  ],
  [
    'no user if everyone with write access may approve',
    withReviewers([1, 2]).ruledBy(policyWith({ evidencing: reviewersRule({ minApprovals: 3 }) })),
    'approvals_missing',
    [],
  ],
  [
    'the reviewer who requested changes',
    release().know('reviews', number, [review(FIRST_REVIEWER, { state: 'changes_requested' })]),
    'changes_requested',
    [1],
  ],
  ['no user for another condition', release().know('issues', '5', []), 'scope_empty', []],
])('names %s', (_, given, code, users) => {
  const verdict = given.verdict();
  const condition = verdict.gate.reasons.find((reason) => reason.code === code);
  if (!condition) throw new Error(`There is no condition ${code}: ${given.reasons().join(', ')}.`);
  expect(conditionUsers(condition, verdict, given.inputs())).toEqual(users);
});
