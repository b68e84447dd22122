import { Heading } from '@primer/react';
import { useId, type ReactNode } from 'react';
import classes from './section.module.css';

interface SectionProps {
  readonly title: string;
  /** A status next to the heading. */
  readonly label?: ReactNode;
  /** The hash of a link to it. */
  readonly id?: string;
  readonly children: ReactNode;
}

/** A part of a screen with a heading of the second level. */
export function Section({ title, label, id, children }: SectionProps) {
  const heading = useId();
  return (
    <section aria-labelledby={heading} className={classes['section']} {...(id !== undefined && { id, tabIndex: -1 })}>
      <div className={classes['head']}>
        <Heading as="h2" variant="small" id={heading}>
          {title}
        </Heading>
        {label}
      </div>
      {children}
    </section>
  );
}
