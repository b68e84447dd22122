import { Outlet, useParams } from '@tanstack/react-router';
import { ScreenHead } from '../../ui/screen.js';
import { ErrorState, Placeholder } from '../../ui/states.js';
import { text } from '../../words/en/release.js';
import { ReleaseContext, useReleaseReads } from './release.query.js';
import { ReleaseTabs } from './release-tabs.js';

/** One release: the answer whether it may be deployed, what keeps its gate closed, its stages, and its parts as tabs. */
export function ReleaseScreen() {
  const { id } = useParams({ from: '/session/w/$org/releases/$id' });
  const { details, error, readAgain } = useReleaseReads(id);
  if (details === undefined) {
    return error ? (
      <ErrorState title={text.failed} error={error} onRetry={() => void readAgain()} />
    ) : (
      <Placeholder rows={10} />
    );
  }
  const { repo, version } = details.release;
  return (
    <ReleaseContext value={details}>
      <ScreenHead title={`${repo} ${version}`} documentTitle={`${version} · ${repo}`} />
      <ReleaseTabs />
      <Outlet />
    </ReleaseContext>
  );
}
