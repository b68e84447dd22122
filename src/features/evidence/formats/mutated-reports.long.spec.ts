import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { CORPUS } from '../../../../test/report-corpus/corpus.js';
import { MUTATION_RESULTS, expectedMutationResult } from '../../../../test/report-corpus/expected-mutation-result.js';

const FIXTURES = new URL('../../../../test/fixtures/reports/', import.meta.url);
const PATHS = [...CORPUS.map(({ path }) => path), 'html/istanbul-coverage.html'];
const SEED = 20_261_121;

/** Mulberry32: the same mutations on every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Whether nothing important is missing, or the format has no end that shows a cut. */
function seemsComplete(path: string, stored: string, missing: string): boolean {
  if (/^(?:html|go-cover)\/|\.spdx$/.test(path)) return true;
  if (path.startsWith('lcov/')) return /(?:^|end_of_record)\s*(?:TN:\w*|#.*)?$/.test(stored);
  if (path.startsWith('tap/')) return !/^\s*(?:(?:not )?ok\b|1\.\.|Bail out!)/m.test(missing);
  // An event that ends a package. The missing part may be a complete other package.
  if (path.startsWith('go-test/'))
    return /"Action":"(?:pass|skip)","Package":"[^"]*","Elapsed":[\d.]+\}\s*$/.test(stored);
  return false;
}

describe.each(PATHS)('%s, damaged', (path) => {
  const bytes = readFileSync(new URL(path, FIXTURES));
  const text = bytes.toString('utf8');
  const next = random(SEED);
  const at = (): number => next(text.length);

  it('does not pass after it was truncated', () => {
    const whole = text.trimEnd().replace(/(?:\s*<!--[^]*?-->)+$/, '');
    for (let place = 0; place < 50; place += 1) {
      const end = Math.floor((whole.length * place) / 50);
      const stored = text.slice(0, end);
      const result = expectedMutationResult(stored);
      if (seemsComplete(path, stored, text.slice(end))) continue;
      expect([stored.slice(-40), result]).not.toEqual([stored.slice(-40), 'passes']);
      if (/^\s*[<{]/.test(text) && !path.startsWith('go-test/'))
        expect([stored.slice(-40), result]).toEqual([stored.slice(-40), 'refused']);
    }
  });

  it('is read or rejected when bytes change', () => {
    for (let round = 0; round < 25; round += 1) {
      const damaged = Buffer.from(bytes);
      for (let change = 0; change <= next(4); change += 1) damaged[next(damaged.length)] = next(256);
      expect(MUTATION_RESULTS).toContain(expectedMutationResult(damaged));
    }
  });

  it('is read or rejected when parts swap places', () => {
    for (let round = 0; round < 20; round += 1) {
      const [a = 0, b = 0, c = 0] = [at(), at(), at()].sort((x, y) => x - y);
      expect(MUTATION_RESULTS).toContain(
        expectedMutationResult(text.slice(0, a) + text.slice(b, c) + text.slice(a, b) + text.slice(c)),
      );
    }
  });

  it('is read or rejected when words and numbers change', () => {
    const texts = [...new Set(text.match(/[A-Za-z]{2,}|\d+|["<>:,{}[\]]/g))];
    const others = [
      '1e999',
      '-1',
      '99999999999999999999',
      '&xxe;',
      '<![CDATA[',
      ']]>',
      '<!--',
      '"',
      '{',
      '\u0000',
      '\ud800',
      '[]',
      'null',
    ];
    for (let round = 0; round < 25; round += 1) {
      const [message = '', other = ''] = [texts[next(texts.length)], others[next(others.length)]];
      expect(MUTATION_RESULTS).toContain(expectedMutationResult(text.replaceAll(message, other)));
    }
  });
});
