import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { ReleaseNamingFormat } from './policy.js';
import { EXAMPLE_VERSIONS, compareVersions, isReleaseVersion } from './release-version.js';

/** A version of the maximum length. */
const LONGEST = `v1.2.3-${'a'.repeat(93)}`;

const CASES: Readonly<
  Record<ReleaseNamingFormat, { readonly yes: readonly string[]; readonly no: readonly string[] }>
> = {
  'semver-v-strict': {
    yes: [
      'v0.0.0',
      'v1.2.3',
      'v10.20.30',
      'v1.0.0-rc.1',
      'v1.0.0-0a',
      'v1.0.0--',
      'v1.0.0-x.7.z.92',
      'v99999999999999999999.0.0',
      LONGEST,
    ],
    no: [
      '',
      'v',
      '1.2.3',
      'V1.2.3',
      'v1.2',
      'v1',
      'v1.2.3.4',
      'v01.2.3',
      'v1.02.3',
      'v1.2.03',
      'v1.2.3-',
      'v1.2.3-01',
      'v1.2.3-rc..1',
      'v1.2.3-rc.',
      'v1.2.3+build',
      'v1.2.3-rc.1+build',
      ' v1.2.3',
      'v1.2.3 ',
      'v1.2.3\n',
      'v1.2.3/..',
      'v1.2.x',
      'v-1.2.3',
      'v١.2.3',
      'v1.2.3-ä',
      `${LONGEST}a`,
      'v1.0.0-a.lock',
    ],
  },
  semver: { yes: ['0.1.0', '1.2.3-beta.2'], no: ['v1.2.3', '1.2', '01.2.3', '1.2.3+5', '1.0.0-a.lock'] },
  calver: {
    yes: ['2026.1.0', '2026.01.0', '2026.11.12', '2026.12.0-rc.1'],
    no: [
      '26.1.0',
      '2026.0.1',
      '2026.00.1',
      '2026.13.0',
      '2026.1',
      '2026.1.01',
      'v2026.1.0',
      '0026.1.0',
      '2026.001.0',
      '2026.1.0+1',
    ],
  },
};

describe('isReleaseVersion', () => {
  describe.each(Object.entries(CASES) as [ReleaseNamingFormat, (typeof CASES)[ReleaseNamingFormat]][])(
    '%s',
    (format, { yes, no }) => {
      it.each(yes)('accepts %j', (title) => expect(isReleaseVersion(title, format)).toBe(true));
      it('accepts its example', () => expect(isReleaseVersion(EXAMPLE_VERSIONS[format], format)).toBe(true));
      it.each(no)('rejects %j', (title) => expect(isReleaseVersion(title, format)).toBe(false));
    },
  );
});

describe('compareVersions', () => {
  // semver.org 2.0.0, § 11. Titles that are no version come first.
  const ascending = [
    'Backlog',
    'Zv1.0.0',
    'next',
    'v1.0',
    'v1.0.0 beta',
    `${LONGEST}a`,
    'v1.0.0-1',
    'v1.0.0-2',
    'v1.0.0-10',
    'v1.0.0--',
    'v1.0.0-1a',
    'v1.0.0-a1',
    'v1.0.0-alpha',
    'v1.0.0-alpha.1',
    'v1.0.0-alpha.beta',
    'v1.0.0-beta',
    'v1.0.0-beta.2',
    'v1.0.0-beta.11',
    'v1.0.0-rc.1',
    '1.0.0',
    'v1.0.0',
    'v1.0.1',
    'v1.0.10',
    'v1.2.0',
    LONGEST,
    'v1.2.3',
    'v1.10.0',
    'v2.0.0',
    '2026.01.3',
    '2026.1.3',
    '2026.001.9',
    '2026.02.0',
    '2026.10.0',
    'v9007199254740993.0.0',
    'v9007199254740994.0.0',
    'v99999999999999999999.0.0',
  ];

  it.each(ascending.slice(1).map((version, index) => [ascending[index] ?? '', version] as const))(
    'sorts %s before %s',
    (older, newer) => {
      expect(compareVersions(older, newer)).toBeLessThan(0);
      expect(compareVersions(newer, older)).toBeGreaterThan(0);
    },
  );

  it('is a total order on any titles', () => {
    const title = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom(...ascending),
      fc.stringMatching(/^v?[0-9]{1,2}\.[0-9]\.[0-9](-[ab0-9]{1,2}(\.[ab0-9])?)?$/),
    );
    fc.assert(
      fc.property(title, title, title, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).toBe(0 - Math.sign(compareVersions(b, a)));
        expect(compareVersions(a, b) === 0).toBe(a === b);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2_000 },
    );
  });
});
