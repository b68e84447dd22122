import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database.js';
import { toOrgId } from '../../src/database/ids.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { WorkspaceRows } from './workspace-rows.js';

/** A database for one test, opened as the service opens it, in which a test writes workspaces row by row. */
export class TestWorkspaceDatabase {
  #workspaces = 0;

  private constructor(
    readonly urls: Pick<TestDatabase, 'ownerUrl' | 'superuserUrl'>,
    readonly database: Database,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(): Promise<TestWorkspaceDatabase> {
    const test = await createTestDatabase();
    return new TestWorkspaceDatabase(test, await Database.open({ url: test.appUrl }), () => test.drop());
  }

  /** Creates a workspace for an organization with this login. */
  async workspace(login: string): Promise<WorkspaceRows> {
    this.#workspaces += 1;
    return WorkspaceRows.of(this.database, toOrgId(randomUUID()), login, this.#workspaces);
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.drop();
  }
}
