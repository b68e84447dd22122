import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { YAMLError, YAMLParseError, YAMLWarning } from 'yaml';
import { readPolicyDocument } from './policy-document.js';

const problemsOf = (text: string): readonly string[] => {
  const reading = readPolicyDocument(text);
  return reading.ok ? [] : reading.problems.map(({ message }) => message);
};

describe('a file of many syntax errors', () => {
  let errors = 0;
  /** Counts the errors that the YAML library creates: each costs as much as the reading of a page. */
  class CountedError extends YAMLError {
    constructor(...args: ConstructorParameters<typeof YAMLError>) {
      super(...args);
      errors += 1;
    }
  }
  const watched = [YAMLParseError, YAMLWarning];
  beforeEach(() => {
    errors = 0;
    for (const type of watched) Object.setPrototypeOf(type, CountedError);
  });
  afterEach(() => {
    for (const type of watched) Object.setPrototypeOf(type, YAMLError);
  });

  it.each<[string, (times: number) => string, string]>([
    ['escapes in one text', (times) => `version: v1\nname: "${'\\q'.repeat(times)}"\n`, 'This escape is not known'],
    ['numbers of characters', (times) => `version: v1\nname: "${'\\xZZ'.repeat(times)}"\n`, 'This escape is not known'],
    ['texts with an escape', (times) => `freezes: [${'"\\q",'.repeat(times / 4)}]\n`, 'This escape is not known'],
    ['directives', (times) => `${'%FOO bar\n'.repeat(times / 4)}---\nversion: v1\n`, 'This directive is not known'],
    [
      'known directives',
      (times) => `${'%TAG ! x\n'.repeat(times / 4)}---\nversion: v1\n`,
      'The file has too many directives',
    ],
    ['brackets', (times) => `version: v1\n${']'.repeat(times)}\n`, 'Unexpected'],
    ['ends of documents', (times) => '...\n'.repeat(times / 4), 'The file holds more than one document'],
  ])('is given up after a few: %s', (_what, write, message) => {
    for (const times of [4_000, 8_000]) {
      const found = problemsOf(write(times));
      expect(found.length).toBeLessThanOrEqual(10);
      expect(found.join('\n')).toContain(message);
    }
    expect(errors).toBe(0);
  });
});

describe('a list with too many entries', () => {
  const checks = (count: number, entry: (at: number) => string): string =>
    `version: v1\nstages: { testing: { required_checks: [${Array.from({ length: count }, (_, at) => entry(at)).join(', ')}] } }\n`;

  it('is named, and entries beyond the limit are not read', () => {
    const named = (at: number): string => `{ name: c${at} }`;
    for (const count of [51, 500, 1_000]) {
      const text = checks(count, (at) => (at < 50 ? named(at) : '{ nam: 1 }'));
      expect(problemsOf(text)).toEqual(['Must have 50 entries or fewer.']);
    }
    expect(problemsOf(checks(50, named))).toEqual([]);
  });

  it('is named together with the problems of its first entries', () => {
    const found = problemsOf(checks(60, (at) => (at === 3 ? '{ name: 1 }' : `{ name: c${at} }`)));
    expect(found).toEqual(['Must have 50 entries or fewer.', 'Must be text, but is 1; put it in quotes.']);
  });
});
