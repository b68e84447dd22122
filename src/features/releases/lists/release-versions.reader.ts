import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { offsetOf, type PageRequest } from '../../../http/pagination/page-request.js';

/** Finds the releases of a repository by their versions. */
@Injectable()
export class ReleaseVersions {
  /** The newest version first, by precedence; every id without a page. */
  async find(
    tx: TenantTx,
    repositoryId: string,
    search: string | null,
    page: PageRequest | null,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const matches = `repository_id = $1${search === null ? '' : ' and strpos(lower_version, $4::text) > 0'}`;
    const [row] = await tx.prepared<{ readonly ids: readonly string[]; readonly total: string }>(
      `find_versions_${search === null ? 'any' : 'searched'}`,
      `select array(
         select id from release where ${matches}
         order by version_order desc, id limit $2::bigint offset $3::bigint) as ids,
         (select count(*) from release where ${matches}) as total`,
      [
        repositoryId,
        page?.pageSize ?? null,
        page ? offsetOf(page) : 0,
        ...(search === null ? [] : [search.toLowerCase()]),
      ],
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }
}
