import type { ComponentProps } from 'react';
import { useIsAdmin } from '../api/session.query.js';
import { common } from '../texts/en/common.js';
import { ReasonedButton } from '../ui/reasoned-button.js';

/** A button that only admins can use. A user who cannot use it sees the reason next to it. */
export function AdminButton(props: Omit<ComponentProps<typeof ReasonedButton>, 'reason'>) {
  return <ReasonedButton {...props} reason={useIsAdmin() ? null : common.onlyAdmins} />;
}
