import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { databaseUrl, type RoleUrls } from '../../src/database/roles.js';
import { PostgresServer } from '../operate/postgres-server.js';

const STANDBY = 'standby';
/** The time between the loss of the primary and the promotion: the least that a failover manager takes. */
const NOTICE_MS = 2_000;
const POLL_INTERVAL_MS = 200;
const PATIENCE_MS = 60_000;

/** A primary with a synchronous standby, which swap their roles. Both keep their ports. */
export class ServerPair {
  private constructor(
    private leader: PostgresServer,
    private follower: PostgresServer,
    private readonly roles: RoleUrls,
  ) {}

  static async start(): Promise<ServerPair> {
    const leader = await PostgresServer.start();
    try {
      const roles = await leader.makeDatabase();
      const pair = new ServerPair(leader, await PostgresServer.standbyOf(leader, STANDBY), roles);
      await pair.requireStandby();
      return pair;
    } catch (error) {
      await leader.remove();
      throw error;
    }
  }

  /** The URLs of the roles name both servers, the present primary first. */
  get urls(): RoleUrls {
    const both = (url: string): string =>
      url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${this.follower.port},127.0.0.1:${this.leader.port}`);
    return { runtimeUrl: both(this.roles.runtimeUrl), migrationUrl: both(this.roles.migrationUrl) };
  }

  /** The URLs of the roles at the present primary alone. */
  get leaderUrls(): RoleUrls {
    const one = (url: string): string => url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${this.leader.port}`);
    return { runtimeUrl: one(this.roles.runtimeUrl), migrationUrl: one(this.roles.migrationUrl) };
  }

  get port(): number {
    return this.leader.port;
  }

  get superuserUrl(): string {
    return this.leader.superuserUrl;
  }

  /** Stops the primary and promotes the standby. Resolves when the new primary has a standby of its own. */
  async failOver(promoted: () => void): Promise<void> {
    const former = this.leader;
    await former.stop('immediate');
    await sleep(NOTICE_MS);
    await this.follower.promote();
    this.leader = this.follower;
    promoted();
    // Without a standby, a commit waits for none. A loss of this server would then lose acknowledged commits, but it is
    // not lost here.
    await this.set("synchronous_standby_names = ''");
    await former.remove();
    this.follower = await PostgresServer.standbyOf(this.leader, STANDBY, former.port);
    await this.requireStandby();
  }

  /** Restarts the primary, as an operator does for a new version. */
  async restart(): Promise<void> {
    await this.leader.restart();
  }

  async remove(): Promise<void> {
    await this.leader.remove();
    await this.follower.remove();
  }

  private async requireStandby(): Promise<void> {
    await this.set(`synchronous_standby_names = '${STANDBY}'`);
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
      const isThere = await withDedicatedClient(this.superuserUrl, async (client) => {
        const { rowCount } = await client.query(`select from pg_stat_replication where sync_state = 'sync'`);
        return rowCount === 1;
      });
      if (isThere) return;
    }
    throw new Error('The standby does not follow.');
  }

  private async set(setting: string): Promise<void> {
    await withDedicatedClient(databaseUrl(this.superuserUrl, 'postgres'), async (client) => {
      await client.query(`alter system set ${setting}`);
      await client.query('select pg_reload_conf()');
    });
  }
}
