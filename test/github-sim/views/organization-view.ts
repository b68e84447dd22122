import type { Organization } from '../state/organization.js';
import type { User } from '../state/user.js';
import { userView } from './user-view.js';
import { isoDate, nodeId } from './wire.js';

/** `organization-simple`. */
export function organizationSummary({ login, id, apiUrl, state }: Organization) {
  return {
    login,
    id,
    node_id: nodeId('Organization', id),
    url: apiUrl,
    repos_url: `${apiUrl}/repos`,
    events_url: `${apiUrl}/events`,
    hooks_url: `${apiUrl}/hooks`,
    issues_url: `${apiUrl}/issues`,
    members_url: `${apiUrl}/members{/member}`,
    public_members_url: `${apiUrl}/public_members{/member}`,
    avatar_url: `${state.url}/avatars/${id}`,
    description: null,
  };
}

/** `organization-full`, with the public fields only. */
export function organizationView(organization: Organization) {
  return {
    ...organizationSummary(organization),
    name: organization.name,
    html_url: organization.htmlUrl,
    has_organization_projects: true,
    has_repository_projects: true,
    public_repos: organization.repositories().filter((repository) => !repository.private).length,
    public_gists: 0,
    followers: 0,
    following: 0,
    type: 'Organization',
    created_at: isoDate(organization.createdAt),
    updated_at: isoDate(organization.createdAt),
    archived_at: null,
  };
}

/** The account in an `installation_target` event. */
export function installationTargetView(organization: Organization) {
  const { login, id, htmlUrl, state } = organization;
  return {
    login,
    id,
    node_id: nodeId('Organization', id),
    avatar_url: `${state.url}/avatars/${id}`,
    html_url: htmlUrl,
    type: 'Organization',
    url: organization.apiUrl,
  };
}

/** The membership in an `organization` event. */
export function membershipView(organization: Organization, user: User, role: string) {
  return {
    url: `${organization.apiUrl}/memberships/${encodeURIComponent(user.login)}`,
    state: 'active',
    role,
    organization_url: organization.apiUrl,
    user: userView(user),
  };
}
