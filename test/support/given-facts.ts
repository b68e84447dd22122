import type { Artifact, ArtifactBundle } from '../../src/domain/artifact/artifact.js';
import type { Provenance } from '../../src/domain/artifact/provenance.js';
import type { RequiredArtifact } from '../../src/domain/policy/policy.js';
import { createHash } from 'node:crypto';
import type { EvidenceItem } from '../../src/domain/evidence/evidence.js';
import type {
  CheckFact,
  CommitFact,
  ComparisonFact,
  EnvironmentDeploymentFact,
  IssueFact,
  MilestoneFact,
  PullFact,
  ReviewFact,
  RunJobsFact,
} from '../../src/domain/facts/facts.js';
import {
  DEFAULT_POLICY,
  type Policy,
  type PolicyState,
  type ReviewerRequirement,
} from '../../src/domain/policy/policy.js';
import { DEFAULT_VALUES } from '../../src/domain/policy/policy-fields.js';
import type { ReleaseRecord } from '../../src/domain/release/release-record.js';
import type { EvidencePullRecord } from '../../src/domain/review/evidence-pull.js';

/** A commit's SHA made of one hexadecimal digit. */
export const sha = (digit: string): string => digit.repeat(40);

export const NOW = new Date('2026-05-04T10:00:00Z');
export const VERSION = 'v1.2.0';
export const RELEASE_BRANCH = `release/${VERSION}`;
export const CANDIDATE = sha('c');
export const DEVELOPMENT_HEAD = sha('d');
export const PULL_HEAD = sha('e');
export const PULL_NUMBER = 7;
export const PREDECESSOR = sha('0');
export const FIRST_REVIEWER = { userId: 1, login: 'first-reviewer' };
export const SECOND_REVIEWER = { userId: 2, login: 'second-reviewer' };
export const AUTHOR = { userId: 9, login: 'author' };
export const EVIDENCE_FILES = [
  { path: `.releases/${VERSION}/EVIDENCE.md`, blobSha: sha('1') },
  { path: `.releases/${VERSION}/evidence.json`, blobSha: sha('2') },
];

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const minutesBefore = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);

export const policyWith = (changes: Partial<Policy> = {}): Policy => ({ ...DEFAULT_POLICY, ...changes });

export const reviewersRule = (changes: Partial<ReviewerRequirement> = {}): Policy['evidencing'] => ({
  ...DEFAULT_POLICY.evidencing,
  requiredReviewers: [{ minApprovals: 1, teams: [], excludeReleaseAuthors: false, ...changes }],
});

export const valid = (policy: Policy): PolicyState => ({
  status: 'valid',
  policy,
  organization: null,
  repository: { values: DEFAULT_VALUES, stated: [] },
  digest: digest(JSON.stringify(policy)),
  defaultBranch: 'main',
});

/** The policy of a team that requires only tests and one approval. */
export const PLAIN_POLICY = policyWith();

/** A policy with every requirement but those on deployments and artifacts. */
export const STRICT_POLICY: Policy = policyWith({
  planning: { requireIssues: true, requireIssuesAssigned: true },
  development: { ...DEFAULT_POLICY.development, requiredChecks: [{ name: 'build', app: null }] },
  testing: { ...DEFAULT_POLICY.testing, requiredChecks: [{ name: 'e2e', app: 'github-actions' }] },
  evidencing: {
    requiredEvidence: [
      { kind: 'unit_tests', environment: 'staging', minTests: 2 },
      { kind: 'sast_scan', environment: 'staging', minTests: 1 },
    ],
    requiredReviewers: [{ minApprovals: 2, teams: ['release-managers'], excludeReleaseAuthors: true }],
  },
  qualityGates: {
    coverage: { minLinePercent: 80, maxDrop: 1 },
    sastScan: { maxCritical: 0, maxHigh: null, maxMedium: null, maxLow: null },
    security: { maxCritical: 0, maxHigh: 0, maxMedium: null, maxLow: null },
  },
  freezes: [{ from: '2026-12-20', to: '2027-01-02', reason: 'year end' }],
});

