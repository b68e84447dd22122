import { Heading } from '@primer/react';
import { useEffect, useRef, type ReactNode } from 'react';
import { common } from '../texts/en/common.js';
import classes from './screen.module.css';

interface ScreenHeadProps {
  readonly title: ReactNode;
  /** The title of the tab, without the name of the product, for example "v1.4.0 · payments". */
  readonly documentTitle: string;
  /** Buttons that concern the whole screen. */
  readonly children?: ReactNode;
}

let hasOpenedAScreen = false;

/** The heading of a screen. After a navigation it gets the focus, so that screen readers read the new title. */
export function ScreenHead({ title, documentTitle, children }: ScreenHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${documentTitle} · ${common.product}`;
  }, [documentTitle]);
  useEffect(() => {
    if (hasOpenedAScreen) heading.current?.focus({ preventScroll: true });
    hasOpenedAScreen = true;
  }, []);
  return (
    <div className={classes['head']}>
      <Heading as="h1" ref={heading} tabIndex={-1}>
        {title}
      </Heading>
      {children !== undefined && <div className={classes['actions']}>{children}</div>}
    </div>
  );
}

/** The search, the filters and the number of results above a list. */
export function Tools({ children }: { readonly children: ReactNode }) {
  return <div className={classes['tools']}>{children}</div>;
}

/** Names and values, as a list. Entries whose value is null are left out. */
export function Facts({ entries }: { readonly entries: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes['facts']}>
      {entries
        .filter(([, value]) => value !== null)
        .flatMap(([name, value]) => [<dt key={`${name}-name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}
