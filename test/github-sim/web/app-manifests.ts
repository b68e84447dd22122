import { randomBytes } from 'node:crypto';
import type { Account } from '../state/account.js';
import type { App } from '../state/app.js';
import type { Permissions } from '../state/permission.js';
import type { SimulatedGitHubState } from '../state/simulated-github-state.js';

/** The part of GitHub's app manifest that describes an app. */
export interface AppManifest {
  readonly name: string;
  readonly url: string;
  readonly redirect_url: string;
  readonly hook_attributes?: { readonly url: string; readonly active?: boolean };
  readonly callback_urls?: readonly string[];
  readonly setup_url?: string;
  readonly public?: boolean;
  readonly default_permissions?: Permissions;
  readonly default_events?: readonly string[];
}

/** Apps that were created from a manifest and wait for the exchange of their code. A code works once. */
export class AppManifests {
  private readonly waiting = new Map<string, App>();

  constructor(private readonly state: SimulatedGitHubState) {}

  /** Creates the app as the button "Create GitHub App" does. Returns the URL of the redirect. */
  submit(manifest: AppManifest, owner: Account, state: string | null): string {
    const { hook_attributes: hook, default_permissions: permissions, default_events: events } = manifest;
    const app = this.state.apps.register({
      name: manifest.name,
      owner,
      callbackUrls: manifest.callback_urls ?? [],
      ...(hook && { webhookUrl: hook.url }),
      ...(manifest.setup_url !== undefined && { setupUrl: manifest.setup_url }),
      ...(permissions && { permissions }),
      ...(events && { events }),
    });
    const code = randomBytes(20).toString('hex');
    this.waiting.set(code, app);
    const target = new URL(manifest.redirect_url);
    target.searchParams.set('code', code);
    if (state !== null) target.searchParams.set('state', state);
    return target.href;
  }

  convert(code: string): App | null {
    const app = this.waiting.get(code) ?? null;
    this.waiting.delete(code);
    return app;
  }
}
