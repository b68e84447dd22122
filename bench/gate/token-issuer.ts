import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const KEY_ID = 'bench';

/** The data with which a load generator signs identity tokens. A service accepts them if its `OIDC_ISSUER` is `url`. */
export interface TokenSigner {
  readonly url: string;
  readonly keyId: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
}

/** Publishes one RSA key of 2,048 bits, as the issuer of GitHub Actions does. */
export class TokenIssuer {
  private constructor(
    readonly signer: TokenSigner,
    private readonly server: Server,
  ) {}

  static async start(): Promise<TokenIssuer> {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' };
    let url = '';
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify(request.url === '/jwks' ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/jwks` }),
      );
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return new TokenIssuer({ url, keyId: KEY_ID, privateKey: pem }, server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => {
      this.server.close(resolve);
    });
  }
}
