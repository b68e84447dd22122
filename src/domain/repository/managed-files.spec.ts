import { describe, expect, it } from '@jest/globals';
import { isManagedBranch } from './managed-files.js';

describe('isManagedBranch', () => {
  it.each([
    ['shipgate/bootstrap', true],
    ['shipgate-workflow-update-1a2b', true],
    ['shipgate/evidence/v1.0.0', false],
    ['shipgate/bootstrap/more', false],
    ['my-shipgate-workflow-update-1', false],
    ['main', false],
  ])('recognizes %s by its name: %s', (branch, expected) => {
    expect(isManagedBranch(branch)).toBe(expected);
  });
});
