/**
 * What GitHub's description itself gets wrong about answers. Of a listed installation it asks for an account that is a
 * user and an enterprise at once, while it says of a single one that it is either. Among the states of a deployment it does
 * not name `waiting`, in which a deployment is until the reviewers of its environment let it go.
 */
const FLAWS: readonly { readonly operation: string; readonly detail: RegExp }[] = [
  { operation: 'apps/list-installations', detail: /^\/\d+\/account / },
  { operation: 'repos/list-deployment-statuses', detail: /^\/\d+\/state / },
];

/** Whether a violation is the description's own fault. */
export const isKnownSchemaError = (violation: {
  readonly operation: string;
  readonly part: string;
  readonly detail: string;
}): boolean =>
  violation.part === 'response body' &&
  FLAWS.some(({ operation, detail }) => operation === violation.operation && detail.test(violation.detail));
