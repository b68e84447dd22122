import type { DemoEnvironment } from './demo-environment.js';
import { DemoUser } from './demo-user.js';

/** A user of the workspace, by their account on the simulated GitHub. */
interface Inhabitant {
  readonly login: string;
  readonly about: string;
}

/** The workspace as a visitor finds it. */
export interface DemoUsers {
  readonly users: readonly Inhabitant[];
  /** The secret of a key that reads the gate. */
  readonly key: string;
}

/** Lets people into the workspace as they would come in: the owner by owning the organization, the others by invites. */
export async function createUsers({ baseUrl, cast }: DemoEnvironment): Promise<DemoUsers> {
  const owner = await DemoUser.signIn(baseUrl, cast.owner.login);
  const invite = (login: string, role: string) =>
    owner.post<{ token: string; url: string }>('/api/team/invites', { login, role });
  for (const [{ login }, role] of [
    [cast.releaseManager, 'admin'],
    [cast.developer, 'member'],
  ] as const) {
    const { token } = await invite(login, role);
    await (await DemoUser.signIn(baseUrl, login)).post('/api/team/invites/accept', { token });
  }
  const { url } = await invite(cast.secondDeveloper.login, 'member');
  const { key } = await owner.post<{ key: string }>('/api/settings/api-keys', { name: 'demo', scopes: ['gate:read'] });
  const users = [
    { login: cast.owner.login, about: 'an admin, as an owner of the organization' },
    { login: cast.releaseManager.login, about: 'an admin, who was invited' },
    { login: cast.developer.login, about: 'a member, who was invited' },
    { login: cast.secondDeveloper.login, about: `in no workspace yet, but invited: ${url}` },
  ];
  return { users, key };
}
