import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api, readBody, type Schema } from '../../api/client.js';
import { useMe } from '../../api/session.query.js';
import { Banner } from '../../ui/banner.js';
import { QueryError } from '../../ui/query-region.js';
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

/** The requests of other admins that this admin can confirm, with links to their releases. Nothing if there is none. Only for admins. */
export function WaitingOverrides() {
  const { org } = useParams({ from: '/session/w/$org' });
  const me = useMe();
  const query = useQuery(waitingQuery);
  const mine = query.data?.overrides.filter(({ requestedById }) => requestedById !== me?.user.id) ?? [];
  return (
    <>
      <QueryError query={query} failed={text.failed} />
      {mine.length > 0 && <Waiting org={org} overrides={mine} />}
    </>
  );
}

interface WaitingProps {
  readonly org: string;
  readonly overrides: readonly Schema<'ListedOverride'>[];
}

function Waiting({ org, overrides }: WaitingProps) {
  return (
    <Banner label={text.waitingTitle}>
      <p>{text.waiting(overrides.length)}</p>
      <ul>
        {overrides
          .slice(0, MAX_LISTED)
          .map(({ id, kind, milestoneId, repo, version, requestedBy, reason, expiresAt }) => (
            <li key={id}>
              <Link to="/w/$org/releases/$id/overrides" params={{ org, id: milestoneId }} hash={id}>
                {text.kindOf[kind](`${repo} ${version}`)}
              </Link>{' '}
              <span>{text.requestedBy(requestedBy)}</span>: {reason}{' '}
              <span className="quiet">
                {text.ends} <RelativeTime date={expiresAt} />
              </span>
            </li>
          ))}
        {overrides.length > MAX_LISTED && <li>{text.more(overrides.length - MAX_LISTED)}</li>}
      </ul>
    </Banner>
  );
}
