import { describe, expect, it } from '@jest/globals';
import { isManagedBranch } from './managed-files.js';

describe('a branch to which the service writes managed files', () => {
  it.each([
    ['shipgate/bootstrap', true],
    ['shipgate-workflow-update-1a2b', true],
    ['shipgate/evidence/v1.0.0', false],
    ['shipgate/bootstrap/more', false],
    ['my-shipgate-workflow-update-1', false],
    ['main', false],
  ])('is told by its name: %s', (branch, expected) => {
    expect(isManagedBranch(branch)).toBe(expected);
  });
});
