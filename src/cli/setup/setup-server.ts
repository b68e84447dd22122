import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Environment } from '../../config/environment.js';
import { type AppManifest, appManifest, installUrl } from '../../features/setup/app-manifest.js';
import { Html, html } from '../../http/html.js';
import type { Clock } from '../../config/clock.js';
import { EncryptionService } from '../../crypto/encryption.service.js';
import type { Database } from '../../database/database.js';
import { AppConfigurationRepository } from '../../features/setup/app-configuration.repository.js';
import { encryptCredentials } from '../../features/setup/app-credentials.service.js';
import { convertManifestCode } from '../../github/api/app-manifests.js';

const STYLE = new Html(`
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }
  button, a.button { font: inherit; padding: .5rem 1rem; border: 1px solid; border-radius: .375rem; }
`);

const page = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Shipgate</title>
<style>${STYLE}</style>
<h1>${title}</h1>
${body}
</html>
`.text;

/** The page with the button that sends the manifest to GitHub. */
const startPage = (action: string, manifest: AppManifest): string =>
  page(
    'Register the GitHub App',
    html`<p>GitHub shows the name of the app, which you can change, and registers it with the permissions and events that
    Shipgate needs. Then GitHub sends the credentials to this machine, which stores them encrypted in the database.</p>
    <form method="post" action="${action}">
      <input type="hidden" name="manifest" value="${JSON.stringify(manifest)}">
      <button>Continue on GitHub</button>
    </form>`,
  );

const donePage = (installUrl: string): string =>
  page(
    'Shipgate is set up',
    html`<p>Now <a href="${installUrl}">install the app</a> in your organization and select its repositories.</p>
    <p>You can close this page.</p>`,
  );

const failedPage = (reason: string): string => page('The set-up failed', html`<p>${reason}</p>`);

/** Exchanges the code of GitHub's redirect, and returns the address where the app can be installed. */
type Finish = (code: string) => Promise<string>;

interface SetupOptions {
  readonly environment: Pick<Environment, 'baseUrl' | 'githubUrl' | 'githubApiUrl'>;
  /** The organization that owns the app; null for the GitHub user in the browser. */
  readonly organization: string | null;
  readonly appName: string;
  readonly finish: Finish;
}

const SECRET_BYTES = 24;

/**
 * Serves GitHub's manifest flow on loopback: the first page sends the manifest to GitHub, the second receives the code. The
 * pages need the secret of the printed address, which other sites do not have. A code is accepted once, and only
 * with the state that was sent.
 */
export class SetupServer {
  private readonly token = randomBytes(SECRET_BYTES).toString('base64url');
  private readonly state = randomBytes(SECRET_BYTES).toString('base64url');
  /** Resolves with the address where the app can be installed; rejects if the set-up failed. */
  readonly end: Promise<string>;
  private outcome!: { readonly resolve: (installUrl: string) => void; readonly reject: (error: unknown) => void };
  private isCodeUsed = false;
  private address = '';

  private constructor(
    private readonly options: SetupOptions,
    private readonly server: Server,
  ) {
    this.end = new Promise((resolve, reject) => (this.outcome = { resolve, reject }));
    // The page shows a failure also if the caller does not await the end.
    this.end.catch(() => undefined);
  }

  static async start(options: SetupOptions): Promise<SetupServer> {
    const server = createServer();
    const started = new SetupServer(options, server);
    server.on('request', (request, response) => void started.respond(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    started.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return started;
  }

  /** The address of the first page. */
  get url(): string {
    return `${this.address}/${this.token}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Concatenated and not resolved, because `//name/path` would be on another host and a target may be no path.
    const target = `${this.address}${request.url ?? '/'}`;
    const url = new URL(URL.canParse(target) ? target : this.address);
    // Another host name that resolves to loopback is rejected (DNS rebinding).
    const isOwnHost = request.headers.host === new URL(this.address).host;
    const isAllowed = isOwnHost && request.method === 'GET' && isEqual(url.pathname.split('/')[1] ?? '', this.token);
    const step = url.pathname.slice(this.token.length + 1);
    if (isAllowed && step === '') this.send(response, 200, startPage(this.action, this.manifest()));
    else if (isAllowed && step === '/created') await this.receiveCode(url.searchParams, response);
    else this.send(response, 404, failedPage('This page does not exist. Open the printed address.'));
  }

  private async receiveCode(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const code = query.get('code') ?? '';
    if (code === '' || !isEqual(query.get('state') ?? '', this.state)) {
      this.send(response, 400, failedPage('This request does not belong to this set-up. Start again.'));
      return;
    }
    if (this.isCodeUsed) {
      this.send(response, 409, failedPage('The app is registered already.'));
      return;
    }
    this.isCodeUsed = true;
    try {
      const installUrl = await this.options.finish(code);
      this.send(response, 200, donePage(installUrl), () => this.outcome.resolve(installUrl));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.send(response, 500, failedPage(reason), () => this.outcome.reject(error));
    }
  }

  private manifest(): ReturnType<typeof appManifest> {
    const { environment, appName } = this.options;
    return appManifest({ ...environment, name: appName, redirectUrl: `${this.url}/created` });
  }

  private get action(): string {
    const { environment, organization } = this.options;
    const owner = organization === null ? '' : `/organizations/${encodeURIComponent(organization)}`;
    return `${environment.githubUrl}${owner}/settings/apps/new?state=${this.state}`;
  }

  private send(response: ServerResponse, status: number, html: string, sent: () => void = () => undefined): void {
    const { origin } = new URL(this.options.environment.githubUrl);
    response.writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${origin} ${this.address}; frame-ancestors 'none'; base-uri 'none'`,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    });
    response.end(html, sent);
  }
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const ALREADY_CONFIGURED = 'The GitHub App is set up already.';

/** Throws if the service already has credentials, from the environment or from a set-up. */
export async function assertNotConfigured(database: Database, environment: Environment): Promise<void> {
  const stored = await new AppConfigurationRepository(database).find();
  if (environment.app !== null || stored !== null) throw new Error(ALREADY_CONFIGURED);
}

/**
 * Fetches the credentials of the registered app and stores them encrypted. Running processes of the service load them within
 * seconds. Returns the address where the app can be installed.
 */
export async function registerApp(
  database: Database,
  environment: Environment,
  clock: Clock,
  code: string,
): Promise<string> {
  const { webhookSecret, ...app } = await convertManifestCode({ apiUrl: environment.githubApiUrl }, code);
  // An app without a webhook has no secret. A random one makes the service reject every delivery.
  const credentials = { ...app, webhookSecret: webhookSecret ?? randomBytes(32).toString('base64url') };
  const encrypted = encryptCredentials(new EncryptionService(environment), credentials);
  const outcome = await new AppConfigurationRepository(database).complete(null, encrypted, clock.now());
  if (outcome !== 'stored') throw new Error(`${ALREADY_CONFIGURED} Delete the new app "${app.slug}" on GitHub.`);
  return installUrl(environment, app.slug);
}
