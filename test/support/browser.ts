import type { User } from '../github-sim/state/user.js';
import type { TestEnvironment } from './test-environment.js';

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  /** The target of a redirect; empty for other responses. */
  readonly location: string;
  /** Empty if the response is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The parts of a browser that the sign-in needs: it stores cookies by path, and sends its origin. */
export class Browser {
  private readonly cookies = new Map<string, { readonly value: string; readonly path: string }>();

  constructor(private readonly env: TestEnvironment) {}

  cookie(name: string): string | null {
    return this.cookies.get(name)?.value ?? null;
  }

  setCookie(name: string, value: string, path = '/'): void {
    this.cookies.set(name, { value, path });
  }

  /** Opens an address of the service, without following redirects. */
  async goTo(address: string): Promise<Page> {
    return this.request('GET', address);
  }

  /** Sends a request as a page of the service does. */
  async post(path: string, body?: object): Promise<Page> {
    const headers = { origin: this.env.baseUrl, ...(body && { 'content-type': 'application/json' }) };
    return this.request('POST', path, headers, body && JSON.stringify(body));
  }

  async request(method: string, address: string, headers: Record<string, string> = {}, body?: string): Promise<Page> {
    const url = new URL(address, this.env.baseUrl);
    const cookie = this.cookiesFor(url);
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(cookie !== '' && { cookie }) },
      ...(body !== undefined && { body }),
    });
    if (url.origin === this.env.baseUrl) this.storeCookies(response);
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location') ?? '',
      body: isJson && text !== '' ? (JSON.parse(text) as Page['body']) : {},
    };
  }

  /** Starts a sign-in and consents as the user. Returns the address to which GitHub sends the browser back. */
  async consent(user: User, returnTo?: string): Promise<string> {
    const query = returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`;
    const { status, location } = await this.goTo(`/api/auth/login${query}`);
    if (status !== 302) throw new Error(`the sign-in does not begin: ${status}`);
    return (await this.goTo(`${location}&login=${user.login}`)).location;
  }

  async signIn(user: User, returnTo?: string): Promise<Page> {
    return this.goTo(await this.consent(user, returnTo));
  }

  private cookiesFor({ origin, pathname }: URL): string {
    if (origin !== this.env.baseUrl) return '';
    return [...this.cookies]
      .filter(([, { path }]) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  private storeCookies(response: Response): void {
    for (const header of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = header.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/, 2);
      const path = attributes.find((attribute) => attribute.startsWith('Path='))?.slice('Path='.length) ?? '/';
      const expired = attributes.some((attribute) => /^(Max-Age=0|Expires=Thu, 01 Jan 1970 .*)$/i.test(attribute));
      if (expired) this.cookies.delete(name);
      else this.cookies.set(name, { value, path });
    }
  }
}
