import { NavList } from '@primer/react';
import { skipToken, useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { createLink, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { configQuery, useMe } from '../api/session.query.js';
import { SESSION_PROBLEM, type SessionProblem } from '../live/session-problem.js';
import { Notices } from '../ui/notices.js';
import { common } from '../words/en/common.js';
import { text } from '../words/en/frame.js';
import { AccountMenu } from './account-menu.js';
import classes from './frame.module.css';
import { LiveStatusLabel, useLiveUpdates } from './live-status.js';
import { useShortcuts } from './use-shortcuts.js';

const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.js')).ShortcutsDialog }));
const NavItem = createLink(NavList.Item);

interface NavigationEntry {
  readonly to:
    | `/w/$org/${'releases' | 'reviews' | 'quality' | 'history' | 'repositories' | 'freezes'}`
    | `/w/$org/settings/${'team' | 'api-keys' | 'personal-keys' | 'billing' | 'sync' | 'audit' | 'diagnostics'}`;
  readonly title: string;
  /** Other roles do not see the entry. */
  readonly role?: 'admin';
  /** Hidden where plans limit nothing. */
  readonly needsPlans?: true;
}

/** The entries of the navigation, in groups. */
const NAVIGATION: readonly { readonly title: string | null; readonly entries: readonly NavigationEntry[] }[] = [
  {
    title: null,
    entries: [
      { to: '/w/$org/releases', title: text.releases },
      { to: '/w/$org/reviews', title: text.reviews },
      { to: '/w/$org/quality', title: text.quality },
      { to: '/w/$org/history', title: text.history },
      { to: '/w/$org/repositories', title: text.repositories },
      { to: '/w/$org/freezes', title: text.freezes },
    ],
  },
  {
    title: text.settings,
    entries: [
      { to: '/w/$org/settings/team', title: text.team },
      { to: '/w/$org/settings/api-keys', title: text.apiKeys },
      { to: '/w/$org/settings/personal-keys', title: text.personalKeys },
      { to: '/w/$org/settings/billing', title: text.plan, needsPlans: true },
      { to: '/w/$org/settings/sync', title: text.sync },
      { to: '/w/$org/settings/audit', title: text.audit, role: 'admin' },
      { to: '/w/$org/settings/diagnostics', title: text.diagnostics, role: 'admin' },
    ],
  },
];

/** The header, the navigation and the screen. When the session has ended, the screen is inert and the frame says so. */
export function Frame() {
  const { org } = useParams({ from: '/session/w/$org' });
  const me = useMe();
  const { data: problem } = useQuery<SessionProblem>({ queryKey: SESSION_PROBLEM, queryFn: skipToken });
  const { pathname } = useLocation();
  const liveStatus = useLiveUpdates(org);
  const shortcuts = useShortcuts(org);
  const hasPlans = useQuery(configQuery).data?.billing ?? false;
  const ownRole = me?.workspace?.role;
  return (
    <>
      <a className={classes['skip']} href="#main">
        {text.skip}
      </a>
      <header className={classes['header']}>
        <a className={classes['brand']} href="/workspaces">
          {common.product}
        </a>
        <span className={classes['workspace']}>{org}</span>
        {!problem && <LiveStatusLabel status={liveStatus} />}
        {me && <AccountMenu user={me.user} isPlatformAdmin={me.platformAdmin} onOpenShortcuts={shortcuts.openHelp} />}
      </header>
      {problem && <ProblemBar problem={problem} org={org} />}
      <div className={classes['columns']} inert={problem !== undefined}>
        <NavList aria-label={text.navigation} className={classes['navigation']}>
          {NAVIGATION.map(({ title, entries }) => {
            const items = entries
              .filter(({ role, needsPlans = false }) => (role ?? ownRole) === ownRole && (hasPlans || !needsPlans))
              .map(({ to, title: name }) => (
                <NavItem
                  key={to}
                  to={to}
                  params={{ org }}
                  {...(isWithin(pathname, to.replace('$org', org)) && { 'aria-current': 'page' as const })}
                >
                  {name}
                </NavItem>
              ));
            return title === null ? (
              items
            ) : (
              <NavList.Group key={title} title={title}>
                {items}
              </NavList.Group>
            );
          })}
          <NavList.Item href="/api/docs">{text.apiDocs}</NavList.Item>
        </NavList>
        <main id="main" tabIndex={-1} className={classes['main']}>
          <Outlet />
        </main>
      </div>
      <Notices />
      {shortcuts.isHelpOpen && (
        <Suspense>
          <ShortcutsDialog isOn={shortcuts.isOn} onTurn={shortcuts.turn} onClose={shortcuts.closeHelp} />
        </Suspense>
      )}
    </>
  );
}

const isWithin = (pathname: string, path: string): boolean => pathname === path || pathname.startsWith(`${path}/`);

/** Says why the screen is inert, and what to do. */
function ProblemBar({ problem, org }: { readonly problem: SessionProblem; readonly org: string }) {
  const { href } = useLocation();
  const returnTo = encodeURIComponent(href);
  return (
    <div role="alert" className={classes['notice']}>
      {problem === 'ended' ? (
        <>
          {text.sessionEnded} <a href={`/sign-in?returnTo=${returnTo}`}>{text.signInAgain}</a>
        </>
      ) : (
        <>
          {text.otherWorkspace(org)} <a href={`/workspaces?returnTo=${returnTo}`}>{text.switchWorkspace}</a>
        </>
      )}
    </div>
  );
}
