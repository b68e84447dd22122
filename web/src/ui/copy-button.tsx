import { CheckIcon, CopyIcon } from '@primer/octicons-react';
import { Button, IconButton } from '@primer/react';
import { useEffect, useState } from 'react';
import { common } from '../texts/en/common.js';
import { announce } from './announce.js';

const COPIED_MS = 3_000;

interface CopyButtonProps {
  readonly text: string;
  /** The name of the copied text. With a label the button is a small icon. */
  readonly label?: string;
  readonly onCopied?: () => void;
}

/**
 * Copies a text to the clipboard, and confirms this for a few seconds. The announcement does not contain the text, which may be a
 * secret.
 */
export function CopyButton({ text, label, onCopied }: CopyButtonProps) {
  const [copied, setCopied] = useState<{ readonly text: string } | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    if (copied === null) return undefined;
    const timer = setTimeout(() => setCopied(null), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  // The text may change while the button says that it is copied.
  const isCopied = copied?.text === text;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A browser has no clipboard without TLS, or the user did not allow it.
      setHasFailed(true);
      return;
    }
    setHasFailed(false);
    setCopied({ text });
    announce(common.copied);
    onCopied?.();
  };
  const icon = isCopied ? CheckIcon : CopyIcon;
  return (
    <>
      {label === undefined ? (
        <Button leadingVisual={icon} onClick={() => void copy()}>
          {isCopied ? common.copied : common.copy}
        </Button>
      ) : (
        <IconButton size="small" variant="invisible" icon={icon} aria-label={label} onClick={() => void copy()} />
      )}
      {hasFailed && (
        <span role="alert" className="quiet">
          {common.copyFailed}
        </span>
      )}
    </>
  );
}
