import type { DemoEnvironment } from './demo-environment.js';
import { DemoUser } from './demo-user.js';

/** A user of the workspace, by their account on the simulated GitHub. */
interface DemoAccount {
  readonly login: string;
  readonly about: string;
}

/** The users of the demo, with a key. */
export interface DemoUsers {
  readonly users: readonly DemoAccount[];
  /** The secret of a key for the CI of the repository `catalog`. */
  readonly key: string;
}

/** Creates the users of the workspace: the owner of the organization is one already, the others accept invites. */
export async function createUsers({ baseUrl, accounts }: DemoEnvironment): Promise<DemoUsers> {
  const owner = await DemoUser.signIn(baseUrl, accounts.owner.login);
  const invite = (login: string, role: string) =>
    owner.post<{ token: string; url: string }>('/api/team/invites', { login, role });
  for (const [{ login }, role] of [
    [accounts.releaseManager, 'admin'],
    [accounts.developer, 'member'],
  ] as const) {
    const { token } = await invite(login, role);
    await (await DemoUser.signIn(baseUrl, login)).post('/api/team/invites/accept', { token });
  }
  const { url } = await invite(accounts.secondDeveloper.login, 'member');
  const { key } = await owner.post<{ key: string }>('/api/settings/api-keys', {
    name: 'demo',
    scopes: ['evidence:write', 'gate:read'],
    repos: ['catalog'],
  });
  const users = [
    { login: accounts.owner.login, about: 'an admin, as an owner of the organization' },
    { login: accounts.releaseManager.login, about: 'an admin, who was invited' },
    { login: accounts.developer.login, about: 'a member, who was invited' },
    { login: accounts.secondDeveloper.login, about: `not in this workspace yet, but invited: ${url}` },
  ];
  return { users, key };
}
