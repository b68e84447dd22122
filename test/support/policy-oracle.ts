/**
 * What one `sdlc.yaml` lets pass, written from the documentation of its keys and without the code of the service: the
 * expected results of random policies and random facts.
 */
import type { FactKind, FactValues, Observation } from '../../src/domain/facts/facts.js';
import type { Stage } from '../../src/domain/facts/condition.js';
import type { EvidenceItem } from '../../src/domain/evidence/evidence.js';
import { NO_OVERRIDES } from '../../src/domain/override/override.js';
import type { ParsedPolicy, PolicyKey, PolicyState, PolicyValues } from '../../src/domain/policy/policy.js';
import { DEFAULT_VALUES, replaceValues } from '../../src/domain/policy/policy-fields.js';
import type { VerdictInputs } from '../../src/domain/release/evaluate.js';
import {
  AUTHOR,
  CANDIDATE,
  check,
  commit,
  comparison,
  coverageItem,
  evidenceItem,
  evidencePull,
  FIRST_REVIEWER,
  issue,
  milestone,
  NOW,
  PREDECESSOR,
  pull,
  PULL_NUMBER,
  releaseRecord,
  review,
  scanItem,
  SECOND_REVIEWER,
  VERSION,
} from './given-facts.js';

/** Returns a whole number from 0 to below the limit. The same seed gives the same numbers (mulberry32). */
export function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

type Random = (limit: number) => number;

const pick = <T>(random: Random, values: readonly T[]): T => values[random(values.length)] as T;
const some = <T>(random: Random, values: readonly T[]): readonly T[] => values.filter(() => random(3) === 0);

const CHECKS = [
  { name: 'build', app: null },
  { name: 'build', app: 'github-actions' },
  { name: 'build', app: 'jenkins' },
  { name: 'build', app: null, allowSkipped: true },
  { name: 'e2e', app: null, allowSkipped: true },
  { name: 'e2e', app: 'github-actions' },
] as const;
const REQUIRED = [
  { kind: 'unit_tests', environment: null, minTests: 1 },
  { kind: 'unit_tests', environment: 'staging', minTests: 4 },
  { kind: 'unit_tests', environment: 'ci', minTests: 1 },
  { kind: 'unit_tests', environment: 'ci', minTests: 4 },
  { kind: 'unit_tests', environment: null, minTests: 1, afterDeployment: true },
  { kind: 'unit_tests', environment: 'ci', minTests: 4, afterDeployment: true },
  { kind: 'sbom', environment: null, minTests: 0 },
  { kind: 'sbom', environment: 'ci', minTests: 0 },
] as const;
const OWN_WORKFLOW = 'acme/payments/.github/workflows/build.yml';
const ARTIFACTS = [
  { name: 'api', provenance: true, builder: 'github-hosted', signerWorkflow: null },
  { name: 'api', provenance: true, builder: 'any', signerWorkflow: null },
  { name: 'api', provenance: true, builder: 'self-hosted', signerWorkflow: OWN_WORKFLOW },
  { name: 'api', provenance: false, builder: 'any', signerWorkflow: null },
  { name: 'web', provenance: false, builder: 'any', signerWorkflow: null },
] as const;
const FREEZES = [
  { from: '2026-05-01', to: '2026-05-04', reason: 'launch' },
  { from: '2026-05-05', to: '2026-05-06', reason: 'audit' },
  { from: '2026-04-01', to: '2026-05-03', reason: 'spring' },
] as const;
const FINDINGS = [null, 0, 1] as const;
/** In seconds. */
const SOAKS = [0, 60, 3600] as const;

