import type { App } from '../state/app.js';
import { userView } from './user-view.js';
import { isoDate, nodeId } from './wire.js';

/** `integration`: the public description of an app. */
export function appView(app: App) {
  const htmlUrl = `${app.state.url}/apps/${app.slug}`;
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('App', app.id),
    owner: userView(app.owner),
    name: app.name,
    description: '',
    external_url: htmlUrl,
    html_url: htmlUrl,
    created_at: isoDate(app.createdAt),
    updated_at: isoDate(app.createdAt),
    permissions: app.permissions,
    events: app.events,
  };
}
