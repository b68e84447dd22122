import { STAGES } from '../../src/domain/facts/condition.js';
import { mergePolicies } from '../../src/domain/policy/merge-policies.js';
import type { ParsedPolicy, PolicyValues } from '../../src/domain/policy/policy.js';
import { evaluate } from '../../src/domain/release/evaluate.js';
import {
  expectedResult,
  type OracleFacts,
  type OracleResult,
  randomDocument,
  randomFacts,
  randomNumbers,
  toInputs,
} from './policy-oracle.js';

interface MergeCounts {
  readonly passed: number;
  readonly closedByOrganization: number;
  readonly closedByRepository: number;
}

/**
 * Compares the verdict under merged policies with what each document alone lets pass. Throws with the case at the first
 * difference.
 */
export function checkMerges(cases: number, seed: number): MergeCounts {
  const random = randomNumbers(seed);
  const counts = { passed: 0, closedByOrganization: 0, closedByRepository: 0 };
  let compared = 0;
  for (let index = 0; compared < cases; index += 1) {
    const rarity = 3 + random(8);
    const organization = randomDocument(random, rarity);
    const repository = randomDocument(random, rarity);
    const facts = randomFacts(random);
    const { policy, conflicts } = mergePolicies(organization, repository);
    // Documents that contradict each other have no merged policy.
    if (conflicts.length > 0) continue;
    compared += 1;
    const verdict = evaluate(
      toInputs(facts, { status: 'valid', policy, organization, repository, digest: '', defaultBranch: 'main' }),
    );
    const merged: OracleResult = { stage: verdict.stage, isOpen: verdict.gate.openUntil !== null };
    const alone = expectAlone(organization, repository, facts);
    const problem = findDifference(merged, alone);
    if (problem !== null) {
      const documents = [organization, repository].map(listStated);
      throw new Error(`${problem}: ${JSON.stringify({ seed, index, documents, facts, merged, alone }, null, 1)}`);
    }
    counts.passed += merged.isOpen ? 1 : 0;
    counts.closedByOrganization += alone.repository.isOpen && !alone.organization.isOpen ? 1 : 0;
    counts.closedByRepository += alone.organization.isOpen && !alone.repository.isOpen ? 1 : 0;
  }
  return counts;
}

const listStated = ({ stated, values }: ParsedPolicy): Readonly<Record<string, unknown>> =>
  Object.fromEntries(stated.map((key) => [key, values[key]]));

interface Alone {
  readonly organization: OracleResult;
  readonly repository: OracleResult;
  /** What both let pass where a release is a hotfix only by the patterns of both. */
  readonly both: OracleResult;
}

/**
 * A repository inherits the keys that it does not state. The patterns of release branches name what a release is. The
 * repository chooses those that the organization does not state.
 */
function expectAlone(organization: ParsedPolicy, repository: ParsedPolicy, facts: OracleFacts): Alone {
  const required = organization.values;
  const own: PolicyValues = { ...required };
  for (const key of repository.stated) Object.assign(own, { [key]: repository.values[key] });
  const hotfixPatterns = [required, own].map((values) => values['hotfix.branch_pattern']);
  const releasePatterns = [own['stages.testing.branch_pattern'], ...hotfixPatterns];
  const isApprovedElsewhere = required['stages.deployment.requires_evidence_approval'];
  const expectOrganization = (patterns: readonly string[]): OracleResult =>
    expectedResult(required, facts, {
      isOrganization: true,
      releasePatterns,
      hotfixPatterns: patterns,
      isApprovedElsewhere: false,
    });
  const expectRepository = (patterns: readonly string[]): OracleResult =>
    expectedResult(own, facts, {
      isOrganization: false,
      releasePatterns,
      hotfixPatterns: patterns,
      isApprovedElsewhere,
    });
  const together = [expectOrganization(hotfixPatterns), expectRepository(hotfixPatterns)];
  return {
    organization: expectOrganization(hotfixPatterns.slice(0, 1)),
    repository: expectRepository(hotfixPatterns.slice(1)),
    both: {
      stage: STAGES[Math.min(...together.map(({ stage }) => STAGES.indexOf(stage)))] ?? 'PLANNING',
      isOpen: together.every(({ isOpen }) => isOpen),
    },
  };
}

function findDifference(merged: OracleResult, { organization, repository, both }: Alone): string | null {
  const rank = ({ stage }: OracleResult): number => STAGES.indexOf(stage);
  for (const alone of [organization, repository]) {
    if (rank(merged) > rank(alone)) return 'The merged policy reaches a later stage than one document alone';
    if (merged.isOpen && !alone.isOpen) return 'The merged policy opens the gate and one document alone does not';
  }
  if (rank(merged) < rank(both)) return 'The merged policy reaches an earlier stage than both documents';
  return merged.isOpen === both.isOpen ? null : 'The merged policy closes the gate and neither document does';
}
