import { describe, expect, it } from '@jest/globals';
import { EXIT } from '../command-result.js';
import { describeReceipt, describeWarning, readReceipt, toExitCode } from './upload-receipt.js';

const ANSWER = {
  evidenceId: '0b8e',
  message: 'Evidence received for v1.4.0 at 4f1c2d9; it counts at the candidate.',
  commitSha: '4f1c2d9',
  commitSource: 'token',
  candidateSha: null,
  effect: 'decides',
  releaseUrl: 'https://shipgate.example/w/acme/releases/1',
  pieces: [
    { kind: 'unit_tests', environment: 'ci', metrics: { unit_tests: { total: 2, passed: 2, note: 'x' } } },
    { kind: 'manual', environment: 'ci', metrics: {} },
    { kind: 7 },
    null,
  ],
};

describe('the receipt of an upload', () => {
  it('shows what was found, what it means, and the page of the release', () => {
    expect(describeReceipt(readReceipt(ANSWER))).toEqual([
      '  unit_tests (ci): 2 total, 2 passed',
      '  manual (ci): stored',
      ANSWER.message,
      ANSWER.releaseUrl,
    ]);
  });

  it('shows texts of the service in one line each', () => {
    const lines = describeReceipt(
      readReceipt({ ...ANSWER, pieces: 'none', message: 'a\n::error::b', releaseUrl: 'c\u001B[1m' }),
    );
    expect(lines).toEqual(['a ::error::b', 'c[1m']);
  });

  it.each([
    ['decides', false, null, EXIT.yes],
    ['decides', true, null, EXIT.yes],
    ['superseded', false, 'does not rest on this upload (superseded)', EXIT.yes],
    ['not_the_candidate', true, 'does not rest on this upload (not_the_candidate)', EXIT.no],
    ['unknown_commit', true, 'does not rest on this upload (unknown_commit)', EXIT.no],
    ['an effect of a newer service', true, 'does not rest on this upload (an effect of a newer service)', EXIT.no],
    [undefined, false, null, EXIT.yes],
    [undefined, true, 'does not tell whether the upload decides', EXIT.unknown],
    [null, true, 'does not tell whether the upload decides', EXIT.unknown],
    [true, true, 'does not tell whether the upload decides', EXIT.unknown],
  ])('with the effect %p, required: %p, warns %p and ends with %p', (effect, isRequired, warning, exit) => {
    const receipt = readReceipt({ ...ANSWER, effect });
    const expected: unknown = warning === null ? null : expect.stringContaining(warning);
    expect(describeWarning(receipt, isRequired)).toEqual(expected);
    expect(toExitCode(receipt, isRequired)).toBe(exit);
  });

  it('of an older service has no sentence about the effect', () => {
    const old = { evidenceId: '0b8e', message: 'Evidence received for v1.4.0.', pieces: [] };
    expect(describeReceipt(readReceipt(old))).toEqual([]);
    expect(readReceipt(null)).toMatchObject({ effect: null, message: null, items: [] });
  });
});
