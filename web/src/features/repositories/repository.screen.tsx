import { Button } from '@primer/react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';
import { AdminButton } from '../../release-ui/admin-button.js';
import { NewReleaseDialog } from '../../release-ui/new-release-dialog.js';
import { ExternalLink, Sha } from '../../ui/links.js';
import { QueryError, QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Facts, ScreenHead } from '../../ui/screen.js';
import { Section } from '../../ui/section.js';
import { Placeholder, StalePart } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { useAction } from '../../ui/use-action.js';
import { common } from '../../texts/en/common.js';
import { text as newRelease } from '../../texts/en/new-release.js';
import { text } from '../../texts/en/repositories.js';
import { repositoryQuery, warningsQuery } from './repositories.query.js';
import { ProtectDialog, SetUpDialog, UpdateDialog } from './repository-dialogs.js';
import { IntegrityLabel, ProtectionLabel, SetupLabel, WorkflowLabel } from './repository-labels.js';
import { RepositoryReleases } from './repository-releases.js';
import { RepositoryRunning } from './repository-running.js';
import { SetupStepsList } from './setup-steps-list.js';
import { WarningList } from './warning-list.js';

const ROUTE = '/session/w/$org/repositories/$repoId';

type Repository = Schema<'Repository'>;
type OpenDialog = 'setUp' | 'protect' | 'update' | 'newRelease';

/** One repository: its set-up, the protection of its branches, its workflow files and its releases. */
export function RepositoryScreen() {
  const { repoId } = useParams({ from: ROUTE });
  const query = useQuery(repositoryQuery(repoId));
  const warnings = useQuery(warningsQuery);
  const name = query.data?.name ?? text.facts.name;
  return (
    <>
      <ScreenHead title={name} documentTitle={`${name} · ${text.title}`}>
        {query.data && <SyncButton repository={query.data} />}
      </ScreenHead>
      <QueryRegion query={query} failed={text.repositoryFailed}>
        {(repository, isStale) =>
          // Both appear together, so that neither moves the other under the pointer.
          warnings.isPending ? (
            <Placeholder />
          ) : (
            <Details repository={repository} warningsOfAll={warnings} isStale={isStale} />
          )
        }
      </QueryRegion>
    </>
  );
}

function SyncButton({ repository: { id, name } }: { readonly repository: Repository }) {
  const action = useAction({
    run: () => readBody(api.POST('/api/sync', { body: { repoId: id } })),
    changes: [['sync'], ['repository', id], ['repositories']],
    done: () => text.syncDone(name),
  });
  return (
    <>
      <Button loading={action.isRunning} onClick={() => action.start()}>
        {text.sync}
      </Button>
      {action.error && (
        <span role="alert" lang="en">
          {action.error.message}
        </span>
      )}
    </>
  );
}

const CAN_BE_SET_UP: readonly Repository['setupState'][] = ['NOT_STARTED', 'LEGACY'];
const IS_MERGED: readonly Repository['setupState'][] = [
  'MERGED',
  'PROTECTION_PENDING',
  'PROTECTION_FAILED',
  'COMPLETE',
];

interface DetailsProps {
  readonly repository: Repository;
  readonly warningsOfAll: UseQueryResult<Schema<'RepositoryWarningList'>>;
  readonly isStale: boolean;
}

