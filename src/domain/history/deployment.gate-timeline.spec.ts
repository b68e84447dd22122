import { describe, expect, it } from '@jest/globals';
import { sha } from '../../../test/support/given-facts.js';
import { type GateConfirmation, type Moment, wasGateOpen } from './deployment.js';

const NOON = Date.parse('2026-05-04T12:00:00Z');
const at = (seconds: number): Date => new Date(NOON + seconds * 1000);
/** The deployment began between second 10 and second 12. */
const MOMENT: Moment = { earliest: at(10), latest: at(12) };

type Note = readonly [from: number, openUntil: number | null, candidate?: string];
const notesOf = (notes: readonly Note[]): readonly GateConfirmation[] =>
  notes.map(([from, until, candidate = 'c']) => ({
    decisionId: 'decision',
    candidateSha: sha(candidate),
    at: at(from),
    openUntil: until === null ? null : at(until),
  }));

describe('wasGateOpen', () => {
  it.each<[string, readonly Note[], boolean]>([
    ['nothing is known', [], false],
    ['it opened before and expires long after', [[0, 300]], true],
    ['it was closed', [[0, null]], false],
    ['it was open until the end of the interval', [[0, 12]], true],
    ['it expired within the interval', [[0, 11.9]], false],
    ['it had expired before the interval', [[0, 5]], false],
    ['it expired at the start of the interval', [[0, 10]], false],
    ['it opened within the interval', [[11, 300]], true],
    ['it opened in the last millisecond of the interval', [[11.999, 300]], true],
    ['it opened within the interval and expired in it', [[11, 11.5]], false],
    [
      'it was confirmed open before it expired',
      [
        [0, 11],
        [10.5, 300],
      ],
      true,
    ],
    [
      'it was confirmed open at the moment at which it expired',
      [
        [0, 11],
        [11, 300],
      ],
      true,
    ],
    [
      'it expired and was confirmed open again, both within the interval',
      [
        [0, 11],
        [11.5, 300],
      ],
      false,
    ],
    [
      'it expired before the interval and was confirmed open again within it',
      [
        [0, 5],
        [11, 300],
      ],
      true,
    ],
    [
      'it closed before the interval',
      [
        [0, 300],
        [9, null],
      ],
      false,
    ],
    [
      'it closed within the interval',
      [
        [0, 300],
        [11, null],
      ],
      false,
    ],
    [
      'it closed within the interval and opened again in it',
      [
        [0, 300],
        [10.5, null],
        [11, 300],
      ],
      false,
    ],
    [
      'it opened and closed and opened within the interval',
      [
        [10.2, 300],
        [10.5, null],
        [11, 300],
      ],
      false,
    ],
    [
      'it closed at the start of the interval and opened within it',
      [
        [0, 300],
        [10, null],
        [11, 300],
      ],
      true,
    ],
    [
      'it was closed for several reasons in turn and opened then',
      [
        [10.2, null],
        [10.5, null],
        [11, 300],
      ],
      true,
    ],
    [
      'it was confirmed again with an earlier expiry',
      [
        [0, 300],
        [10.5, 11],
      ],
      false,
    ],
    ['it was open for another candidate', [[0, 300, 'd']], false],
    [
      'it was open for another candidate first',
      [
        [0, 300, 'd'],
        [11, 300],
      ],
      true,
    ],
    [
      'it changed to another candidate',
      [
        [0, 300],
        [11, 300, 'd'],
      ],
      false,
    ],
    [
      'it was open for another candidate in between',
      [
        [0, 300],
        [10.5, 300, 'd'],
        [11, 300],
      ],
      false,
    ],
  ])('returns whether the gate was open when %s: %j, %p', (_name, notes, open) => {
    expect(wasGateOpen(notesOf(notes), sha('c'), MOMENT)).toBe(open);
  });

  it('returns false when the clocks bound nothing, unless the gate never closes', () => {
    const always = { earliest: new Date(0), latest: new Date(8_640_000_000_000_000) };
    expect(wasGateOpen(notesOf([[0, 300]]), sha('c'), always)).toBe(false);
  });
});
