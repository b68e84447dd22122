import { ChevronDownIcon, ChevronRightIcon } from '@primer/octicons-react';
import { IconButton } from '@primer/react';
import { Link, useParams } from '@tanstack/react-router';
import { useId } from 'react';
import type { Schema } from '../../api/client.js';
import { downloadHref } from '../../api/download-href.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { StatusLabel, type StatusKind } from '../../release-ui/status-label.js';
import { formatDuration, formatUtc } from '../../ui/format-time.js';
import { ExternalLink, Sha } from '../../ui/links.js';
import { withKeys } from '../../ui/list-keys.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Facts } from '../../ui/screen.js';
import { Row } from '../../ui/table.js';
import { describeSource, text } from '../../texts/en/history.js';
import classes from './history.module.css';

type DeploymentRecord = Schema<'DeploymentRecord'>;

const VARIANTS: Readonly<Record<DeploymentRecord['kind'], StatusKind>> = {
  release: 'shipped',
  hotfix: 'shipped',
  rollback: 'neutral',
  ungoverned: 'ungoverned',
};

interface DeploymentRowProps {
  readonly record: DeploymentRecord;
  /** No longer part of the list. */
  readonly isGone: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** One deployment. An opened one has a second row with its details. */
export function DeploymentRow({ record, isGone, isOpen, onToggle }: DeploymentRowProps) {
  const details = useId();
  const { milestoneId, repo, version, kind, environment, deployedAt, score, leadTimeSeconds } = record;
  const name = `${repo} ${version ?? text.noRelease}`;
  return (
    <>
      <Row inert={isGone}>
        <th scope="row">
          {milestoneId === null ? name : <ReleaseLink id={milestoneId}>{name}</ReleaseLink>}
          <div className="quiet">
            <Sha sha={record.candidateSha} href={record.candidateUrl} />
          </div>
        </th>
        <td>
          <StatusLabel kind={VARIANTS[kind]}>{text.kinds[kind]}</StatusLabel>
          {text.kindNotes[kind] !== null && <div className="quiet">{text.kindNotes[kind]}</div>}
        </td>
        <td>{environment}</td>
        <td>
          <RelativeTime date={deployedAt} />
          <div className="quiet">{describeDeployer(record)}</div>
        </td>
        <td>{score !== null && text.score(score)}</td>
        <td>{leadTimeSeconds !== null && formatDuration(leadTimeSeconds)}</td>
        <td>
          {record.overrides.length > 0 && (
            <StatusLabel kind="overridden">{text.overridden(record.overrides.length)}</StatusLabel>
          )}
          <IconButton
            icon={isOpen ? ChevronDownIcon : ChevronRightIcon}
            variant="invisible"
            size="small"
            aria-label={text.show(name)}
            aria-expanded={isOpen}
            aria-controls={details}
            onClick={() => onToggle(!isOpen)}
          />
        </td>
      </Row>
      {isOpen && (
        <tr id={details} className={classes['details']}>
          <td colSpan={Object.keys(text.columns).length}>
            <DeploymentDetails record={record} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Names the user of a deployment. CI systems report none, so then it names the source. */
function describeDeployer(record: DeploymentRecord): string {
  if (record.deployedBy !== null) return text.by(record.deployedBy);
  return record.source === 'github' ? text.byUnknown : describeSource(record);
}

function DeploymentDetails({ record }: { readonly record: DeploymentRecord }) {
  const { org } = useParams({ from: '/session/w/$org' });
  const { milestoneId, decisionId, approvers, overrides, note, leadTimeSeconds, runUrl } = record;
  return (
    <Facts
      entries={[
        [text.facts.time, formatUtc(Date.parse(record.deployedAt))],
        [
          text.facts.commit,
          <ExternalLink key="commit" href={record.candidateUrl}>
            <code>{record.candidateSha}</code>
          </ExternalLink>,
        ],
        [text.facts.deployedBy, record.deployedBy ?? (record.source === 'github' ? text.byUnknown : null)],
        [text.facts.source, describeSource(record)],
        [
          text.facts.run,
          runUrl === null ? null : (
            <ExternalLink key="run" href={runUrl}>
              {runUrl}
            </ExternalLink>
          ),
        ],
        [text.facts.approvers, approvers.length > 0 ? approvers.join(', ') : text.noApprovals],
        [text.facts.leadTime, leadTimeSeconds === null ? text.noLeadTime : formatDuration(leadTimeSeconds)],
        [text.facts.note, note],
        [text.facts.overrides, overrides.length > 0 ? <Overrides key="overrides" overrides={overrides} /> : null],
        [
          text.facts.decision,
          milestoneId === null || decisionId === null ? null : (
            <Link
              key="decision"
              to="/w/$org/releases/$id/decisions/$decisionId"
              params={{ org, id: milestoneId, decisionId }}
            >
              {text.decision}
            </Link>
          ),
        ],
        [
          text.facts.approval,
          milestoneId === null ? null : (
            <Link key="approval" to="/w/$org/releases/$id/approval" params={{ org, id: milestoneId }}>
              {text.approval}
            </Link>
          ),
        ],
        [
          text.facts.auditPack,
          milestoneId === null ? null : (
            <a key="pack" href={downloadHref(`/api/milestones/${milestoneId}/audit-pack`, org)} download>
              {text.auditPack}
            </a>
          ),
        ],
      ]}
    />
  );
}

/** The overrides that the deployment used, and the conditions that would have blocked it. */
function Overrides({ overrides }: Pick<DeploymentRecord, 'overrides'>) {
  return (
    <ul className={classes['overrides']}>
      {overrides.map(({ id, kind, reason, requestedBy, confirmedBy, expiresAt, conditions }) => (
        <li key={id}>
          <StatusLabel kind="overridden">{text.overrides[kind]}</StatusLabel> {reason}
          <div className="quiet">
            {text.overrideBy(requestedBy, confirmedBy)}, {text.until(formatUtc(Date.parse(expiresAt)))}
          </div>
          <ul>
            {withKeys(conditions, ({ code }) => code).map(([key, { detail }]) => (
              <li key={key} lang="en">
                {detail}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