const ANY_VALUE: { readonly [K in PolicyKey]: (random: Random) => PolicyValues[K] } = {
  name: () => 'payments',
  'release_naming.format': () => 'semver-v-strict',
  'hotfix.branch_pattern': (random) => pick(random, ['hotfix/**', 'release/**', 'fix/**', '**']),
  evidence_events: (random) => some(random, ['pull_request', 'repository_dispatch']),
  'stages.planning.require_issues': (random) => random(2) === 0,
  'stages.planning.require_issues_assigned': (random) => random(2) === 0,
  'stages.development.branch': () => 'main',
  'stages.development.deploy_target': () => 'dev',
  'stages.development.soak': (random) => pick(random, SOAKS),
  'stages.development.required_checks': (random) => some(random, CHECKS),
  'stages.development.require_issues_closed': (random) => random(2) === 0,
  'stages.development.exempt_labels': (random) => some(random, ['bug', 'docs', 'ui']),
  'stages.testing.branch_pattern': (random) => pick(random, ['release/**', '**', 'ship/**']),
  'stages.testing.deploy_target': () => 'staging',
  'stages.testing.soak': (random) => pick(random, SOAKS),
  'stages.testing.required_checks': (random) => some(random, CHECKS),
  'stages.testing.required_artifacts': (random) => (random(2) === 0 ? some(random, ARTIFACTS) : []),
  'stages.evidencing.required_evidence': (random) => some(random, REQUIRED),
  'stages.evidencing.required_reviewers.min_approvals': (random) => random(4),
  'stages.evidencing.required_reviewers.teams': (random) => some(random, ['leads', 'managers']),
  'stages.evidencing.required_reviewers.exclude_release_authors': (random) => random(2) === 0,
  'stages.deployment.target': () => 'production',
  'stages.deployment.promotion': (random) => pick(random, ['manual', 'auto']),
  'stages.deployment.requires_evidence_approval': (random) => random(3) > 0,
  'stages.deployment.hold.for': (random) => pick(random, [1, 24, 48]),
  'stages.deployment.hold.when_closed': (random) => pick(random, ['wait', 'reject']),
  'quality_gates.coverage.min_line_percent': (random) => pick(random, [null, 70, 80]),
  'quality_gates.coverage.max_drop': (random) => pick(random, [null, 0, 5]),
  'quality_gates.sast_scan.max_critical': (random) => pick(random, FINDINGS),
  'quality_gates.sast_scan.max_high': (random) => pick(random, FINDINGS),
  'quality_gates.sast_scan.max_medium': (random) => pick(random, FINDINGS),
  'quality_gates.sast_scan.max_low': (random) => pick(random, FINDINGS),
  'quality_gates.security.max_critical': (random) => pick(random, FINDINGS),
  'quality_gates.security.max_high': (random) => pick(random, FINDINGS),
  'quality_gates.security.max_medium': (random) => pick(random, FINDINGS),
  'quality_gates.security.max_low': (random) => pick(random, FINDINGS),
  freezes: (random) => (random(3) === 0 ? some(random, FREEZES) : []),
};

/** Returns a document that states one in `rarity` of its keys. */
export function randomDocument(random: Random, rarity: number): ParsedPolicy {
  const chosen = (Object.keys(ANY_VALUE) as PolicyKey[]).filter(() => random(rarity) === 0);
  const values = replaceValues(DEFAULT_VALUES, chosen, (key) => ANY_VALUE[key](random));
  // A soak, and evidence after a deployment, are valid only beside the environment that they are about.
  const targets = (['development', 'testing'] as const).filter(
    (stage) =>
      chosen.includes(`stages.${stage}.soak`) ||
      (stage === 'testing' && values['stages.evidencing.required_evidence'].some((one) => one.afterDeployment)),
  );
  const stated = [...new Set([...chosen, ...targets.map((stage) => `stages.${stage}.deploy_target` as const)])];
  const isMissing = (key: PolicyKey): boolean => !chosen.includes(key);
  return { values: replaceValues(values, stated.filter(isMissing), (key) => ANY_VALUE[key](random)), stated };
}

interface Tests {
  readonly environment: 'staging' | 'ci';
  readonly passed: number;
  readonly failed: number;
}

