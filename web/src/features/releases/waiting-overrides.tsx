import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Schema } from '../../api/client.js';
import { useMe } from '../../api/session.query.js';
import { Banner } from '../../ui/banner.js';
import { QueryError } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { text } from '../../texts/en/overrides.js';
import { waitingOverridesQuery } from './release-list.query.js';

const MAX_LISTED = 5;

/** The requests of other admins that this admin can confirm, with links to their releases. Nothing if there is none. Only for admins. */
export function WaitingOverrides({ isShown }: { readonly isShown: boolean }) {
  const { org } = useParams({ from: '/session/w/$org' });
  const me = useMe();
  const query = useQuery(waitingOverridesQuery);
  const mine = query.data?.overrides.filter(({ requestedById }) => requestedById !== me?.user.id) ?? [];
  if (!isShown) return null;
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
