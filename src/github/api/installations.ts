import type { Clock } from '../../config/clock.js';
import type { GitHubClient } from '../transport/github-client.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { APP_SCOPE, installationScope } from '../transport/token-scope.js';
import { type GitHubRepository, parseRepository } from './repository-calls.js';

/** The app as it is registered on GitHub. */
export interface App {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly url: string;
  /** The permissions that the app requests when it is installed, by GitHub's names. */
  readonly permissions: Readonly<Record<string, string>>;
  /** The webhook events that the app subscribes to. */
  readonly events: readonly string[];
}

/** An installation of the app in one account. */
export interface Installation {
  readonly id: number;
  readonly accountId: number;
  readonly accountLogin: string;
  readonly accountType: 'Organization' | 'User' | 'Enterprise';
  readonly repositorySelection: 'all' | 'selected';
  /** The granted permissions by GitHub's names, for example `contents: write`. */
  readonly permissions: Readonly<Record<string, string>>;
  /** The webhook events that the installation receives. */
  readonly events: readonly string[];
  readonly suspendedAt: string | null;
}

export class Installations {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  async app(signal?: AbortSignal): Promise<Observed<App>> {
    return observe(this.clock, async () =>
      parseApp(await this.client.call(APP_SCOPE, this.client.rest.apps.getAuthenticated, {}, { signal })),
    );
  }

  async list(signal?: AbortSignal): Promise<Observed<readonly Installation[]>> {
    return observe(this.clock, () =>
      this.client.list(
        APP_SCOPE,
        this.client.rest.apps.listInstallations,
        { per_page: 100 },
        (page) => page.items().map(parseInstallation),
        signal,
      ),
    );
  }

  /** Returns an installation; null if the app was uninstalled. */
  async find(id: number, signal?: AbortSignal): Promise<Observed<Installation | null>> {
    return observe(this.clock, async () => {
      try {
        const { getInstallation } = this.client.rest.apps;
        return parseInstallation(
          await this.client.call(APP_SCOPE, getInstallation, { installation_id: id }, { signal }),
        );
      } catch (error) {
        if (GitHubError.is(error, 'not_found')) return null;
        throw error;
      }
    });
  }

  /** Lists all repositories that the installation can access. */
  async repositories(id: number, signal?: AbortSignal): Promise<Observed<readonly GitHubRepository[]>> {
    return observe(this.clock, () =>
      this.client.list(
        installationScope(id),
        this.client.rest.apps.listReposAccessibleToInstallation,
        { per_page: 100 },
        (page) => page.list('repositories').map(parseRepository),
        signal,
      ),
    );
  }
}

function parseApp(body: JsonReader): App {
  return {
    id: body.integer('id'),
    slug: body.text('slug'),
    name: body.text('name'),
    url: body.text('html_url'),
    permissions: body.objectOrNull('permissions')?.texts() ?? {},
    events: body.textsOrEmpty('events'),
  };
}

function parseInstallation(item: JsonReader): Installation {
  const account = item.object('account');
  return {
    id: item.integer('id'),
    accountId: account.integer('id'),
    accountLogin: account.textOrNull('login') ?? account.text('slug'),
    accountType: item.readChoice('target_type', ['Organization', 'User', 'Enterprise']),
    repositorySelection: item.readChoice('repository_selection', ['all', 'selected']),
    permissions: item.object('permissions').texts(),
    events: item.textsOrEmpty('events'),
    suspendedAt: item.textOrNull('suspended_at'),
  };
}
