import { lazy, Suspense, type ReactNode } from 'react';
import { useMe } from '../api/session.query.js';
import { common } from '../texts/en/common.js';
import { text } from '../texts/en/frame.js';
import { loadCode } from '../ui/load-code.js';
import classes from './header.module.css';
import mark from '../ui/shipgate.svg';

const AccountMenu = lazy(async () => ({ default: (await loadCode(() => import('./account-menu.js'))).AccountMenu }));

interface HeaderProps {
  /** Names the workspace or the area. */
  readonly place: string;
  /** Absent where the keys of a workspace have no effect. */
  readonly onOpenShortcuts?: () => void;
  /** Stands before the account menu. */
  readonly children?: ReactNode;
}

/** The header of every screen of a session: a link past the navigation, the product, the place and the account menu. */
export function Header({ place, onOpenShortcuts, children }: HeaderProps) {
  const me = useMe();
  return (
    <>
      <a className={classes['skip']} href="#main">
        {text.skip}
      </a>
      <header className={classes['header']}>
        <a className={classes['brand']} href="/workspaces">
          <img src={mark} alt="" width={24} height={24} />
          {common.product}
        </a>
        <span className={classes['place']}>{place}</span>
        {children}
        {me && (
          <Suspense>
            <AccountMenu user={me.user} isPlatformAdmin={me.platformAdmin} onOpenShortcuts={onOpenShortcuts} />
          </Suspense>
        )}
      </header>
    </>
  );
}
