import { WorkspaceRows } from '../../support/listed-releases.js';
import { type UserSession, signIn } from '../../support/signed-in.js';
import type { TestEnvironment } from '../../support/world.js';

const HUSHED_GITHUB_ID = 7_000_001;

/** A workspace whose rows a test writes, with a private repository, `hushed`, and those who may know of it or not. */
export class PrivateRepositoryScenario {
  private constructor(
    readonly rows: WorkspaceRows,
    /** The repository's id in the service. */
    readonly hushed: string,
    /** Reads `hushed` too. */
    readonly reader: UserSession,
    readonly outsider: UserSession,
    /** An admin of another workspace. */
    readonly elsewhere: UserSession,
  ) {}

  static async in(world: TestEnvironment): Promise<PrivateRepositoryScenario> {
    const { github } = world;
    const orgId = await world.install();
    const organization = github.createOrganization({ login: 'elsewhere' });
    await world.install(organization);
    const rows = new WorkspaceRows(world.database, orgId, 1_000_000);
    const hushed = await rows.repository('hushed', { isPrivate: true, githubId: HUSHED_GITHUB_ID });
    const reader = await signIn(world, github.createUser({ login: 'rhea' }));
    const outsider = await signIn(world, github.createUser({ login: 'otto' }));
    await rows.write('insert into repository_access (org_id, person, repository_github_id) values ($1, $2, $3)', [
      orgId,
      reader.user.id,
      HUSHED_GITHUB_ID,
    ]);
    const elsewhere = await signIn(world, github.createUser({ login: 'eve' }), { role: 'admin', organization });
    return new PrivateRepositoryScenario(rows, hushed, reader, outsider, elsewhere);
  }
}
