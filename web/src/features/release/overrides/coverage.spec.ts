import { expect, it } from '@jest/globals';
import { divideForBreakGlass, groupWaivable, type CoverageInput } from './coverage.js';

const red = {
  code: 'check_failing',
  detail: 'The check "e2e" failed.',
  override: 'waiver',
  subjects: [{ id: 'e2e', label: 'a check', count: 1 }],
} as const;
const slow = {
  code: 'check_failing',
  detail: 'The check "load" failed.',
  override: 'waiver',
  subjects: [
    { id: 'load', label: 'a check', count: 1 },
    { id: 'e2e', label: 'a check', count: 2 },
  ],
} as const;
const open = {
  code: 'issue_open',
  detail: 'Issue #7 is open.',
  override: 'waiver',
  subjects: [{ id: '7', label: 'issue #7', count: 1 }],
} as const;
const approvals = {
  code: 'approvals_missing',
  detail: '0 of 1 approvals.',
  override: 'break_glass',
  subjects: [],
} as const;
const tampered = { code: 'tampered', detail: 'A file was changed.', override: 'none', subjects: [] } as const;
const unknown = { code: 'unknown', detail: 'The team is not known.', override: 'none', subjects: [] } as const;
const notDeployed = { code: 'not_deployed', detail: 'It is not deployed.', override: 'none', subjects: [] } as const;

const RELEASE: CoverageInput = {
  reasons: [red, tampered],
  stages: [
    { unmet: [red, slow], unknown: [] },
    { unmet: [open, approvals], unknown: [unknown] },
    { unmet: [notDeployed], unknown: [] },
  ],
};

it('groups what one waiver covers, in all stages, each sentence and each subject once', () => {
  expect(groupWaivable(RELEASE)).toEqual([
    {
      code: 'check_failing',
      details: [red.detail, slow.detail],
      subjects: [
        { id: 'e2e', label: 'a check', count: 2 },
        { id: 'load', label: 'a check', count: 1 },
      ],
    },
    { code: 'issue_open', details: [open.detail], subjects: [{ id: '7', label: 'issue #7', count: 1 }] },
  ]);
});

it('divides the conditions into those that break-glass sets aside and those that it cannot', () => {
  expect(divideForBreakGlass(RELEASE)).toEqual({
    covered: [red.detail, slow.detail, open.detail, approvals.detail],
    notCovered: [tampered.detail, unknown.detail],
  });
});

it('finds nothing in a release whose gate is open', () => {
  const ready = { reasons: [], stages: [{ unmet: [notDeployed], unknown: [] }] };
  expect(groupWaivable(ready)).toEqual([]);
  expect(divideForBreakGlass(ready)).toEqual({ covered: [], notCovered: [] });
});
