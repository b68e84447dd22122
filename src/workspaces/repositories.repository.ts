import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../database/database.js';
import { DEFAULT_POLICY_REPOSITORY } from '../domain/repository/managed-files.js';
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
  /** Whether its `sdlc.yaml` is the default of its organization. */
  readonly holdsPolicyDefault: boolean;
  /** The repository with the organization default. Null if there is none or if it is this one. */
  readonly organizationDefault: OrganizationDefault | null;
}

/** An installation of the app has access. */
const ACCESSIBLE = 'o.installation_id is not null and o.suspended_at is null';

/** SQL for the reference of the repository with this alias. */
const refSql = (
  alias: string,
): string => `json_build_object('installationId', o.installation_id, 'id', ${alias}.github_id,
  'owner', o.login, 'name', ${alias}.name)`;

const SELECT = `
  select r.id, r.github_id::float8 as "githubId", o.login as org, r.name, r.default_branch as "defaultBranch", r.private,
    r.managed_at is not null as managed, r.removed_at is not null as removed,
    r.lower_name = '${DEFAULT_POLICY_REPOSITORY}' as "holdsPolicyDefault",
    case when ${ACCESSIBLE} and r.removed_at is null then ${refSql('r')} end as ref,
    case when ${ACCESSIBLE} and d.id is not null then json_build_object('ref', ${refSql('d')}, 'branch', d.default_branch,
      'isHidden', d.private and not r.private) end as "organizationDefault"
  from repository r
  join organization o on o.org_id = r.org_id
  left join repository d on d.lower_name = '${DEFAULT_POLICY_REPOSITORY}' and d.removed_at is null and d.id <> r.id`;

const HAS_NAME = 'r.lower_name = lower($1) and ($2::text is null or lower(o.login) = lower($2))';

/** Splits `name` or `owner/name` into the parameters of `HAS_NAME`. */
function toNameParts(name: string): readonly [name: string, owner: string | null] {
  const slash = name.indexOf('/');
  return [name.slice(slash + 1), slash === -1 ? null : name.slice(0, slash)];
}

/** Reads the repositories of a workspace. */
@Injectable()
export class RepositoriesRepository {
  async find(tx: TenantTransaction, id: string): Promise<Repository | null> {
    return onlyMatch(await tx.queryPrepared<Repository>('find_repository', `${SELECT} where r.id = $1`, [id]));
  }

  async findByRelease(tx: TenantTransaction, releaseId: string): Promise<Repository | null> {
    return onlyMatch(
      await tx.queryPrepared<Repository>(
        'find_repository_of_release',
        `${SELECT} where r.id = (select repository_id from release where id = $1)`,
        [releaseId],
      ),
    );
  }

  async findByGithubId(tx: TenantTransaction, githubId: number): Promise<Repository | null> {
    return onlyMatch(
      await tx.queryPrepared<Repository>('find_repository_by_github_id', `${SELECT} where r.github_id = $1`, [
        githubId,
      ]),
    );
  }

  /** Finds a repository by `name` or `owner/name`, ignoring the case as GitHub does. */
  async findByName(tx: TenantTransaction, name: string): Promise<Repository | null> {
    return onlyMatch(
      await tx.queryPrepared<Repository>(
        'find_repository_by_name',
        `${SELECT} where ${HAS_NAME} and r.removed_at is null`,
        toNameParts(name),
      ),
    );
  }

  /** Finds a repository by `name` or `owner/name`. If none has the name, finds the removed one that had it last. */
  async findPresentOrRemovedByName(tx: TenantTransaction, name: string): Promise<Repository | null> {
    const found = await tx.queryPrepared<Repository>(
      'find_present_or_removed_repository_by_name',
      `${SELECT} where ${HAS_NAME} order by r.removed_at desc nulls first, r.id limit 2`,
      toNameParts(name),
    );
    const present = found.filter(({ removed }) => !removed);
    return onlyMatch(present.length > 0 ? present : found.slice(0, 1));
  }

  /** Lists the names of the repositories, without their owner, 2000 at most. */
  async listNames(tx: TenantTransaction): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly name: string }>(
      'select name from repository where removed_at is null order by lower_name, id limit 2000',
    );
    return rows.map(({ name }) => name);
  }

  /** Returns the last known login of the organization. */
  async orgLogin(tx: TenantTransaction): Promise<string> {
    const [row] = await tx.query<{ readonly login: string }>('select login from organization');
    return row?.login ?? '';
  }

  async list(tx: TenantTransaction): Promise<readonly Repository[]> {
    return tx.query<Repository>(`${SELECT} where r.removed_at is null order by r.lower_name, r.id`);
  }
}

/** During a rename two repositories may have the same name. Then neither is returned. */
const onlyMatch = ([found, another]: readonly Repository[]): Repository | null =>
  found && another === undefined ? found : null;
