/**
 * Merges the `sdlc.yaml` of a repository with the default of its organization. A repository may only tighten the default,
 * which is judged by effect: a release that passes the merged policy also passes the organization's default alone. So the
 * requirements of both add up.
 */
import {
  impliesArtifact,
  impliesCheck,
  impliesClosedIssues,
  impliesEvidence,
  impliesReviewers,
  type Implies,
  type ClosedIssuesRule,
  type CoverageLimits,
  DEFAULT_HOLD,
  type Freeze,
  type HoldPolicy,
  isSameEnvironment,
  type ParsedPolicy,
  type Policy,
  type PolicyKey,
  type PolicySource,
  type PolicyValues,
  type RequiredArtifact,
  type ReviewerRequirement,
  type SeverityLimits,
} from './policy.js';
import { replaceValues } from './policy-fields.js';

type Values = Readonly<PolicyValues>;

/** A key that holds one value only, which the repository states differently from the organization. */
interface PolicyConflict {
  readonly key: PolicyKey;
  /** One sentence that names the organization's value. */
  readonly message: string;
}

export interface MergedPolicy {
  readonly policy: Policy;
  /** The policy is valid only if this is empty. */
  readonly conflicts: readonly PolicyConflict[];
}

/** Returns the policy in force. `organization` is null if there is no default. */
export function mergePolicies(organization: ParsedPolicy | null, repository: ParsedPolicy): MergedPolicy {
  const { values } = repository;
  if (organization === null) return { policy: buildPolicy(null, values), conflicts: [] };
  const inherited = replaceValues(organization.values, repository.stated, (key) => values[key]);
  return { policy: buildPolicy(organization, inherited), conflicts: findConflicts(organization, repository) };
}

/** The keys that hold one value only. Two values are the same by this comparison. */
const SINGLE_VALUES = {
  'release_naming.format': Object.is,
  'hotfix.branch_pattern': Object.is,
  'stages.development.branch': Object.is,
  'stages.development.deploy_target': isSameEnvironment,
  'stages.testing.branch_pattern': Object.is,
  'stages.testing.deploy_target': isSameEnvironment,
  'stages.deployment.target': isSameEnvironment,
} as const satisfies Partial<Record<PolicyKey, (one: string, other: string) => boolean>>;

const findConflicts = (organization: ParsedPolicy, repository: ParsedPolicy): readonly PolicyConflict[] =>
  (Object.keys(SINGLE_VALUES) as (keyof typeof SINGLE_VALUES)[]).flatMap((key) => {
    if (!organization.stated.includes(key) || !repository.stated.includes(key)) return [];
    const [required, own] = [organization.values[key] ?? '', repository.values[key] ?? ''];
    if (SINGLE_VALUES[key](required, own)) return [];
    return [{ key, message: `Must stay "${required}", as the organization sets it.` }];
  });

