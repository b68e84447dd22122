import { describe, expect, it } from '@jest/globals';
import { strictnessViolation } from './merge-policies.js';
import { DEFAULT_POLICY, type Policy, type RequiredEvidence } from './policy.js';

const { evidencing, qualityGates, testing } = DEFAULT_POLICY;
const eventsOf = (evidenceEvents: readonly string[]): Policy => ({ ...DEFAULT_POLICY, evidenceEvents });
const checksOf = (...names: readonly string[]): Policy => ({
  ...DEFAULT_POLICY,
  testing: { ...testing, requiredChecks: names.map((name) => ({ name, app: null })) },
});
const testsOf = (...asked: readonly (readonly [string | null, number])[]): Policy => ({
  ...DEFAULT_POLICY,
  evidencing: {
    ...evidencing,
    requiredEvidence: asked.map(([environment, minTests]): RequiredEvidence => ({
      kind: 'unit_tests',
      environment,
      minTests,
    })),
  },
});
const leastOf = (minLinePercent: number | null): Policy => ({
  ...DEFAULT_POLICY,
  qualityGates: { ...qualityGates, coverage: { minLinePercent, maxDrop: null } },
});

describe('the refusal of a looser value', () => {
  it.each([
    [checksOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), checksOf('a'), 'b, c, d, e, f and 1 more'],
    [checksOf('a', 'b', 'c', 'd', 'e'), checksOf(), 'a, b, c, d, e'],
  ])('names the first five checks, and counts the rest', (organization, own, named) => {
    expect(strictnessViolation('stages.testing.required_checks', organization, own)).toBe(
      `Must keep what the organization asks for: ${named}.`,
    );
  });

  it('names what a check may not do that the organization asks for', () => {
    const own: Policy = {
      ...DEFAULT_POLICY,
      testing: { ...testing, requiredChecks: [{ name: 'a', app: 'ci', allowSkipped: true }] },
    };
    expect(strictnessViolation('stages.testing.required_checks', checksOf('a', 'b'), own)).toBe(
      'Must keep what the organization asks for: a without allow_skipped, b.',
    );
  });

  it('names evidence by what is asked of it', () => {
    const organization = testsOf([null, 1], ['ci', 1], [null, 2]);
    expect(strictnessViolation('stages.evidencing.required_evidence', organization, testsOf())).toBe(
      'Must keep what the organization asks for: unit_tests, unit_tests in ci, unit_tests with 2 tests.',
    );
  });

  it('meets any exception where the organization allows none', () => {
    expect(strictnessViolation('evidence_events', eventsOf([]), eventsOf(['pull_request']))).toBe(
      'Must stay empty, as the organization sets it.',
    );
  });

  it('meets no limit at all where the organization sets the loosest one', () => {
    expect(strictnessViolation('quality_gates.coverage.min_line_percent', leastOf(0), leastOf(null))).toBe(
      "May not be below the organization's 0.",
    );
  });
});
