import { WorkspaceRows } from '../../support/workspace-rows.js';
import { type UserSession, signIn } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';

const PRIVATE_GITHUB_ID = 7_000_001;

/** A workspace whose rows a test writes, with a private repository, `hushed`, and users with and without access to it. */
export class PrivateRepositoryScenario {
  private constructor(
    readonly rows: WorkspaceRows,
    /** The repository's id in the service. */
    readonly privateRepo: string,
    /** A user who can read `hushed`. */
    readonly reader: UserSession,
    readonly outsider: UserSession,
    /** An admin of another workspace. */
    readonly elsewhere: UserSession,
  ) {}

  static async in(env: TestEnvironment): Promise<PrivateRepositoryScenario> {
    const { github } = env;
    const orgId = await env.install();
    const organization = github.createOrganization({ login: 'elsewhere' });
    await env.install(organization);
    const rows = new WorkspaceRows(env.database, orgId, 1_000_000);
    const privateRepo = await rows.repository('hushed', { isPrivate: true, githubId: PRIVATE_GITHUB_ID });
    const reader = await signIn(env, github.createUser({ login: 'rhea' }));
    const outsider = await signIn(env, github.createUser({ login: 'otto' }));
    await rows.write('insert into repository_access (org_id, person, repository_github_id) values ($1, $2, $3)', [
      orgId,
      reader.user.id,
      PRIVATE_GITHUB_ID,
    ]);
    const elsewhere = await signIn(env, github.createUser({ login: 'eve' }), { role: 'admin', organization });
    return new PrivateRepositoryScenario(rows, privateRepo, reader, outsider, elsewhere);
  }
}
