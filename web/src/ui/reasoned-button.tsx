import { Button, type ButtonProps } from '@primer/react';
import { useId, type ReactNode } from 'react';
import classes from './reasoned-button.module.css';

interface ReasonedButtonProps extends Omit<ButtonProps, 'inactive' | 'children'> {
  /** Why the user cannot do this. Null if they can. */
  readonly reason: string | null;
  readonly children: ReactNode;
}

/** A button that stays visible when its action is not allowed, with the reason next to it. */
export function ReasonedButton({ reason, children, onClick, ...rest }: ReasonedButtonProps) {
  const id = useId();
  if (reason === null) {
    return (
      <Button {...rest} {...(onClick && { onClick })}>
        {children}
      </Button>
    );
  }
  return (
    <span className={classes['pair']}>
      <Button {...rest} inactive aria-disabled aria-describedby={id} onClick={(event) => event.preventDefault()}>
        {children}
      </Button>
      <span id={id} className="quiet">
        {reason}
      </span>
    </span>
  );
}
