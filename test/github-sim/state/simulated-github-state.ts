import { organizationSummary } from '../views/organization-view.js';
import { repositoryView } from '../views/repository-view.js';
import { nodeId } from '../views/wire.js';
import type { Hook, WebhookOutbox } from '../webhook-outbox.js';
import { Accounts } from './accounts.js';
import type { App } from './app.js';
import { Apps } from './apps.js';
import { Installations } from './installations.js';
import type { Organization } from './organization.js';
import { Repositories } from './repositories.js';
import type { Repository } from './repository.js';
import { Tokens } from './tokens.js';
import { User } from './user.js';

/** The subject of an event. It determines which installations receive the event. */
interface EventScope {
  readonly organization: Organization;
  readonly repository?: Repository;
  /** The only app that receives it; every app if absent. */
  readonly app?: App;
}

export interface TimeSource {
  now(): Date;
}

/** GitHub sends these to every app, even without a subscription. */
const UNSUBSCRIBABLE = new Set(['installation', 'installation_repositories', 'installation_target']);

/** The permissions that an installation needs to receive these events. */
const NEEDS: Readonly<Record<string, string>> = {
  deployment_protection_rule: 'deployments',
  workflow_job: 'actions',
  workflow_run: 'actions',
};

/** The whole state of the simulated GitHub. It sends all events to the apps. */
export class SimulatedGitHubState {
  /** The address of the server, without a slash at the end. */
  url = 'http://127.0.0.1';
  readonly tokens = new Tokens(this);
  readonly accounts = new Accounts();
  readonly repositories = new Repositories();
  readonly apps = new Apps(this);
  readonly installations = new Installations();
  /** The author of commits that GitHub's pages create, such as a merge by button. */
  readonly webFlow: User;
  private lastId = 10_000;

  constructor(
    private readonly time: TimeSource,
    private readonly outbox: WebhookOutbox,
  ) {
    this.webFlow = this.accounts.add(
      new User(this, { login: 'web-flow', name: 'GitHub', email: 'noreply@github.com' }),
    );
  }

  now(): Date {
    return this.time.now();
  }

  /** Ids of all kinds come from one sequence, so that a test fails if it confuses two kinds. */
  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Sends the event to each installation that can see its subject and whose app subscribed to the event. */
  emit(event: string, payload: object, { organization, repository, app }: EventScope): void {
    const scoped = {
      ...payload,
      ...(repository && { repository: repositoryView(repository) }),
      organization: organizationSummary(organization),
    };
    for (const installation of this.installations.of(organization)) {
      if (installation.suspendedAt || (repository && !installation.covers(repository))) continue;
      if (app && installation.app !== app) continue;
      if (!UNSUBSCRIBABLE.has(event) && !installation.app.events.includes(event)) continue;
      if (NEEDS[event] !== undefined && installation.permissions[NEEDS[event]] === undefined) continue;
      const lite = { id: installation.id, node_id: nodeId('Installation', installation.id) };
      this.send(event, { ...scoped, installation: lite }, installation);
    }
  }

  /** Sends one event to one installation, unchanged. */
  send(event: string, payload: object, installation: { id: number; app: { endpoint: Hook['endpoint'] | null } }): void {
    const { endpoint } = installation.app;
    if (endpoint)
      this.outbox.emit({ event, payload: structuredClone(payload), installationId: installation.id, endpoint });
  }
}
