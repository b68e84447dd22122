import { Dialog } from '@primer/react';
import { useId, type ReactNode } from 'react';
import { common } from '../texts/en/common.js';
import { ActionError } from './states.js';

interface ActionDialogProps {
  readonly title: string;
  /** The text of the button that starts the action. It names the action, for example "Delete the project". */
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** Whether the input is complete. */
  readonly canConfirm?: boolean;
  readonly action: { readonly isRunning: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** The effect of the action, and its fields. */
  readonly children: ReactNode;
}

/** Asks before an action, and shows its effect. An error of the service appears in the dialog, which keeps the input. */
export function ActionDialog({
  title,
  confirm,
  isDangerous = false,
  canConfirm = true,
  action,
  onConfirm,
  onClose,
  children,
}: ActionDialogProps) {
  const form = useId();
  return (
    <Dialog
      title={title}
      width="large"
      position={{ narrow: 'fullscreen', regular: 'center' }}
      onClose={() => {
        if (!action.isRunning) onClose();
      }}
      footerButtons={[
        { content: common.cancel, onClick: onClose, disabled: action.isRunning },
        {
          content: confirm,
          buttonType: isDangerous ? 'danger' : 'primary',
          type: 'submit',
          form,
          disabled: !canConfirm,
          loading: action.isRunning,
        },
      ]}
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (canConfirm && !action.isRunning) onConfirm();
        }}
      >
        {children}
        {action.error && <ActionError error={action.error} />}
      </form>
    </Dialog>
  );
}
