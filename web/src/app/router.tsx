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
import { parseProjectListSearch } from '../features/projects/project-list.search.js';
import { parseQualitySearch } from '../features/quality/quality.search.js';
import { parseReleaseListSearch } from '../features/releases/release-list.search.js';
import { parsePendingReviewsSearch } from '../features/reviews/pending-reviews.search.js';
import { parseAuditSearch } from '../features/audit/audit.search.js';
import { storeInviteToken } from '../features/invite/invite-token.js';
import { parseUpgradeRequestsSearch } from '../features/platform/upgrade-requests.search.js';
import { parseWorkspaceListSearch } from '../features/platform/workspace-list.search.js';
import { parseRepositoryListSearch, parseRepositorySearch } from '../features/repositories/repositories.search.js';
import { Frame } from './frame.js';
import { CrashedScreen, NotFoundInWorkspace, NotFoundScreen } from './fallback-screens.js';
import { parsePage } from '../api/search-params.js';
import { configQuery, meQuery } from '../api/session.query.js';
import { loadCode } from '../ui/load-code.js';

/** The URL to open afterwards, in the query string. Only a path of this service, as the browser would read it. */
function readReturnTo({ returnTo }: Readonly<Record<string, unknown>>): { readonly returnTo?: string } {
  if (typeof returnTo !== 'string' || !returnTo.startsWith('/') || !URL.canParse(returnTo, location.origin)) return {};
  const { origin, pathname, search, hash } = new URL(returnTo, location.origin);
  return origin === location.origin && !pathname.startsWith('//') ? { returnTo: pathname + search + hash } : {};
}

/** Reads the name of a sentence of the dashboard from the query string. */
const readNotice = ({ notice }: Readonly<Record<string, unknown>>): { readonly notice?: string } =>
  typeof notice === 'string' ? { notice } : {};

/** Returns null if a read of the user failed because there is no session. Throws every other error again. */
const nullIfSignedOut = (error: unknown): null => {
  if (error instanceof ApiError && error.status === 401) return null;
  throw error;
};

/** The component of a route, whose code loads with the first navigation to it. */
const lazyScreen: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadCode(load), name);

const rootRoute = createRootRouteWithContext<{ readonly client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundScreen,
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (query: Readonly<Record<string, unknown>>) => ({
    ...readReturnTo(query),
    ...readNotice(query),
  }),
  component: lazyScreen(() => import('../features/sign-in/sign-in.screen.js'), 'SignInScreen'),
});

/** Every screen below needs a session. Without one the user signs in and returns to the same URL. */
const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'session',
  beforeLoad: async ({ context, location }) => {
    const [me] = await Promise.all([
      context.client.ensureQueryData(meQuery).catch(nullIfSignedOut),
      // The navigation needs it. Without it an entry would appear late, and move the others.
      context.client.prefetchQuery(configQuery),
    ]);
    if (me === null) throw redirect({ to: '/sign-in', search: { returnTo: location.href } });
    return { me };
  },
  component: Outlet,
});

const workspacesRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/workspaces',
  validateSearch: (query: Readonly<Record<string, unknown>>) => ({ ...readReturnTo(query), ...readNotice(query) }),
  component: lazyScreen(() => import('../features/workspaces/workspaces.screen.js'), 'WorkspacesScreen'),
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
  notFoundComponent: NotFoundInWorkspace,
});

const releaseListRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/releases',
  validateSearch: parseReleaseListSearch,
  component: lazyScreen(() => import('../features/releases/release-list.screen.js'), 'ReleaseListScreen'),
});

const releaseRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/releases/$id',
  // Runs also when a link to the release gets the pointer or the focus, so that the stored release is there when the screen opens.
  loader: ({ context, params }) => void context.client.prefetchQuery(releaseQuery(params.id, 'stored')),
  component: lazyScreen(() => import('../features/release/release.screen.js'), 'ReleaseScreen'),
});

/** How a release was approved. It stands alone, so that a print has nothing else. */
const approvalRecordRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/releases/$id/approval',
  component: lazyScreen(
    () => import('../features/release/approval-record/approval-record.screen.js'),
    'ApprovalRecordScreen',
  ),
});

/** A release by its name, for links in logs of CI and in chats. */
const releaseByNameRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/r/$repo/$version',
  component: lazyScreen(() => import('../features/release/release-by-name.screen.js'), 'ReleaseByNameScreen'),
});

const loadScope = () => import('../features/release/scope/scope.screen.js');

