import { CheckIcon, CopyIcon } from '@primer/octicons-react';
import { Button } from '@primer/react';
import { useState } from 'react';
import { common } from '../words/en/common.js';
import { announce } from './announce.js';

/** Copies a text to the clipboard. The announcement does not contain the text, which may be a secret. */
export function CopyButton({ text, onCopied }: { readonly text: string; readonly onCopied?: () => void }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    announce(common.copied);
    onCopied?.();
  };
  return (
    <Button leadingVisual={isCopied ? CheckIcon : CopyIcon} onClick={() => void copy()}>
      {isCopied ? common.copied : common.copy}
    </Button>
  );
}
