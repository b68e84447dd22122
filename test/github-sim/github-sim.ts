import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { ExchangeObserver } from './exchange-observer.js';
import { Faults } from './faults.js';
import { actionRoutes } from './rest/action-routes.js';
import { appRoutes } from './rest/app-routes.js';
import { attestationRoutes } from './rest/attestation-routes.js';
import { checkRoutes } from './rest/check-routes.js';
import { commitRoutes } from './rest/commit-routes.js';
import { contentRoutes } from './rest/content-routes.js';
import { deploymentRoutes } from './rest/deployment-routes.js';
import { environmentRoutes } from './rest/environment-routes.js';
import { gitDataRoutes } from './rest/git-data-routes.js';
import { issueRoutes } from './rest/issue-routes.js';
import { milestoneRoutes } from './rest/milestone-routes.js';
import { organizationRoutes } from './rest/organization-routes.js';
import { pullRoutes } from './rest/pull-routes.js';
import { RateLimits } from './rest/rate-limits.js';
import { refRoutes } from './rest/ref-routes.js';
import { repositoryRoutes } from './rest/repository-routes.js';
import { RestApi } from './rest/rest-api.js';
import { reviewRoutes } from './rest/review-routes.js';
import { rulesetRoutes } from './rest/ruleset-routes.js';
import { serviceRoutes } from './rest/service-routes.js';
import { userRoutes } from './rest/user-routes.js';
import type { App, AppSpec } from './state/app.js';
import type { Installation, InstallationSpec } from './state/installation.js';
import { Organization } from './state/organization.js';
import type { Repository, RepositorySpec } from './state/repository.js';
import type { Team } from './state/team.js';
import { User } from './state/user.js';
import { SimulatedGitHubState, type TimeSource } from './state/simulated-github-state.js';
import { AppManifests } from './web/app-manifests.js';
import { OAuth } from './web/oauth.js';
import { registerRepositoryPages } from './web/repository-pages.js';
import { registerWebPages } from './web/web-pages.js';
import { noopOutbox, type DeliveryLog, type WebhookOutbox } from './webhook-outbox.js';

interface GitHubSimOptions {
  readonly clock?: TimeSource;
  /** Any free port by default. */
  readonly port?: number;
  /** Receives the events. By default they are dropped. */
  readonly outbox?: WebhookOutbox & DeliveryLog;
  /** Receives each request with its response. */
  readonly onExchange?: ExchangeObserver;
}

/**
 * A stateful GitHub on a real socket: its REST API, its pages for the sign-in, and methods for the actions of its
 * users.
 */
export class GitHubSim {
  readonly faults = new Faults();
  readonly state: SimulatedGitHubState;
  readonly limits: RateLimits;
  private readonly server: FastifyInstance;

  private constructor({ clock, outbox = noopOutbox, onExchange }: GitHubSimOptions) {
    const time = clock ?? { now: () => new Date() };
    this.state = new SimulatedGitHubState(time, outbox);
    this.limits = new RateLimits(time);
    this.server = fastify({
      bodyLimit: 50 * 1024 * 1024,
      forceCloseConnections: true,
      routerOptions: { maxParamLength: 2000, ignoreTrailingSlash: false },
      rewriteUrl: ({ url = '/' }) => this.nameRepository(url),
    });
    acceptForms(this.server);
    const manifests = new AppManifests(this.state);
    const routes = [
      ...appRoutes(outbox),
      ...organizationRoutes,
      ...userRoutes,
      ...serviceRoutes(manifests),
      ...repositoryRoutes,
      ...rulesetRoutes,
      ...refRoutes,
      ...gitDataRoutes,
      ...commitRoutes,
      ...contentRoutes,
      ...milestoneRoutes,
      ...issueRoutes,
      ...pullRoutes,
      ...reviewRoutes,
      ...checkRoutes,
      ...attestationRoutes,
      ...deploymentRoutes,
      ...environmentRoutes,
      ...actionRoutes,
    ];
    const { state, faults, limits } = this;
    new RestApi({ state, routes, faults, limits, observe: onExchange ?? (() => {}) }).register(this.server);
    registerWebPages(this.server, state, new OAuth(state), manifests);
    registerRepositoryPages(this.server, state);
  }

  static async start(options: GitHubSimOptions = {}): Promise<GitHubSim> {
    const sim = new GitHubSim(options);
    await sim.server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
    const { port } = sim.server.server.address() as AddressInfo;
    sim.state.url = `http://127.0.0.1:${port}`;
    return sim;
  }

  /** The address of the pages and of the REST API. */
  get url(): string {
    return this.state.url;
  }

  get apiUrl(): string {
    return this.state.url;
  }

  stop(): Promise<void> {
    this.faults.clear();
    return this.server.close();
  }

  createUser(spec: { readonly login: string; readonly name?: string; readonly email?: string }): User {
    return this.state.accounts.add(new User(this.state, spec));
  }

  /** Creates an organization, and its founder unless one is given. */
  createOrganization(spec: { readonly login: string; readonly name?: string; readonly founder?: User }): Organization {
    const founder = spec.founder ?? this.state.accounts.findUser(`${spec.login}-owner`);
    const owner = founder ?? this.createUser({ login: `${spec.login}-owner` });
    return this.state.accounts.add(new Organization(this.state, spec, owner));
  }

  createRepository(organization: Organization, spec: RepositorySpec): Repository {
    return organization.createRepository(spec);
  }

  createTeam(organization: Organization, name: string, members: readonly User[] = []): Team {
    return organization.createTeam(name, members);
  }

  registerApp(spec: AppSpec): App {
    return this.state.apps.register(spec);
  }

  installApp(app: App, organization: Organization, spec: InstallationSpec = { repositories: 'all' }): Installation {
    return this.state.installations.install(app, organization, spec);
  }

  /** `/repositories/{id}/…` is the repository with that id, whatever its name is now. */
  private nameRepository(url: string): string {
    const [, id, rest = ''] = /^\/repositories\/(\d+)((?:[/?].*)?)$/.exec(url) ?? [];
    const repository = id === undefined ? null : this.state.repositories.find(Number(id));
    return repository ? `/repos/${repository.fullName}${rest}` : url;
  }
}

function acceptForms(server: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded';
  server.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => {
    done(null, new URLSearchParams(String(body)));
  });
}