const API: Artifact = {
  id: 'artifact',
  name: 'api',
  digest: `sha256:${'a'.repeat(64)}`,
  commitSha: '',
  commitSource: 'token',
  runId: '100',
  bundles: [],
  receivedAt: minutesBefore(60),
};

/** An artifact of the candidate that a run stated, without a bundle. */
export const artifact = (changes: Partial<Artifact> = {}): Artifact => ({ ...API, commitSha: CANDIDATE, ...changes });

/** A verified bundle of a build of the candidate. */
export const verifiedBundle = (changes: Partial<Provenance> = {}): ArtifactBundle => ({
  sha256: 'b'.repeat(64),
  status: 'verified',
  reason: null,
  provenance: {
    sourceSha: CANDIDATE,
    runId: '100',
    runnerEnvironment: 'github-hosted',
    signerWorkflow: 'acme/payments/.github/workflows/build.yml',
    ...changes,
  },
});

export const requiredArtifact = (changes: Partial<RequiredArtifact> = {}): RequiredArtifact => ({
  name: 'api',
  provenance: true,
  builder: 'github-hosted',
  signerWorkflow: null,
  ...changes,
});

/**
 * The strict policy with the requirements on deployments and artifacts: the candidate soaks in `dev` for an hour, and its tests begin after
 * its deployment to `staging`.
 */
export const COMPLETE_POLICY: Policy = {
  ...STRICT_POLICY,
  development: { ...STRICT_POLICY.development, deployTarget: 'dev', soak: 3_600 },
  testing: {
    ...STRICT_POLICY.testing,
    deployTarget: 'staging',
    requiredArtifacts: [requiredArtifact()],
  },
  evidencing: {
    ...STRICT_POLICY.evidencing,
    requiredEvidence: STRICT_POLICY.evidencing.requiredEvidence.map((required) =>
      required.kind === 'unit_tests' ? { ...required, afterDeployment: true } : required,
    ),
  },
};

let uploads = 0;

/** A passing item of unit test evidence of the candidate, with the given changes. */
export function evidenceItem(changes: Partial<EvidenceItem> = {}): EvidenceItem {
  uploads += 1;
  const id = changes.id ?? `upload-${uploads}`;
  return {
    id,
    kind: 'unit_tests',
    environment: 'staging',
    pipeline: 'ci',
    run: { id: '100', proven: true },
    attempt: 1,
    job: 'test',
    checkRunId: null,
    jobGroup: null,
    commitSha: CANDIDATE,
    metrics: { unit_tests: { total: 3, passed: 3, failed: 0, skipped: 0 } },
    failures: [],
    content: 1,
    sha256: changes.sha256 ?? digest(id),
    receivedAt: minutesBefore(60),
    ...changes,
  };
}

