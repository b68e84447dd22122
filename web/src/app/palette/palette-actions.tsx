import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { api, readBody } from '../../api/client.js';
import { useIsAdmin, useMe } from '../../api/session.query.js';
import { loadCode } from '../../ui/load-code.js';
import { notify } from '../../ui/notices.js';
import { text } from '../../texts/en/palette.js';
import { setColorMode } from '../color-mode.js';

const NewReleaseDialog = lazy(async () => ({
  default: (await loadCode(() => import('../../release-ui/new-release-dialog.js'))).NewReleaseDialog,
}));
const CreateFreezeDialog = lazy(async () => ({
  default: (await loadCode(() => import('../../features/freezes/create-freeze-dialog.js'))).CreateFreezeDialog,
}));

interface PaletteAction {
  readonly title: string;
  readonly run: () => void;
}

/** The actions that the user can start from any screen, and the dialog of the one that is open. */
export function usePaletteActions(
  org: string,
  onOpenShortcuts: () => void,
): { readonly actions: readonly PaletteAction[]; readonly dialog: ReactNode } {
  const [open, setOpen] = useState<'release' | 'freeze' | null>(null);
  const isAdmin = useIsAdmin();
  const isPlatformAdmin = useMe()?.platformAdmin === true;
  const navigate = useNavigate();
  const close = (): void => setOpen(null);
  const sync = async (): Promise<void> => {
    try {
      await readBody(api.POST('/api/sync', { body: {} }));
      notify(text.syncStarted);
      await navigate({ to: '/w/$org/settings/sync', params: { org } });
    } catch (error) {
      notify(error instanceof Error ? error.message : text.syncFailed);
    }
  };
  const { actions } = text;
  return {
    actions: [
      { title: actions.newRelease, run: () => setOpen('release') },
      ...(isAdmin ? [{ title: actions.newFreeze, run: () => setOpen('freeze') }] : []),
      { title: actions.sync, run: () => void sync() },
      ...(isPlatformAdmin
        ? [{ title: actions.platform, run: () => location.assign('/platform/upgrade-requests') }]
        : []),
      { title: actions.switchWorkspace, run: () => location.assign('/workspaces') },
      { title: actions.shortcuts, run: onOpenShortcuts },
      ...(['auto', 'light', 'dark'] as const).map((mode) => ({ title: actions[mode], run: () => setColorMode(mode) })),
    ],
    dialog: open !== null && (
      <Suspense>
        {open === 'release' ? <NewReleaseDialog onClose={close} /> : <CreateFreezeDialog onClose={close} />}
      </Suspense>
    ),
  };
}