/** The parts of a release. Without a part the URL shows the scope. */
const releaseParts = [
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/',
    component: lazyScreen(loadScope, 'ScopeScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/scope',
    component: lazyScreen(loadScope, 'ScopeScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/checks',
    component: lazyScreen(() => import('../features/release/checks/checks.screen.js'), 'ChecksScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/approvals',
    component: lazyScreen(() => import('../features/release/approvals/approvals.screen.js'), 'ApprovalsScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/deployments',
    validateSearch: parsePage,
    component: lazyScreen(() => import('../features/release/deployments/deployments.screen.js'), 'DeploymentsScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/policy',
    component: lazyScreen(() => import('../features/release/policy/policy.screen.js'), 'PolicyScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/evidence',
    validateSearch: parseEvidenceSearch,
    component: lazyScreen(() => import('../features/release/evidence/evidence.screen.js'), 'EvidenceScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/evidence/$evidenceId',
    component: lazyScreen(() => import('../features/release/evidence/upload.screen.js'), 'UploadScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/decisions',
    component: lazyScreen(() => import('../features/release/decisions/decisions.screen.js'), 'DecisionsScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/decisions/$decisionId',
    component: lazyScreen(() => import('../features/release/decisions/decision.screen.js'), 'DecisionScreen'),
  }),
  createRoute({
    getParentRoute: () => releaseRoute,
    path: '/overrides',
    component: lazyScreen(() => import('../features/release/overrides/overrides.screen.js'), 'OverridesScreen'),
  }),
] as const;

const freezesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/freezes',
  component: lazyScreen(() => import('../features/freezes/freezes.screen.js'), 'FreezesScreen'),
});

const reviewsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/reviews',
  validateSearch: parsePendingReviewsSearch,
  component: lazyScreen(() => import('../features/reviews/pending-reviews.screen.js'), 'PendingReviewsScreen'),
});

const historyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/history',
  validateSearch: parseHistorySearch,
  component: lazyScreen(() => import('../features/history/history.screen.js'), 'HistoryScreen'),
});

const qualityRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/quality',
  validateSearch: parseQualitySearch,
  component: lazyScreen(() => import('../features/quality/quality.screen.js'), 'QualityScreen'),
});

const projectListRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/projects',
  validateSearch: parseProjectListSearch,
  component: lazyScreen(() => import('../features/projects/project-list.screen.js'), 'ProjectListScreen'),
});

const projectRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/projects/$id',
  component: lazyScreen(() => import('../features/projects/project.screen.js'), 'ProjectScreen'),
});

const repositoryListRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/repositories',
  validateSearch: parseRepositoryListSearch,
  component: lazyScreen(() => import('../features/repositories/repository-list.screen.js'), 'RepositoryListScreen'),
});

const repositoryRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/repositories/$repoId',
  validateSearch: parseRepositorySearch,
  component: lazyScreen(() => import('../features/repositories/repository.screen.js'), 'RepositoryScreen'),
});

const billingRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/settings/billing',
  component: lazyScreen(() => import('../features/billing/billing.screen.js'), 'BillingScreen'),
});

const teamRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/settings/team',
  component: lazyScreen(() => import('../features/team/team.screen.js'), 'TeamScreen'),
});

const apiKeysRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/settings/api-keys',
  component: lazyScreen(() => import('../features/keys/api-keys.screen.js'), 'ApiKeysScreen'),
});

const personalKeysRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/settings/personal-keys',
  component: lazyScreen(() => import('../features/keys/personal-keys.screen.js'), 'PersonalKeysScreen'),
});

const syncRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/settings/sync',
  component: lazyScreen(() => import('../features/sync/sync.screen.js'), 'SyncScreen'),
});

const auditRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/settings/audit',
  validateSearch: parseAuditSearch,
  component: lazyScreen(() => import('../features/audit/audit.screen.js'), 'AuditScreen'),
});

const diagnosticsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/settings/diagnostics',
  component: lazyScreen(() => import('../features/diagnostics/diagnostics.screen.js'), 'DiagnosticsScreen'),
});

const platformRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/platform',
  component: lazyScreen(() => import('./platform-frame.js'), 'PlatformFrame'),
});

const upgradeRequestsRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/upgrade-requests',
  validateSearch: parseUpgradeRequestsSearch,
  component: lazyScreen(() => import('../features/platform/upgrade-requests.screen.js'), 'UpgradeRequestsScreen'),
});

const workspaceListRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/workspaces',
  validateSearch: parseWorkspaceListSearch,
  component: lazyScreen(() => import('../features/platform/workspace-list.screen.js'), 'WorkspaceListScreen'),
});

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  component: lazyScreen(() => import('../features/setup/setup.screen.js'), 'SetupScreen'),
});

/** Leads to the set-up, the sign-in, the workspaces or the releases. */
const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: readNotice,
  beforeLoad: async ({ context, search }) => {
    const [{ configured }, me] = await Promise.all([
      context.client.ensureQueryData(configQuery),
      context.client.ensureQueryData(meQuery).catch(nullIfSignedOut),
    ]);
    if (!configured) throw redirect({ to: '/setup' });
    if (me === null) throw redirect({ to: '/sign-in', search });
    if (me.workspace === null || search.notice !== undefined) throw redirect({ to: '/workspaces', search });
    throw redirect({ to: '/w/$org/releases', params: { org: me.workspace.org } });
  },
});

const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite',
  // The token is a secret, and browsers store URLs in their history.
  beforeLoad: ({ context, location }) => {
    if (!storeInviteToken(location.hash)) return;
    context.client.removeQueries({ queryKey: ['invite'] });
    throw redirect({ to: '/invite', hash: '', replace: true });
  },
  component: lazyScreen(() => import('../features/invite/invite.screen.js'), 'InviteScreen'),
});

const routeTree = rootRoute.addChildren([
  homeRoute,
  setupRoute,
  signInRoute,
  inviteRoute,
  sessionRoute.addChildren([
    workspacesRoute,
    platformRoute.addChildren([upgradeRequestsRoute, workspaceListRoute]),
    workspaceRoute.addChildren([
      releaseListRoute,
      releaseByNameRoute,
      approvalRecordRoute,
      releaseRoute.addChildren(releaseParts),
      reviewsRoute,
      qualityRoute,
      projectListRoute,
      projectRoute,
      historyRoute,
      repositoryListRoute,
      repositoryRoute,
      freezesRoute,
      teamRoute,
      apiKeysRoute,
      personalKeysRoute,
      billingRoute,
      syncRoute,
      auditRoute,
      diagnosticsRoute,
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
