import { Button, Label } from '@primer/react';
import { useState } from 'react';
import type { Schema } from '../../../api/client.js';
import { PartStatus } from '../../../release-ui/part-status.js';
import { StatusLabel } from '../../../release-ui/status-label.js';
import { ExternalLink } from '../../../ui/links.js';
import { EmptyState } from '../../../ui/states.js';
import { Row, Table } from '../../../ui/table.js';
import { scopeText as partText } from '../../../texts/en/release-parts.js';
import { text } from '../../../texts/en/release.js';
import { useRelease } from '../release.query.js';
import { IssueActions, UnassignButton } from './issue-actions.js';
import { explainDisabled } from '../../../ui/reasoned-button.js';
import { LinkDialog } from './scope-dialogs.js';
import classes from './scope.module.css';

type Details = Schema<'ReleaseDetails'>;

/** The id of the sentence that says what the viewer may change. */
const RIGHTS_ID = 'scope-rights';

/** The issues of the release, with the changes that the viewer may make. */
export function ScopeScreen() {
  const details = useRelease();
  const { scope, release, viewer } = details;
  const isFinal = release.deployedAt !== null;
  const obstacle = viewer.canChangeScope === 'no' ? RIGHTS_ID : null;
  const columns = [...Object.values(partText.columns), ...(isFinal ? [] : [partText.actionsColumn])];
  return (
    <section aria-labelledby="part">
      <h2 id="part">{text.tabs.scope}</h2>
      <PartStatus part={scope} />
      <p className="quiet" id={RIGHTS_ID}>
        {explainRights(details)}
      </p>
      {!isFinal && <LinkButton obstacle={obstacle} />}
      {scope.issues.length === 0 ? (
        <EmptyState title={partText.none}>
          <p>{partText.noneHint}</p>
        </EmptyState>
      ) : (
        <Table caption={partText.caption} columns={columns}>
          {scope.issues.map((issue) => (
            <IssueRow
              key={issue.number}
              issue={issue}
              isCurrent={scope.status === 'current'}
              isFinal={isFinal}
              obstacle={obstacle}
            />
          ))}
        </Table>
      )}
    </section>
  );
}

interface LinkButtonProps {
  /** The id of the sentence that says why the viewer cannot change the scope. Null if they can. */
  readonly obstacle: string | null;
}

function LinkButton({ obstacle }: LinkButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className={classes['link']}>
      <Button onClick={() => setIsOpen(true)} {...explainDisabled(obstacle)}>
        {partText.link.button}
      </Button>
      {isOpen && <LinkDialog onClose={() => setIsOpen(false)} />}
    </div>
  );
}

/** Explains what the viewer may change, or why the viewer may change nothing. */
function explainRights({ release, viewer }: Details): string {
  if (release.deployedAt !== null) return partText.final;
  if (viewer.canChangeScope === 'no') return partText.noRole;
  return viewer.canChangeScope === 'yes' ? partText.inYourName : partText.notKnown;
}

interface IssueRowProps {
  readonly issue: Schema<'ScopeIssue'>;
  readonly isCurrent: boolean;
  readonly isFinal: boolean;
  readonly obstacle: string | null;
}

function IssueRow({ issue, isCurrent, isFinal, obstacle }: IssueRowProps) {
  const { number, title, url, state, owners, labels } = issue;
  return (
    <Row>
      <th scope="row">
        <ExternalLink href={url}>
          #{number} {title}
        </ExternalLink>
      </th>
      <td>
        <StatusLabel kind={isCurrent ? (state === 'closed' ? 'good' : 'running') : 'stale'}>
          {partText.states[state]}
        </StatusLabel>
      </td>
      <td>
        {owners.length === 0 && <span className="quiet">{partText.noOwner}</span>}
        <div className={classes['items']}>
          {owners.map((login) => (
            <span key={login} className={classes['owner']}>
              {login}
              {!isFinal && <UnassignButton issue={issue} login={login} obstacle={obstacle} />}
            </span>
          ))}
        </div>
      </td>
      <td>
        <div className={classes['items']}>
          {labels.map((label) => (
            <Label key={label}>{label}</Label>
          ))}
        </div>
      </td>
      {!isFinal && (
        <td>
          <IssueActions issue={issue} obstacle={obstacle} />
        </td>
      )}
    </Row>
  );
}
