import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.js';
import classes from './lines.module.css';

/** Lines to copy, with their title. */
export function Lines({ title, children }: { readonly title: ReactNode; readonly children: string }) {
  return (
    <div className={classes['lines']}>
      <div className={classes['title']}>
        <p>{title}</p>
        <CopyButton text={children} />
      </div>
      <pre>{children}</pre>
    </div>
  );
}
