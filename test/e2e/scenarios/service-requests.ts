import type { TestEnvironment } from '../../support/test-environment.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface UploadRequest {
  readonly bearer: string;
  /** An object is sent as JSON, any other body unchanged. */
  readonly body: object | string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts to the upload route, like any client on the network. */
export async function postUpload(env: TestEnvironment, { bearer, body, headers = {} }: UploadRequest): Promise<Answer> {
  return answerOf(
    await fetch(`${await env.app.getUrl()}/api/evidence/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    }),
  );
}

/** Sends a gate request with exactly this query. */
export async function requestGate(
  env: TestEnvironment,
  bearer: string,
  query: Readonly<Record<string, string>>,
): Promise<Answer> {
  const url = `${await env.app.getUrl()}/api/milestones/check?${new URLSearchParams(query).toString()}`;
  return answerOf(await fetch(url, { headers: { authorization: `Bearer ${bearer}` } }));
}

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as Answer['body'] };
}

/** The number of rows in each table that an upload can write, in all workspaces together. */
export async function countStoredRows(env: TestEnvironment): Promise<Readonly<Record<string, number>>> {
  const tables = [
    'evidence',
    'evidence_report',
    'report_content',
    'report_content_block',
    'identity_token_use',
    'upload_idempotency_key',
  ];
  const counts = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  const [row] = await env.asSuperuser<Record<string, number>>(`select ${counts.join(', ')}`);
  if (!row) throw new Error('a count without a row');
  return row;
}
