import { expect, it } from '@jest/globals';
import { firstLines } from './first-lines.js';

it.each([
  ['a single line', 'got 500', 'got 500'],
  ['nothing', ' \n\r\n', ''],
  [
    'a comparison, without empty lines',
    'not equal\n\n  Expected: 1\r\n  Received: 2\n',
    'not equal\n  Expected: 1\n  Received: 2',
  ],
  ['only the beginning of a trace', 'a\rb\nc\nd\ne\nf', 'a\nb\nc\nd'],
  ['the beginning of a long line', 'x'.repeat(300), `${'x'.repeat(199)}…`],
])('shows %s', (_, message, lines) => {
  expect(firstLines(message)).toBe(lines);
});
