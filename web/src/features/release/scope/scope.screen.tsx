import { Button, Label } from '@primer/react';
import { useState } from 'react';
import type { Schema } from '../../../api/client.js';
import { PartStatus } from '../../../release-ui/part-status.js';
import { StatusLabel } from '../../../release-ui/status-label.js';
import { ExternalLink } from '../../../ui/links.js';
import { EmptyState } from '../../../ui/states.js';
import { Table } from '../../../ui/table.js';
import { scopeText as partText } from '../../../texts/en/release-parts.js';
import { text } from '../../../texts/en/release.js';
import { useRelease } from '../release.query.js';
import { IssueActions, UnassignButton } from './issue-actions.js';
import { LinkDialog } from './scope-dialogs.js';
import { explainDisabled, RIGHTS_ID } from './scope-rights.js';
import classes from './scope.module.css';

type Details = Schema<'ReleaseDetails'>;

/** The issues of the release, with the changes that the viewer may make. */
export function ScopeScreen() {
  const details = useRelease();
  const { scope, release, viewer } = details;
  const isFinal = release.deployedAt !== null;
  const columns = [...Object.values(partText.columns), ...(isFinal ? [] : [partText.actionsColumn])];
  return (
    <section aria-labelledby="part">
      <h2 id="part" tabIndex={-1}>
        {text.tabs.scope}
      </h2>
      <PartStatus part={scope} />
      <p className="quiet" id={RIGHTS_ID}>
        {explainRights(details)}
      </p>
      {!isFinal && <LinkButton canChange={viewer.canChangeScope !== 'no'} />}
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
              canChange={viewer.canChangeScope !== 'no'}
            />
          ))}
        </Table>
      )}
    </section>
  );
}

function LinkButton({ canChange }: { readonly canChange: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className={classes['link']}>
      <Button {...explainDisabled(canChange)} {...(canChange && { onClick: () => setIsOpen(true) })}>
        {partText.link.button}
      </Button>
      {isOpen && <LinkDialog onClose={() => setIsOpen(false)} />}
    </div>
  );
}

/** What the viewer may change, and why not. */
function explainRights({ release, viewer }: Details): string {
  if (release.deployedAt !== null) return partText.final;
  if (viewer.canChangeScope === 'no') return partText.noRole;
  return viewer.canChangeScope === 'yes' ? partText.inYourName : partText.notKnown;
}

interface IssueRowProps {
  readonly issue: Schema<'ScopeIssue'>;
  readonly isCurrent: boolean;
  readonly isFinal: boolean;
  readonly canChange: boolean;
}

function IssueRow({ issue, isCurrent, isFinal, canChange }: IssueRowProps) {
  const { number, title, url, state, owners, labels } = issue;
  return (
    <tr>
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
              {!isFinal && <UnassignButton issue={issue} login={login} canChange={canChange} />}
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
          <IssueActions issue={issue} canChange={canChange} />
        </td>
      )}
    </tr>
  );
}
