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

/** What an event is about: who may hear of it follows from that. */
interface EventScope {
  readonly organization: Organization;
  readonly repository?: Repository;
  /** The only app that may hear of it; every app if absent. */
  readonly app?: App;
}

export interface TimeSource {
  now(): Date;
}

/** GitHub sends these to every app, whatever it subscribed to. */
const UNSUBSCRIBABLE = new Set(['installation', 'installation_repositories', 'installation_target']);

/** The permissions that an installation needs before it hears of these events. */
const NEEDS: Readonly<Record<string, string>> = {
  deployment_protection_rule: 'deployments',
  workflow_job: 'actions',
  workflow_run: 'actions',
};

/** Everything that the simulated GitHub knows, and the one place from which it tells apps of changes. */
export class SimulatedGitHubState {
  /** Where the server listens, without a slash at the end. */
  url = 'http://127.0.0.1';
  readonly tokens = new Tokens(this);
  readonly accounts = new Accounts();
  readonly repositories = new Repositories();
  readonly apps = new Apps(this);
  readonly installations = new Installations();
  /** The account that commits in the name of GitHub's own pages, such as a merge by button. */
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

  /** Ids of all kinds come from one sequence, so that taking one kind for another is always found out. */
  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Tells each installation that can see what the event is about, where its app subscribed to such events. */
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

  /** Sends one event to one installation as it is. */
  send(event: string, payload: object, installation: { id: number; app: { endpoint: Hook['endpoint'] | null } }): void {
    const { endpoint } = installation.app;
    if (endpoint)
      this.outbox.emit({ event, payload: structuredClone(payload), installationId: installation.id, endpoint });
  }
}
