import { Link, Navigate } from '@tanstack/react-router';
import type { Schema } from '../api/client.js';
import { CopyButton } from '../ui/copy-button.js';
import { Pager } from '../ui/pager.js';
import { RelativeTime } from '../ui/relative-time.js';
import { Row, Table } from '../ui/table.js';
import { text } from '../texts/en/running.js';
import { StatusLabel } from './status-label.js';

type Running = Schema<'Running'>;

/** `sha256:` and the digits that a commit is shown with. */
const SHORT_LENGTH = 'sha256:'.length + 7;

/** The parameter of the URL that has the page. */
const PAGE = 'runningPage';

interface RunningArtifactsProps {
  readonly running: Running;
  readonly isStale: boolean;
  /** The workspace, to link to the repositories. Without it the list belongs to one repository and does not name it. */
  readonly org?: string;
}

/** A page of the running artifacts, and whether they may run. */
export function RunningArtifacts({ running: { artifacts, pagination }, isStale, org }: RunningArtifactsProps) {
  // Fewer artifacts run than when the page was opened.
  if (artifacts.length === 0)
    return <Navigate to="." search={(before: object) => ({ ...before, [PAGE]: undefined })} replace />;
  return (
    <>
      <Table caption={text.caption} columns={Object.values(text.columns)} isStale={isStale}>
        {artifacts.map(({ repoId, repo, environment, name, digest, governed, firstSeen, lastSeen }) => (
          <Row key={`${repoId} ${environment} ${name} ${digest}`}>
            <th scope="row">
              {org !== undefined && (
                <>
                  <Link to="/w/$org/repositories/$repoId" params={{ org, repoId }}>
                    {repo}
                  </Link>{' '}
                </>
              )}
              {name}
              <div className="quiet">
                <code title={digest} className="one-line">
                  {digest.slice(0, SHORT_LENGTH)}
                </code>{' '}
                <CopyButton text={digest} label={text.copy(name)} />
              </div>
            </th>
            <td>{environment}</td>
            <td>
              <ApprovalLabel isGoverned={governed} />
            </td>
            <td>
              <RelativeTime date={firstSeen} />
            </td>
            <td>
              <RelativeTime date={lastSeen} />
            </td>
          </Row>
        ))}
      </Table>
      <Pager pagination={pagination} parameter={PAGE} label={text.pages} />
    </>
  );
}

function ApprovalLabel({ isGoverned }: { readonly isGoverned: boolean | null }) {
  if (isGoverned === null) return <StatusLabel kind="neutral">{text.notRequired}</StatusLabel>;
  return isGoverned ? (
    <StatusLabel kind="good">{text.approved}</StatusLabel>
  ) : (
    <StatusLabel kind="ungoverned">{text.notApproved}</StatusLabel>
  );
}
