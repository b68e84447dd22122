import { XIcon } from '@primer/octicons-react';
import { Button, IconButton } from '@primer/react';
import { useState } from 'react';
import type { Schema } from '../../../api/client.js';
import { ActionDialog } from '../../../ui/action-dialog.js';
import { explainDisabled } from '../../../ui/reasoned-button.js';
import { ActionError } from '../../../ui/states.js';
import { scopeText as partText } from '../../../texts/en/release-parts.js';
import { useRelease } from '../release.query.js';
import { AssignDialog } from './scope-dialogs.js';
import { useScopeChange } from './scope.query.js';
import classes from './scope.module.css';

type Issue = Schema<'ScopeIssue'>;

interface IssueActionsProps {
  readonly issue: Issue;
  /** The id of the sentence that says why the viewer cannot change the scope. Null if they can. */
  readonly obstacle: string | null;
}

/** Removes an owner from an issue. */
export function UnassignButton({ issue: { number }, login, obstacle }: IssueActionsProps & { readonly login: string }) {
  const { milestoneId } = useRelease().release;
  const action = useScopeChange(milestoneId);
  return (
    <>
      <IconButton
        size="small"
        variant="invisible"
        icon={XIcon}
        aria-label={partText.unassign.of(number, login)}
        loading={action.isRunning}
        onClick={() => action.start({ action: 'unassign', number, assignee: login })}
        {...explainDisabled(obstacle)}
      />
      {action.error && <ActionError error={action.error} />}
    </>
  );
}

/** Buttons that assign and unlink an issue. Unlinking a closed issue asks first, because it cannot be linked again. */
export function IssueActions({ issue, obstacle }: IssueActionsProps) {
  const { milestoneId } = useRelease().release;
  const { number, state } = issue;
  const [dialog, setDialog] = useState<'assign' | 'unlink' | null>(null);
  const close = (): void => setDialog(null);
  const isClosed = state === 'closed';
  const unlink = useScopeChange(milestoneId, { isClosed });
  const startUnlink = (): void => unlink.start({ action: 'unlink', number });
  return (
    <>
      <div className={classes['items']}>
        <Button
          size="small"
          aria-label={partText.assign.of(number)}
          onClick={() => setDialog('assign')}
          {...explainDisabled(obstacle)}
        >
          {partText.assign.button}
        </Button>
        <Button
          size="small"
          aria-label={partText.unlink.of(number)}
          loading={unlink.isRunning && dialog === null}
          onClick={isClosed ? () => setDialog('unlink') : startUnlink}
          {...explainDisabled(obstacle)}
        >
          {partText.unlink.button}
        </Button>
      </div>
      {unlink.error && dialog === null && <ActionError error={unlink.error} />}
      {dialog === 'unlink' && (
        <ActionDialog
          title={partText.unlink.title(number)}
          confirm={partText.unlink.button}
          isDangerous
          action={unlink}
          onConfirm={startUnlink}
          onClose={close}
        >
          <p>{issue.title}</p>
          <p>{partText.unlink.effect}</p>
        </ActionDialog>
      )}
      {dialog === 'assign' && <AssignDialog issue={issue} onClose={close} />}
    </>
  );
}
