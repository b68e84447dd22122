import { createHash } from 'node:crypto';
import type { EvidencePiece } from '../../src/domain/evidence/evidence.js';
import { DEFAULT_POLICY } from '../../src/domain/policy/default-policy.js';
import type { Policy, PolicyState } from '../../src/domain/policy/policy.js';
import { evaluate, type Verdict, type VerdictInputs } from '../../src/domain/release/evaluate.js';
import {
  factId,
  type CheckFact,
  type CommitFact,
  type ComparisonFact,
  type FactKind,
  type FactValues,
  type IssueFact,
  type MilestoneFact,
  type Observation,
  type PullFact,
  type RefFact,
  type ReviewFact,
} from '../../src/domain/release/facts.js';
import type { EvidencePullRecord, ReleaseRecord } from '../../src/domain/release/release-record.js';

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

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const minutesBefore = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);

export const policyWith = (changes: Partial<Policy> = {}): Policy => ({ ...DEFAULT_POLICY, ...changes });

export const reviewersRule = (
  changes: Partial<Policy['evidencing']['requiredReviewers']> = {},
): Policy['evidencing'] => ({
  ...DEFAULT_POLICY.evidencing,
  requiredReviewers: { ...DEFAULT_POLICY.evidencing.requiredReviewers, ...changes },
});

export const valid = (policy: Policy): PolicyState => ({
  status: 'valid',
  policy,
  digest: digest(JSON.stringify(policy)),
  defaultBranch: 'main',
});

/** A policy that asks for everything that can be asked for. */
export const STRICT_POLICY: Policy = policyWith({
  planning: { requireIssues: true, requireIssuesAssigned: true },
  development: { ...DEFAULT_POLICY.development, requiredChecks: [{ name: 'build', app: null }] },
  testing: { ...DEFAULT_POLICY.testing, requiredChecks: [{ name: 'e2e', app: 'github-actions' }] },
  evidencing: {
    requiredEvidence: [
      { kind: 'unit_tests', environment: 'staging', minTests: 2 },
      { kind: 'sast_scan', environment: 'staging', minTests: 1 },
    ],
    requiredReviewers: { minApprovals: 2, teams: ['release-managers'], excludeReleaseAuthors: true },
  },
  qualityGates: {
    coverage: { minLinePercent: 80, maxDrop: 1 },
    sastScan: { maxCritical: 0, maxHigh: null, maxMedium: null, maxLow: null },
    security: { maxCritical: 0, maxHigh: 0, maxMedium: null, maxLow: null },
  },
  freezes: [{ from: '2026-12-20', to: '2027-01-02', reason: 'year end' }],
});

let uploads = 0;

/** A green piece of unit test evidence of the candidate, unless told otherwise. */
export function piece(changes: Partial<EvidencePiece> = {}): EvidencePiece {
  uploads += 1;
  const id = changes.id ?? `upload-${uploads}`;
  return {
    id,
    kind: 'unit_tests',
    environment: 'staging',
    pipeline: 'ci',
    job: 'test',
    run: { id: '100', attempt: 1 },
    commitSha: CANDIDATE,
    metrics: { unit_tests: { total: 3, passed: 3, failed: 0, skipped: 0 } },
    failures: [],
    sha256: digest(id),
    receivedAt: minutesBefore(60),
    ...changes,
  };
}

export const redPiece = (changes: Partial<EvidencePiece> = {}): EvidencePiece =>
  piece({ metrics: { unit_tests: { total: 3, passed: 2, failed: 1, skipped: 0 } }, ...changes });

export const coveragePiece = (linePercent: number | null, changes: Partial<EvidencePiece> = {}): EvidencePiece =>
  piece({
    kind: 'coverage',
    job: 'coverage',
    metrics: { coverage: { line_percent: linePercent, branch_percent: null } },
    ...changes,
  });

export const scanPiece = (
  kind: 'sast_scan' | 'security',
  findings: Partial<Record<'critical' | 'high' | 'medium' | 'low', number>> = {},
  changes: Partial<EvidencePiece> = {},
): EvidencePiece =>
  piece({ kind, job: kind, metrics: { [kind]: { critical: 0, high: 0, medium: 0, low: 0, ...findings } }, ...changes });

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

export const check = (name: string, changes: Partial<CheckFact> = {}): CheckFact => ({
  name,
  app: 'github-actions',
  state: 'success',
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

/** A comparison that says: nothing differs but the evidence. */
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
  repository: { removed: false, withinPlan: true, tamperedBranches: [] },
  ...changes,
});

/** A release as the service knows it. Each test names only how its world differs. */
export class GivenRelease {
  now = NOW;
  record = releaseRecord();
  evidence: readonly EvidencePiece[] = [];
  private readonly facts = new Map<string, Observation>();

  know<K extends FactKind>(kind: K, key: string, value: FactValues[K], observedAt = this.now): this {
    this.facts.set(factId({ kind, key }), { kind, key, value, observedAt });
    return this;
  }