/** Builds the policy that requires what the organization requires and what the repository requires. */
function buildPolicy(organization: ParsedPolicy | null, own: Values): Policy {
  const required = organization?.values ?? null;
  /** Returns the entries of both sources, without those of the repository that one of the organization implies. */
  const addUp = <T extends object>(toEntries: (values: Values) => readonly T[], implies: Implies<T>): readonly T[] => {
    if (required === null) return toEntries(own);
    const above = toEntries(required);
    const further = toEntries(own).filter((entry) => !above.some((other) => implies(other, entry)));
    return [...above.map(from('organization')), ...further.map(from('repository'))];
  };
  /** Returns the stricter of the two values of each name, with the sources of those that require something. */
  const strictest = <T extends Limits>(toLimits: (values: Values) => T, stricter: Stricter<T>): T & LimitSources<T> => {
    const strict = toLimits(own);
    if (required === null) return strict;
    const above = toLimits(required);
    const sources: Partial<Record<keyof T, PolicySource>> = {};
    for (const name of Object.keys(strict) as (keyof T)[]) {
      strict[name] = stricter[name](above[name], strict[name]);
      if (strict[name] === null || strict[name] === false) continue;
      sources[name] = strict[name] === above[name] ? 'organization' : 'repository';
    }
    return Object.assign(strict, { sources });
  };
  /** Returns the longer soak of both sources. */
  const soak = (toSeconds: (values: Values) => number | null): { readonly soak?: number } => {
    const seconds = highest(required && toSeconds(required), toSeconds(own));
    return seconds === null ? {} : { soak: seconds };
  };
  return {
    name: own.name,
    releaseNaming: own['release_naming.format'],
    hotfixBranchPatterns: [
      ...new Set([...(required ? [required['hotfix.branch_pattern']] : []), own['hotfix.branch_pattern']]),
    ],
    evidenceEvents: own.evidence_events.filter((event) => required?.evidence_events.includes(event) ?? true),
    planning: strictest(planningFlags, { requireIssues: either, requireIssuesAssigned: either }),
    development: {
      branch: own['stages.development.branch'],
      deployTarget: own['stages.development.deploy_target'],
      ...soak((values) => values['stages.development.soak']),
      requiredChecks: addUp((values) => values['stages.development.required_checks'], impliesCheck),
      closedIssues: addUp(closedIssues, impliesClosedIssues),
    },
    testing: {
      branchPattern: own['stages.testing.branch_pattern'],
      deployTarget: own['stages.testing.deploy_target'],
      ...soak((values) => values['stages.testing.soak']),
      requiredChecks: addUp((values) => values['stages.testing.required_checks'], impliesCheck),
      ...artifactsUnlessNone(addUp(artifacts, impliesArtifact)),
    },
    evidencing: {
      requiredEvidence: addUp((values) => values['stages.evidencing.required_evidence'], impliesEvidence),
      requiredReviewers: requiredReviewers(required, own),
    },
    deployment: {
      target: own['stages.deployment.target'],
      promotion: promotion(organization, own),
      requiresEvidenceApproval: requiresApproval(own) || (required !== null && requiresApproval(required)),
      ...holdUnlessDefault(hold(organization, own)),
    },
    qualityGates: {
      coverage: strictest(coverageLimits, { minLinePercent: highest, maxDrop: lowest }),
      sastScan: strictest(sastScanLimits, LOWEST_SEVERITIES),
      security: strictest(securityLimits, LOWEST_SEVERITIES),
    },
    freezes: addUp((values) => values.freezes, isSameFreeze),
  };
}

/** An organization's document that was stored before the key existed has no value. */
const artifacts = (values: Values): readonly RequiredArtifact[] =>
  (values as Partial<Values>)['stages.testing.required_artifacts'] ?? [];

const artifactsUnlessNone = (
  required: readonly RequiredArtifact[],
): { readonly requiredArtifacts?: readonly RequiredArtifact[] } =>
  required.length === 0 ? {} : { requiredArtifacts: required };

const isSameFreeze: Implies<Freeze> = (one, other) =>
  one.from === other.from && one.to === other.to && one.reason === other.reason;

const from =
  (source: PolicySource) =>
  <T extends object>(entry: T): T & { readonly source: PolicySource } => ({ ...entry, source });

type Limits = Readonly<Record<string, boolean | number | null>>;
type Stricter<T> = { readonly [Name in keyof T]: (above: T[Name], own: T[Name]) => T[Name] };
interface LimitSources<T> {
  readonly sources?: Readonly<Partial<Record<keyof T, PolicySource>>>;
}

const either = (above: boolean, own: boolean): boolean => above || own;
const highest = (above: number | null, own: number | null): number | null =>
  above === null || own === null ? (above ?? own) : Math.max(above, own);
const lowest = (above: number | null, own: number | null): number | null =>
  above === null || own === null ? (above ?? own) : Math.min(above, own);
const LOWEST_SEVERITIES = { maxCritical: lowest, maxHigh: lowest, maxMedium: lowest, maxLow: lowest } as const;

const planningFlags = (values: Values) => ({
  requireIssues: values['stages.planning.require_issues'],
  requireIssuesAssigned: values['stages.planning.require_issues_assigned'],
});

