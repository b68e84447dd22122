import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Clock } from '../../../src/config/clock.js';
import { actionsClaims, type ClaimChanges } from './actions-claims.js';
import { compactJws, rsaSigner, type RsaAlgorithm } from './compact-jws.js';
import { generateSigningKey, publicJwk, type SigningKey } from './signing-key.js';

export interface OidcIssuerOptions {
  readonly clock?: Clock;
  /** By default a free port. */
  readonly port?: number;
}

export interface TokenOptions {
  /** By default the current key of the issuer. */
  readonly key?: SigningKey;
  /** The kid in the header, by default that of the key. */
  readonly kid?: string;
  readonly alg?: RsaAlgorithm;
  /** Header parameters that replace those of the token; `undefined` omits one. */
  readonly header?: Readonly<Record<string, unknown>>;
}

/** `refusing` accepts no connection, `failing` returns 503, `silent` accepts connections and never responds. */
export type Outage = 'refusing' | 'failing' | 'silent';

const DISCOVERY_PATH = '/.well-known/openid-configuration';
const JWKS_PATH = '/.well-known/jwks';

/** An issuer of identity tokens like those of GitHub Actions, on a real socket of loopback. */
export class OidcIssuer {
  /** The number of requests for each document, with or without a response. */
  readonly requests = { discovery: 0, jwks: 0 };
  private readonly server: Server;
  private published: SigningKey[] = [];
  private keyCount = 0;
  private outage: Outage | null = null;

  private constructor(
    private readonly clock: Clock,
    private port: number,
  ) {
    this.server = createServer((request, response) => this.answer(request, response));
    this.rotate({ retainOld: false });
  }

  static async start({ clock = new Clock(), port = 0 }: OidcIssuerOptions = {}): Promise<OidcIssuer> {
    const issuer = new OidcIssuer(clock, port);
    await issuer.listen();
    return issuer;
  }

  /** The identifier of the issuer, which is the value of `iss` and the base URL of its documents. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The current signing key. */
  get key(): SigningKey {
    const [newest] = this.published;
    if (!newest) throw new Error('An issuer always has a key.');
    return newest;
  }

  now(): Date {
    return this.clock.now();
  }

  /** The claims of an ordinary token of this issuer with these changes. */
  claims(changes: ClaimChanges = {}): Readonly<Record<string, unknown>> {
    return actionsClaims(this.url, this.now(), changes);
  }

  /** A token like those of GitHub Actions; each has a `jti` of its own. */
  token(
    changes: ClaimChanges = {},
    { key = this.key, kid = key.kid, alg = 'RS256', header = {} }: TokenOptions = {},
  ): string {
    return compactJws({ typ: 'JWT', alg, kid, ...header }, this.claims(changes), rsaSigner(alg, key.privateKey));
  }

  /** Signs with a new key from now on. The old keys remain published, as at GitHub, or are removed at once. */
  rotate({ retainOld }: { readonly retainOld: boolean }): SigningKey {
    this.keyCount += 1;
    const key = generateSigningKey(`actions-${this.keyCount}`);
    this.published = [key, ...(retainOld ? this.published : [])];
    return key;
  }

  async goDown(outage: Outage = 'refusing'): Promise<void> {
    this.outage = outage;
    if (outage === 'refusing') await this.close();
  }

  /** Serves again, at the same address. */
  async comeBack(): Promise<void> {
    this.outage = null;
    if (!this.server.listening) await this.listen();
  }

  async stop(): Promise<void> {
    await this.close();
  }

  private listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.port, '127.0.0.1', () => {
        this.server.off('error', reject);
        this.port = (this.server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  private close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private answer({ url }: IncomingMessage, response: ServerResponse): void {
    if (url === DISCOVERY_PATH) this.requests.discovery += 1;
    if (url === JWKS_PATH) this.requests.jwks += 1;
    if (this.outage === 'silent') return;
    const document = url === DISCOVERY_PATH ? this.discovery() : url === JWKS_PATH ? this.jwks() : null;
    const status = this.outage === 'failing' ? 503 : document ? 200 : 404;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? document : { message: status === 503 ? 'Unavailable' : 'Not Found' }));
  }

  private discovery(): object {
    return {
      issuer: this.url,
      jwks_uri: `${this.url}${JWKS_PATH}`,
      subject_types_supported: ['public', 'pairwise'],
      response_types_supported: ['id_token'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid'],
      claims_supported: Object.keys(this.claims({ environment: 'production' })),
    };
  }

  private jwks(): object {
    return { keys: this.published.map(publicJwk) };
  }
}
