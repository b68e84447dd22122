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
import { parseReleaseListSearch } from '../features/releases/release-list.search.js';
import { parseRepositoryListSearch, parseRepositorySearch } from '../features/repositories/repositories.search.js';
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

const repositoryListRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/repositories',
  validateSearch: parseRepositoryListSearch,
  component: lazyRouteComponent(
    () => import('../features/repositories/repository-list.screen.js'),
    'RepositoryListScreen',
  ),
});

const repositoryRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/repositories/$repoId',
  validateSearch: parseRepositorySearch,
  component: lazyRouteComponent(() => import('../features/repositories/repository.screen.js'), 'RepositoryScreen'),
});

const billingRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/settings/billing',
  component: lazyRouteComponent(() => import('../features/billing/billing.screen.js'), 'BillingScreen'),
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  sessionRoute.addChildren([
    workspacesRoute,
    workspaceRoute.addChildren([releaseListRoute, repositoryListRoute, repositoryRoute, billingRoute]),
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