const coverageLimits = (values: Values): Omit<CoverageLimits, 'sources'> => ({
  minLinePercent: values['quality_gates.coverage.min_line_percent'],
  maxDrop: values['quality_gates.coverage.max_drop'],
});

const sastScanLimits = (values: Values): Omit<SeverityLimits, 'sources'> => ({
  maxCritical: values['quality_gates.sast_scan.max_critical'],
  maxHigh: values['quality_gates.sast_scan.max_high'],
  maxMedium: values['quality_gates.sast_scan.max_medium'],
  maxLow: values['quality_gates.sast_scan.max_low'],
});

const securityLimits = (values: Values): Omit<SeverityLimits, 'sources'> => ({
  maxCritical: values['quality_gates.security.max_critical'],
  maxHigh: values['quality_gates.security.max_high'],
  maxMedium: values['quality_gates.security.max_medium'],
  maxLow: values['quality_gates.security.max_low'],
});

const closedIssues = (values: Values): readonly ClosedIssuesRule[] =>
  values['stages.development.require_issues_closed']
    ? [{ exemptLabels: values['stages.development.exempt_labels'] }]
    : [];

const requiresApproval = (values: Values): boolean => values['stages.deployment.requires_evidence_approval'];

const reviewers = (values: Values): ReviewerRequirement => ({
  minApprovals: values['stages.evidencing.required_reviewers.min_approvals'],
  teams: values['stages.evidencing.required_reviewers.teams'],
  excludeReleaseAuthors: values['stages.evidencing.required_reviewers.exclude_release_authors'],
});

/**
 * An approval that the organization requires is given by another user than the author of the release. So at least one is
 * necessary, and an author cannot give the only one.
 */
function reviewersOfOrganization(values: Values): ReviewerRequirement {
  const requirement = reviewers(values);
  if (requirement.minApprovals > 1 || requirement.excludeReleaseAuthors) {
    return { ...requirement, minApprovals: Math.max(1, requirement.minApprovals) };
  }
  return { ...requirement, minApprovals: 1, excludeReleaseAuthors: true, authorsMayObject: true };
}

/**
 * Returns the requirements of each source that requires an approval, else those of the repository. A requirement of no
 * approvals adds nothing to that of the organization.
 */
function requiredReviewers(required: Values | null, own: Values): readonly ReviewerRequirement[] {
  const further = reviewers(own);
  if (required === null) return [further];
  if (!requiresApproval(required)) return [from('repository')(further)];
  const above = reviewersOfOrganization(required);
  const addsNothing = !requiresApproval(own) || further.minApprovals < 1 || impliesReviewers(above, further);
  return [from('organization')(above), ...(addsNothing ? [] : [from('repository')(further)])];
}

// The next two keys decide what follows an open or a closed gate, and never whether it is open. So the organization
// restricts them only if it states them.

const promotion = (organization: ParsedPolicy | null, own: Values): Policy['deployment']['promotion'] => {
  const key = 'stages.deployment.promotion';
  return organization?.stated.includes(key) && organization.values[key] === 'manual' ? 'manual' : own[key];
};

function hold(organization: ParsedPolicy | null, own: Values): HoldPolicy {
  const [hours, whenClosed] = ['stages.deployment.hold.for', 'stages.deployment.hold.when_closed'] as const;
  const states = (key: PolicyKey): boolean => organization?.stated.includes(key) === true;
  const isRejected = states(whenClosed) && organization?.values[whenClosed] === 'reject';
  return {
    hours: states(hours) ? Math.min(organization?.values[hours] ?? own[hours], own[hours]) : own[hours],
    whenClosed: isRejected ? 'reject' : own[whenClosed],
  };
}

const holdUnlessDefault = (value: HoldPolicy): { readonly hold?: HoldPolicy } =>
  value.hours === DEFAULT_HOLD.hours && value.whenClosed === DEFAULT_HOLD.whenClosed ? {} : { hold: value };
