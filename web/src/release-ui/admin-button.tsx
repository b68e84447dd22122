import { Button, type ButtonProps } from '@primer/react';
import { useId } from 'react';
import { useIsAdmin } from '../api/session.query.js';
import { common } from '../texts/en/common.js';

interface AdminButtonProps extends Pick<ButtonProps, 'variant' | 'onClick' | 'size' | 'aria-label'> {
  /** Why an admin cannot use it either. */
  readonly reason?: string | undefined;
  readonly children: string;
}

/** A button that only admins can use. A user who cannot use it sees the reason next to it. */
export function AdminButton({ reason, onClick, children, ...button }: AdminButtonProps) {
  const isAdmin = useIsAdmin();
  const id = useId();
  const obstacle = isAdmin ? reason : common.onlyAdmins;
  if (obstacle === undefined) {
    return (
      <Button {...button} onClick={onClick}>
        {children}
      </Button>
    );
  }
  return (
    <span>
      <Button {...button} inactive aria-disabled aria-describedby={id}>
        {children}
      </Button>{' '}
      <span id={id} className="quiet">
        {obstacle}
      </span>
    </span>
  );
}
