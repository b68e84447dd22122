/**
 * What GitHub's description itself gets wrong about answers. Of a listed installation it asks for an account that is a
 * user and an enterprise at once, while it says of a single one that it is either. Among the states of a deployment it does
 * not name `waiting`, in which a deployment is until the reviewers of its environment let it go. An environment lacks
 * `can_admins_bypass`.
 */
const FLAWS: readonly { readonly operation: string; readonly detail: RegExp }[] = [
  { operation: 'apps/list-installations', detail: /^\/\d+\/account / },
  { operation: 'repos/list-deployment-statuses', detail: /^\/\d+\/state / },
  { operation: 'repos/get-environment', detail: /"can_admins_bypass"/ },
  { operation: 'repos/create-or-update-environment', detail: /"can_admins_bypass"/ },
];

/** Whether a violation is the description's own fault. */
export const isKnownSchemaError = (violation: {
  readonly operation: string;
  readonly part: string;
  readonly detail: string;
}): boolean =>
  violation.part === 'response body' &&
  FLAWS.some(({ operation, detail }) => operation === violation.operation && detail.test(violation.detail));

/** What the published schemas of webhooks get wrong: they are older than these members of a request for a protection rule. */
const WEBHOOK_FLAWS: readonly { readonly event: string; readonly detail: RegExp }[] = [
  { event: 'deployment_protection_rule.requested', detail: /additional properties \("(?:sha|ref|workflow_run)"\)$/ },
];

/** Whether a violation is the published schema's own fault. */
export const isKnownWebhookError = (violation: { readonly event: string; readonly detail: string }): boolean =>
  WEBHOOK_FLAWS.some(({ event, detail }) => event === violation.event && detail.test(violation.detail));
