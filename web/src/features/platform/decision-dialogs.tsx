import { useState } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { TextField } from '../../ui/field.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/billing.js';

interface DialogProps {
  readonly request: Schema<'PlatformUpgradeRequest'>;
  readonly onClose: () => void;
}

/** Approves the pro plan of an organization, by the reference of its payment. */
export const ApproveDialog = ({ request: { id, org }, onClose }: DialogProps) => (
  <DecisionDialog
    title={text.approveTitle(org)}
    effect={text.approveEffect(org)}
    label={text.reference}
    hint={text.referenceHint}
    done={text.approveDone(org)}
    send={(paymentReference) =>
      readBody(
        api.POST('/api/platform/upgrade-requests/{id}/approve', {
          params: { path: { id } },
          body: { paymentReference },
        }),
      )
    }
    onClose={onClose}
  />
);

/** Rejects the request of an organization, whose members see the reason. */
export const RejectDialog = ({ request: { id, org }, onClose }: DialogProps) => (
  <DecisionDialog
    title={text.rejectTitle(org)}
    effect={text.rejectEffect(org)}
    label={text.reason}
    done={text.rejectDone(org)}
    isDangerous
    send={(reason) =>
      readBody(api.POST('/api/platform/upgrade-requests/{id}/reject', { params: { path: { id } }, body: { reason } }))
    }
    onClose={onClose}
  />
);

/** Puts an organization on the free plan. */
export const DowngradeDialog = ({ request: { org }, onClose }: DialogProps) => (
  <DecisionDialog
    title={text.downgradeTitle(org)}
    effect={text.downgradeEffect(org)}
    label={text.reason}
    done={text.downgradeDone(org)}
    isDangerous
    send={(reason) =>
      readBody(api.POST('/api/platform/workspaces/{org}/downgrade', { params: { path: { org } }, body: { reason } }))
    }
    onClose={onClose}
  />
);

interface DecisionDialogProps {
  /** Names the action and the organization. */
  readonly title: string;
  readonly effect: string;
  /** The label of the text that the decision needs. */
  readonly label: string;
  readonly hint?: string;
  readonly done: string;
  readonly isDangerous?: boolean;
  readonly send: (value: string) => Promise<unknown>;
  readonly onClose: () => void;
}

function DecisionDialog({ title, effect, label, hint, done, isDangerous = false, send, onClose }: DecisionDialogProps) {
  const [value, setValue] = useState('');
  const action = useAction({
    run: () => send(value.trim()),
    changes: [['platform'], ['billing']],
    done: () => done,
    onDone: onClose,
  });
  return (
    <ActionDialog
      title={title}
      confirm={title}
      isDangerous={isDangerous}
      canConfirm={value.trim() !== ''}
      action={action}
      onConfirm={action.start}
      onClose={onClose}
    >
      <p>{effect}</p>
      <TextField label={label} {...(hint !== undefined && { hint })} block required value={value} onChange={setValue} />
    </ActionDialog>
  );
}
