import { expect, it } from '@jest/globals';
import {
  CANDIDATE,
  check,
  coverageItem,
  digest,
  evidenceItem,
  failingItem,
  issue,
  policyWith,
  scanItem,
} from '../../../test/support/given-facts.js';
import { brokenGlass } from '../../../test/support/given-overrides.js';
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import { releaseWithProblem } from '../../../test/support/release-with-problem.js';
import { DEFAULT_POLICY } from '../policy/policy.js';
import { RULES_VERSION, toStoredVerdict } from './replay.js';

/** The digest of the verdicts below by the rules of each version. A released version is never changed. */
const VERDICTS: Readonly<Record<string, string>> = {
  '0.1.0': '2777e550d88f8b17b85c9f14f9e027fda7c5a4b3dcb409ceb94a582708facdd1',
};

const PROBLEMS = [
  'tampered',
  'unknown',
  'facts_stale',
  'policy_unknown',
  'policy_invalid',
  'plan_limit',
  'cancelled',
  'milestone_renamed',
  'repository_removed',
  'workflows_unknown',
  'two_release_branches',
  'evidence_missing',
  'approvals_missing',
  'check_failing',
  'check_skipped',
  'freeze',
];

/** Releases with every kind of condition. */
const releases = (): readonly ReleaseBuilder[] => [
  givenOpenRelease(),
  givenTrunkRelease(),
  ...PROBLEMS.map(releaseWithProblem),
  givenOpenRelease().know('issues', '5', [
    issue({ state: 'open' }),
    issue({ number: 12, state: 'open', assignees: [] }),
  ]),
  givenOpenRelease().know('checks', CANDIDATE, [check('Build'), check('e2e', { state: 'pending' })]),
  givenTrunkRelease().uploaded(
    failingItem({
      id: 'failing',
      identified: { tests: [{ id: 'a', name: 'a › b' }], findings: [], repeatedTests: [] },
    }),
  ),
  givenTrunkRelease()
    .ruledBy(
      policyWith({
        evidencing: {
          ...DEFAULT_POLICY.evidencing,
          requiredEvidence: [
            { kind: 'unit_tests', environment: null, minTests: 100 },
            { kind: 'sbom', environment: 'staging', minTests: 1 },
          ],
        },
        qualityGates: {
          ...DEFAULT_POLICY.qualityGates,
          coverage: { minLinePercent: 80, maxDrop: null },
          security: { maxCritical: 0, maxHigh: null, maxMedium: null, maxLow: null },
        },
      }),
    )
    .uploaded(coverageItem(70, { id: 'coverage' }))
    .uploaded(scanItem('security', { critical: 2 }, { id: 'scan' }))
    .uploaded(evidenceItem({ id: 'sbom', kind: 'sbom', metrics: {}, content: 0 })),
  givenOpenRelease()
    .know('reviews', '7', [])
    .decided({ breakGlasses: [brokenGlass()] }),
];

it('raises the version of the rules when a verdict changes for the same inputs', () => {
  const verdicts = releases().map((release) => toStoredVerdict(release.verdict()));
  expect({
    verdicts: digest(JSON.stringify(verdicts)),
    remedy: 'Set RULES_VERSION to the version that will be released, and add the digest of its verdicts here.',
  }).toMatchObject({ verdicts: VERDICTS[RULES_VERSION] });
});
