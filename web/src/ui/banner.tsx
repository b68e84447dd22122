import { AlertIcon, ClockIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import classes from './banner.module.css';

interface BannerProps {
  readonly label: string;
  /** Whether the problem exists already. False if something only waits or begins later. */
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
}

/** A part above the content of a screen that every user must notice. */
export function Banner({ label, isDangerous = false, children }: BannerProps) {
  const Icon = isDangerous ? AlertIcon : ClockIcon;
  return (
    <section aria-label={label} className={`${classes['banner']} ${isDangerous ? classes['danger'] : ''}`}>
      <Icon />
      <div>{children}</div>
    </section>
  );
}
