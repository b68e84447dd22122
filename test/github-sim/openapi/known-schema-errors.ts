/**
 * Errors in GitHub's own description of responses. In lists, it requires the account of an installation to be a user
 * and an enterprise at the same time; for a single installation it requires one of them. The states of a deployment
 * lack `waiting`, which a deployment has until the reviewers of its environment approve it. An environment lacks
 * `can_admins_bypass`. An attestation whose bundle is elsewhere has none, and the description allows no null.
 */
const FLAWS: readonly { readonly operation: string; readonly detail: RegExp }[] = [
  { operation: 'repos/list-attestations', detail: /^\/attestations\/\d+\/bundle / },
  { operation: 'apps/list-installations', detail: /^\/\d+\/account / },
  { operation: 'repos/list-deployment-statuses', detail: /^\/\d+\/state / },
  { operation: 'repos/get-environment', detail: /"can_admins_bypass"/ },
  { operation: 'repos/create-or-update-environment', detail: /"can_admins_bypass"/ },
];

/** Whether a violation is an error of the description. */
export const isKnownSchemaError = (violation: {
  readonly operation: string;
  readonly part: string;
  readonly detail: string;
}): boolean =>
  violation.part === 'response body' &&
  FLAWS.some(({ operation, detail }) => operation === violation.operation && detail.test(violation.detail));

/**
 * Errors in the published schemas of webhooks, which are older than these members of a request for a protection rule, and than the permission
 * to read attestations, which any event may name.
 */
const WEBHOOK_FLAWS: readonly { readonly event?: string; readonly detail: RegExp }[] = [
  { detail: /\/permissions must NOT have additional properties \("attestations"\)$/ },
  { event: 'deployment_protection_rule.requested', detail: /additional properties \("(?:sha|ref|workflow_run)"\)$/ },
];

/** Whether a violation is an error of the published schemas. */
export const isKnownWebhookError = (violation: { readonly event: string; readonly detail: string }): boolean =>
  WEBHOOK_FLAWS.some(
    ({ event = violation.event, detail }) => event === violation.event && detail.test(violation.detail),
  );
