import type { Installation } from '../state/installation.js';
import type { User } from '../state/user.js';
import { installationView } from '../views/installation-view.js';
import { membershipView, organizationSummary } from '../views/organization-view.js';
import { repositoryView } from '../views/repository-view.js';
import { userView } from '../views/user-view.js';
import { isoDate } from '../views/wire.js';
import { ApiError, notFound } from './api-error.js';
import type { Call } from './call.js';
import { canRead } from './repository-access.js';
import { ok, publicRoute, type Route } from './route.js';

export const userRoutes: readonly Route[] = [
  publicRoute('GET', '/user', (call) => ok(accountView(signedIn(call)))),
  publicRoute('GET', '/user/orgs', (call) => call.page(organizationsOf(call), organizationSummary)),
  publicRoute('GET', '/user/memberships/orgs', (call) => {
    const user = signedIn(call);
    return call.page(organizationsOf(call), (organization) => {
      const role = organization.members.get(user.id)?.role ?? 'member';
      return { ...membershipView(organization, user, role), organization: organizationSummary(organization) };
    });
  }),
  publicRoute('GET', '/user/installations', (call) =>
    call.page(installationsOf(call), installationView, (installations, total) => ({
      total_count: total,
      installations,
    })),
  ),
  publicRoute('GET', '/user/installations/:id/repositories', (call) => {
    const installation = installationsOf(call).find(({ id }) => id === call.number('id'));
    if (!installation) throw notFound();
    const seen = installation.repositories().filter((repository) => canRead(call.caller, repository));
    return call.page(seen, repositoryView, (repositories, total) => ({ total_count: total, repositories }));
  }),
  publicRoute('GET', '/users/:username', (call) => {
    const user = call.state.accounts.findUser(call.param('username'));
    if (!user) throw notFound();
    return ok(accountView(user));
  }),
];

function signedIn({ caller }: Call): User {
  if (caller.kind === 'user') return caller.user;
  if (caller.kind === 'anonymous') throw new ApiError(401, 'Requires authentication');
  throw new ApiError(403, 'Resource not accessible by integration');
}

function organizationsOf(call: Call) {
  const user = signedIn(call);
  return call.state.accounts.organizations().filter(({ members }) => members.has(user.id));
}

/** The installations of the authorized app with at least one repository that the user can reach. */
function installationsOf(call: Call): readonly Installation[] {
  const user = signedIn(call);
  const { caller } = call;
  if (caller.kind !== 'user' || !caller.app)
    throw new ApiError(403, 'You must authenticate with an access token authorized to a GitHub App.');
  return call.state.installations
    .ofApp(caller.app)
    .filter(
      (installation) =>
        installation.organization.members.has(user.id) ||
        installation.repositories().some((repository) => repository.collaborators.has(user.id)),
    );
}

function accountView(user: User) {
  return {
    ...userView(user),
    name: user.name,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: isoDate(user.createdAt),
    updated_at: isoDate(user.createdAt),
  };
}
