import { AlertIcon, ClockIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import classes from './bar.module.css';

interface BarProps {
  readonly label: string;
  /** Whether it concerns something that is wrong already, and not only something that waits. */
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
}

/** A part above the content of a screen that every user must notice. */
export function Bar({ label, isDangerous = false, children }: BarProps) {
  const Icon = isDangerous ? AlertIcon : ClockIcon;
  return (
    <section aria-label={label} className={`${classes['bar']} ${isDangerous ? classes['danger'] : ''}`}>
      <Icon />
      <div>{children}</div>
    </section>
  );
}
