import { randomUUID } from 'node:crypto';

/** Claims that replace those of an ordinary run; `undefined` omits a claim. */
export type ClaimChanges = Readonly<Record<string, unknown>>;

const SHA = 'f1d2d2f924e986ac86fdf7b36c94bcdf32beec15';

/** How many seconds before its issue a token becomes valid, and how many after it the token expires, as at GitHub. */
const EARLY_SECONDS = 600;
const LIFETIME_SECONDS = 300;

/**
 * The claims of an identity token that GitHub gives to a job of a workflow run, by default for a push to `main` of
 * `acme/payments`. Claims that GitHub derives from others (owner, subject, workflow references, kind of ref) follow the
 * changes. Names and forms are those of GitHub's "OpenID Connect reference": ids are numbers written as text.
 */
export function actionsClaims(
  issuer: string,
  now: Date,
  changes: ClaimChanges = {},
): Readonly<Record<string, unknown>> {
  const given = (name: string, otherwise: string): string => {
    const value = changes[name];
    return typeof value === 'string' ? value : otherwise;
  };
  const issuedAt = Math.floor(now.getTime() / 1000);
  const repository = given('repository', 'acme/payments');
  const ref = given('ref', 'refs/heads/main');
  const sha = given('sha', SHA);
  const workflow = `${repository}/.github/workflows/shipgate-ci.yml@${ref}`;
  return {
    iss: issuer,
    aud: 'shipgate',
    sub: `repo:${repository}:${contextOf(changes, ref)}`,
    jti: randomUUID(),
    iat: issuedAt,
    nbf: issuedAt - EARLY_SECONDS,
    exp: issuedAt + LIFETIME_SECONDS,
    actor: 'ada',
    actor_id: '5001',
    base_ref: '',
    check_run_id: '31415926535',
    event_name: 'push',
    head_ref: '',
    job_workflow_ref: workflow,
    job_workflow_sha: sha,
    ref,
    ref_protected: 'true',
    ref_type: ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    repository,
    repository_id: '4001',
    repository_owner: repository.split('/')[0],
    repository_owner_id: '3001',
    repository_visibility: 'private',
    run_attempt: '1',
    run_id: '9876543210',
    run_number: '42',
    runner_environment: 'github-hosted',
    sha,
    workflow: 'Shipgate CI',
    workflow_ref: workflow,
    workflow_sha: sha,
    ...changes,
  };
}

/** The last part of the subject: the environment if there is one, then the event, then the ref. */
function contextOf({ environment, event_name: event }: ClaimChanges, ref: string): string {
  if (typeof environment === 'string') return `environment:${environment}`;
  return event === 'pull_request' ? 'pull_request' : `ref:${ref}`;
}
