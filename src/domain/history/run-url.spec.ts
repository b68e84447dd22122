import { describe, expect, it } from '@jest/globals';
import { findRunId } from './run-url.js';

describe('findRunId', () => {
  it.each([
    ['https://github.com/acme/payments/actions/runs/9876543210', 9_876_543_210],
    ['https://github.com/acme/payments/actions/runs/9876543210/attempts/2', 9_876_543_210],
    ['https://github.com/acme/payments/actions/runs/9876543210/job/31?pr=1', 9_876_543_210],
    ['https://github.com/acme/payments/actions/runs/42#step', 42],
    ['https://github.com/acme/payments/deployments', null],
    ['https://github.com/acme/payments/actions/runs/', null],
    ['https://github.com/acme/payments/actions/runs/0', null],
    ['https://github.com/acme/payments/actions/runs/12a', null],
    ['https://github.com/acme/payments/actions/runs/99999999999999999', null],
    ['', null],
  ])('reads %s as %s', (url, expected) => {
    expect(findRunId(url)).toBe(expected);
  });
});
