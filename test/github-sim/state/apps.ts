import { App, type AppSpec } from './app.js';
import type { SimulatedGitHubState } from './simulated-github-state.js';

/** Every registered app. */
export class Apps {
  private readonly apps: App[] = [];

  constructor(private readonly state: SimulatedGitHubState) {}

  register(spec: AppSpec): App {
    const app = new App(this.state, spec);
    this.apps.push(app);
    return app;
  }

  findBySlug(slug: string): App | null {
    return this.apps.find((app) => app.slug === slug) ?? null;
  }

  /** Finds an app by its id or its client id. GitHub accepts both as the issuer of an app's token. */
  findByIssuer(issuer: string): App | null {
    return this.apps.find((app) => String(app.id) === issuer || app.clientId === issuer) ?? null;
  }
}
