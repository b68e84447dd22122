import { CreditCardIcon, SignOutIcon, ThreeBarsIcon } from '@primer/octicons-react';
import { ActionList, ActionMenu, Avatar, NavList } from '@primer/react';
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLink, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { api, readBody, type Schema } from '../api/client.js';
import { configQuery, useMe } from '../api/session.query.js';
import { Notices } from '../ui/notices.js';
import { common } from '../words/en/common.js';
import { text } from '../words/en/frame.js';
import classes from './frame.module.css';
import { SESSION_PROBLEM, type SessionProblem } from './query-client.js';

const NavItem = createLink(NavList.Item);

interface NavigationEntry {
  readonly to:
    | '/w/$org/releases'
    | '/w/$org/repositories'
    | '/w/$org/settings/team'
    | '/w/$org/settings/api-keys'
    | '/w/$org/settings/personal-keys'
    | '/w/$org/settings/billing'
    | '/w/$org/settings/sync'
    | '/w/$org/settings/audit'
    | '/w/$org/settings/diagnostics';
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
      { to: '/w/$org/repositories', title: text.repositories },
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
        {me && <AccountMenu user={me.user} isPlatformAdmin={me.platformAdmin} />}
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

interface AccountMenuProps {
  readonly user: Schema<'User'>;
  readonly isPlatformAdmin: boolean;
}

function AccountMenu({ user, isPlatformAdmin }: AccountMenuProps) {
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => readBody(api.POST('/api/auth/logout')),
    onSuccess: () => {
      client.clear();
      location.assign('/sign-in');
    },
  });
  return (
    <ActionMenu>
      <ActionMenu.Button
        variant="invisible"
        aria-label={text.account(user.login)}
        leadingVisual={<Avatar src={user.avatarUrl} alt="" size={20} />}
      >
        {user.login}
      </ActionMenu.Button>
      <ActionMenu.Overlay>
        <ActionList>
          <ActionList.LinkItem href="/workspaces">
            <ActionList.LeadingVisual>
              <ThreeBarsIcon />
            </ActionList.LeadingVisual>
            {text.switchWorkspace}
          </ActionList.LinkItem>
          {isPlatformAdmin && (
            <ActionList.LinkItem href="/platform/upgrade-requests">
              <ActionList.LeadingVisual>
                <CreditCardIcon />
              </ActionList.LeadingVisual>
              {text.platform}
            </ActionList.LinkItem>
          )}
          <ActionList.Item disabled={signOut.isPending} onSelect={() => signOut.mutate()}>
            <ActionList.LeadingVisual>
              <SignOutIcon />
            </ActionList.LeadingVisual>
            {text.signOut}
          </ActionList.Item>
        </ActionList>
      </ActionMenu.Overlay>
    </ActionMenu>
  );
}
