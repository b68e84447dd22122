import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from '../api/client.js';
import { releaseQuery } from '../features/release/release.query.js';
import { parseEvidenceSearch } from '../features/release/evidence/evidence.search.js';
import { parseHistorySearch } from '../features/history/history.search.js';
import { parseQualitySearch } from '../features/quality/quality.search.js';
import { parseReleaseListSearch } from '../features/releases/release-list.search.js';
import { parsePendingReviewsSearch } from '../features/reviews/pending-reviews.search.js';
import { Frame } from './frame.js';
import { CrashedScreen, NotFoundScreen } from './fallback-screens.js';
import { meQuery } from '../api/session.query.js';

/** The URL to open afterwards, in the query string. Only a path of this service. */
const readReturnTo = ({ returnTo }: Readonly<Record<string, unknown>>): { readonly returnTo?: string } =>
  typeof returnTo === 'string' && /^\/(?![/\\])/.test(returnTo) ? { returnTo } : {};

const rootRoute = createRootRouteWithContext<{ readonly client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundScreen,
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (query: Readonly<Record<string, unknown>>) => ({
    ...readReturnTo(query),
    ...(typeof query['notice'] === 'string' && { notice: query['notice'] }),
  }),
  component: lazyRouteComponent(() => import('../features/sign-in/sign-in.screen.js'), 'SignInScreen'),
});

/** Every screen below needs a session. Without one the user signs in and returns to the same URL. */
const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'session',
  beforeLoad: async ({ context, location }) => {
    try {
      return { me: await context.client.ensureQueryData(meQuery) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        throw redirect({ to: '/sign-in', search: { returnTo: location.href } });
      }
      throw error;
    }
  },
  component: Outlet,
});

const workspacesRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/workspaces',
  validateSearch: readReturnTo,
  component: lazyRouteComponent(() => import('../features/workspaces/workspaces.screen.js'), 'WorkspacesScreen'),
});

const workspaceRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/w/$org',
  // A session has one selected workspace. A URL of another one must show neither workspace's data under the wrong name.
  beforeLoad: ({ context, params, location }) => {
    if (context.me.workspace?.org.toLowerCase() !== params.org.toLowerCase()) {
      throw redirect({ to: '/workspaces', search: { returnTo: location.href } });
    }
  },
  component: Frame,
});

const releaseListRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/releases',
  validateSearch: parseReleaseListSearch,
  component: lazyRouteComponent(() => import('../features/releases/release-list.screen.js'), 'ReleaseListScreen'),
});

const releaseRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/releases/$id',
  // Also when a link to it gets the pointer or the focus, so that the stored release is there when the screen opens.
  loader: ({ context, params }) => void context.client.prefetchQuery(releaseQuery(params.id, 'stored')),
  component: lazyRouteComponent(() => import('../features/release/release.screen.js'), 'ReleaseScreen'),
});

/** A release by its name, for links in logs of CI and in chats. */
const releaseByNameRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/r/$repo/$version',
  component: lazyRouteComponent(() => import('../features/release/release-by-name.screen.js'), 'ReleaseByNameScreen'),
});

const loadScope = () => import('../features/release/scope/scope.screen.js');

/** The parts of a release. Without a part the URL shows the scope. */
const releaseParts = [
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/',
    component: lazyRouteComponent(loadScope, 'ScopeScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/scope',
    component: lazyRouteComponent(loadScope, 'ScopeScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/checks',
    component: lazyRouteComponent(() => import('../features/release/checks/checks.screen.js'), 'ChecksScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/approvals',
    component: lazyRouteComponent(() => import('../features/release/approvals/approvals.screen.js'), 'ApprovalsScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/policy',
    component: lazyRouteComponent(() => import('../features/release/policy/policy.screen.js'), 'PolicyScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/evidence',
    validateSearch: parseEvidenceSearch,
    component: lazyRouteComponent(() => import('../features/release/evidence/evidence.screen.js'), 'EvidenceScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/evidence/$evidenceId',
    component: lazyRouteComponent(() => import('../features/release/evidence/upload.screen.js'), 'UploadScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/decisions',
    component: lazyRouteComponent(() => import('../features/release/decisions/decisions.screen.js'), 'DecisionsScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/decisions/$decisionId',
    component: lazyRouteComponent(() => import('../features/release/decisions/decision.screen.js'), 'DecisionScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/overrides',
    component: lazyRouteComponent(() => import('../features/release/overrides/overrides.screen.js'), 'OverridesScreen'),
  }),
] as const;

const freezesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/freezes',
  component: lazyRouteComponent(() => import('../features/freezes/freezes.screen.js'), 'FreezesScreen'),
});

const reviewsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/reviews',
  validateSearch: parsePendingReviewsSearch,
  component: lazyRouteComponent(() => import('../features/reviews/pending-reviews.screen.js'), 'PendingReviewsScreen'),
});

const historyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/history',
  validateSearch: parseHistorySearch,
  component: lazyRouteComponent(() => import('../features/history/history.screen.js'), 'HistoryScreen'),
});

const qualityRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/quality',
  validateSearch: parseQualitySearch,
  component: lazyRouteComponent(() => import('../features/quality/quality.screen.js'), 'QualityScreen'),
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  sessionRoute.addChildren([
    workspacesRoute,
    workspaceRoute.addChildren([
      releaseListRoute,
      releaseByNameRoute,
      releaseRoute.addChildren(releaseParts),
      reviewsRoute,
      qualityRoute,
      historyRoute,
      freezesRoute,
    ]),
  ]),
]);

/** Creates the router. Values in the query string are always texts, so that a search for "1.10" remains one. */
export const createAppRouter = (client: QueryClient) =>
  createRouter({
    routeTree,
    context: { client },
    search: { strict: true },
    parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
    stringifySearch: (search) => {
      const entries = Object.entries(search).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
      return query === '' ? '' : `?${query}`;
    },
    defaultErrorComponent: CrashedScreen,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
