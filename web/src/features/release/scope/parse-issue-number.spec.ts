import { expect, it } from '@jest/globals';
import { parseIssueNumber } from './parse-issue-number.js';

it.each([
  ['12', 12],
  [' #12 ', 12],
  ['0', null],
  ['', null],
  ['-1', null],
  ['1.5', null],
  ['x', null],
  ['2147483648', null],
])('reads %j as %j', (input, number) => {
  expect(parseIssueNumber(input)).toBe(number);
});
