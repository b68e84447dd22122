import type { RoleName } from '../state/role.js';
import type { Team } from '../state/team.js';
import { organizationView } from './organization-view.js';
import { isoDate, nodeId } from './wire.js';

const PERMISSIONS: Readonly<Record<RoleName, string>> = {
  read: 'pull',
  triage: 'triage',
  write: 'push',
  maintain: 'maintain',
  admin: 'admin',
};

/** A team in webhooks and in review requests. */
export function teamView(team: Team, role: RoleName = 'read') {
  return {
    name: team.name,
    id: team.id,
    node_id: nodeId('Team', team.id),
    slug: team.slug,
    description: null,
    privacy: 'closed',
    notification_setting: 'notifications_enabled',
    url: team.apiUrl,
    html_url: `${team.organization.state.url}/orgs/${team.organization.login}/teams/${team.slug}`,
    members_url: `${team.apiUrl}/members{/member}`,
    repositories_url: `${team.apiUrl}/repos`,
    permission: PERMISSIONS[role],
    parent: null,
  };
}

/** A team in the REST API. */
export function teamListItem(team: Team) {
  return { ...teamView(team), type: 'organization', organization_id: team.organization.id };
}

/** `team-full`. */
export function teamDetail(team: Team) {
  return {
    ...teamListItem(team),
    created_at: isoDate(team.createdAt),
    updated_at: isoDate(team.createdAt),
    members_count: team.members.size,
    repos_count: team.grants.size,
    organization: organizationView(team.organization),
  };
}
