/**
 * Merges the policy of a repository with the organization default. A repository inherits every key that it does not
 * state, and a stated key may only be stricter.
 */
import { isSameEnvironment, type Freeze, type Policy, type RequiredCheck, type RequiredEvidence } from './policy.js';
import { buildPolicy, POLICY_KEYS, type PolicyKey, policyValue, type PolicyValues } from './policy-fields.js';

/**
 * Returns null if the repository's value is as strict or stricter, else one sentence that names the organization's
 * value.
 */
type Strictness<T> = (organization: T, own: T) => string | null;

const MOST_LISTED = 5;

const free: Strictness<unknown> = () => null;

const same: Strictness<string | null> = (organization, own) =>
  own === organization ? null : `Must stay "${organization}", as the organization sets it.`;

const sameEnvironment: Strictness<string> = (organization, own) =>
  isSameEnvironment(own, organization) ? null : same(organization, own);

const trueStays: Strictness<boolean> = (organization, own) =>
  organization && !own ? 'Must stay true, as the organization sets it.' : null;

const manualStays: Strictness<'manual' | 'auto'> = (organization, own) =>
  organization === 'manual' && own === 'auto' ? 'Must stay "manual", as the organization sets it.' : null;

const rejectStays: Strictness<'wait' | 'reject'> = (organization, own) =>
  organization === 'reject' && own === 'wait' ? 'Must stay "reject", as the organization sets it.' : null;

const noLonger: Strictness<number> = (organization, own) =>
  own <= organization ? null : `May not be longer than the organization's ${organization}h.`;

const noLess: Strictness<number | null> = (organization, own) =>
  organization === null || (own !== null && own >= organization)
    ? null
    : `May not be below the organization's ${organization}.`;

const noMore: Strictness<number | null> = (organization, own) =>
  organization === null || (own !== null && own <= organization)
    ? null
    : `May not be above the organization's ${organization}.`;

/** Each entry is an exception, so fewer entries are stricter. GitHub ignores the case of labels. */
const noneAdded: Strictness<readonly string[]> = (organization, own) => {
  const allowed = new Set(organization.map((entry) => entry.toLowerCase()));
  if (own.every((entry) => allowed.has(entry.toLowerCase()))) return null;
  return allowed.size === 0
    ? 'Must stay empty, as the organization sets it.'
    : `May hold only what the organization allows: ${listed(organization)}.`;
};

/**
 * Members of any of the teams may approve, so fewer teams are stricter. No team is the loosest value, because then
 * every user with write access may approve.
 */
const fewerTeams: Strictness<readonly string[]> = (organization, own) => {
  if (organization.length === 0) return null;
  return own.length > 0 && own.every((team) => organization.includes(team))
    ? null
    : `Must name one or more of the organization's teams, and no others: ${listed(organization)}.`;
};

/** Each entry of the organization must have an entry in the repository that requires the same or more. */
const noneWeaker =
  <T>(
    isAsStrict: (organization: T, own: T) => boolean,
    name: (entry: T, own: readonly T[]) => string,
  ): Strictness<readonly T[]> =>
  (organization, own) => {
    const lost = organization.filter((entry) => !own.some((other) => isAsStrict(entry, other)));
    if (lost.length === 0) return null;
    return `Must keep what the organization asks for: ${listed(lost.map((entry) => name(entry, own)))}.`;
  };

const isSameCheck = (organization: RequiredCheck, own: RequiredCheck): boolean =>
  own.name === organization.name && (organization.app === null || own.app === organization.app);

const checksAsStrict = noneWeaker<RequiredCheck>(
  (organization, own) => isSameCheck(organization, own) && (organization.allowSkipped === true || !own.allowSkipped),
  (check, own) => {
    const label = check.app === null ? check.name : `${check.name} (by ${check.app})`;
    return own.some((other) => isSameCheck(check, other)) ? `${label} without allow_skipped` : label;
  },
);

const evidenceAsStrict = noneWeaker<RequiredEvidence>(
  (organization, own) =>
    own.kind === organization.kind &&
    (organization.environment === null || own.environment === organization.environment) &&
    own.minTests >= organization.minTests,
  ({ kind, environment, minTests }) =>
    [kind, environment === null ? '' : ` in ${environment}`, minTests > 1 ? ` with ${minTests} tests` : ''].join(''),
);

const freezesAsStrict = noneWeaker<Freeze>(
  (organization, own) => own.from <= organization.from && own.to >= organization.to,
  ({ from, to }) => `${from} to ${to}`,
);