/** The facts of a release that the keys of a policy are about. */
export interface OracleFacts {
  /** The branches of the version. The head of each is also the head of the development branch. */
  readonly branches: readonly string[];
  readonly issues: readonly { readonly open: boolean; readonly owned: boolean; readonly labels: readonly string[] }[];
  readonly checks: readonly {
    readonly name: string;
    readonly app: string;
    readonly state: 'success' | 'failure' | 'skipped';
  }[];
  readonly tests: readonly Tests[];
  readonly sbom: readonly ('staging' | 'ci')[];
  readonly linePercent: number | null;
  readonly findings: Readonly<Record<'sast_scan' | 'security', readonly [number, number, number, number] | null>>;
  readonly reviews: readonly {
    readonly userId: number;
    readonly login: string;
    readonly state: 'approved' | 'changes_requested';
  }[];
  readonly teams: Readonly<Record<string, readonly number[]>>;
  readonly isMerged: boolean;
  /** The artifacts that a run stated. Without a build they have no provenance. */
  readonly artifacts: readonly {
    readonly name: 'api' | 'web';
    readonly build: { readonly runner: 'github-hosted' | 'self-hosted'; readonly workflow: string } | null;
  }[];
  /** For how many seconds the candidate is the latest deployment of the environment; null if it is not. */
  readonly deployedFor: Readonly<Record<'dev' | 'staging', number | null>>;
  /** Whether the run of the evidence began after the deployment to staging. */
  readonly isAfterDeployment: boolean;
}

const USERS = [FIRST_REVIEWER, SECOND_REVIEWER, AUTHOR, { userId: 3, login: 'third-reviewer' }];
const PREDECESSOR_PERCENT = 80;

/** Returns facts with which many policies pass. */
export function randomFacts(random: Random): OracleFacts {
  const isRare = (): boolean => random(6) === 0;
  const counts = (): readonly [number, number, number, number] => [
    isRare() ? 1 : 0,
    isRare() ? 1 : 0,
    isRare() ? 1 : 0,
    isRare() ? 1 : 0,
  ];
  return {
    branches: pick(random, [
      [],
      ['release/'],
      ['hotfix/'],
      ['fix/'],
      ['release/'],
      isRare() ? ['release/', 'hotfix/'] : ['hotfix/'],
      isRare() ? ['fix/', 'hotfix/'] : ['release/'],
    ]).map((prefix) => `${prefix}${VERSION}`),
    issues: Array.from({ length: random(3) }, () => ({
      open: random(3) === 0,
      owned: !isRare(),
      labels: some(random, ['bug', 'docs', 'ui']),
    })),
    checks: [
      { name: 'build', app: 'github-actions' },
      { name: 'build', app: 'jenkins' },
      { name: 'e2e', app: 'github-actions' },
    ].flatMap(({ name, app }) => (isRare() ? [] : [{ name, app, state: pick(random, STATES) }])),
    tests: (['staging', 'ci'] as const).flatMap((environment) =>
      random(4) === 0 ? [] : [{ environment, passed: pick(random, [1, 4, 4, 9]), failed: random(12) === 0 ? 1 : 0 }],
    ),
    sbom: some(random, ['staging', 'ci'] as const),
    linePercent: pick(random, [null, 65, 75, 79, 85, 85]),
    findings: { sast_scan: isRare() ? null : counts(), security: isRare() ? null : counts() },
    reviews: USERS.flatMap(({ userId, login }) => {
      const kind = random(8);
      if (kind < 2) return [];
      return [{ userId, login, state: kind === 2 && isRare() ? 'changes_requested' : 'approved' } as const];
    }),
    teams: {
      leads: USERS.map(({ userId }) => userId).filter(() => random(4) > 0),
      managers: USERS.map(({ userId }) => userId).filter(() => random(4) > 0),
    },
    isMerged: random(4) === 0,
    artifacts: (['api', 'web'] as const).flatMap((name) => {
      if (isRare()) return [];
      const runner = pick(random, ['github-hosted', 'github-hosted', 'self-hosted'] as const);
      return [{ name, build: isRare() ? null : { runner, workflow: pick(random, [OWN_WORKFLOW, 'acme/other']) } }];
    }),
    deployedFor: { dev: pick(random, DEPLOYED_FOR), staging: pick(random, DEPLOYED_FOR) },
    isAfterDeployment: random(3) > 0,
  };
}

const DEPLOYED_FOR = [null, 30, 60, 600, 7200, 7200] as const;
const STATES = ['success', 'success', 'success', 'success', 'success', 'skipped', 'failure'] as const;

