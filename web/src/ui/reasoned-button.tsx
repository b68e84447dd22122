import { Button, type ButtonProps } from '@primer/react';
import { useId, type MouseEvent, type ReactNode } from 'react';
import classes from './reasoned-button.module.css';

/**
 * The attributes of a button that the user can see but not use. They go after the others. `reasonId` is the id of the sentence that says why;
 * null if the user can use the button.
 */
export const explainDisabled = (reasonId: string | null) =>
  reasonId === null
    ? {}
    : ({
        inactive: true,
        'aria-disabled': true,
        'aria-describedby': reasonId,
        onClick: (event: MouseEvent) => event.preventDefault(),
      } as const);

interface ReasonedButtonProps extends Omit<ButtonProps, 'inactive' | 'children'> {
  /** Why the user cannot do this. Null if they can. */
  readonly reason: string | null;
  readonly children: ReactNode;
}

/** A button that stays visible when its action is not allowed, with the reason next to it. */
export function ReasonedButton({ reason, children, ...rest }: ReasonedButtonProps) {
  const id = useId();
  if (reason === null) return <Button {...rest}>{children}</Button>;
  return (
    <span className={classes['pair']}>
      <Button {...rest} {...explainDisabled(id)}>
        {children}
      </Button>
      <span id={id} className="quiet">
        {reason}
      </span>
    </span>
  );
}
