import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Environment } from '../../config/environment.js';
import { type AppManifest, appManifest } from '../../features/setup/app-manifest.js';
import { Html, html } from '../../http/html.js';

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

/** The page whose button takes the manifest to GitHub. */
const startPage = (action: string, manifest: AppManifest): string =>
  page(
    'Register the GitHub App',
    html`<p>GitHub will show the name of the app, which you may change, and then register it with the permissions and events
    that Shipgate needs. Its credentials come back to this machine and are kept sealed in the database; you copy nothing.</p>
    <form method="post" action="${action}">
      <input type="hidden" name="manifest" value="${JSON.stringify(manifest)}">
      <button>Continue on GitHub</button>
    </form>`,
  );

const donePage = (installUrl: string): string =>
  page(
    'Shipgate is set up',
    html`<p>Now <a href="${installUrl}">install the app</a> in your organization, and choose the repositories that it
    may see.</p><p>You may close this page.</p>`,
  );

const failedPage = (reason: string): string => page('This did not work', html`<p>${reason}</p>`);

/** Takes the code that GitHub sent the browser back with, and answers where the app is installed from. */
type Finish = (code: string) => Promise<string>;

interface Walk {
  readonly environment: Pick<Environment, 'baseUrl' | 'githubUrl'>;
  /** The organization that is to own the app; null for the person who walks. */
  readonly organization: string | null;
  readonly appName: string;
  readonly finish: Finish;
}

const SECRET_BYTES = 24;

/**
 * The way through GitHub's manifest flow, as pages on loopback: the first takes the manifest to GitHub, the second takes
 * the code that comes back. Whoever does not know the address that was printed sees nothing of them, a page of another
 * site included; what comes back counts once, and only with the state that went there.
 */
export class SetupServer {
  private readonly token = randomBytes(SECRET_BYTES).toString('base64url');
  private readonly state = randomBytes(SECRET_BYTES).toString('base64url');
  /** Resolves with where the app is installed from; rejects where the walk led nowhere. */
  readonly end: Promise<string>;
  private settle!: { readonly resolve: (installUrl: string) => void; readonly reject: (error: unknown) => void };
  private taken = false;
  private address = '';

  private constructor(
    private readonly walk: Walk,
    private readonly server: Server,
  ) {
    this.end = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    // Whoever never waits for the end learns of its failure from the page.
    this.end.catch(() => undefined);
  }

  static async start(walk: Walk): Promise<SetupServer> {
    const server = createServer();
    const started = new SetupServer(walk, server);
    server.on('request', (request, response) => void started.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    started.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return started;
  }

  /** Where the walk begins. */
  get url(): string {
    return `${this.address}/${this.token}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Put together and not resolved: `//name/path` would be another host's, and a target may be no path at all.
    const target = `${this.address}${request.url ?? '/'}`;
    const url = new URL(URL.canParse(target) ? target : this.address);
    // A name that somebody had lead to loopback is not ours (DNS rebinding).
    const isOurs = request.headers.host === new URL(this.address).host;
    const isKnown = isOurs && request.method === 'GET' && sameText(url.pathname.split('/')[1] ?? '', this.token);
    const step = url.pathname.slice(this.token.length + 1);
    if (isKnown && step === '') this.send(response, 200, startPage(this.action, this.manifest()));
    else if (isKnown && step === '/created') await this.takeCode(url.searchParams, response);
    else this.send(response, 404, failedPage('There is nothing here. Open the address that was printed.'));
  }

  private async takeCode(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const code = query.get('code') ?? '';
    if (code === '' || !sameText(query.get('state') ?? '', this.state)) {
      this.send(response, 400, failedPage('This does not come from the walk that was begun here. Begin it again.'));
      return;
    }
    if (this.taken) {
      this.send(response, 409, failedPage('The app was registered already.'));
      return;
    }
    this.taken = true;
    try {
      const installUrl = await this.walk.finish(code);
      this.send(response, 200, donePage(installUrl), () => this.settle.resolve(installUrl));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.send(response, 500, failedPage(reason), () => this.settle.reject(error));
    }
  }

  private manifest(): ReturnType<typeof appManifest> {
    const { environment, appName } = this.walk;
    return appManifest({ ...environment, name: appName, redirectUrl: `${this.url}/created` });
  }

  private get action(): string {
    const { environment, organization } = this.walk;
    const owner = organization === null ? '' : `/organizations/${encodeURIComponent(organization)}`;
    return `${environment.githubUrl}${owner}/settings/apps/new?state=${this.state}`;
  }

  private send(response: ServerResponse, status: number, html: string, sent: () => void = () => undefined): void {
    const { origin } = new URL(this.walk.environment.githubUrl);
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

function sameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
