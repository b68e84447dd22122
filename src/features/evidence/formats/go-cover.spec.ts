import { describe, expect, it } from '@jest/globals';
import { goCover } from './go-cover.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

const textOf = (text: string): ReportText => ReportText.decode('cover.out', new TextEncoder().encode(text));

const read = (...blocks: readonly string[]): ParsedContent =>
  goCover.read(textOf(['mode: set', ...blocks, ''].join('\n')), REPORT_LIMITS);

describe('a coverage profile of Go', () => {
  it.each([
    ['mode: set\n', true],
    ['mode: count\r\nshop/cart.go:1.1,2.2 1 1', true],
    ['mode: atomic', true],
    ['mode: fast\n', false],
    ['mode: set of things', false],
    ['\nmode: set\n', false],
  ])('is detected by its first line: %j', (text, expected) => {
    expect(goCover.detect(textOf(text))).toBe(expected);
  });

  it('counts statements, each block of them once', () => {
    const reading = read(
      'shop/cart.go:3.14,5.2 2 0',
      'shop/cart.go:6.14,9.2 3 1',
      'shop/cart.go:3.14,5.2 2 7',
      'shop/cart.go:6.14,9.2 3 0',
      'shop/tax.go:3.14,5.2 5 0',
    );
    expect(reading).toMatchObject({
      measure: { value: { line_percent: 50, branch_percent: null, lines: { covered: 5, total: 10 } } },
      failures: [],
      details: [{ title: 'shop/tax.go', location: null, message: '5 of 5 statements not covered' }],
    });
  });

  it('reads counts of any size, and paths with colons and spaces', () => {
    expect(read('C:\\my shop\\cart.go:3.14,5.2 2 18446744073709551615').measure).toMatchObject({
      value: { line_percent: 100 },
    });
  });

  it.each([[[]], [['shop/cart.go:3.14,5.2 0 1']]])('is no coverage without statements: %j', (blocks) => {
    expect(read(...blocks)).toMatchObject({ failures: ['no statements'], measure: { value: { line_percent: null } } });
  });

  it.each([
    ['shop/cart.go:3.14,5.2 2', '"shop/cart.go:3.14,5.2 2" is not a block of a coverage profile'],
    ['shop/cart.go:3.14,5.2 2 -1', 'is not a block'],
    ['shop/cart.go:3.14,5.2 1e9 1', 'is not a block'],
    [':3.14,5.2 2 1', 'is not a block'],
    ['mode: set', 'is not a block'],
  ])('rejects %s', (block, reason) => {
    expect(() => read('shop/a.go:1.1,2.2 1 1', block)).toThrow(`cover.out:3: `);
    expect(() => read(block)).toThrow(reason);
  });

  it('rejects a block that changes its size', () => {
    expect(() => read('a.go:1.1,2.2 1 1', 'a.go:1.1,2.2 2 1')).toThrow(
      'cover.out:3: a block of 2 statements, listed before with 1',
    );
  });
});
