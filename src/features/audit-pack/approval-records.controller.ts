import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { Member } from '../../auth/caller.js';
import { ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { ApprovalRecordDto } from './approval-record.dto.js';
import { ApprovalRecordService } from './approval-record.service.js';

@ApiTags('audit')
@RateLimited('session')
@Controller('api/milestones/:id/approval-record')
export class ApprovalRecordsController {
  constructor(private readonly records: ApprovalRecordService) {}

  @Get()
  @Requires('member', { personalKey: 'read' })
  @ApiOperation({ summary: 'Get how a release was approved' })
  @IdParam('release')
  @ApiOkResponse({
    type: ApprovalRecordDto,
    description:
      'The decision with its reviews, evidence, overrides, published documents and deployments, by stored data.',
  })
  @ErrorResponses({ 404: 'You can read no release with this id.' })
  async getApprovalRecord(@CurrentCaller() { viewer }: Member, @Param('id') id: string): Promise<ApprovalRecordDto> {
    return this.records.read(viewer, id);
  }
}
