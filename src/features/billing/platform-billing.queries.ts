import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { UpgradeRequest, UpgradeRequestStatus } from '../../domain/billing/plan.js';
import { UsersRepository } from '../accounts/users/users.repository.js';
import { REQUEST_COLUMNS, upgradeRequestOf, type UpgradeRequestRow } from './billing.repository.js';

/** A request as those see it who belong to no workspace. */
export interface PlatformRequest extends UpgradeRequest {
  /** The login of the workspace's organization. */
  readonly org: string;
}

interface PlatformRequestRow extends UpgradeRequestRow {
  readonly login: string;
}

const one = ([row, another]: readonly { readonly org_id: OrgId }[]): OrgId | null =>
  row && another === undefined ? row.org_id : null;

/** A request as people read it: by whom, under the login that they last signed in with. */
export type NamedRequest<R extends UpgradeRequest = UpgradeRequest> = Omit<R, 'requestedBy'> & {
  readonly requestedBy: string | null;
};

/** Finds requests and workspaces across tenants, and shows nothing else of one. Says who asked for what. */
@Injectable()
export class PlatformBillingQueries {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
  ) {}

  /** A null status is every status. */
  async count(status: UpgradeRequestStatus | null): Promise<number> {
    const [row] = await this.database.queryWithoutTenant<{ readonly requests: string }>(
      'count_upgrade_requests',
      'select count_upgrade_requests($1) as requests',
      [status],
    );
    return Number(row?.requests);
  }

  /** The newest first. */
  listPage(status: UpgradeRequestStatus | null, limit: number, offset: number): Promise<readonly PlatformRequest[]> {
    return this.list(status, null, limit, offset);
  }

  /** The newest first, from after the given one on; from the newest where it is null. */
  listAfter(
    status: UpgradeRequestStatus | null,
    after: Pick<PlatformRequest, 'id' | 'requestedAt'> | null,
    limit: number,
  ): Promise<readonly PlatformRequest[]> {
    return this.list(status, after, limit, 0);
  }

  /** Whose the request is; null where there is none with this id. */
  async findWorkspaceOf(requestId: string): Promise<OrgId | null> {
    return one(
      await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
        'find_workspace_by_upgrade_request',
        'select org_id from find_workspace_by_upgrade_request($1)',
        [requestId],
      ),
    );
  }

  /** By the login of its organization, in any case; null where none, or more than one, bears it now. */
  async findWorkspaceByLogin(login: string): Promise<OrgId | null> {
    return one(
      await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
        'find_organizations_by_login',
        'select org_id from find_organizations_by_login($1)',
        [login],
      ),
    );
  }

  private async list(
    status: UpgradeRequestStatus | null,
    after: Pick<PlatformRequest, 'id' | 'requestedAt'> | null,
    limit: number,
    offset: number,
  ): Promise<readonly PlatformRequest[]> {
    const rows = await this.database.queryWithoutTenant<PlatformRequestRow>(
      'list_upgrade_requests',
      `select login, ${REQUEST_COLUMNS}
       from list_upgrade_requests($1, $2, $3, $4, $5)`,
      [status, after?.requestedAt ?? null, after?.id ?? null, limit, offset],
    );
    return rows.map((row) => ({ org: row.login, ...upgradeRequestOf(row) }));
  }

  async name<R extends UpgradeRequest>(request: R): Promise<NamedRequest<R>> {
    return named(request, await this.users.list([request.requestedBy]));
  }

  /** The same for many, which are looked up at once. */
  async addRequesterLogins<R extends UpgradeRequest>(requests: readonly R[]): Promise<readonly NamedRequest<R>[]> {
    const users = await this.users.list([...new Set(requests.map(({ requestedBy }) => requestedBy))]);
    return requests.map((request) => named(request, users));
  }
}

const named = <R extends UpgradeRequest>(
  request: R,
  users: ReadonlyMap<number, { readonly login: string }>,
): NamedRequest<R> => ({ ...request, requestedBy: users.get(request.requestedBy)?.login ?? null });
