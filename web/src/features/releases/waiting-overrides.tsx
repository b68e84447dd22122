import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api, readBody } from '../../api/client.js';
import { useIsAdmin, useMe } from '../../api/session.query.js';
import { Bar } from '../../ui/bar.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { text } from '../../texts/en/overrides.js';

const MAX_READ = 50;
const MAX_LISTED = 5;

/** The first requests for waivers and break-glass that a second admin can confirm, those that end first before the others. */
const waitingQuery = queryOptions({
  queryKey: ['overrides', 'waiting'],
  queryFn: ({ signal }) =>
    readBody(
      api.GET('/api/overrides', { params: { query: { state: 'waiting', page: 1, pageSize: MAX_READ } }, signal }),
    ),
});

/** The requests of other admins that this admin can confirm, with links to their releases. Nothing if there is none. */
export function WaitingOverrides() {
  const { org } = useParams({ from: '/session/w/$org' });
  const isAdmin = useIsAdmin();
  const me = useMe();
  const { data } = useQuery({ ...waitingQuery, enabled: isAdmin });
  const mine = data?.overrides.filter(({ requestedById }) => requestedById !== me?.user.id) ?? [];
  if (!isAdmin || mine.length === 0) return null;
  return (
    <Bar label={text.waitingTitle}>
      <p>{text.waiting(mine.length)}</p>
      <ul>
        {mine.slice(0, MAX_LISTED).map(({ id, kind, milestoneId, repo, version, requestedBy, reason, expiresAt }) => (
          <li key={id}>
            <Link to="/w/$org/releases/$id/overrides" params={{ org, id: milestoneId }}>
              {text.kindOf[kind](`${repo} ${version}`)}
            </Link>{' '}
            <span>{text.requestedBy(requestedBy)}</span>: {reason}{' '}
            <span className="quiet">
              {text.ends} <RelativeTime date={expiresAt} />
            </span>
          </li>
        ))}
        {mine.length > MAX_LISTED && <li>{text.more(mine.length - MAX_LISTED)}</li>}
      </ul>
    </Bar>
  );
}
