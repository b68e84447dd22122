import { Injectable } from '@nestjs/common';
import { Database, type TenantTx } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';

/** The first revision that a file was part of. */
export interface PublishedRevision {
  readonly revision: string;
  readonly publishedAt: Date;
}

interface PublishedRow {
  readonly revision: string;
  readonly published_at: Date;
}

const SELECT = 'select revision, published_at from find_published_workflow($1, $2)';

/** Which workflow files this service ever published, to whomever. */
@Injectable()
export class PublishedRevisions {
  /** What was published once stays so. */
  private readonly known = new Map<string, PublishedRevision>();

  constructor(private readonly database: Database) {}

  /** Whether a file of exactly this content was ever published for this path. */
  async isPublished(tx: TenantTx | null, path: string, blobSha: Sha): Promise<boolean> {
    return (await this.find(tx, path, blobSha)) !== null;
  }

  /** In the transaction where one is open, so that its work waits for no second connection. */
  async find(tx: TenantTx | null, path: string, blobSha: Sha): Promise<PublishedRevision | null> {
    const key = `${path} ${blobSha}`;
    const known = this.known.get(key);
    if (known) return known;
    const [row] = tx
      ? await tx.query<PublishedRow>(SELECT, [path, blobSha])
      : await this.database.lookup<PublishedRow>('find_published_workflow', SELECT, [path, blobSha]);
    if (!row) return null;
    const found = { revision: row.revision, publishedAt: row.published_at };
    this.known.set(key, found);
    return found;
  }
}
