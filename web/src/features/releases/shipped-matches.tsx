import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api, readBody } from '../../api/client.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Section } from '../../ui/section.js';
import { StalePart } from '../../ui/states.js';
import { text } from '../../texts/en/releases.js';

const MAX_READ = 10;

/** The deployments that ship a release. A rollback deploys one again. */
const SHIPPING = ['release', 'hotfix'] as const;

/** The latest deployments that shipped a release whose version or repository matches. */
const shippedQuery = (search: string) =>
  queryOptions({
    queryKey: ['history', 'shipped', { search }],
    queryFn: async ({ signal }) => {
      const read = (kind: (typeof SHIPPING)[number]) =>
        readBody(api.GET('/api/history', { params: { query: { search, kind, page: 1, pageSize: MAX_READ } }, signal }));
      const answers = await Promise.all(SHIPPING.map(read));
      return answers
        .flatMap(({ history }) => history)
        .toSorted((a, b) => b.deployedAt.localeCompare(a.deployedAt))
        .slice(0, MAX_READ);
    },
    placeholderData: keepPreviousData,
  });

/** Releases that match a search, and that left the list of active ones because they are shipped. */
export function ShippedMatches({ search }: { readonly search: string }) {
  const { org } = useParams({ from: '/session/w/$org' });
  return (
    <Section title={text.shipped}>
      <QueryRegion query={useQuery(shippedQuery(search))} failed={text.shippedFailed} rows={1}>
        {(shipped, isStale) => (
          <StalePart isStale={isStale}>
            {shipped.length === 0 ? (
              <p>{text.noneShipped}</p>
            ) : (
              <ul>
                {shipped.map(
                  ({ milestoneId, repo, version, deployedAt }) =>
                    milestoneId !== null && (
                      <li key={milestoneId}>
                        <ReleaseLink id={milestoneId}>
                          {repo} {version}
                        </ReleaseLink>{' '}
                        <span className="quiet">
                          {text.deployed} <RelativeTime date={deployedAt} />
                        </span>
                      </li>
                    ),
                )}
              </ul>
            )}
          </StalePart>
        )}
      </QueryRegion>
      <Link to="/w/$org/history" params={{ org }} search={{ q: search }}>
        {text.inHistory}
      </Link>
    </Section>
  );
}