/** Returns the inputs of a verdict about the facts under the policy. */
export function toInputs(facts: OracleFacts, policy: PolicyState): VerdictInputs {
  const issues = facts.issues.map(({ open, owned, labels }, index) =>
    issue({ number: index + 1, state: open ? 'open' : 'closed', assignees: owned ? ['author'] : [], labels }),
  );
  const refs = [...facts.branches, 'main'].map((branch) => ({ branch, sha: CANDIDATE }));
  const checks = facts.checks.map(({ name, app, state }) => check(name, { app, state }));
  const reviews = facts.reviews.map(({ userId, login, state }) => review({ userId, login }, { state }));
  return {
    record: RECORD,
    evidence: toEvidence(facts),
    artifacts: facts.artifacts.map(({ name, build }) => ({
      id: name,
      name,
      digest: `sha256:${SHA256}`,
      commitSha: CANDIDATE,
      commitSource: 'token',
      runId: '100',
      receivedAt: NOW,
      bundles:
        build === null
          ? []
          : [
              {
                sha256: SHA256,
                status: 'verified',
                reason: null,
                provenance: {
                  sourceSha: CANDIDATE,
                  runId: '100',
                  runnerEnvironment: build.runner,
                  signerWorkflow: build.workflow,
                },
              },
            ],
    })),
    observations: [
      ...ALWAYS_OBSERVED,
      observe('policy', '', policy),
      observe('issues', '5', issues),
      ...toDeployments(facts),
      ...['', 'release/', 'hotfix/', 'fix/', 'ship/', 'main'].map((prefix) => {
        const found = refs.filter(({ branch }) => branch.startsWith(prefix));
        return observe('refs', prefix, found);
      }),
      observe('checks', CANDIDATE, checks),
      observe('pull', String(PULL_NUMBER), facts.isMerged ? MERGED : OPEN),
      observe('reviews', String(PULL_NUMBER), reviews),
      ...Object.entries(facts.teams).map(([slug, userIds]) => observe('team', slug, { exists: true, userIds })),
    ],
    overrides: NO_OVERRIDES,
    now: NOW,
    // The evidence pull request has the set of the policy, whichever that is.
    digest: () => SET,
  };
}

function toDeployments({ deployedFor, isAfterDeployment }: OracleFacts): readonly Observation[] {
  const at = (seconds: number): string => new Date(NOW.getTime() - seconds * 1000).toISOString();
  const withMoments = (observation: Observation, times: readonly string[]): Observation => ({
    ...observation,
    knownSince: 0,
    moments: Object.fromEntries(times.map((time) => [time, [Date.parse(time), Date.parse(time)]])),
  });
  const deployments = (['dev', 'staging'] as const).map((name) => {
    const seconds = deployedFor[name];
    const [sha, from] = seconds === null ? [PREDECESSOR, at(60)] : [CANDIDATE, at(seconds)];
    return withMoments(observe('deployments', name, [{ githubId: 1, sha, periods: [{ from, to: null }] }]), [from]);
  });
  const beganAt = at((deployedFor.staging ?? 0) + (isAfterDeployment ? -10 : 10));
  const jobs = observe('run_jobs', '100', { granted: true, jobs: [], complete: true, beganAt });
  return [...deployments, withMoments(jobs, [beganAt])];
}

const observe = <K extends FactKind>(kind: K, key: string, value: FactValues[K]): Observation => {
  return { kind, key, value, observedAt: NOW };
};

const SET = 'the set of the policy';
const RECORD = releaseRecord({
  evidencePull: evidencePull({ setDigest: SET }),
  predecessor: { candidateSha: PREDECESSOR, linePercent: PREDECESSOR_PERCENT },
});
const OPEN = pull({ baseSha: CANDIDATE });
const MERGED = pull({ ...OPEN, state: 'merged', mergedAt: '2026-05-04T09:45:00Z', mergeCommitSha: null });
const COMMITS = [commit(CANDIDATE, [PREDECESSOR])];

/** The facts that no key of a policy is about. */
const ALWAYS_OBSERVED: readonly Observation[] = [
  observe('milestone', '5', milestone()),
  observe('history', CANDIDATE, COMMITS),
  observe('comparison', `${PREDECESSOR}...${CANDIDATE}`, comparison(PREDECESSOR, { commits: COMMITS })),
  ...USERS.map(({ userId, login }) => observe('permission', login, { userId, level: 'write' })),
];

/** The digest of every upload. It decides nothing, because `toInputs` states the digest of the set. */
const SHA256 = '0'.repeat(64);

