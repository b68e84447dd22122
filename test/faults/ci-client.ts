import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { hashSecret } from '../../src/crypto/digests.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { KeyScope } from '../../src/domain/keys/key-scope.js';
import { keySecret } from '../../src/domain/keys/key-secret.js';

/** Longer than the service waits for its database. */
const PATIENCE_MS = 30_000;

/** The response to a request. */
export interface CiAnswer {
  /** 0 if the connection ended without a response. */
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A CI system that calls the service with an API key, on a new connection for each request. */
export class CiClient {
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly repository: string,
  ) {}

  /** Creates a key for the workspace `acme`. */
  static async given(
    url: string,
    superuserUrl: string,
    repository: string,
    scopes: readonly KeyScope[] = ['evidence:write', 'gate:read'],
  ): Promise<CiClient> {
    const secret = keySecret('sgk', randomBytes(32));
    await withDedicatedClient(superuserUrl, (client) =>
      client.query(
        `insert into api_key (org_id, id, name, prefix, secret_hash, scopes, created_by, created_at)
         select org_id, gen_random_uuid(), 'ci', 'sgk_', $1, $2, 'test', now()
         from organization where login = 'acme'`,
        [hashSecret(secret), scopes],
      ),
    );
    return new CiClient(url, secret, repository);
  }

  gate(version: string, { explain = false } = {}): Promise<CiAnswer> {
    const query = new URLSearchParams({ version, repo: this.repository, ...(explain && { explain: 'true' }) });
    return this.send('GET', `/api/milestones/check?${query.toString()}`);
  }

  /** Uploads the counts of some unit tests. Uploads with the same `once` are the same upload. */
  upload(
    version: string,
    pipeline: string,
    { failed, run }: { readonly failed: number; readonly run?: string },
    once: string,
  ): Promise<CiAnswer> {
    const unitTests = { total: 3 + failed, passed: 3, failed, skipped: 0 };
    const claimed = run !== undefined && { run_url: run };
    const body = { repo: this.repository, version, pipeline, ...claimed, metrics: { unit_tests: unitTests } };
    return this.send('POST', '/api/evidence/upload', JSON.stringify(body), { 'idempotency-key': once });
  }

  /** Reports a deployment to production. */
  report(deployment: string, status: string, version: string): Promise<CiAnswer> {
    const body = { repo: this.repository, environment: 'production', deployment, status, version };
    return this.send('POST', '/api/deployments', JSON.stringify(body));
  }

  /** States an artifact of a release. */
  state(version: string, artifact: { readonly name: string; readonly digest: string; readonly bundle: object }) {
    return this.send('POST', '/api/artifacts', JSON.stringify({ repo: this.repository, version, ...artifact }));
  }

  private send(
    method: string,
    path: string,
    body = '',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<CiAnswer> {
    return new Promise((resolve) => {
      const nothing = (): void => resolve({ status: 0, retryAfter: undefined, body: {} });
      const sent = request(`${this.url}${path}`, {
        method,
        agent: false,
        timeout: PATIENCE_MS,
        headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json', ...headers },
      });
      sent.once('error', nothing);
      sent.once('timeout', () => sent.destroy());
      sent.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('close', () => {
          if (!response.complete) return nothing();
          const { statusCode: status = 0, headers: answered } = response;
          resolve({ status, retryAfter: answered['retry-after'], body: JSON.parse(text) as CiAnswer['body'] });
        });
      });
      sent.end(body);
    });
  }
}
