import { randomBytes, randomUUID } from 'node:crypto';
import { Signer } from '@fastify/cookie';
import type { MemberRole } from '../../src/auth/user.js';
import { hashSecret } from '../../src/crypto/digests.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { cookieOptions } from '../../src/http/request-hooks.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { User } from '../github-sim/state/user.js';
import type { TestDatabase } from '../support/database.js';
import { SESSION_SECRET } from './built-service.js';
import type { GivenGitHub } from './given-github.js';

/** A user with a session. */
export interface GivenUser {
  readonly user: User;
  /** The value of the user's `Cookie` header. */
  readonly cookie: string;
}

/** A workspace whose organization exists on GitHub, with its only admin. */
export class GivenTeam {
  private constructor(
    private readonly database: TestDatabase,
    private readonly host: GivenGitHub,
    private readonly orgId: string,
    private readonly organization: Organization,
    readonly admin: GivenUser,
  ) {}

  static async of(database: TestDatabase, host: GivenGitHub): Promise<GivenTeam> {
    const { github, variables } = host;
    const app = github.state.apps.findByIssuer(variables['GITHUB_APP_ID'] ?? '');
    if (!app) throw new Error('GitHub has no app.');
    const organization = github.createOrganization({ login: 'crew' });
    const installation = github.installApp(app, organization);
    const orgId = randomUUID();
    await withDedicatedClient(database.superuserUrl, (client) =>
      client.query(
        `insert into organization (org_id, github_id, login, installation_id, created_at) values ($1, $2, $3, $4, now())`,
        [orgId, organization.id, organization.login, installation.id],
      ),
    );
    const admin = await signIn(database, orgId, organization.founder, 'admin');
    return new GivenTeam(database, host, orgId, organization, admin);
  }

  /** A user of the organization; without a role the user is no member of the workspace. */
  async join(login: string, role: MemberRole | null): Promise<GivenUser> {
    const user = this.host.github.createUser({ login });
    this.organization.addMember(user);
    return signIn(this.database, this.orgId, user, role);
  }
}

async function signIn(
  { superuserUrl }: TestDatabase,
  orgId: string,
  user: User,
  role: MemberRole | null,
): Promise<GivenUser> {
  const id = randomBytes(32).toString('base64url');
  await withDedicatedClient(superuserUrl, async (client) => {
    await client.query('select upsert_user($1, $2, $3, $4, null, null, null, null, now())', [
      user.id,
      user.login,
      user.name,
      `https://avatars.githubusercontent.com/u/${user.id}`,
    ]);
    if (role !== null) {
      await client.query(
        `insert into member (org_id, person, role, joined_at, confirmed_at, access_observed_at)
         values ($1, $2, $3, now(), now(), now())`,
        [orgId, user.id, role],
      );
    }
    await client.query('select create_session($1, $2, $3, now())', [hashSecret(id), user.id, orgId]);
  });
  const signer = new Signer(cookieOptions(SESSION_SECRET).secret as Buffer);
  return { user, cookie: `connect.sid=${encodeURIComponent(signer.sign(id))}` };
}
