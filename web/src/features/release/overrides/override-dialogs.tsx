import { useState } from 'react';
import type { Schema } from '../../../api/client.js';
import { ActionDialog } from '../../../ui/action-dialog.js';
import { useAction } from '../../../ui/use-action.js';
import { text } from '../../../texts/en/overrides.js';
import { Sentences } from '../sentences.js';
import { BreakGlassEffect } from './break-glass-effect.js';
import { OverrideFacts } from './override-facts.js';
import { confirmOverride, overrideChanges, withdrawOverride, type Override } from './overrides.query.js';
import { VersionField } from './reason-field.js';

interface OverrideDialogProps {
  readonly details: Schema<'ReleaseDetails'>;
  readonly override: Override;
  readonly onClose: () => void;
}

/** Shows a second admin the whole request and its effect. Break-glass also needs the version, typed again. */
export function ConfirmOverrideDialog({ details, override, onClose }: OverrideDialogProps) {
  const { kind } = override;
  const { milestoneId: id, version } = details.release;
  const [typed, setTyped] = useState('');
  const action = useAction({
    run: () => confirmOverride(id, override),
    changes: overrideChanges(id),
    done: () => text.confirmedNotice[kind],
    undo: () => () => withdrawOverride(id, override),
    onDone: onClose,
  });
  return (
    <ActionDialog
      title={text.confirmTitles[kind]}
      confirm={text.confirmButtons[kind]}
      isDangerous={kind === 'break_glass'}
      canConfirm={kind === 'waiver' || typed === version}
      action={action}
      onConfirm={() => action.start()}
      onClose={onClose}
    >
      <OverrideFacts override={override} release={details.release} />
      {kind === 'waiver' ? (
        <p>{text.confirmWaiverEffect}</p>
      ) : (
        <>
          <BreakGlassEffect details={details} sha={override.sha} />
          <p>
            {text.breakGlassNow} {text.breakGlassRollback}
          </p>
          <VersionField version={version} value={typed} onChange={setTyped} />
        </>
      )}
    </ActionDialog>
  );
}

/** Asks before an override is withdrawn, and lists the conditions that return. */
export function WithdrawOverrideDialog({ details, override, onClose }: OverrideDialogProps) {
  const { kind } = override;
  const { milestoneId: id } = details.release;
  const returning = details.overrides.find((applied) => applied.id === override.id)?.conditions ?? [];
  const action = useAction({
    run: () => withdrawOverride(id, override),
    changes: overrideChanges(id),
    done: () => text.withdrawnNotice[kind],
    onDone: onClose,
  });
  return (
    <ActionDialog
      title={text.withdrawTitles[kind]}
      confirm={text.withdrawButtons[kind]}
      isDangerous
      action={action}
      onConfirm={() => action.start()}
      onClose={onClose}
    >
      <OverrideFacts override={override} release={details.release} />
      {returning.length > 0 ? (
        <>
          <p>{text.returns}</p>
          <Sentences items={returning.map(({ detail }) => detail)} />
        </>
      ) : (
        <p>{text.returnsNothing}</p>
      )}
      <p>{text.cannotUndo}</p>
    </ActionDialog>
  );
}
