import { createSign } from 'node:crypto';
import { startObservedSim, type ValidatedGitHubSim } from './validated-github-sim.js';
import type { App } from './state/app.js';
import type { Installation } from './state/installation.js';
import type { Organization } from './state/organization.js';
import type { Repository } from './state/repository.js';
import type { TimeSource } from './state/simulated-github-state.js';
import type { User } from './state/user.js';

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, already checked against GitHub's description. */
  readonly body: Record<string, unknown>;
}

/** An organization with an app, a repository, an author and a reviewer, and a plain client of the simulator. */
export class AcmeFixture {
  private constructor(
    readonly observed: ValidatedGitHubSim,
    readonly organization: Organization,
    readonly app: App,
    readonly installation: Installation,
    readonly repository: Repository,
    readonly author: User,
    readonly reviewer: User,
  ) {}

  static async start(clock?: TimeSource): Promise<AcmeFixture> {
    const observed = await startObservedSim(clock && { clock });
    const { sim } = observed;
    const organization = sim.createOrganization({ login: 'acme' });
    const [author, reviewer] = [sim.createUser({ login: 'ada' }), sim.createUser({ login: 'rob' })];
    const app = sim.registerApp({ name: 'Ship Gate', owner: organization, webhookUrl: 'http://127.0.0.1:9/hooks' });
    const installation = sim.installApp(app, organization);
    const files = { 'README.md': '# Payments\n' };
    const repository = sim.createRepository(organization, { name: 'payments', files });
    for (const user of [author, reviewer]) {
      organization.addMember(user);
      repository.setCollaborator(user, 'write');
    }
    return new AcmeFixture(observed, organization, app, installation, repository, author, reviewer);
  }

  /** Each event so far, with its action. */
  events(): readonly string[] {
    return this.observed.hooks.map(
      ({ event, payload }) => `${event}.${'action' in payload ? String(payload.action) : ''}`,
    );
  }

  /** A valid token of the app, except for the given claims. */
  appToken(claims: object = {}, alg = 'RS256'): string {
    const now = Math.floor(this.observed.sim.state.now().getTime() / 1000);
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const payload = { iat: now - 60, exp: now + 540, iss: this.app.clientId, ...claims };
    const signed = `${encode({ alg, typ: 'JWT' })}.${encode(payload)}`;
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(this.app.privateKey, 'base64url')}`;
  }

  async installationToken(narrowed: object = {}): Promise<string> {
    const path = `/app/installations/${this.installation.id}/access_tokens`;
    const { status, body } = await this.request(this.appToken(), 'POST', path, narrowed);
    if (status !== 201) throw new Error(`No installation token: ${status} ${JSON.stringify(body)}`);
    return String(body['token']);
  }

  async request(
    token: string | null,
    method: string,
    path: string,
    body?: object,
    headers: object = {},
  ): Promise<Reply> {
    const response = await fetch(path.startsWith('http') ? path : `${this.observed.sim.apiUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        accept: 'application/vnd.github+json',
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body: parsed };
  }
}
