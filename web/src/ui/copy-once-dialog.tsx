import { Dialog } from '@primer/react';
import { useState } from 'react';
import { common } from '../texts/en/common.js';
import { CopyButton } from './copy-button.js';
import classes from './copy-once-dialog.module.css';

interface CopyOnceDialogProps {
  readonly title: string;
  /** Says what the secret is for, and that it is not shown again. */
  readonly lead: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/**
 * Shows a secret once. It closes only by a button that says that the user has the secret. The secret exists in the state of the component
 * that opened the dialog, and nowhere else.
 */
export function CopyOnceDialog({ title, lead, secret, onClose }: CopyOnceDialogProps) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <Dialog
      title={title}
      width="large"
      position={{ narrow: 'fullscreen', regular: 'center' }}
      onClose={() => {
        if (isCopied) onClose();
      }}
      footerButtons={[{ content: isCopied ? common.done : common.haveIt, buttonType: 'primary', onClick: onClose }]}
    >
      <p>{lead}</p>
      <div className={classes['secret']}>
        <code>{secret}</code>
        <CopyButton text={secret} onCopied={() => setIsCopied(true)} />
      </div>
    </Dialog>
  );
}
