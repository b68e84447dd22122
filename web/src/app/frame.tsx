import { SignOutIcon, ThreeBarsIcon } from '@primer/octicons-react';
import { ActionList, ActionMenu, Avatar, NavList } from '@primer/react';
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLink, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { api, readBody, type Schema } from '../api/client.js';
import { words } from '../words/en.js';
import { meQuery } from '../api/session.query.js';
import classes from './frame.module.css';
import { SESSION_ENDED } from './query-client.js';

const NavItem = createLink(NavList.Item);
const text = words.frame;

/** The header, the navigation and the screen. When the session has ended, the screen is inert and the frame says so. */
export function Frame() {
  const { org } = useParams({ from: '/session/w/$org' });
  const { data: me } = useQuery({ ...meQuery, enabled: false });
  const { data: hasEnded } = useQuery<boolean>({ queryKey: SESSION_ENDED, queryFn: skipToken, initialData: false });
  const { href, pathname } = useLocation();
  return (
    <>
      <a className={classes['skip']} href="#main">
        {text.skip}
      </a>
      <header className={classes['header']}>
        <a className={classes['brand']} href="/workspaces">
          {words.product}
        </a>
        <span className={classes['workspace']}>{org}</span>
        {me && <AccountMenu user={me.user} />}
      </header>
      {hasEnded && (
        <div role="alert" className={classes['notice']}>
          {text.sessionEnded} <a href={`/sign-in?returnTo=${encodeURIComponent(href)}`}>{text.signInAgain}</a>
        </div>
      )}
      <div className={classes['columns']} inert={hasEnded}>
        <NavList aria-label={text.navigation} className={classes['navigation']}>
          <NavItem
            to="/w/$org/releases"
            params={{ org }}
            {...(pathname.startsWith(`/w/${org}/releases`) && { 'aria-current': 'page' as const })}
          >
            {text.releases}
          </NavItem>
          <NavList.Item href="/api/docs">{text.apiDocs}</NavList.Item>
        </NavList>
        <main id="main" tabIndex={-1} className={classes['main']}>
          <Outlet />
        </main>
      </div>
    </>
  );
}

function AccountMenu({ user }: { readonly user: Schema<'User'> }) {
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
