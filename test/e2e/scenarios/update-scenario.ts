import { gitBlobSha } from '../../../src/crypto/digests.js';
import { WorkflowFilesService } from '../../../src/features/repositories/workflow-files/workflow-files.service.js';
import { WorkflowTemplatesService } from '../../../src/features/repositories/workflow-files/workflow-templates.service.js';
import type { Organization } from '../../github-sim/state/organization.js';
import type { Pull } from '../../github-sim/state/pull.js';
import type { Repository } from '../../github-sim/state/repository.js';
import { type JsonAnswer, signIn, type UserSession } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';

export const CI = '.github/workflows/shipgate-ci.yml';
export const ENFORCE = '.github/workflows/shipgate-enforce.yml';

/** The files of an earlier revision. */
export const OLD_REVISION = '0000000000000001';
const OLD = { [CI]: 'name: the CI of before\n', [ENFORCE]: 'name: the gate of before\n' };

/** A workspace whose repositories have the workflow files of an earlier revision. */
export class UpdateScenario {
  readonly revision: string;
  readonly branch: string;
  /** The present files by path. */
  readonly now: Readonly<Record<string, string>>;

  private constructor(
    readonly env: TestEnvironment,
    readonly organization: Organization,
    readonly admin: UserSession,
  ) {
    const workflows = env.app.get(WorkflowTemplatesService);
    this.revision = workflows.revision;
    this.branch = `shipgate-workflow-update-${workflows.revision}`;
    this.now = Object.fromEntries(workflows.files().map(({ path, content }) => [path, content]));
  }

  static async in(env: TestEnvironment, organization: Organization = env.organization): Promise<UpdateScenario> {
    const user = env.github.createUser({ login: `admin-of-${organization.login}` });
    organization.addMember(user, 'admin');
    const scenario = new UpdateScenario(env, organization, await signIn(env, user, { role: 'admin', organization }));
    await scenario.publish(OLD, OLD_REVISION, new Date('2026-01-01T00:00:00Z'));
    return scenario;
  }

  /** Saves what an earlier version of the service saved at its start. */
  async publish(files: Readonly<Record<string, string>>, revision: string, at: Date): Promise<void> {
    await this.env.database.queryWithoutTenant('given_published', 'select publish_workflows($1, $2, $3, $4)', [
      Object.keys(files),
      Object.values(files).map(gitBlobSha),
      revision,
      at,
    ]);
  }

  /** Creates a repository with the earlier files. A file of null is omitted. */
  async outdated(name: string, files: Readonly<Record<string, string | null>> = {}): Promise<Repository> {
    const all = Object.entries({ 'src/a.ts': '0', ...OLD, ...files });
    const present = Object.fromEntries(all.flatMap(([path, text]) => (text === null ? [] : [[path, text]])));
    const repository = this.env.github.createRepository(this.organization, { name, files: present, private: false });
    await this.env.waitUntilIdle();
    await this.installed(repository, { customCi: files[CI] !== undefined });
    return repository;
  }

  async installed(repository: Repository, { customCi = false } = {}): Promise<void> {
    const [orgId, id] = [await this.env.orgId(this.organization), await this.idOf(repository)];
    await this.env.database.inTenant(orgId, (tx) =>
      this.env.app
        .get(WorkflowFilesService)
        .saveInstallation(tx, id, OLD_REVISION, new Date('2026-01-02T00:00:00Z'), { customCi }),
    );
  }

  /** The repository's id in the service. */
  async idOf({ id }: Repository): Promise<string> {
    const [row] = await this.env.asSuperuser<{ id: string }>(`select id from repository where github_id = ${id}`);
    if (!row) throw new Error('the service has not stored the repository');
    return row.id;
  }

  async status(repository: Repository, by = this.admin): Promise<JsonAnswer> {
    return by.get(`/api/repos/${await this.idOf(repository)}/workflow-update-status`);
  }

  async update(repository: Repository, body?: object, by = this.admin): Promise<JsonAnswer> {
    return by.send('POST', `/api/repos/${await this.idOf(repository)}/workflow-update-pr`, body);
  }

  /** The only open pull request of the update. Throws if there are more. */
  openPull(repository: Repository): Pull {
    const open = this.pulls(repository).filter(({ issue }) => issue.state === 'open');
    const [pull] = open;
    if (!pull || open.length > 1) throw new Error(`${open.length} pull requests of the update are open`);
    return pull;
  }

  /** Every pull request of the update, oldest first. */
  pulls(repository: Repository): readonly Pull[] {
    return repository.pulls.list().filter(({ headRef }) => headRef === this.branch);
  }

  /** The stored row of the workflow files of the repository. */
  async written(repository: Repository): Promise<{ revision: string; customCi: boolean; pull: number | null }> {
    const [row] = await this.env.asSuperuser<{ revision: string; customCi: boolean; pull: number | null }>(
      `select i.installed_revision as revision, i.custom_ci as "customCi", u.pull_number as pull
       from repository r join workflow_installation i on i.repository_id = r.id
       left join workflow_update u on u.repository_id = r.id where r.github_id = ${repository.id}`,
    );
    if (!row) throw new Error('nothing is stored of the repository');
    return row;
  }

  /** The audit entries of the updates of the repository, oldest first. */
  async audit({ fullName }: Repository): Promise<readonly string[]> {
    const rows = await this.env.asSuperuser<{ action: string }>(
      `select action from audit_entry where subject = '${fullName}' and action like 'workflow_update.%' order by sequence`,
    );
    return rows.map(({ action }) => action);
  }

  /** The number of events about a change of the repository. */
  async received({ id }: Repository): Promise<number> {
    const [row] = await this.env.asSuperuser<{ count: number }>(
      `select count(*)::int from event e join repository r on r.id = e.repository_id
       where r.github_id = ${id} and e.type = 'repo.updated'`,
    );
    return row?.count ?? 0;
  }
}