export const failingItem = (changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  evidenceItem({ metrics: { unit_tests: { total: 3, passed: 2, failed: 1, skipped: 0 } }, ...changes });

export const coverageItem = (linePercent: number | null, changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  evidenceItem({
    kind: 'coverage',
    job: 'coverage',
    metrics: { coverage: { line_percent: linePercent, branch_percent: null } },
    ...changes,
  });

export const scanItem = (
  kind: 'sast_scan' | 'security',
  findings: Partial<Record<'critical' | 'high' | 'medium' | 'low', number>> = {},
  changes: Partial<EvidenceItem> = {},
): EvidenceItem =>
  evidenceItem({
    kind,
    job: kind,
    metrics: { [kind]: { critical: 0, high: 0, medium: 0, low: 0, ...findings } },
    ...changes,
  });

export const milestone = (changes: Partial<MilestoneFact> = {}): MilestoneFact => ({
  githubId: 501,
  number: 5,
  title: VERSION,
  state: 'open',
  url: 'https://github.test/acme/payments/milestone/5',
  description: null,
  dueOn: null,
  updatedAt: '2026-05-01T08:00:00Z',
  ...changes,
});

export const issue = (changes: Partial<IssueFact> = {}): IssueFact => ({
  number: 11,
  title: 'Pay by card',
  state: 'closed',
  assignees: ['author'],
  labels: [],
  url: 'https://github.test/acme/payments/issues/11',
  ...changes,
});

/** The only deployment of an environment, which succeeded so many minutes ago. */
export const deployedFor = (
  minutes: number,
  changes: Partial<EnvironmentDeploymentFact> = {},
): readonly [EnvironmentDeploymentFact] => [
  { githubId: 1, sha: CANDIDATE, periods: [{ from: minutesBefore(minutes).toISOString(), to: null }], ...changes },
];

/** A run that began so many minutes ago. Of its jobs GitHub tells nothing else. */
export const runJobs = (minutes: number): RunJobsFact => ({
  granted: true,
  jobs: [],
  complete: true,
  beganAt: minutesBefore(minutes).toISOString(),
});

export const check = (name: string, changes: Partial<CheckFact> = {}): CheckFact => ({
  id: 1,
  name,
  app: 'github-actions',
  suite: 1,
  workflowRun: null,
  attempt: null,
  startedAt: null,
  completedAt: null,
  state: 'success',
  conclusion: null,
  url: null,
  ...changes,
});

export const commit = (
  of: string,
  parents: readonly string[],
  authorId: number | null = AUTHOR.userId,
): CommitFact => ({
  sha: of,
  parents,
  authorId,
  committerId: authorId,
  coAuthors: [],
});

export const comparison = (base: string, changes: Partial<ComparisonFact> = {}): ComparisonFact => ({
  status: 'ahead',
  mergeBaseSha: base,
  files: [{ path: 'src/pay.ts', blobSha: sha('3') }],
  filesComplete: true,
  commits: [],
  commitsComplete: true,
  ...changes,
});

/** A comparison in which only the evidence differs. */
export const sameButForEvidence = (base: string, changes: Partial<ComparisonFact> = {}): ComparisonFact =>
  comparison(base, { files: EVIDENCE_FILES, ...changes });

export const pull = (changes: Partial<PullFact> = {}): PullFact => ({
  number: PULL_NUMBER,
  url: `https://github.test/acme/payments/pull/${PULL_NUMBER}`,
  state: 'open',
  headRef: `shipgate/evidence/${VERSION}`,
  headSha: PULL_HEAD,
  baseRef: 'main',
  baseSha: DEVELOPMENT_HEAD,
  mergedAt: null,
  mergeCommitSha: null,
  ...changes,
});

export const review = (
  of: { userId: number | null; login: string | null },
  changes: Partial<ReviewFact> = {},
): ReviewFact => ({
  id: of.userId ?? 0,
  userId: of.userId,
  login: of.login,
  state: 'approved',
  commitSha: PULL_HEAD,
  submittedAt: '2026-05-04T09:30:00Z',
  ...changes,
});

export const evidencePull = (changes: Partial<EvidencePullRecord> = {}): EvidencePullRecord => ({
  number: PULL_NUMBER,
  url: pull().url,
  headSha: PULL_HEAD,
  files: EVIDENCE_FILES,
  setDigest: '',
  mergeApproval: null,
  ...changes,
});

export const releaseRecord = (changes: Partial<ReleaseRecord> = {}): ReleaseRecord => ({
  version: VERSION,
  milestoneNumber: 5,
  milestoneGithubId: 501,
  stage: 'DEPLOYMENT',
  candidateSha: CANDIDATE,
  startedAt: minutesBefore(600),
  cancelledAt: null,
  deletedAt: null,
  shipped: null,
  evidencePull: null,
  predecessor: null,
  repository: { removed: false, withinPlan: true, tamperedBranches: [], watchedHeads: null },
  ...changes,
});
