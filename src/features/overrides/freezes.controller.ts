import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { FreezesService } from './freezes.service.js';
import { FreezeDto, CreateFreezeDto, FreezesDto } from './overrides.dto.js';

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/freezes')
export class FreezesController {
  constructor(private readonly freezes: FreezesService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'List the freezes of the workspace' })
  @ApiOkResponse({
    type: FreezesDto,
    description: 'The freezes that admins created. Policies can have their own freezes.',
  })
  async listFreezes(@CurrentCaller() caller: MemberCaller): Promise<FreezesDto> {
    return { freezes: [...(await this.freezes.list(caller))] };
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Create a freeze: no gate of the workspace opens on its days' })
  @ApiCreatedResponse({ type: FreezeDto, description: 'The freeze, which is in effect.' })
  @ErrorResponses({ 409: 'The workspace has the maximum number of freezes.' })
  @ErrorCodes({ 409: ['freeze_limit'] })
  async createFreeze(@CurrentCaller() caller: MemberCaller, @Body() freeze: CreateFreezeDto): Promise<FreezeDto> {
    return this.freezes.create(caller, freeze);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Lift a freeze' })
  @IdParam('freeze')
  @ApiNoContentResponse({ description: 'The freeze is lifted, and jobs evaluate the releases again.' })
  @ErrorResponses({ 404: 'The workspace has no such current or future freeze.' })
  async liftFreeze(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<void> {
    await this.freezes.lift(caller, id);
  }
}