function toEvidence({ tests, sbom, linePercent, findings }: OracleFacts): readonly EvidenceItem[] {
  return [
    ...tests.map(({ environment, passed, failed }) =>
      evidenceItem({
        id: `tests-${environment}`,
        sha256: SHA256,
        environment,
        metrics: { unit_tests: { total: passed + failed, passed, failed, skipped: 0 } },
      }),
    ),
    ...sbom.map((environment) =>
      evidenceItem({ id: `sbom-${environment}`, sha256: SHA256, kind: 'sbom', environment, job: 'sbom', metrics: {} }),
    ),
    ...(linePercent === null ? [] : [coverageItem(linePercent, { id: 'coverage', sha256: SHA256 })]),
    ...(['sast_scan', 'security'] as const).flatMap((kind) => {
      const [critical = 0, high = 0, medium = 0, low = 0] = findings[kind] ?? [];
      return findings[kind] === null
        ? []
        : [scanItem(kind, { critical, high, medium, low }, { id: kind, sha256: SHA256 })];
    }),
  ];
}

/** The stage that a release reaches under one document, and whether its gate is open. */
export interface OracleResult {
  readonly stage: Stage;
  readonly isOpen: boolean;
}

export interface OracleOptions {
  /** An organization that requires an approval needs one by another user than an author. */
  readonly isOrganization: boolean;
  /** A branch that matches one of them is a release branch. */
  readonly releasePatterns: readonly string[];
  /** A release is a hotfix only if its branch matches every one of them. */
  readonly hotfixPatterns: readonly string[];
  /** Another document requires an approval, so a document that requires none adds nothing. */
  readonly isApprovedElsewhere: boolean;
}

/** Returns what the document alone lets pass. */
export function expectedResult(
  values: Readonly<PolicyValues>,
  facts: OracleFacts,
  options: OracleOptions,
): OracleResult {
  const stage = expectedStage(values, facts, options);
  const isFrozen = values.freezes.some(({ from, to }) => from <= TODAY && TODAY <= to);
  return { stage, isOpen: stage === 'DEPLOYMENT' && !isFrozen };
}

const TODAY = NOW.toISOString().slice(0, 10);

function expectedStage(values: Readonly<PolicyValues>, facts: OracleFacts, options: OracleOptions): Stage {
  if (!leavesPlanning(values, facts, options)) return 'PLANNING';
  if (!leavesDevelopment(values, facts, options)) return 'DEVELOPMENT';
  if (!leavesTesting(values, facts)) return 'TESTING';
  const needsApproval = values['stages.deployment.requires_evidence_approval'];
  return needsApproval && !isApproved(values, facts, options) ? 'EVIDENCING' : 'DEPLOYMENT';
}

/** The patterns above are folders or everything. */
const matches = (pattern: string, branch: string): boolean =>
  pattern === '**' || branch.startsWith(pattern.slice(0, -'**'.length));

const releaseBranches = ({ branches }: OracleFacts, { releasePatterns }: OracleOptions): readonly string[] =>
  branches.filter((branch) => releasePatterns.some((pattern) => matches(pattern, branch)));

function leavesPlanning(values: Readonly<PolicyValues>, facts: OracleFacts, options: OracleOptions): boolean {
  const { issues } = facts;
  const [branch, another] = releaseBranches(facts, options);
  const isHotfix = branch !== undefined && options.hotfixPatterns.every((pattern) => matches(pattern, branch));
  if (isHotfix && another === undefined) return true;
  if (values['stages.planning.require_issues'] && issues.length === 0) return false;
  return !values['stages.planning.require_issues_assigned'] || issues.every(({ open, owned }) => !open || owned);
}

function leavesDevelopment(values: Readonly<PolicyValues>, facts: OracleFacts, options: OracleOptions): boolean {
  const own = releaseBranches(facts, options);
  if (own.length > 1) return false;
  const hasCandidate = own.length === 1 || hasAnyEvidence(facts);
  const labels = values['stages.development.exempt_labels'];
  const isBlocking = facts.issues.some((one) => one.open && !one.labels.some((label) => labels.includes(label)));
  return (
    hasCandidate &&
    !(values['stages.development.require_issues_closed'] && isBlocking) &&
    succeed(values['stages.development.required_checks'], facts) &&
    isSoaked(values['stages.development.soak'], facts.deployedFor.dev)
  );
}

