import { SearchIcon } from '@primer/octicons-react';
import { lazy, Suspense, useState } from 'react';
import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import type { SessionProblem } from '../live/session-problem.js';
import { loadCode } from '../ui/load-code.js';
import { Notices } from '../ui/notices.js';
import { text } from '../texts/en/frame.js';
import classes from './frame.module.css';
import { Header } from './header.js';
import { LiveStatusLabel, useLiveUpdates } from './live-status.js';
import { Navigation } from './navigation.js';
import { useHashLanding } from './use-hash-landing.js';
import { useSessionProblem } from './use-session-problem.js';
import { useShortcuts } from './use-shortcuts.js';

const Palette = lazy(async () => ({ default: (await loadCode(() => import('./palette/palette.js'))).Palette }));
const ShortcutsDialog = lazy(async () => ({
  default: (await loadCode(() => import('./shortcuts-dialog.js'))).ShortcutsDialog,
}));

/** The header, the navigation and the screen. When the session has ended, the screen is inert and the frame shows the reason. */
export function Frame() {
  const { org } = useParams({ from: '/session/w/$org' });
  const problem = useSessionProblem(org);
  const isUsable = problem === null;
  const liveStatus = useLiveUpdates(org, isUsable);
  const shortcuts = useShortcuts(org);
  useHashLanding();
  // Its code loads with the first use. It stays, because it also has the dialogs of its actions.
  const [wasPaletteOpened, setWasPaletteOpened] = useState(false);
  if (shortcuts.isPaletteOpen && !wasPaletteOpened) setWasPaletteOpened(true);
  return (
    <>
      <Header place={org} onOpenShortcuts={shortcuts.openHelp}>
        {!problem && (
          <>
            <FindButton onClick={shortcuts.openPalette} />
            <LiveStatusLabel status={liveStatus} />
          </>
        )}
      </Header>
      {problem && <ProblemBar problem={problem} org={org} />}
      <div className={classes['columns']} inert={!isUsable}>
        <Navigation org={org} />
        <main id="main" tabIndex={-1} className={classes['main']}>
          {!(problem === 'no_access' || problem === 'other_user') && <Outlet />}
        </main>
      </div>
      {isUsable && <Notices />}
      {isUsable && wasPaletteOpened && (
        <Suspense>
          <Palette
            org={org}
            isOpen={shortcuts.isPaletteOpen}
            onClose={shortcuts.closePalette}
            onOpenShortcuts={shortcuts.openHelp}
          />
        </Suspense>
      )}
      {shortcuts.isHelpOpen && (
        <Suspense>
          <ShortcutsDialog isOn={shortcuts.isOn} onTurn={shortcuts.turn} onClose={shortcuts.closeHelp} />
        </Suspense>
      )}
    </>
  );
}

/** Opens the search over the workspace. On a phone it is an icon. */
const FindButton = ({ onClick }: { readonly onClick: () => void }) => (
  <button type="button" className={classes['find']} aria-label={text.findHint} onClick={onClick}>
    <SearchIcon /> <span>{text.find}</span>
  </button>
);

/** Shows why the screen is inert, and the next step. */
function ProblemBar({ problem, org }: { readonly problem: SessionProblem; readonly org: string }) {
  const { href } = useLocation();
  const returnTo = encodeURIComponent(href);
  return (
    <div role="alert" className={classes['notice']}>
      {problem === 'ended' && (
        <>
          {text.sessionEnded}{' '}
          <a href={`/sign-in?returnTo=${returnTo}`} target="_blank" rel="noreferrer">
            {text.signInAgain}
          </a>
          {text.continues}
        </>
      )}
      {problem === 'other_user' && (
        <>
          {text.otherUser} <a href={href}>{text.loadAgain}</a>
        </>
      )}
      {problem === 'other_workspace' && (
        <>
          {text.otherWorkspace(org)} <a href={`/workspaces?returnTo=${returnTo}`}>{text.switchWorkspace}</a>
        </>
      )}
      {problem === 'no_access' && (
        <>
          {text.noAccess(org)} <a href="/workspaces">{text.switchWorkspace}</a>
        </>
      )}
    </div>
  );
}
