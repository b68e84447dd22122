import { DownloadIcon, SyncIcon } from '@primer/octicons-react';
import { Button, LinkButton } from '@primer/react';
import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { ApiError } from '../../api/client.js';
import { downloadHref } from '../../api/download-href.js';
import { useIsPast } from '../../ui/use-is-past.js';
import { ScreenHead } from '../../ui/screen.js';
import { ErrorState, Placeholder } from '../../ui/states.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/release.js';
import { Answer } from './answer.js';
import { Blockers } from './blockers.js';
import { Environments } from './environments.js';
import { NoRelease } from './no-release.js';
import { Pipeline } from './pipeline.js';
import { RecordButton } from './record-dialog.js';
import { ReleaseContext, useReleaseReads } from './release.query.js';
import { ReleaseParts } from './release-parts.js';

/** One release: the answer whether it may be deployed, what keeps its gate closed, its stages, and its parts as tabs. */
export function ReleaseScreen() {
  const { org, id } = useParams({ from: '/session/w/$org/releases/$id' });
  const { details, lastRead, error, readAgain } = useReleaseReads(id);
  useReadWhenPast(details?.release.readiness.validUntil ?? null, readAgain);
  if (details === undefined) {
    return (
      <>
        <ScreenHead title={text.release} documentTitle={text.release} />
        {error === null && <Placeholder rows={10} />}
        {error !== null &&
          (isNotFound(error) ? <NoRelease /> : <ErrorState title={text.failed} error={error} onRetry={readAgain} />)}
      </>
    );
  }
  const { repo, version } = details.release;
  return (
    <ReleaseContext value={details}>
      <ScreenHead title={`${repo} ${version}`} documentTitle={`${version} · ${repo}`}>
        <Button leadingVisual={SyncIcon} loading={lastRead.isRunning} onClick={readAgain}>
          {text.actions.readAgain}
        </Button>
        <RecordButton />
        <LinkButton
          leadingVisual={DownloadIcon}
          href={downloadHref(`/api/milestones/${id}/audit-pack`, org)}
          download=""
        >
          {text.actions.auditPack}
        </LinkButton>
      </ScreenHead>
      {error && <ErrorState title={common.stale} error={error} onRetry={readAgain} />}
      <Answer lastRead={lastRead} />
      <Blockers />
      <Pipeline />
      <Environments />
      <ReleaseParts>
        <Outlet />
      </ReleaseParts>
    </ReleaseContext>
  );
}

const NOT_FOUND = 404;

const isNotFound = (error: Error): boolean => error instanceof ApiError && error.status === NOT_FOUND;

/** Reads GitHub once when the answer is out of date: as soon as the tab is visible. */
function useReadWhenPast(validUntil: string | null, read: () => void): void {
  const isPast = useIsPast(validUntil);
  const readNow = useEffectEvent(read);
  useEffect(() => {
    if (!isPast) return undefined;
    const readIfVisible = (): void => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', readIfVisible);
      readNow();
    };
    document.addEventListener('visibilitychange', readIfVisible);
    readIfVisible();
    return () => document.removeEventListener('visibilitychange', readIfVisible);
  }, [isPast]);
}
