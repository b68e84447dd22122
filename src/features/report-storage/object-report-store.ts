import type { StorageLocation } from '../../config/storage-location.js';
import type { OrgId } from '../../database/ids.js';
import type { ObjectStore } from './object-store.js';
import type { Placement, ReportContent, ReportStore } from './report-store.js';

/** Keeps content as objects of a bucket, a workspace's beside each other. */
export class ObjectReportStore implements ReportStore {
  constructor(
    private readonly objects: ObjectStore,
    private readonly base: StorageLocation,
  ) {}

  async place(orgId: OrgId, { sha256, blocks }: ReportContent): Promise<Placement> {
    const location = this.locationOf(orgId, sha256);
    await this.objects.put(location, Buffer.concat(blocks));
    return { location };
  }

  private locationOf(orgId: OrgId, sha256: string): string {
    const { bucket, prefix, endpoint, region } = this.base;
    const url = new URL(`s3://${bucket}/${[prefix, orgId, sha256].filter((part) => part !== '').join('/')}`);
    if (endpoint !== null) url.searchParams.set('endpoint', endpoint);
    if (region !== null) url.searchParams.set('region', region);
    return url.href;
  }
}
