import { expect, it } from '@jest/globals';
import { findPart } from './find-part.js';

it.each([
  ['evidence_failing', 'evidence'],
  ['quality_gate_failing', 'evidence'],
  ['evidence_pull_closed', 'approvals'],
  ['approvals_missing', 'approvals'],
  ['check_pending', 'checks'],
  ['issue_open', 'scope'],
  ['policy_invalid', 'policy'],
  ['freeze', null],
  ['not_started', null],
] as const)('finds the part that shows the facts of %s', (code, part) => {
  expect(findPart(code)).toBe(part);
});
