import type { Installation } from '../state/installation.js';
import { userView } from './user-view.js';
import { isoDate, isoDateOrNull } from './wire.js';

/** `installation`. */
export function installationView(installation: Installation) {
  const { id, app, organization } = installation;
  const { url } = app.state;
  return {
    id,
    account: userView(organization),
    repository_selection: installation.selection,
    access_tokens_url: `${url}/app/installations/${id}/access_tokens`,
    repositories_url: `${url}/installation/repositories`,
    html_url: `${organization.htmlUrl}/settings/installations/${id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: organization.id,
    target_type: 'Organization',
    permissions: installation.permissions,
    events: app.events,
    created_at: isoDate(installation.createdAt),
    updated_at: isoDate(installation.createdAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: installation.suspendedBy && userView(installation.suspendedBy),
    suspended_at: isoDateOrNull(installation.suspendedAt),
  };
}
