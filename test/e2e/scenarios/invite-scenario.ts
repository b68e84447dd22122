import { expect } from '@jest/globals';
import type { OrgId } from '../../../src/database/ids.js';
import type { Organization } from '../../github-sim/state/organization.js';
import type { User } from '../../github-sim/state/user.js';
import { type JsonAnswer, type UserSession, signIn } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { memberOf } from './members.js';

export interface Issued {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly expiresAt: string;
}

let founded = 0;

/** A rejection with this status whose message contains the text. */
export const rejection = (status: number, message: string) => ({
  status,
  body: { error: expect.stringContaining(message) },
});

/** An organization for one test, with an admin who sends invites. */
export class InviteScenario {
  private constructor(
    readonly env: TestEnvironment,
    readonly organization: Organization,
    readonly orgId: OrgId,
    /** Makes the logins of this organization unique. */
    readonly number: number,
    readonly ada: UserSession,
  ) {}

  static async found(env: TestEnvironment): Promise<InviteScenario> {
    founded += 1;
    const organization = env.github.createOrganization({ login: `org-${founded}` });
    const orgId = await env.install(organization);
    return new InviteScenario(env, organization, orgId, founded, await adminOf(env, 'ada', organization));
  }

  admin(name: string, place = this.organization): Promise<UserSession> {
    return adminOf(this.env, name, place);
  }

  /** A user of the organization who is no member of its workspace. */
  guest(name: string): Promise<UserSession> {
    const user = this.env.github.createUser({ login: `${name}-of-${this.organization.login}` });
    this.joins(user);
    return signIn(this.env, user, { role: null });
  }

  /** Adds the user without a webhook, because the service would read all members from GitHub. */
  joins(user: User): void {
    this.organization.members.set(user.id, { user, role: 'member' });
  }

  async invite(body: object = { role: 'member' }, by = this.ada): Promise<Issued> {
    const answer = await by.send('POST', '/api/team/invites', body);
    if (answer.status !== 201) throw new Error(`no invite: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as unknown as Issued;
  }

  /** The pending invites in the response of the team. */
  async waiting(by = this.ada): Promise<readonly object[]> {
    return (await by.get('/api/team')).body['invites'] as readonly object[];
  }

  async roleOf({ user }: { readonly user: User }): Promise<string | null> {
    return (await memberOf(this.env, this.orgId, user))?.role ?? null;
  }
}

export const accept = (by: UserSession, token: unknown): Promise<JsonAnswer> =>
  by.send('POST', '/api/team/invites/accept', { token });

export const preview = (by: UserSession, token: unknown): Promise<JsonAnswer> =>
  by.send('POST', '/api/team/invites/preview', { token });

export const revoke = (by: UserSession, id: string): Promise<JsonAnswer> =>
  by.send('DELETE', `/api/team/invites/${id}`);

const adminOf = (env: TestEnvironment, name: string, organization: Organization): Promise<UserSession> =>
  signIn(env, env.github.createUser({ login: `${name}-of-${organization.login}` }), {
    role: 'admin',
    organization,
  });
