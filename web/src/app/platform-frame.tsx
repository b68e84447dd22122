import { Outlet } from '@tanstack/react-router';
import { useMe } from '../api/session.query.js';
import { Notices } from '../ui/notices.js';
import { ScreenHead } from '../ui/screen.js';
import { Tab, TabNav } from '../ui/tab-nav.js';
import { text } from '../texts/en/platform.js';
import { Header } from './header.js';
import classes from './platform.module.css';

/** The screens of platform admins, who see the plans and the usage of all workspaces and nothing else of them. */
export function PlatformFrame() {
  const isPlatformAdmin = useMe()?.platformAdmin ?? false;
  return (
    <>
      <Header place={text.title} />
      <main id="main" tabIndex={-1} className={classes['screen']}>
        {isPlatformAdmin ? (
          <>
            <TabNav label={text.title}>
              <Tab to="/platform/upgrade-requests">{text.requests}</Tab>
              <Tab to="/platform/workspaces">{text.workspaces}</Tab>
            </TabNav>
            <Outlet />
          </>
        ) : (
          <>
            <ScreenHead title={text.title} documentTitle={text.title} />
            <p>{text.forbidden}</p>
          </>
        )}
      </main>
      <Notices />
    </>
  );
}
