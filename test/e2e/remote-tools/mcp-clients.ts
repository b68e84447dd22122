import type { UserSession } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { givenPersonalKey, type Revision, ToolsClient } from './tools-client.js';

interface EditorSpec {
  readonly scope?: 'read' | 'write';
  readonly revision?: Revision;
}

/** Clients of the remote tools, like the editors of users. */
export class McpClients {
  private readonly open: ToolsClient[] = [];
  /** One for each user and scope, because keys are limited. */
  private readonly keys = new Map<string, Promise<{ readonly secret: string }>>();

  constructor(private readonly env: TestEnvironment) {}

  /** A client of the user. */
  async of(owner: UserSession, { scope = 'read', revision = '2026-07-28' }: EditorSpec = {}): Promise<ToolsClient> {
    const name = `${owner.user.login} ${scope}`;
    const key = this.keys.get(name) ?? givenPersonalKey(owner, scope);
    this.keys.set(name, key);
    return this.connect((await key).secret, revision);
  }

  /** The client with the given key. */
  async connect(key: string, revision: Revision): Promise<ToolsClient> {
    const client = await ToolsClient.connect(this.env, key, revision);
    this.open.push(client);
    return client;
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.open.splice(0).map((client) => client.close()));
  }
}
