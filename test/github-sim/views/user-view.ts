import type { Account } from '../state/account.js';
import { nodeId } from './wire.js';

/** `simple-user`. GitHub also uses it for an organization that owns an object. */
export function userView(account: Account) {
  const { state, login, id, type, htmlUrl } = account;
  const url = `${state.url}/users/${encodeURIComponent(login)}`;
  return {
    login,
    id,
    node_id: nodeId(type, id),
    avatar_url: `${state.url}/avatars/${id}`,
    gravatar_id: '',
    url,
    html_url: htmlUrl,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type,
    site_admin: false,
  };
}

/** The author of an object that remains; null if the account no longer exists. */
export function userOrGhost(account: Account): ReturnType<typeof userView> | null {
  return account.state.accounts.has(account) ? userView(account) : null;
}
