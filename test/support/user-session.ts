import { randomBytes } from 'node:crypto';
import type { MemberRole } from '../../src/auth/user.js';
import { hashSecret } from '../../src/crypto/digests.js';
import type { OrgId } from '../../src/database/ids.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { User } from '../github-sim/state/user.js';
import type { TestEnvironment } from './test-environment.js';

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Null if the response has no body. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface Membership {
  /** Null for a user without a workspace. */
  readonly role?: MemberRole | null;
  readonly organization?: Organization;
}

/** A user with a session, whose requests are those of pages of the service. */
export class UserSession {
  constructor(
    private readonly env: TestEnvironment,
    readonly user: User,
    /** The value of the `Cookie` header. */
    readonly cookie: string,
    readonly sessionHash: Buffer,
  ) {}

  async get(path: string): Promise<JsonAnswer> {
    return this.send('GET', path);
  }

  async send(method: string, path: string, body?: object, headers: object = {}): Promise<JsonAnswer> {
    const response = await fetch(`${await this.env.app.getUrl()}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        cookie: this.cookie,
        ...(method !== 'GET' && { origin: this.env.baseUrl }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : { text }) as JsonAnswer['body'],
    };
  }
}

/**
 * Signs a user in without the redirects through GitHub. The user is a member of the workspace who was just confirmed,
 * without access to private repositories. For tests of the steps after the sign-in.
 */
export async function signIn(
  env: TestEnvironment,
  user: User,
  { role = 'member', organization = env.organization }: Membership = {},
): Promise<UserSession> {
  const now = env.clock.now();
  const id = randomBytes(32).toString('base64url');
  const idHash = hashSecret(id);
  const orgId = role === null ? null : await env.orgId(organization);
  await env.database.queryWithoutTenant(
    'add_test_user',
    'select upsert_user($1, $2, $3, $4, null, null, null, null, $5)',
    [user.id, user.login, user.name, `${env.github.url}/avatars/${user.id}`, now],
  );
  if (orgId !== null && role !== null) {
    // Without a webhook, because the service would read all members from GitHub.
    if (!organization.members.has(user.id)) organization.members.set(user.id, { user, role: 'member' });
    await join(env, orgId, user, role);
  }
  await env.database.queryWithoutTenant('given_session', 'select create_session($1, $2, $3, $4)', [
    idHash,
    user.id,
    orgId,
    now,
  ]);
  const fastify = env.app.getHttpAdapter().getInstance();
  return new UserSession(env, user, `connect.sid=${encodeURIComponent(fastify.signCookie(id))}`, idHash);
}

const join = (env: TestEnvironment, orgId: OrgId, user: User, role: MemberRole): Promise<unknown> =>
  env.database.inTenant(orgId, (tx) =>
    tx.query(
      `insert into member (org_id, person, role, joined_at, confirmed_at, access_observed_at)
       values ($1, $2, $3, $4, $4, $4)
       on conflict (org_id, person) do update set role = excluded.role, confirmed_at = excluded.confirmed_at,
         access_observed_at = excluded.access_observed_at`,
      [orgId, user.id, role, env.clock.now()],
    ),
  );
