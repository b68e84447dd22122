/** A repository under its organization's default: what it leaves out it inherits, what it states may only be stricter. */
import type { Policy } from './policy.js';
import { assemblePolicy, POLICY_KEYS, policyValue, type PolicyKey } from './policy-fields.js';
import { refusalOf } from './strictness.js';

/** A policy, and which of its keys the document stated itself; the others hold their default. */
export interface StatedPolicy {
  readonly policy: Policy;
  readonly stated: ReadonlySet<PolicyKey>;
}

/** A key that the repository set looser than its organization. */
interface Loosening {
  readonly key: PolicyKey;
  /** One sentence that names the organization's value. */
  readonly message: string;
}

export interface TightenedPolicy {
  readonly policy: Policy;
  /** Empty, or the policy may not be used. */
  readonly loosenings: readonly Loosening[];
}

/**
 * Keys that could switch off what another one asks for: where the organization states one of those on the right, it
 * means the key on the left too, at its default if it does not say otherwise.
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

/** The policy that holds for the repository, with every key that it may not set as it did. */
export function tighten(organization: StatedPolicy, repository: StatedPolicy): TightenedPolicy {
  const policy = assemblePolicy((key) =>
    policyValue(repository.stated.has(key) ? repository.policy : organization.policy, key),
  );
  const loosenings = POLICY_KEYS.flatMap((key) => {
    if (!repository.stated.has(key) || !means(organization, key)) return [];
    const message = refusalOf(key, organization.policy, repository.policy);
    return message === null ? [] : [{ key, message }];
  });
  return { policy, loosenings };
}

const means = ({ stated }: StatedPolicy, key: PolicyKey): boolean =>
  stated.has(key) || (STATED_WITH[key]?.some((other) => stated.has(other)) ?? false);
