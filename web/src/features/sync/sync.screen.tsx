import { Button } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api, readBody, type Schema } from '../../api/client.js';
import { configQuery } from '../../api/session.query.js';
import { StatusLabel, type StatusKind } from '../../release-ui/status-label.js';
import { ExternalLink } from '../../ui/links.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Facts, ScreenHead } from '../../ui/screen.js';
import { Section } from '../../ui/section.js';
import { ActionError, StalePart } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/sync.js';
import { syncQuery } from './sync.query.js';

const RUNS: Readonly<Record<Schema<'SyncStatus'>['status'], StatusKind>> = {
  never: 'neutral',
  running: 'running',
  completed: 'good',
  failed: 'failed',
};

const REPOSITORIES: Readonly<Record<Schema<'RepositorySync'>['status'], StatusKind>> = {
  never: 'neutral',
  waiting: 'waiting',
  done: 'good',
  failed: 'failed',
};

/** Starts a sync of the workspace, or of one repository. */
const useSync = () =>
  useAction<Schema<'StartSync'>, Schema<'SyncStarted'>>({
    run: (body) => readBody(api.POST('/api/sync', { body })),
    changes: [['sync']],
    done: ({ status }) => (status === 'waiting' ? text.waits : text.started),
  });

/** The last sync of the workspace, the state of each repository, and the milestones that are not releases. */
export function SyncScreen() {
  const query = useQuery(syncQuery);
  const action = useSync();
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title}>
        <Button variant="primary" loading={action.isRunning} onClick={() => action.start({})}>
          {text.start}
        </Button>
      </ScreenHead>
      <p>{text.lead}</p>
      {action.error && <ActionError error={action.error} />}
      <QueryRegion query={query} failed={text.failed}>
        {(sync, isStale) => (
          <StalePart isStale={isStale}>
            <LastRun sync={sync} />
            <Repositories repos={sync.repos} />
            <Ignored ignored={sync.ignored} />
          </StalePart>
        )}
      </QueryRegion>
    </>
  );
}

function LastRun({ sync }: { readonly sync: Schema<'SyncStatus'> }) {
  const { status, detail, lastSyncedAt, nextSyncId, deadLetters } = sync;
  return (
    <>
      <Facts
        entries={[
          [
            text.facts.status,
            <StatusLabel key="status" kind={RUNS[status]}>
              {text.statuses[status]}
            </StatusLabel>,
          ],
          [
            text.facts.reason,
            detail === null ? null : (
              <span key="reason" lang="en">
                {detail}
              </span>
            ),
          ],
          [text.facts.last, lastSyncedAt === null ? text.neverSynced : <RelativeTime key="last" date={lastSyncedAt} />],
          [text.facts.next, nextSyncId === null ? null : text.nextWaits],
          [text.facts.dead, deadLetters === 0 ? null : text.deadLetters(deadLetters)],
        ]}
      />
      {deadLetters > 0 && <p className="quiet">{text.deadHint}</p>}
    </>
  );
}

function Repositories({ repos }: { readonly repos: readonly Schema<'RepositorySync'>[] }) {
  return (
    <Section title={text.repositories}>
      {repos.length === 0 ? (
        <p>{text.noRepositories}</p>
      ) : (
        <Table caption={text.caption} columns={Object.values(text.columns)}>
          {repos.map((repository) => (
            <RepositoryRow key={repository.repoId} repository={repository} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function RepositoryRow({ repository }: { readonly repository: Schema<'RepositorySync'> }) {
  const { org } = useParams({ from: '/session/w/$org/settings/sync' });
  const action = useSync();
  const { repoId, repo, status, detail } = repository;
  return (
    <Row>
      <th scope="row">
        <Link to="/w/$org/repositories/$repoId" params={{ org, repoId }}>
          {repo}
        </Link>
      </th>
      <td>
        <StatusLabel kind={REPOSITORIES[status]}>{text.repositoryStatuses[status]}</StatusLabel>
        {detail !== null && (
          <div className="quiet" lang="en">
            {detail}
          </div>
        )}
      </td>
      <td>
        <Button
          size="small"
          loading={action.isRunning}
          aria-label={text.startFor(repo)}
          onClick={() => action.start({ repoId })}
        >
          {text.startOne}
        </Button>
        {action.error && <ActionError error={action.error} />}
      </td>
    </Row>
  );
}

function Ignored({ ignored }: { readonly ignored: readonly Schema<'IgnoredMilestone'>[] }) {
  const { org } = useParams({ from: '/session/w/$org/settings/sync' });
  const githubUrl = useQuery(configQuery).data?.githubUrl;
  return (
    <Section title={text.ignored}>
      {ignored.length === 0 ? (
        <p>{text.noIgnored}</p>
      ) : (
        <Table caption={text.ignoredCaption} columns={Object.values(text.ignoredColumns)}>
          {ignored.map(({ repoId, repo, number, title, reason }) => (
            <Row key={`${repoId}-${number}`}>
              <th scope="row">
                <ExternalLink href={githubUrl && `${githubUrl}/${org}/${encodeURIComponent(repo)}/milestone/${number}`}>
                  {title}
                </ExternalLink>
              </th>
              <td>{repo}</td>
              <td lang="en">{reason}</td>
            </Row>
          ))}
        </Table>
      )}
    </Section>
  );
}
