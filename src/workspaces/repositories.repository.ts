import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../database/database.js';
import type { RepositoryRef } from '../github/transport/token-scope.js';

/** The repository with the organization default (`sdlc.yaml`), if the app can read it. */
export interface OrganizationDefault {
  readonly ref: RepositoryRef;
  readonly branch: string;
  /**
   * True if it is private and the repository that uses it is public: readers of the public one may not see the problems
   * of the private one.
   */
  readonly isHidden: boolean;
}

/** A repository of a workspace, as stored. */
export interface Repository {
  readonly id: string;
  readonly githubId: number;
  readonly org: string;
  readonly name: string;
  readonly defaultBranch: string;
  readonly private: boolean;
  readonly managed: boolean;
  readonly removed: boolean;
  /** The reference for GitHub requests. Null while no installation of the app has access to it. */
  readonly ref: RepositoryRef | null;
  /** The repository with the organization default. Null if there is none or if it is this one. */
  readonly organizationDefault: OrganizationDefault | null;
}

interface RepositoryRow {
  readonly id: string;
  readonly github_id: string;
  readonly login: string;
  readonly installation_id: string | null;
  readonly suspended_at: Date | null;
  readonly name: string;
  readonly default_branch: string;
  readonly private: boolean;
  readonly managed_at: Date | null;
  readonly removed_at: Date | null;
  readonly default_github_id: string | null;
  readonly default_name: string | null;
  readonly default_of_default: string | null;
  readonly default_private: boolean | null;
}

const SELECT = `
  select r.id, r.github_id, o.login, o.installation_id, o.suspended_at, r.name, r.default_branch, r.private,
    r.managed_at, r.removed_at, d.github_id as default_github_id, d.name as default_name,
    d.default_branch as default_of_default, d.private as default_private
  from repository r
  join organization o on o.org_id = r.org_id
  left join repository d on d.lower_name = '.github' and d.removed_at is null and d.id <> r.id`;

/** Reads the repositories of a workspace. */
@Injectable()
export class RepositoriesRepository {
  async find(tx: TenantTransaction, id: string): Promise<Repository | null> {
    return onlyMatch(await tx.queryPrepared<RepositoryRow>('find_repository', `${SELECT} where r.id = $1`, [id]));
  }

  async findByRelease(tx: TenantTransaction, releaseId: string): Promise<Repository | null> {
    return onlyMatch(
      await tx.queryPrepared<RepositoryRow>(
        'find_repository_of_release',
        `${SELECT} where r.id = (select repository_id from release where id = $1)`,
        [releaseId],
      ),
    );
  }

  async findByGithubId(tx: TenantTransaction, githubId: number): Promise<Repository | null> {
    return onlyMatch(
      await tx.queryPrepared<RepositoryRow>('find_repository_by_github_id', `${SELECT} where r.github_id = $1`, [
        githubId,
      ]),
    );
  }

  /** Finds a repository by `name` or `owner/name`, ignoring the case as GitHub does. */
  async findByName(tx: TenantTransaction, name: string): Promise<Repository | null> {
    const slash = name.indexOf('/');
    const owner = slash === -1 ? null : name.slice(0, slash);
    return onlyMatch(
      await tx.queryPrepared<RepositoryRow>(
        'find_repository_by_name',
        `${SELECT} where r.lower_name = lower($1) and ($2::text is null or lower(o.login) = lower($2))
          and r.removed_at is null`,
        [name.slice(slash + 1), owner],
      ),
    );
  }

  /** Returns the last known login of the organization. */
  async orgLogin(tx: TenantTransaction): Promise<string> {
    const [row] = await tx.query<{ readonly login: string }>('select login from organization');
    return row?.login ?? '';
  }

  async list(tx: TenantTransaction): Promise<readonly Repository[]> {
    return (await tx.query<RepositoryRow>(`${SELECT} where r.removed_at is null order by r.lower_name, r.id`)).map(
      toRepository,
    );
  }
}

/** During a rename two repositories may have the same name. Then neither is returned. */
const onlyMatch = ([row, another]: readonly RepositoryRow[]): Repository | null =>
  row && another === undefined ? toRepository(row) : null;

function toRepository(row: RepositoryRow): Repository {
  const githubId = Number(row.github_id);
  const ref = row.removed_at === null ? toRef(row, githubId, row.name) : null;
  const { default_github_id: defaultId, default_name: defaultName, default_of_default: branch } = row;
  const defaultRef = defaultId === null || defaultName === null ? null : toRef(row, Number(defaultId), defaultName);
  return {
    id: row.id,
    githubId,
    org: row.login,
    name: row.name,
    defaultBranch: row.default_branch,
    private: row.private,
    managed: row.managed_at !== null,
    removed: row.removed_at !== null,
    ref,
    organizationDefault:
      defaultRef && branch !== null
        ? { ref: defaultRef, branch, isHidden: row.default_private === true && !row.private }
        : null,
  };
}

const toRef = (
  { installation_id: installationId, suspended_at: suspendedAt, login }: RepositoryRow,
  id: number,
  name: string,
): RepositoryRef | null =>
  installationId === null || suspendedAt !== null
    ? null
    : { installationId: Number(installationId), id, owner: login, name };
