import type { Organization } from '../state/organization.js';
import { allows } from '../state/permission.js';
import type { Team } from '../state/team.js';
import { membershipView, organizationSummary, organizationView } from '../views/organization-view.js';
import { teamDetail, teamListItem } from '../views/team-view.js';
import { userView } from '../views/user-view.js';
import { ApiError, notFound } from './api-error.js';
import type { Call } from './call.js';
import { ok, publicRoute, type Route } from './route.js';

export const organizationRoutes: readonly Route[] = [
  publicRoute('GET', '/orgs/:org', (call) => ok(organizationView(named(call)))),
  publicRoute('GET', '/orgs/:org/members', (call) => {
    const organization = insider(call);
    const role = call.query('role') ?? 'all';
    const members = [...organization.members.values()].filter((member) => role === 'all' || member.role === role);
    return call.page(members, ({ user }) => userView(user));
  }),
  publicRoute('GET', '/orgs/:org/memberships/:username', (call) => {
    const organization = insider(call);
    const user = call.state.accounts.findUser(call.param('username'));
    const membership = user && organization.members.get(user.id);
    if (!membership) throw notFound();
    const view = membershipView(organization, membership.user, membership.role);
    return ok({ ...view, organization: organizationSummary(organization) });
  }),
  publicRoute('GET', '/orgs/:org/teams', (call) => call.page(insider(call).teams, teamListItem)),
  publicRoute('GET', '/orgs/:org/teams/:slug', (call) => ok(teamDetail(teamOf(call)))),
  publicRoute('GET', '/orgs/:org/teams/:slug/members', (call) =>
    call.page([...teamOf(call).members.values()], userView),
  ),
  publicRoute('GET', '/orgs/:org/teams/:slug/memberships/:username', (call) => {
    const team = teamOf(call);
    const user = call.state.accounts.findUser(call.param('username'));
    if (!user || !team.has(user)) throw notFound();
    return ok({ url: `${team.apiUrl}/memberships/${user.login}`, role: 'member', state: 'active' });
  }),
];

function named(call: Call): Organization {
  const organization = call.state.accounts.findOrganization(call.param('org'));
  if (!organization) throw notFound();
  return organization;
}

/** An organization whose members the caller can see: as a member, or as an app with the permission to read them. */
function insider(call: Call): Organization {
  const organization = named(call);
  const { caller } = call;
  if (caller.kind === 'user' && organization.members.has(caller.user.id)) return organization;
  if (caller.kind === 'user') throw new ApiError(403, 'You must be a member of the organization to see this.');
  if (caller.kind !== 'installation' || caller.installation.organization !== organization) throw notFound();
  if (!allows(caller.permissions['members'], 'read')) throw new ApiError(403, 'Resource not accessible by integration');
  return organization;
}

function teamOf(call: Call): Team {
  const team = insider(call).findTeam(call.param('slug'));
  if (!team) throw notFound();
  return team;
}
