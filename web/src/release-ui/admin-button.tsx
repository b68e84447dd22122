import type { ComponentProps } from 'react';
import { useIsAdmin } from '../api/session.query.js';
import { common } from '../texts/en/common.js';
import { ReasonedButton } from '../ui/reasoned-button.js';

interface AdminButtonProps extends Omit<ComponentProps<typeof ReasonedButton>, 'reason'> {
  /** Why an admin cannot do this either. Null if admins can. */
  readonly otherwise?: string | null;
}

/** A button that only admins can use. A user who cannot use it sees the reason next to it. */
export function AdminButton({ otherwise = null, ...rest }: AdminButtonProps) {
  return <ReasonedButton {...rest} reason={useIsAdmin() ? otherwise : common.onlyAdmins} />;
}
