import { describe, expect, it } from '@jest/globals';
import { canonicalPolicy } from './canonical-policy.js';
import { mergePolicies } from './merge-policies.js';
import type { ParsedPolicy, PolicyKey, PolicyValues } from './policy.js';
import { DEFAULT_VALUES } from './policy-fields.js';

type Values = Partial<PolicyValues>;
const stating = (values: Values): ParsedPolicy => ({
  values: { ...DEFAULT_VALUES, ...values },
  stated: Object.keys(values) as PolicyKey[],
});
const form = (organization: Values | null, repository: Values): string =>
  JSON.stringify(canonicalPolicy(mergePolicies(organization && stating(organization), stating(repository)).policy));

const CHECKS = 'stages.testing.required_checks';
const LEAST = 'stages.evidencing.required_reviewers.min_approvals';
const TEAMS = 'stages.evidencing.required_reviewers.teams';
const APPROVAL = 'stages.deployment.requires_evidence_approval';
const build = { name: 'build', app: null };
const ARTIFACTS = 'stages.testing.required_artifacts';
const api = { name: 'api', provenance: true, builder: 'github-hosted', signerWorkflow: null } as const;
const e2e = { name: 'e2e', app: null };

describe('canonicalPolicy', () => {
  it.each<[string, string, string]>([
    ['names', form(null, { name: 'a' }), form(null, { name: 'b' })],
    ['the order of entries', form(null, { [CHECKS]: [build, e2e] }), form(null, { [CHECKS]: [e2e, build] })],
    [
      'the source',
      form({ [CHECKS]: [build], [LEAST]: 2 }, { [CHECKS]: [e2e] }),
      form(null, { [CHECKS]: [build, e2e], [LEAST]: 2 }),
    ],
    [
      'an entry that another one implies',
      form(null, { [CHECKS]: [build, { ...build, allowSkipped: true }] }),
      form(null, { [CHECKS]: [build] }),
    ],
    [
      'an artifact that another entry implies',
      form(null, { [ARTIFACTS]: [{ ...api, builder: 'any' }, api] }),
      form(null, { [ARTIFACTS]: [api] }),
    ],
    ['an empty list of artifacts', form(null, { [ARTIFACTS]: [] }), form(null, {})],
    [
      'reviewers if no approval is required',
      form(null, { [APPROVAL]: false, [TEAMS]: ['a'] }),
      form(null, { [APPROVAL]: false }),
    ],
    ['the order of teams', form(null, { [TEAMS]: ['a', 'b'] }), form(null, { [TEAMS]: ['b', 'a'] })],
    ['fewer approvals by the same users', form({ [LEAST]: 2 }, { [LEAST]: 3 }), form(null, { [LEAST]: 3 })],
    [
      'the case of an environment',
      form(null, { 'stages.deployment.target': 'Live' }),
      form(null, { 'stages.deployment.target': 'live' }),
    ],
  ])('is the same whatever %s', (_what, one, other) => {
    expect(one).toBe(other);
  });

  it.each<[string, string, string]>([
    ['a check', form(null, { [CHECKS]: [build] }), form(null, {})],
    ['an approval by another user than an author', form({}, {}), form(null, {})],
    ['the app of a check', form(null, { [CHECKS]: [build] }), form(null, { [CHECKS]: [{ ...build, app: 'ci' }] })],
    ['the labels of exempt issues', form(null, { 'stages.development.exempt_labels': [] }), form(null, {})],
    ['a limit', form(null, { 'quality_gates.security.max_low': 0 }), form(null, {})],
    ['a freeze', form(null, { freezes: [{ from: '2026-12-20', to: '2026-12-21', reason: '' }] }), form(null, {})],
    ['an artifact', form(null, { [ARTIFACTS]: [api] }), form(null, {})],
    ['the builder', form(null, { [ARTIFACTS]: [api] }), form(null, { [ARTIFACTS]: [{ ...api, builder: 'any' }] })],
    ['the hold', form(null, { 'stages.deployment.hold.for': 1 }), form(null, {})],
  ])('differs by %s', (_what, one, other) => {
    expect(one).not.toBe(other);
  });
});