  forget(kind: FactKind, key: string): this {
    this.facts.delete(factId({ kind, key }));
    return this;
  }

  /** Makes a fact so many minutes older. */
  age(kind: FactKind, key: string, minutes: number): this {
    const known = this.facts.get(factId({ kind, key }));
    if (!known) throw new Error(`The world holds no fact ${kind}:${key}.`);
    this.facts.set(factId(known), { ...known, observedAt: new Date(known.observedAt.getTime() - minutes * 60_000) });
    return this;
  }

  /** Reads every fact anew, as it is. */
  renew(): this {
    for (const known of this.facts.values()) this.facts.set(factId(known), { ...known, observedAt: this.now });
    return this;
  }

  later(minutes: number): this {
    this.now = new Date(this.now.getTime() + minutes * 60_000);
    return this;
  }

  ruledBy(policy: Policy): this {
    return this.know('policy', '', valid(policy));
  }

  branches(...refs: readonly RefFact[]): this {
    for (const prefix of ['release/', 'hotfix/', 'main']) {
      this.know(
        'refs',
        prefix,
        refs.filter(({ branch }) => branch.startsWith(prefix)),
      );
    }
    return this;
  }

  recorded(changes: Partial<ReleaseRecord>): this {
    this.record = { ...this.record, ...changes };
    return this;
  }

  uploaded(...pieces: readonly EvidencePiece[]): this {
    this.evidence = [...this.evidence, ...pieces];
    return this;
  }

  /** The service wrote the set that decides now into the evidence pull request. */
  pullOpened(changes: Partial<EvidencePullRecord> = {}): this {
    const { setDigest } = this.recorded({ evidencePull: null }).verdict();
    return this.recorded({ evidencePull: evidencePull({ setDigest: setDigest ?? '', ...changes }) });
  }

  observations(): readonly Observation[] {
    return [...this.facts.values()];
  }

  inputs(): VerdictInputs {
    const { record, evidence, now } = this;
    return { record, evidence, observations: this.observations(), now, digest };
  }

  verdict(): Verdict {
    return evaluate(this.inputs());
  }

  isOpen(): boolean {
    const { openUntil } = this.verdict().gate;
    return openUntil !== null && openUntil > this.now.getTime();
  }

  /** The codes of all that keeps the gate closed. */
  reasons(): readonly string[] {
    return [...new Set(this.verdict().gate.reasons.map(({ code }) => code))];
  }
}

/** A release on its own branch under the strict policy: tested, approved by two, and its gate open. */
export function givenOpenRelease(): GivenRelease {
  const approvers = [FIRST_REVIEWER, SECOND_REVIEWER];
  const world = new GivenRelease()
    .ruledBy(STRICT_POLICY)
    .recorded({ predecessor: { candidateSha: PREDECESSOR, linePercent: 85 } })
    .know('milestone', '5', milestone())
    .know('issues', '5', [issue()])
    .branches({ branch: RELEASE_BRANCH, sha: CANDIDATE }, { branch: 'main', sha: DEVELOPMENT_HEAD })
    .know('checks', CANDIDATE, [check('build'), check('e2e')])
    .know(
      'comparison',
      `${PREDECESSOR}...${CANDIDATE}`,
      comparison(PREDECESSOR, { commits: [commit(CANDIDATE, [PREDECESSOR])] }),
    )
    .know('pull', String(PULL_NUMBER), pull())
    .know(
      'reviews',
      String(PULL_NUMBER),
      approvers.map((reviewer) => review(reviewer)),
    )
    .know('team', 'release-managers', { exists: true, userIds: [1, 2, 9] });
  for (const { userId, login } of [...approvers, AUTHOR]) {
    world.know('permission', login, { userId, level: 'write' });
  }
  return world.uploaded(piece(), coveragePiece(84.5), scanPiece('sast_scan'), scanPiece('security')).pullOpened();
}

/** Rules of a team that asks for tests and one approval only. */
export const PLAIN_POLICY = policyWith();

/** A release that ships from the trunk: no branch of its own, one green run of the trunk's head, approved by one. */
export function givenTrunkRelease(): GivenRelease {
  return new GivenRelease()
    .ruledBy(PLAIN_POLICY)
    .know('milestone', '5', milestone())
    .know('issues', '5', [issue()])
    .branches({ branch: 'main', sha: CANDIDATE })
    .know('history', CANDIDATE, [commit(CANDIDATE, [PREDECESSOR])])
    .know('pull', String(PULL_NUMBER), pull({ baseSha: CANDIDATE }))
    .know('reviews', String(PULL_NUMBER), [review(FIRST_REVIEWER)])
    .know('permission', FIRST_REVIEWER.login, { userId: FIRST_REVIEWER.userId, level: 'write' })
    .uploaded(piece())
    .pullOpened();
}
