import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { UserSession } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';

/** The last revision with a handshake, and the first one without. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

/** The part of a tool's result that the tests read. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  /** Empty if the tool returned an error. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** The client of the protocol's library, as in an editor, with a personal key. */
export class ToolsClient {
  private constructor(private readonly client: Client) {}

  /** Throws an error with a `status` if the service rejects the key. */
  static async connect(env: TestEnvironment, key: string, revision: Revision): Promise<ToolsClient> {
    // The newer clients first request the supported revisions.
    const mode = revision === '2025-11-25' ? 'legacy' : 'auto';
    const client = new Client({ name: 'editor', version: '1.0.0' }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', env.baseUrl), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    });
    await client.connect(transport);
    return new ToolsClient(client);
  }

  get revision(): string | undefined {
    return this.client.getNegotiatedProtocolVersion();
  }

  get server(): string | undefined {
    return this.client.getServerVersion()?.name;
  }

  async listTools(): Promise<Awaited<ReturnType<Client['listTools']>>['tools']> {
    return (await this.client.listTools()).tools;
  }

  /** Calls a tool. The client checks the result against the listed schema of the tool. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const { isError, content, structuredContent } = await this.client.callTool({ name, arguments: args });
    const [first] = content;
    return {
      isError: isError === true,
      text: first?.type === 'text' ? first.text : '',
      content: (structuredContent ?? {}) as ToolAnswer['content'],
    };
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

/** Creates a personal key of the user. */
export async function givenPersonalKey(
  owner: UserSession,
  scope: 'read' | 'write' = 'read',
): Promise<{ readonly id: string; readonly secret: string }> {
  const { status, body } = await owner.send('POST', '/api/settings/mcp-keys', { name: 'editor', scope });
  if (status !== 201) throw new Error(`a key is answered with ${status}: ${JSON.stringify(body)}`);
  return { id: String(body['id']), secret: String(body['key']) };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends exactly this body to `/mcp`. */
export async function sendRaw(
  env: TestEnvironment,
  key: string | null,
  { method = 'POST', body, headers = {} }: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<RawAnswer> {
  const response = await fetch(`${env.baseUrl}/mcp`, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A request in the form of the revision without a handshake. */
export const withRevision = (
  method: string,
  params: object = {},
): { readonly body: object; readonly headers: Record<string, string> } => ({
  body: {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
  headers: {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...('name' in params && { 'mcp-name': String(params.name) }),
  },
});
