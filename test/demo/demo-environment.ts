import path from 'node:path';
import { GitHubSim } from '../github-sim/github-sim.js';
import { OidcIssuer } from '../github-sim/oidc/oidc-issuer.js';
import type { App } from '../github-sim/state/app.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { Repository } from '../github-sim/state/repository.js';
import type { User } from '../github-sim/state/user.js';
import { HttpOutbox } from '../github-sim/webhooks/http-outbox.js';
import type { DemoClock } from './demo-clock.js';
import { freePort, type RunningService, ServiceProcess } from './service-process.js';

const SDLC = `version: v1
name: payments
stages:
  planning: { require_issues: true, require_issues_assigned: true }
  development: { branch: main }
  evidencing:
    required_evidence:
      - { kind: unit_tests, environment: staging, min_tests: 5 }
      - { kind: coverage, environment: staging }
      - { kind: sast_scan, environment: staging }
    required_reviewers: { min_approvals: 1, teams: [release-managers], exclude_release_authors: true }
  deployment: { target: production }
quality_gates:
  coverage: { min_line_percent: 80, max_drop: 1 }
  sast_scan: { max_critical: 0 }
`;

/** A policy that requires unit tests only. */
export const PLAIN_SDLC = 'version: v1\nstages:\n  evidencing: { required_evidence: [{ kind: unit_tests }] }\n';

export const DEFAULT_PORT = 3000;

interface DemoSettings {
  readonly port?: number;
  /** The clock of all parts; that of this machine if absent. */
  readonly clock?: DemoClock;
  readonly variables?: Readonly<Record<string, string>>;
  /** Starts the service in another way than as one process. */
  readonly start?: (environment: Readonly<Record<string, string>>) => Promise<RunningService>;
}

/** The accounts on GitHub, named by what they do. */
export interface DemoAccounts {
  readonly owner: User;
  readonly developer: User;
  readonly secondDeveloper: User;
  readonly releaseManager: User;
}

/** The parts of the demo: a simulated GitHub, an issuer of identity tokens, and the service. */
export class DemoEnvironment {
  private constructor(
    readonly github: GitHubSim,
    readonly outbox: HttpOutbox,
    readonly issuer: OidcIssuer,
    readonly organization: Organization,
    readonly githubApp: App,
    readonly accounts: DemoAccounts,
    readonly repositories: {
      readonly payments: Repository;
      readonly checkout: Repository;
      readonly catalog: Repository;
    },
    readonly service: RunningService,
    readonly environment: Readonly<Record<string, string>>,
    private readonly expectedPort: number,
  ) {}

  /**
   * Starts all parts. The service gets `port` and the simulated GitHub the next one, or any port if they are taken; 0 is any port.
   * `variables` are added to the environment variables of the service.
   */
  static async start(
    root: string,
    folder: string,
    { port: expected = DEFAULT_PORT, clock, variables = {}, start }: DemoSettings = {},
  ): Promise<DemoEnvironment> {
    const time = clock && { clock };
    const outbox = new HttpOutbox(time);
    const github = await GitHubSim.start({ ...time, outbox, port: await freePort(expected && expected + 1) });
    const issuer = await OidcIssuer.start(time);
    const owner = github.createUser({ login: 'acme-owner' });
    const organization = github.createOrganization({ login: 'acme', founder: owner });
    const port = await freePort(expected);
    const baseUrl = `http://localhost:${port}`;
    const githubApp = github.registerApp({
      name: 'Shipgate',
      owner: organization,
      callbackUrls: [`${baseUrl}/api/auth/callback`],
      setupUrl: `${baseUrl}/api/config/install/callback`,
    });
    const accounts = createAccounts(github, organization, owner);
    const repository = (name: string, sdlc: string): Repository => {
      const files = { 'sdlc.yaml': sdlc, 'README.md': `# ${name}\n`, 'src/index.ts': 'export const version = 1;\n' };
      const created = github.createRepository(organization, { name, private: true, files });
      for (const user of [accounts.developer, accounts.secondDeveloper, accounts.releaseManager]) {
        created.setCollaborator(user, 'write');
      }
      return created;
    };
    const repositories = {
      payments: repository('payments', SDLC),
      checkout: repository('checkout', PLAIN_SDLC),
      catalog: repository('catalog', PLAIN_SDLC),
    };
    const environment = {
      PORT: String(port),
      BASE_URL: baseUrl,
      DATA_DIR: path.join(folder, 'data'),
      GITHUB_URL: github.url,
      GITHUB_API_URL: github.apiUrl,
      GITHUB_APP_ID: String(githubApp.id),
      GITHUB_APP_SLUG: githubApp.slug,
      GITHUB_APP_CLIENT_ID: githubApp.clientId,
      GITHUB_APP_CLIENT_SECRET: githubApp.clientSecret,
      GITHUB_APP_PRIVATE_KEY: githubApp.privateKey,
      GITHUB_WEBHOOK_SECRET: githubApp.webhookSecret,
      OIDC_ISSUER: issuer.url,
      // The owner of the organization also decides on plans.
      PLATFORM_ADMINS: String(owner.id),
      ...variables,
    };
    const service = start
      ? await start(environment)
      : await ServiceProcess.start(root, environment, path.join(folder, 'service.log'), clock);
    githubApp.webhookUrl = `${service.url}/api/webhook`;
    github.installApp(githubApp, organization);
    return new DemoEnvironment(
      github,
      outbox,
      issuer,
      organization,
      githubApp,
      accounts,
      repositories,
      service,
      environment,
      expected,
    );
  }

  /** The address of the service for its users. */
  get baseUrl(): string {
    return this.environment['BASE_URL'] ?? this.service.url;
  }

  /** The sentence for users if the service does not have the expected port; null if it has. */
  get portNotice(): string | null {
    const { port } = new URL(this.baseUrl);
    return this.expectedPort === 0 || port === String(this.expectedPort)
      ? null
      : `Another process uses port ${this.expectedPort}, so the service uses port ${port}.`;
  }

  /** Stops all parts, the ones that others use last. */
  async stop(): Promise<void> {
    await this.outbox.stop();
    await this.service.stop();
    await this.github.stop();
    await this.issuer.stop();
  }
}

function createAccounts(github: GitHubSim, organization: Organization, owner: User): DemoAccounts {
  const member = (login: string): User => {
    const user = github.createUser({ login });
    organization.addMember(user);
    return user;
  };
  const accounts = {
    owner,
    developer: member('developer'),
    secondDeveloper: member('second-developer'),
    releaseManager: member('release-manager'),
  };
  // The developer is a release manager, too, but may not approve a release of their own.
  organization.createTeam('release-managers', [accounts.releaseManager, accounts.developer]);
  return accounts;
}
