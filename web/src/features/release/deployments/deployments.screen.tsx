import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import type { Schema } from '../../../api/client.js';
import { StatusLabel, type StatusKind } from '../../../release-ui/status-label.js';
import { ExternalLink, Sha } from '../../../ui/links.js';
import { LiveTable } from '../../../ui/live-table.js';
import { Pager } from '../../../ui/pager.js';
import { QueryRegion } from '../../../ui/query-region.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { EmptyState } from '../../../ui/states.js';
import { Row } from '../../../ui/table.js';
import { text as environments } from '../../../texts/en/environments.js';
import { describeSource } from '../../../texts/en/history.js';
import { text as release } from '../../../texts/en/release.js';
import classes from '../release.module.css';
import { Artifacts } from './artifacts.js';
import { deploymentsQuery } from './deployments.query.js';

const ROUTE = '/session/w/$org/releases/$id/deployments';
const text = environments.deployments;

type Deployment = Schema<'ReleaseDeployment'>;

const KINDS = {
  started: 'running',
  succeeded: 'good',
  failed: 'failed',
  cancelled: 'neutral',
  inactive: 'neutral',
  unknown: 'unknown',
} as const satisfies Record<Deployment['status'], StatusKind>;

/** The deployments of the commits of a release to every environment, and its artifacts. */
export function DeploymentsScreen() {
  const { id } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const query = useQuery(deploymentsQuery(id, search));
  return (
    <>
      <section aria-labelledby="part" className={classes['part']}>
        <h2 id="part">{release.tabs.deployments}</h2>
        <QueryRegion query={query} failed={text.failed} rows={3}>
          {({ deployments, pagination }, isStale) =>
            deployments.length === 0 ? (
              <EmptyState title={text.none}>
                <p>{text.noneHint}</p>
              </EmptyState>
            ) : (
              <>
                <LiveTable
                  caption={text.caption}
                  columns={Object.values(text.columns)}
                  rows={deployments}
                  toId={(deployment) => deployment.id}
                  filters={search}
                  isStale={isStale}
                  changed={text.changed}
                >
                  {(deployment, isGone) => (
                    <DeploymentRow key={deployment.id} deployment={deployment} isGone={isGone} />
                  )}
                </LiveTable>
                <Pager pagination={pagination} />
              </>
            )
          }
        </QueryRegion>
      </section>
      <Artifacts />
    </>
  );
}

interface DeploymentRowProps {
  readonly deployment: Deployment;
  /** No longer part of the list. */
  readonly isGone: boolean;
}

function DeploymentRow({ deployment, isGone }: DeploymentRowProps) {
  const { environment, status, commitSha, commitUrl, source, keyName, runUrl, startedAt, canDeploy, kind } = deployment;
  return (
    <Row inert={isGone}>
      <th scope="row">{environment}</th>
      <td>
        <StatusLabel kind={KINDS[status]}>{text.statuses[status]}</StatusLabel>{' '}
        {kind === 'ungoverned' && <StatusLabel kind="ungoverned">{environments.ungoverned}</StatusLabel>}
        {status === 'unknown' && <div className="quiet">{text.noEnd}</div>}
        {canDeploy === false && <div className="quiet">{text.closedGate}</div>}
      </td>
      <td>
        <Sha sha={commitSha} href={commitUrl} />
      </td>
      <td>
        {describeSource({ source, keyName })}
        {runUrl !== null && (
          <div>
            <ExternalLink href={runUrl}>{environments.run}</ExternalLink>
          </div>
        )}
      </td>
      <td>
        <RelativeTime date={startedAt} />
      </td>
    </Row>
  );
}
