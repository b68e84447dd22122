/** A user with a browser, as far as the demo needs one: it signs in through the consent page of GitHub, and stores its cookies. */
export class DemoUser {
  private readonly cookies = new Map<string, string>();

  private constructor(private readonly baseUrl: string) {}

  static async signIn(baseUrl: string, login: string): Promise<DemoUser> {
    const visitor = new DemoUser(baseUrl);
    const consent = await visitor.follow(`${baseUrl}/api/auth/login`);
    const back = await visitor.follow(`${consent}&login=${encodeURIComponent(login)}`);
    await visitor.follow(back);
    return visitor;
  }

  async get<Body>(path: string): Promise<Body> {
    return this.request<Body>(path, {});
  }

  /** Sends a request as a page does. Returns the body. */
  async post<Body>(path: string, body: object): Promise<Body> {
    return this.change<Body>('POST', path, body);
  }

  async put<Body>(path: string, body: object): Promise<Body> {
    return this.change<Body>('PUT', path, body);
  }

  async patch<Body>(path: string, body: object): Promise<Body> {
    return this.change<Body>('PATCH', path, body);
  }

  /** The bytes of a file. */
  async download(path: string): Promise<Buffer> {
    return Buffer.from(await (await this.send(path, {})).arrayBuffer());
  }

  private async change<Body>(method: string, path: string, body: object): Promise<Body> {
    const headers = { origin: this.baseUrl, 'content-type': 'application/json' };
    return this.request<Body>(path, { method, headers, body: JSON.stringify(body) });
  }

  private async request<Body>(path: string, request: RequestInit): Promise<Body> {
    return (await (await this.send(path, request)).json()) as Body;
  }

  private async send(path: string, request: RequestInit): Promise<Response> {
    const headers = { ...(request.headers as Record<string, string>), cookie: this.cookie };
    const response = await fetch(`${this.baseUrl}${path}`, { ...request, headers });
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
    return response;
  }

  /** Follows one redirect of the sign-in. Returns its target. */
  private async follow(address: string): Promise<string> {
    const isOurs = address.startsWith(this.baseUrl);
    const response = await fetch(address, { redirect: 'manual', headers: isOurs ? { cookie: this.cookie } : {} });
    const location = response.headers.get('location');
    if (response.status !== 302 || location === null) throw new Error(`the sign-in stops at ${response.status}`);
    for (const header of isOurs ? response.headers.getSetCookie() : []) {
      const [name = '', value = ''] = (header.split(';')[0] ?? '').split(/=(.*)/, 2);
      this.cookies.set(name, value);
    }
    return location;
  }

  private get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}