const STRICTNESS: { readonly [K in PolicyKey]: Strictness<PolicyValues[K]> } = {
  name: free,
  'release_naming.format': same,
  'hotfix.branch_pattern': same,
  evidence_events: noneAdded,
  'stages.planning.require_issues': trueStays,
  'stages.planning.require_issues_assigned': trueStays,
  'stages.development.branch': same,
  'stages.development.deploy_target': same,
  'stages.development.required_checks': checksAsStrict,
  'stages.development.require_issues_closed': trueStays,
  'stages.development.exempt_labels': noneAdded,
  'stages.testing.branch_pattern': same,
  'stages.testing.deploy_target': same,
  'stages.testing.required_checks': checksAsStrict,
  'stages.evidencing.required_evidence': evidenceAsStrict,
  'stages.evidencing.required_reviewers.min_approvals': noLess,
  'stages.evidencing.required_reviewers.teams': fewerTeams,
  'stages.evidencing.required_reviewers.exclude_release_authors': trueStays,
  'stages.deployment.target': sameEnvironment,
  'stages.deployment.promotion': manualStays,
  'stages.deployment.requires_evidence_approval': trueStays,
  'stages.deployment.hold.for': noLonger,
  'stages.deployment.hold.when_closed': rejectStays,
  'quality_gates.coverage.min_line_percent': noLess,
  'quality_gates.coverage.max_drop': noMore,
  'quality_gates.sast_scan.max_critical': noMore,
  'quality_gates.sast_scan.max_high': noMore,
  'quality_gates.sast_scan.max_medium': noMore,
  'quality_gates.sast_scan.max_low': noMore,
  'quality_gates.security.max_critical': noMore,
  'quality_gates.security.max_high': noMore,
  'quality_gates.security.max_medium': noMore,
  'quality_gates.security.max_low': noMore,
  freezes: freezesAsStrict,
};

/** Returns null if the repository's value of the key is strict enough, else one sentence about the allowed values. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- K ties the rule to the type of the two values.
export function strictnessViolation<K extends PolicyKey>(
  key: K,
  organization: Policy,
  repository: Policy,
): string | null {
  const strictness: Strictness<PolicyValues[K]> = STRICTNESS[key];
  return strictness(policyValue(organization, key), policyValue(repository, key));
}

function listed(entries: readonly string[]): string {
  const rest = entries.length - MOST_LISTED;
  return `${entries.slice(0, MOST_LISTED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A policy with the keys that its document states. The other keys have their defaults. */
export interface ParsedPolicy {
  readonly policy: Policy;
  readonly stated: ReadonlySet<PolicyKey>;
}

/** A key that is looser in the repository than in the organization. */
interface Loosening {
  readonly key: PolicyKey;
  /** One sentence that names the organization's value. */
  readonly message: string;
}

export interface MergedPolicy {
  readonly policy: Policy;
  /** The loosened keys. The policy is valid only if this is empty. */
  readonly loosenings: readonly Loosening[];
}

/**
 * Keys that could disable the effect of another key. If the organization states a key on the right, it also sets the
 * key on the left, to the default if it does not state it.
 */
const STATED_WITH: { readonly [K in PolicyKey]?: readonly PolicyKey[] } = {
  'stages.development.require_issues_closed': ['stages.development.exempt_labels'],
  'stages.development.exempt_labels': ['stages.development.require_issues_closed'],
  'stages.evidencing.required_reviewers.min_approvals': [
    'stages.evidencing.required_reviewers.teams',
    'stages.evidencing.required_reviewers.exclude_release_authors',
  ],
  'stages.deployment.requires_evidence_approval': [
    'stages.evidencing.required_reviewers.min_approvals',
    'stages.evidencing.required_reviewers.teams',
    'stages.evidencing.required_reviewers.exclude_release_authors',
  ],
};

/** Returns the effective policy of the repository, with every key that the repository loosened. */
export function mergePolicies(organization: ParsedPolicy, repository: ParsedPolicy): MergedPolicy {
  const policy = buildPolicy((key) =>
    policyValue(repository.stated.has(key) ? repository.policy : organization.policy, key),
  );
  const loosenings = POLICY_KEYS.flatMap((key) => {
    if (!repository.stated.has(key) || !means(organization, key)) return [];
    const message = strictnessViolation(key, organization.policy, repository.policy);
    return message === null ? [] : [{ key, message }];
  });
  return { policy, loosenings };
}

const means = ({ stated }: ParsedPolicy, key: PolicyKey): boolean =>
  stated.has(key) || (STATED_WITH[key]?.some((other) => stated.has(other)) ?? false);