const isSoaked = (soak: number | null, deployedFor: number | null): boolean =>
  soak === null || (deployedFor !== null && deployedFor >= soak);

const succeed = (required: PolicyValues['stages.testing.required_checks'], { checks }: OracleFacts): boolean =>
  required.every(({ name, app, allowSkipped }) => {
    const reports = checks.filter((one) => one.name === name && (app === null || one.app === app));
    return (
      reports.length > 0 &&
      reports.every(({ state }) => state === 'success' || (state === 'skipped' && allowSkipped === true))
    );
  });

/** The keys that limit the findings of one severity, which is the count at this index. */
const FINDING_LIMITS = (['sast_scan', 'security'] as const).flatMap((kind) =>
  (['critical', 'high', 'medium', 'low'] as const).map((severity, index) => {
    return { kind, index, key: `quality_gates.${kind}.max_${severity}` } as const;
  }),
);

const hasAnyEvidence = ({ tests, sbom, linePercent, findings }: OracleFacts): boolean =>
  tests.length > 0 ||
  sbom.length > 0 ||
  linePercent !== null ||
  findings.sast_scan !== null ||
  findings.security !== null;

function leavesTesting(values: Readonly<PolicyValues>, facts: OracleFacts): boolean {
  const { tests, sbom, linePercent, findings, deployedFor, isAfterDeployment } = facts;
  if (!isSoaked(values['stages.testing.soak'], deployedFor.staging)) return false;
  if (tests.length === 0 || tests.some(({ failed }) => failed > 0)) return false;
  if (!succeed(values['stages.testing.required_checks'], facts)) return false;
  const hasEvidence = values['stages.evidencing.required_evidence'].every(
    ({ kind, environment, minTests, afterDeployment }) => {
      if (afterDeployment === true && (deployedFor.staging === null || !isAfterDeployment)) return false;
      const isThere = (place: string): boolean => environment === null || environment === place;
      if (kind === 'sbom') return sbom.some(isThere);
      const groups = tests.filter((one) => isThere(one.environment));
      return groups.length > 0 && groups.every(({ passed }) => passed >= minTests);
    },
  );
  const least = values['quality_gates.coverage.min_line_percent'];
  const drop = values['quality_gates.coverage.max_drop'];
  const isCovered =
    (least === null || (linePercent !== null && linePercent >= least)) &&
    (drop === null || (linePercent !== null && PREDECESSOR_PERCENT - linePercent <= drop));
  const hasFewFindings = FINDING_LIMITS.every(({ kind, index, key }) => {
    const limit = values[key];
    return limit === null || (findings[kind]?.[index] ?? Number.POSITIVE_INFINITY) <= limit;
  });
  const hasArtifacts = values['stages.testing.required_artifacts'].every(
    ({ name, provenance, builder, signerWorkflow }) => {
      const stated = facts.artifacts.find((one) => one.name === name);
      if (stated === undefined || !provenance) return stated !== undefined;
      return (
        stated.build !== null &&
        (builder === 'any' || stated.build.runner === builder) &&
        (signerWorkflow === null || stated.build.workflow === signerWorkflow)
      );
    },
  );
  return hasEvidence && hasArtifacts && isCovered && hasFewFindings;
}

function isApproved(
  values: Readonly<PolicyValues>,
  { reviews, teams, isMerged }: OracleFacts,
  { isOrganization, isApprovedElsewhere }: OracleOptions,
): boolean {
  const named = values['stages.evidencing.required_reviewers.teams'];
  const least = values['stages.evidencing.required_reviewers.min_approvals'];
  if (least === 0 && isApprovedElsewhere) return true;
  const eligible = reviews.filter(
    ({ userId }) =>
      (named.length === 0 || named.some((slug) => teams[slug]?.includes(userId))) &&
      !(values['stages.evidencing.required_reviewers.exclude_release_authors'] && userId === AUTHOR.userId),
  );
  if (eligible.some(({ state }) => state === 'changes_requested')) return false;
  const approvers = eligible.map(({ userId }) => userId);
  if (isOrganization) return approvers.length >= least && approvers.some((userId) => userId !== AUTHOR.userId);
  return least === 0 ? isMerged : approvers.length >= least;
}
