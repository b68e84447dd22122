import { Injectable } from '@nestjs/common';
import { WorkspaceReader } from '../../workspaces/workspace.reader.js';
import { MemberDoubts } from '../accounts/members/member-doubts.recorder.js';
import type { WebhookHints } from './payload-changes.js';

type PeopleHints = Pick<WebhookHints, 'belonging' | 'reading'>;

/** Has the host asked again about people whom deliveries are about, and shows them nothing private until it answers. */
@Injectable()
export class MemberFollowUp {
  constructor(
    private readonly workspaces: WorkspaceReader,
    private readonly doubts: MemberDoubts,
  ) {}

  async follow({ belonging, reading }: PeopleHints, installationId: number | null): Promise<void> {
    const isNobody = belonging.length === 0 && reading !== 'everyone' && reading.length === 0;
    if (installationId === null || isNobody) return;
    const orgId = await this.workspaces.findByInstallation(installationId);
    if (orgId !== null) await this.doubts.raise(orgId, { belonging, reading });
  }
}
