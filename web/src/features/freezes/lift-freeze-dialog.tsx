import { api, readBody, type Schema } from '../../api/client.js';
import { daysUntil, formatDays } from '../../release-ui/freeze-days.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { useNow } from '../../ui/relative-time.js';
import { Facts } from '../../ui/screen.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/freezes.js';
import { FREEZE_CHANGES } from './freeze-changes.js';

/** Asks before a freeze is deleted. Undo creates a new one with the same days and the same reason. */
export function LiftFreezeDialog({
  freeze,
  onClose,
}: {
  readonly freeze: Schema<'Freeze'>;
  readonly onClose: () => void;
}) {
  const { id, from, to, reason } = freeze;
  const isHolding = daysUntil(freeze, useNow()) === 0;
  const action = useAction({
    run: () => readBody(api.DELETE('/api/freezes/{id}', { params: { path: { id } } })),
    changes: FREEZE_CHANGES,
    done: () => text.lifted,
    undo: () => () => readBody(api.POST('/api/freezes', { body: { from, to, reason } })),
    onDone: onClose,
  });
  return (
    <ActionDialog
      title={text.liftTitle}
      confirm={text.liftConfirm}
      isDangerous
      action={action}
      onConfirm={() => action.start()}
      onClose={onClose}
    >
      <Facts
        entries={[
          [text.columns.days, formatDays(freeze)],
          [text.columns.reason, reason],
        ]}
      />
      <p>{isHolding ? text.liftNow : text.liftFuture}</p>
    </ActionDialog>
  );
}
