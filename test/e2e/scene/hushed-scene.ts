import { ListedRows } from '../../support/listed-releases.js';
import { type SignedIn, signedIn } from '../../support/signed-in.js';
import type { World } from '../../support/world.js';

const HUSHED_GITHUB_ID = 7_000_001;

/** A workspace whose rows a test writes, with a private repository, `hushed`, and those who may know of it or not. */
export class HushedScene {
  private constructor(
    readonly rows: ListedRows,
    /** The repository's id in the service. */
    readonly hushed: string,
    /** Reads `hushed` too. */
    readonly reader: SignedIn,
    readonly outsider: SignedIn,
    /** An admin of another workspace. */
    readonly elsewhere: SignedIn,
  ) {}

  static async in(world: World): Promise<HushedScene> {
    const { github } = world;
    const orgId = await world.install();
    const organization = github.createOrganization({ login: 'elsewhere' });
    await world.install(organization);
    const rows = new ListedRows(world.database, orgId, 1_000_000);
    const hushed = await rows.repository('hushed', { isPrivate: true, githubId: HUSHED_GITHUB_ID });
    const reader = await signedIn(world, github.createUser({ login: 'rhea' }));
    const outsider = await signedIn(world, github.createUser({ login: 'otto' }));
    await rows.write('insert into repository_access (org_id, person, repository_github_id) values ($1, $2, $3)', [
      orgId,
      reader.user.id,
      HUSHED_GITHUB_ID,
    ]);
    const elsewhere = await signedIn(world, github.createUser({ login: 'eve' }), { role: 'admin', organization });
    return new HushedScene(rows, hushed, reader, outsider, elsewhere);
  }
}
