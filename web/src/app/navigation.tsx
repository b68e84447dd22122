import { ThreeBarsIcon } from '@primer/octicons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, readBody, type Schema } from '../api/client.js';
import { configQuery, useIsAdmin, useIsAuditor } from '../api/session.query.js';
import { formatNumber } from '../texts/en/counted.js';
import { text } from '../texts/en/frame.js';
import classes from './navigation.module.css';

interface NavigationEntry {
  readonly to:
    | `/w/$org/${'releases' | 'reviews' | 'quality' | 'projects' | 'history' | 'repositories' | 'freezes'}`
    | `/w/$org/settings/${'team' | 'api-keys' | 'personal-keys' | 'billing' | 'sync' | 'audit' | 'diagnostics'}`;
  readonly title: string;
  /** Other users do not see the entry. */
  readonly needs?: 'admin' | 'auditor';
  /** The number of what waits there for users. */
  readonly waiting?: {
    readonly count: (counts: Schema<'WaitingCounts'>) => number | null;
    readonly describe: (count: number) => string;
  };
  /** Hidden if the service has no plans. */
  readonly needsPlans?: boolean;
}

const GROUPS: readonly { readonly title: string | null; readonly entries: readonly NavigationEntry[] }[] = [
  {
    title: null,
    entries: [
      {
        to: '/w/$org/releases',
        title: text.releases,
        waiting: { count: ({ blockedReleases }) => blockedReleases, describe: text.blockedReleases },
      },
      {
        to: '/w/$org/reviews',
        title: text.reviews,
        waiting: { count: ({ reviews }) => reviews, describe: text.ownReviews },
      },
      { to: '/w/$org/quality', title: text.quality },
      { to: '/w/$org/projects', title: text.projects },
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
      { to: '/w/$org/settings/audit', title: text.audit, needs: 'auditor' },
      { to: '/w/$org/settings/diagnostics', title: text.diagnostics, needs: 'admin' },
    ],
  },
];

const LIST = 'navigation-entries';
/** The screen reads its own data first. */
const COUNT_AFTER_MS = 1_000;

const waitingQuery = queryOptions({
  queryKey: ['releases', 'waiting'],
  queryFn: ({ signal }) => readBody(api.GET('/api/dashboard/waiting', { signal })),
});

/** What waits for users. Undefined at first, and if it could not be read, because no screen depends on it. */
function useWaitingCounts(): Schema<'WaitingCounts'> | undefined {
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsDue(true), COUNT_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return useQuery({ ...waitingQuery, enabled: isDue }).data;
}

/** Returns which entries the user sees. */
function useIsShown(): (entry: NavigationEntry) => boolean {
  const hasPlans = useQuery(configQuery).data?.billing ?? false;
  const rights = { admin: useIsAdmin(), auditor: useIsAuditor() };
  return ({ needs, needsPlans = false }) => (needs === undefined || rights[needs]) && (hasPlans || !needsPlans);
}

/** The screens that the user can open from everywhere. */
export function useNavigationEntries(): readonly NavigationEntry[] {
  const isShown = useIsShown();
  return GROUPS.flatMap(({ entries }) => entries.filter(isShown));
}

/** The areas of the workspace that the role of the user has. In a narrow window a button shows them. */
export function Navigation({ org }: { readonly org: string }) {
  const { pathname } = useLocation();
  const isShown = useIsShown();
  const waitingCounts = useWaitingCounts();
  // A navigation closes the list.
  const [openAt, setOpenAt] = useState<string | null>(null);
  const isOpen = openAt === pathname;
  return (
    <nav aria-label={text.navigation} className={classes['navigation']}>
      <button
        type="button"
        className={classes['toggle']}
        aria-expanded={isOpen}
        aria-controls={LIST}
        onClick={() => setOpenAt(isOpen ? null : pathname)}
      >
        <ThreeBarsIcon /> {text.menu}
      </button>
      <div id={LIST} className={classes['groups']} data-open={isOpen}>
        {GROUPS.map(({ title, entries }) => (
          <div key={title}>
            {title !== null && <h2 className={classes['title']}>{title}</h2>}
            <ul>
              {entries.filter(isShown).map(({ to, title: name, waiting }) => (
                <li key={to}>
                  <Link to={to} params={{ org }}>
                    {name}{' '}
                    {waiting && waitingCounts && (
                      <Count count={waiting.count(waitingCounts)} describe={waiting.describe} />
                    )}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <ul>
          <li>
            <a href="/api/docs">{text.apiDocs}</a>
          </li>
        </ul>
      </div>
    </nav>
  );
}

interface CountProps {
  readonly count: number | null;
  readonly describe: (count: number) => string;
}

/** A number beside an entry. Nothing if it is 0. */
function Count({ count, describe }: CountProps) {
  if (count === null || count === 0) return null;
  return (
    <span className={classes['count']} title={describe(count)}>
      <span aria-hidden="true">{formatNumber(count)}</span>
      <span className="sr-only">{describe(count)}</span>
    </span>
  );
}
