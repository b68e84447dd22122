import type { MemberRole } from '../../../src/auth/user.js';
import type { OrgId } from '../../../src/database/ids.js';
import type { Organization } from '../../github-sim/state/organization.js';
import type { User } from '../../github-sim/state/user.js';
import { Browser, type Page } from '../../support/browser.js';
import type { TestEnvironment } from '../../support/test-environment.js';

/** A route for admins that returns data of their workspace only. */
export const ADMINS_ROUTE = '/api/audit';

export interface Workspace {
  readonly organization: Organization;
  readonly owner: User;
  readonly orgId: OrgId;
}

let founded = 0;

/** An organization for one test, with the app installed. */
export async function createWorkspace(env: TestEnvironment): Promise<Workspace> {
  founded += 1;
  const organization = env.github.createOrganization({ login: `org-${founded}` });
  const orgId = await env.install(organization);
  return { organization, owner: organization.founder, orgId };
}

/** A user of the organization. */
export function createMember(
  env: TestEnvironment,
  { organization }: Workspace,
  name: string,
  role: 'admin' | 'member' = 'member',
): User {
  const user = env.github.createUser({ login: `${name}-of-${organization.login}` });
  organization.addMember(user, role);
  return user;
}

/** Signs the user in as in a browser, and selects the workspace. */
export async function signInAndJoin(env: TestEnvironment, user: User, organization: Organization): Promise<Browser> {
  const browser = new Browser(env);
  const { status, body } = await browser.signIn(user);
  if (status !== 302) throw new Error(`${user.login} cannot sign in: ${status} ${JSON.stringify(body)}`);
  await browser.post('/api/auth/workspace', { org: organization.login });
  return browser;
}

export interface MemberRecord {
  readonly person: number;
  readonly role: MemberRole;
  readonly confirmedAt: Date;
  readonly accessObservedAt: Date | null;
}

/** The stored member; null for a user who is no member. */
export async function memberOf(env: TestEnvironment, orgId: OrgId, user: User): Promise<MemberRecord | null> {
  const rows = await env.database.inTenant(orgId, (tx) =>
    tx.query<MemberRecord>(
      `select person::int, role, confirmed_at as "confirmedAt", access_observed_at as "accessObservedAt"
       from member where person = $1`,
      [user.id],
    ),
  );
  return rows[0] ?? null;
}

/** Makes the user a member, like an accepted invite. */
export const invited = (
  env: TestEnvironment,
  orgId: OrgId,
  user: User,
  role: MemberRole = 'member',
): Promise<unknown> =>
  env.database.inTenant(orgId, (tx) =>
    tx.query(`insert into member (org_id, person, role, joined_at, confirmed_at) values ($1, $2, $3, $4, $4)`, [
      orgId,
      user.id,
      role,
      env.clock.now(),
    ]),
  );

/** The audit entries about members: each action with its subject. */
export const auditOf = (env: TestEnvironment, orgId: OrgId): Promise<readonly string[]> =>
  env.database.inTenant(orgId, async (tx) =>
    (
      await tx.query<{ readonly entry: string }>(
        `select action || ' ' || subject as entry from audit_entry order by sequence`,
      )
    ).map(({ entry }) => entry),
  );

/** The subjects of the entries, which show the workspace of the response. */
export const subjectsIn = ({ body }: Page): readonly unknown[] =>
  ((body['entries'] ?? []) as readonly { readonly subject: unknown }[]).map(({ subject }) => subject);