function Details({ repository, warningsOfAll, isStale }: DetailsProps) {
  const { org, repoId } = useParams({ from: ROUTE });
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const warnings = warningsOfAll.data?.warnings.filter((warning) => warning.repoId === repoId) ?? [];
  const { setupState, setup, protection, workflow, fullName, url, defaultBranch, managed, lastSyncedAt } = repository;
  const close = (): void => setOpen(null);
  const dialog = { org, repository, onClose: close };
  return (
    <>
      <QueryError query={warningsOfAll} failed={text.warningsFailed} />
      {warnings.length > 0 && <WarningList warnings={warnings} />}
      <StalePart isStale={isStale}>
        <Facts
          entries={[
            [
              text.facts.name,
              <ExternalLink key="url" href={url}>
                {fullName}
              </ExternalLink>,
            ],
            [text.facts.branch, defaultBranch],
            [text.facts.plan, managed ? text.managed : text.notManaged],
            [
              text.facts.sync,
              lastSyncedAt === null ? text.neverSynced : <RelativeTime key="sync" date={lastSyncedAt} />,
            ],
          ]}
        />
        <Section title={text.setup} label={<SetupLabel state={setupState} />}>
          <SetupStepsList state={setupState} />
          <p>{text.setupHints[setupState]}</p>
          {setup.prNumber !== null && (
            <p>
              {text.facts.setupPull} <ExternalLink href={setup.prUrl}>#{setup.prNumber}</ExternalLink>
            </p>
          )}
          {CAN_BE_SET_UP.includes(setupState) && (
            <AdminButton
              variant={setupState === 'NOT_STARTED' ? 'primary' : 'default'}
              onClick={() => setOpen('setUp')}
            >
              {text.setUp}
            </AdminButton>
          )}
        </Section>
        <Section title={text.branches} label={<ProtectionLabel status={protection.status} />}>
          {protection.detail !== null && <p lang="en">{protection.detail}</p>}
          {!IS_MERGED.includes(setupState) && <p>{text.protectLater}</p>}
          {IS_MERGED.includes(setupState) && protection.status !== 'active' && (
            <AdminButton onClick={() => setOpen('protect')}>{text.protect}</AdminButton>
          )}
        </Section>
        <Integrity integrity={repository.integrity} />
        <Section title={text.workflowFiles} label={<WorkflowLabel status={workflow.status} />}>
          <Facts
            entries={[
              [
                text.facts.installed,
                workflow.installedRevision === null ? null : <Sha key="installed" sha={workflow.installedRevision} />,
              ],
              [text.facts.current, <Sha key="target" sha={workflow.targetRevision} />],
              [
                text.facts.setupPull,
                workflow.prNumber === null ? null : (
                  <ExternalLink key="pull" href={workflow.prUrl}>
                    #{workflow.prNumber}
                  </ExternalLink>
                ),
              ],
            ]}
          />
          {workflow.status !== null && workflow.status !== 'UP_TO_DATE' && (
            <AdminButton onClick={() => setOpen('update')}>{text.update}</AdminButton>
          )}
        </Section>
      </StalePart>
      <Section title={text.releases}>
        {setupState !== 'REMOVED' && <Button onClick={() => setOpen('newRelease')}>{newRelease.open}</Button>}
        <RepositoryReleases repository={repository} />
      </Section>
      <RepositoryRunning repository={repository} />
      {open === 'setUp' && <SetUpDialog {...dialog} />}
      {open === 'protect' && <ProtectDialog {...dialog} />}
      {open === 'update' && <UpdateDialog {...dialog} />}
      {open === 'newRelease' && <NewReleaseDialog repository={repository} onClose={close} />}
    </>
  );
}

/** Whether the managed workflow files were changed, where, since when, and the issue about it. */
function Integrity({ integrity: { status, files, since, issueUrl } }: { readonly integrity: Repository['integrity'] }) {
  return (
    <Section title={text.integrityTitle} label={<IntegrityLabel status={status} />}>
      <p>{text.integrityHints[status]}</p>
      <Facts
        entries={[
          [text.facts.since, since === null ? null : <RelativeTime key="since" date={since} />],
          [
            text.facts.issue,
            issueUrl === null ? null : (
              <ExternalLink key="issue" href={issueUrl}>
                {common.openOnGitHub}
              </ExternalLink>
            ),
          ],
        ]}
      />
      {files.length > 0 && (
        <Table caption={text.changedFiles} columns={Object.values(text.changedColumns)}>
          {files.map(({ path, branch }) => (
            <Row key={`${path} ${branch}`}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>{branch}</td>
            </Row>
          ))}
        </Table>
      )}
    </Section>
  );
}
