import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { QueryRegion } from '../../ui/query-region.js';
import { ScreenHead } from '../../ui/screen.js';
import { text } from '../../texts/en/release.js';
import { NoRelease } from './no-release.js';
import { releaseByNameQuery } from './release.query.js';

/** Leads to the release with this repository and version. */
export function ReleaseByNameScreen() {
  const { org, repo, version } = useParams({ from: '/session/w/$org/r/$repo/$version' });
  const query = useQuery(releaseByNameQuery({ org, repo, version }));
  const name = `${repo} ${version}`;
  return (
    <>
      <ScreenHead title={name} documentTitle={`${version} · ${repo}`} />
      <QueryRegion query={query} failed={text.byName.failed}>
        {(id) =>
          id === null ? (
            <NoRelease name={text.named(name)} />
          ) : (
            <Navigate to="/w/$org/releases/$id" params={{ org, id }} replace />
          )
        }
      </QueryRegion>
    </>
  );
}
