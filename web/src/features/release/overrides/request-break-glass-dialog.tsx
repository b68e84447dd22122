import { useState } from 'react';
import { api, readBody, type Schema } from '../../../api/client.js';
import { ActionDialog } from '../../../ui/action-dialog.js';
import { useAction } from '../../../ui/use-action.js';
import { text } from '../../../texts/en/overrides.js';
import { BreakGlassEffect } from './break-glass-effect.js';
import { overrideChanges, withdrawOverride } from './overrides.query.js';
import { ReasonField, VersionField } from './reason-field.js';

interface RequestBreakGlassDialogProps {
  readonly details: Schema<'ReleaseDetails'>;
  /** The candidate. */
  readonly sha: string;
  readonly onClose: () => void;
}

/**
 * The form of break-glass. The commit is the candidate at the time when the dialog was opened, because another commit needs
 * another decision.
 */
export function RequestBreakGlassDialog({ details, sha, onClose }: RequestBreakGlassDialogProps) {
  const { milestoneId: id, repo, version } = details.release;
  const [openedFor] = useState(sha);
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const action = useAction({
    run: () =>
      readBody(
        api.POST('/api/milestones/{id}/break-glass', { params: { path: { id } }, body: { sha: openedFor, reason } }),
      ),
    changes: overrideChanges(id),
    done: () => text.breakGlassRequested,
    undo: (request) => () => withdrawOverride(id, { kind: 'break_glass', id: request.id }),
    onDone: onClose,
  });
  return (
    <ActionDialog
      title={text.breakGlassTitle(`${repo} ${version}`)}
      confirm={text.breakGlassConfirm}
      isDangerous
      canConfirm={typed === version && reason.trim() !== ''}
      action={action}
      onConfirm={() => action.start()}
      onClose={onClose}
    >
      <BreakGlassEffect details={details} sha={openedFor} />
      <p>
        {text.breakGlassSecond} {text.breakGlassRollback}
      </p>
      <ReasonField value={reason} onChange={setReason} />
      <VersionField version={version} value={typed} onChange={setTyped} />
    </ActionDialog>
  );
}
