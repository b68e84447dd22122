import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { daysUntil, formatDays } from '../../release-ui/freeze-days.js';
import { freezesQuery } from '../../release-ui/freezes.query.js';
import { Banner } from '../../ui/banner.js';
import { QueryError } from '../../ui/query-region.js';
import { useNow } from '../../ui/relative-time.js';
import { text } from '../../texts/en/freezes.js';

/** How many days before its first day a freeze is announced. */
const NOTICE_DAYS = 7;

/** The freezes of the workspace that hold or begin soon. Nothing if there is none. */
export function FreezeBanner() {
  const { org } = useParams({ from: '/session/w/$org' });
  const query = useQuery(freezesQuery);
  const now = useNow();
  const announced = (query.data ?? []).flatMap((freeze) => {
    const days = daysUntil(freeze, now);
    return days !== null && days <= NOTICE_DAYS ? [{ freeze, days }] : [];
  });
  return (
    <>
      <QueryError query={query} failed={text.failed} />
      {announced.length > 0 && (
        <Banner label={text.title} isDangerous={announced.some(({ days }) => days === 0)}>
          {announced.map(({ freeze, days }) => (
            <p key={freeze.id}>
              {days === 0 ? text.bannerHolds(formatDays(freeze)) : text.bannerStarts(days, formatDays(freeze))}{' '}
              <span>{freeze.reason}</span>
            </p>
          ))}
          <Link to="/w/$org/freezes" params={{ org }}>
            {text.all}
          </Link>
        </Banner>
      )}
    </>
  );
}
