import { describe, expect, it } from '@jest/globals';
import { strictnessViolation } from './merge-policies.js';
import { DEFAULT_POLICY, type Policy, type RequiredEvidence } from './policy.js';

const { evidencing, qualityGates, testing } = DEFAULT_POLICY;
const eventsOf = (evidenceEvents: readonly string[]): Policy => ({ ...DEFAULT_POLICY, evidenceEvents });
const checksOf = (...names: readonly string[]): Policy => ({
  ...DEFAULT_POLICY,
  testing: { ...testing, requiredChecks: names.map((name) => ({ name, app: null })) },
});
const testsOf = (...requirements: readonly (readonly [string | null, number])[]): Policy => ({
  ...DEFAULT_POLICY,
  evidencing: {
    ...evidencing,
    requiredEvidence: requirements.map(([environment, minTests]): RequiredEvidence => ({
      kind: 'unit_tests',
      environment,
      minTests,
    })),
  },
});
const minimumOf = (minLinePercent: number | null): Policy => ({
  ...DEFAULT_POLICY,
  qualityGates: { ...qualityGates, coverage: { minLinePercent, maxDrop: null } },
});

describe('strictnessViolation', () => {
  it.each([
    [checksOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), checksOf('a'), 'b, c, d, e, f and 1 more'],
    [checksOf('a', 'b', 'c', 'd', 'e'), checksOf(), 'a, b, c, d, e'],
  ])('names the first five checks and counts the others', (organization, own, named) => {
    expect(strictnessViolation('stages.testing.required_checks', organization, own)).toBe(
      `Must keep what the organization asks for: ${named}.`,
    );
  });

  it('names the option of a check that the organization does not allow', () => {
    const own: Policy = {
      ...DEFAULT_POLICY,
      testing: { ...testing, requiredChecks: [{ name: 'a', app: 'ci', allowSkipped: true }] },
    };
    expect(strictnessViolation('stages.testing.required_checks', checksOf('a', 'b'), own)).toBe(
      'Must keep what the organization asks for: a without allow_skipped, b.',
    );
  });

  it('names required evidence by its environment and minimum', () => {
    const organization = testsOf([null, 1], ['ci', 1], [null, 2]);
    expect(strictnessViolation('stages.evidencing.required_evidence', organization, testsOf())).toBe(
      'Must keep what the organization asks for: unit_tests, unit_tests in ci, unit_tests with 2 tests.',
    );
  });

  it('rejects any event when the organization allows none', () => {
    expect(strictnessViolation('evidence_events', eventsOf([]), eventsOf(['pull_request']))).toBe(
      'Must stay empty, as the organization sets it.',
    );
  });

  it('rejects a missing limit when the organization sets the loosest one', () => {
    expect(strictnessViolation('quality_gates.coverage.min_line_percent', minimumOf(0), minimumOf(null))).toBe(
      "May not be below the organization's 0.",
    );
  });
});
