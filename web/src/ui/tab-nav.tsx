import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';
import { formatNumber } from '../texts/en/counted.js';
import classes from './tab-nav.module.css';

/** Links to the parts of a screen. The selected one has `aria-current`. They wrap in a narrow window. */
export function TabNav({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav aria-label={label} className={classes['tabs']}>
      <ul>{children}</ul>
    </nav>
  );
}

interface TabProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly ref?: Ref<HTMLAnchorElement>;
  /** The number of entries of the part. Null as long as it is not known; absent if the part has none. */
  readonly counter?: number | null | undefined;
}

function TabAnchor({ counter, children, ...attributes }: TabProps) {
  return (
    <li>
      <a {...attributes}>
        {children}{' '}
        {counter !== undefined && (
          <span className={classes['counter']}>{counter === null ? '' : formatNumber(counter)}</span>
        )}
      </a>
    </li>
  );
}

/** A link of `TabNav`. */
export const Tab = createLink(TabAnchor);
