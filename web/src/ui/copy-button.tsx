import { CheckIcon, CopyIcon } from '@primer/octicons-react';
import { Button, IconButton } from '@primer/react';
import { useState } from 'react';
import { common } from '../texts/en/common.js';
import { announce } from './announce.js';
import { notify } from './notices.js';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied. With it the button is a small icon. */
  readonly label?: string;
  readonly onCopied?: () => void;
}

/** Copies a text to the clipboard. The announcement does not contain the text, which may be a secret. */
export function CopyButton({ text, label, onCopied }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A browser has no clipboard without TLS, or the user did not allow it.
      notify(common.copyFailed);
      return;
    }
    setIsCopied(true);
    announce(common.copied);
    onCopied?.();
  };
  const icon = isCopied ? CheckIcon : CopyIcon;
  if (label !== undefined) {
    return <IconButton size="small" variant="invisible" icon={icon} aria-label={label} onClick={() => void copy()} />;
  }
  return (
    <Button leadingVisual={icon} onClick={() => void copy()}>
      {isCopied ? common.copied : common.copy}
    </Button>
  );
}
